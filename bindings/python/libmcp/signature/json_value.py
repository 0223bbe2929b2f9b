"""Values of Python that JSON has too."""

from __future__ import annotations

from .type_forms import MISSING, is_enum

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def is_finite_number(value: Any) -> bool:
    return type(value) is int or type(value) is float and value - value == 0


def is_json(value: Any) -> bool:
    kind = type(value)
    if kind is float:
        return is_finite_number(value)
    if kind is list or kind is tuple:
        return all(map(is_json, value))
    if kind is dict:
        return all(type(key) is str and is_json(item) for key, item in value.items())
    return value is None or kind in (str, int, bool)


def as_json(value: Any) -> Any:
    """The value as a default may be published; MISSING where JSON has none like it."""
    if is_enum(type(value)):
        value = value.value
    if type(value) in (list, tuple):
        items = [as_json(item) for item in value]
        return MISSING if MISSING in items else items
    return value if is_json(value) else MISSING
