"""The types of single values."""

from __future__ import annotations

from .plain import Misfit, PlainType, unread
from .shape import FLOAT, INT, PLAIN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def _integer(value: Any) -> Any:
    if type(value) is int:
        return value
    if type(value) is float and value.is_integer():
        return int(value)
    raise Misfit("is no integer")


def _number(value: Any) -> Any:
    if type(value) is float:
        return value
    if type(value) is int:
        return float(value)
    raise Misfit("is no number")


def _only(kind: type, name: str) -> Callable[[Any], Any]:
    def read(value: Any) -> Any:
        if type(value) is kind:
            return value
        raise Misfit(f"is no {name}")

    return read


_NONE = type(None)
ANYTHING = PlainType({}, PLAIN, unread, None)
NULL = PlainType({"type": "null"}, PLAIN, _only(_NONE, "null"), frozenset({_NONE}))
SCALARS: dict[Any, PlainType] = {
    int: PlainType({"type": "integer"}, INT, _integer, frozenset({int})),
    float: PlainType({"type": "number"}, FLOAT, _number, frozenset({float})),
    str: PlainType({"type": "string"}, PLAIN, _only(str, "string"), frozenset({str})),
    bool: PlainType({"type": "boolean"}, PLAIN, _only(bool, "boolean"), frozenset({bool})),
}
