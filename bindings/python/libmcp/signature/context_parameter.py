"""The parameter that gets the context of the call is known by its annotation."""

from __future__ import annotations

from .type_forms import arguments_of, is_annotated, is_class, is_union, origin_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def is_context(annotation: Any) -> bool:
    """Whether a parameter of that annotation gets it: a Context, one of something, or that or None."""
    if is_class(annotation):
        return any(base.__name__ == "Context" and _is_ours(base.__module__) for base in annotation.__mro__)
    if is_annotated(annotation):
        return is_context(annotation.__origin__)
    if is_union(annotation):
        return any(is_context(member) for member in arguments_of(annotation))
    origin = origin_of(annotation)
    return origin is not None and is_class(origin) and is_context(origin)


def _is_ours(module: str) -> bool:
    # By name, since importing the module for the sake of a comparison would cost those servers that use no context.
    return module.partition(".")[0] == "libmcp"
