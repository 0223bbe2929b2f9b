"""Types whose schemas are made without pydantic, so that a small server starts fast."""

from __future__ import annotations

from . import containers
from .annotated import annotated
from .choices import enum, literal
from .names import Names
from .plain import NotPlain, PlainType
from .scalars import ANYTHING, NULL, SCALARS
from .type_forms import (
    arguments_of,
    is_alias,
    is_annotated,
    is_any,
    is_class,
    is_enum,
    is_literal,
    is_none,
    is_union,
    origin_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["NotPlain", "PlainType", "plain_type"]


def plain_type(annotation: Any, names: Names | None = None) -> PlainType:
    """The plain type that `annotation` is; raises NotPlain for all others, which are pydantic's. With `names` texts in it
    are resolved; otherwise they have been."""
    return _plain(annotation if names is None else names.resolve(annotation), ())


def _plain(annotation: Any, aliases: tuple[Any, ...]) -> PlainType:
    if is_any(annotation):
        return ANYTHING
    if is_none(annotation):
        return NULL
    if is_class(annotation):
        return SCALARS.get(annotation) or _of_class(annotation)
    if is_alias(annotation):
        if annotation in aliases or hasattr(annotation, "__type_params__") and annotation.__type_params__:
            raise NotPlain
        # The text in a `type` of typing_extensions is not resolved: no plain type has such a one.
        return _plain(annotation.__value__, (*aliases, annotation))
    if is_annotated(annotation):
        return annotated(_plain(annotation.__origin__, aliases), annotation.__metadata__)
    if hasattr(annotation, "__supertype__"):  # NewType
        return _plain(annotation.__supertype__, aliases)
    arguments = arguments_of(annotation)
    if is_union(annotation):
        return containers.union([_plain(argument, aliases) for argument in arguments])
    if is_literal(annotation):
        return literal(arguments)
    return _of_generic(annotation, aliases)


def _of_class(annotation: Any) -> PlainType:
    if is_enum(annotation):
        return enum(annotation)
    return _of_generic(annotation, ())


def _of_generic(annotation: Any, aliases: tuple[Any, ...]) -> PlainType:
    arguments = arguments_of(annotation)
    kind = containers.kind_of(annotation if is_class(annotation) else origin_of(annotation))
    if kind is None:
        raise NotPlain
    if kind is dict:
        keys, values = arguments if len(arguments) == 2 else (str, object)
        if keys is not str and not is_any(keys):
            raise NotPlain
        return containers.mapping(_plain(values, aliases))
    is_bare = is_class(annotation) or not hasattr(annotation, "__args__")
    if kind is tuple and arguments[-1:] != (Ellipsis,) and not is_bare:
        parts = () if arguments == ((),) else arguments  # so Python 3.10 has tuple[()]
        return containers.fixed_tuple([_plain(part, aliases) for part in parts])
    items = _plain(arguments[0], aliases) if arguments else ANYTHING
    return containers.array(items, kind)

