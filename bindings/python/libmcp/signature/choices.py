"""Literal and Enum: one of some values."""

from __future__ import annotations

import sys

from .docstring import dedented
from .plain import Misfit, NotPlain, PlainType
from .shape import CONVERT, INT, PLAIN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_NAMES = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}


def literal(values: tuple[Any, ...]) -> PlainType:
    """The type of a Literal. Members of an Enum stand for their values."""
    members = [(getattr(value, "value", value) if _is_member(value) else value, value) for value in values]
    if any(value is not member for value, member in members):
        return _choice(members, CONVERT, {})
    return _choice(members, INT if any(type(value) is int for value in values) else PLAIN, {})


def enum(choices: Any) -> PlainType:
    """The type of an Enum, by the values of its members."""
    if issubclass(choices, sys.modules["enum"].Flag):
        raise NotPlain  # its values are combined
    doc = choices.__dict__.get("__doc__")
    # Python 3.10 gives one to each.
    described = {"description": dedented(doc)} if isinstance(doc, str) and doc != "An enumeration." else {}
    return _choice([(member.value, member) for member in choices], CONVERT, described)


def _is_member(value: Any) -> bool:
    module = sys.modules.get("enum")
    return module is not None and isinstance(value, module.Enum)


def _choice(members: list[tuple[Any, Any]], kind: int, more: dict[str, Any]) -> PlainType:
    values = [value for value, _ in members]
    kinds = {type(value) for value in values}
    if not values or not kinds <= _NAMES.keys():
        raise NotPlain
    # True is 1 and 1.0 is 1 for a dict; to JSON the one is no number and the other is the same.
    by_value = {(type(value) is bool, value): member for value, member in members}
    schema: dict[str, Any] = dict(more)
    if len(kinds) == 1:
        schema["type"] = _NAMES[kinds.pop()]
    schema["enum"] = values

    def read(value: Any) -> Any:
        if type(value) in _NAMES and (key := (type(value) is bool, value)) in by_value:
            return by_value[key]
        raise Misfit(f"is none of {', '.join(map(repr, values))}")

    return PlainType(schema, kind, read)
