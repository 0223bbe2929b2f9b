"""What form an annotation has. Modules that nobody has imported are not imported for it: none of theirs can be there."""

from __future__ import annotations

import sys
from types import GenericAlias, UnionType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Missing:
    """Stands for what is not there, where None may be."""

    def __repr__(self) -> str:
        return "MISSING"


MISSING: Any = Missing()


def typing_name(name: str) -> Any:
    """A name of typing; MISSING where that was never imported."""
    return getattr(sys.modules.get("typing"), name, MISSING)


def is_class(annotation: Any) -> bool:
    # In Python 3.10 list[int] says that it is a type.
    return isinstance(annotation, type) and not isinstance(annotation, GenericAlias)


def is_any(annotation: Any) -> bool:
    """Whether any value will do."""
    return annotation is MISSING or annotation is object or annotation is typing_name("Any")


def is_none(annotation: Any) -> bool:
    return annotation is None or annotation is type(None)


def is_union(annotation: Any) -> bool:
    return isinstance(annotation, UnionType) or origin_of(annotation) is typing_name("Union")


def is_literal(annotation: Any) -> bool:
    return origin_of(annotation) is typing_name("Literal")


def is_annotated(annotation: Any) -> bool:
    return not is_class(annotation) and hasattr(annotation, "__metadata__")


def notes_of(annotation: Any) -> tuple[Any, ...]:
    """What stands beside the type in Annotated."""
    found: tuple[Any, ...] = annotation.__metadata__ if is_annotated(annotation) else ()
    return found


def is_alias(annotation: Any) -> bool:
    """Whether it was named by a `type` statement, or as these are named before Python 3.12."""
    return type(annotation).__name__ == "TypeAliasType"


def is_enum(annotation: Any) -> bool:
    enum = sys.modules.get("enum")
    return enum is not None and is_class(annotation) and issubclass(annotation, enum.Enum)


def origin_of(annotation: Any) -> Any:
    """What a generic was made of, as list of list[int]; None for all else."""
    return None if is_class(annotation) else getattr(annotation, "__origin__", None)


def arguments_of(annotation: Any) -> tuple[Any, ...]:
    found = () if is_class(annotation) else getattr(annotation, "__args__", ())
    return found if isinstance(found, tuple) else ()


def shown(annotation: Any) -> str:
    """As a reader knows it."""
    if is_class(annotation):
        name: str = annotation.__qualname__
        return name
    return repr(annotation).replace("typing.", "")
