"""Lists, tuples, sets and dicts of plain types, and unions of them."""

from __future__ import annotations

import sys

from .plain import Misfit, NotPlain, PlainType, unread
from .scalars import ANYTHING, NULL
from .shape import CONVERT, PLAIN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_KINDS = {list: list, tuple: tuple, dict: dict, set: set, frozenset: frozenset}
_ABSTRACT = {
    "Sequence": list,
    "MutableSequence": list,
    "Collection": list,
    "Iterable": list,
    "Mapping": dict,
    "MutableMapping": dict,
    "Set": set,
    "MutableSet": set,
}


def kind_of(origin: Any) -> type | None:
    """The type of the container that is made for `origin`; None if that is no container."""
    if isinstance(origin, type):
        if origin in _KINDS:
            return _KINDS[origin]
        name = origin.__name__
        if name in _ABSTRACT and origin is getattr(sys.modules.get("collections.abc"), name, None):
            return _ABSTRACT[name]
    return None


def array(items: PlainType, kind: type) -> PlainType:
    """A list, a tuple of any length, or a set."""
    schema: dict[str, Any] = {"type": "array"}
    if items.schema:
        schema["items"] = items.schema
    read = _array_reader(items)
    if kind is list:
        return PlainType(schema, PLAIN if items.kind == PLAIN else CONVERT, read)
    if kind is not tuple:
        if items is ANYTHING or items.types & {"array", "object"}:
            raise NotPlain  # what cannot be hashed
        schema["uniqueItems"] = True
    return PlainType(schema, CONVERT, lambda value: kind(read(value)))


def _array_reader(items: PlainType) -> Callable[[Any], Any]:
    exact, read_item = items.exact, items.read

    def read(value: Any) -> Any:
        if type(value) is not list:
            raise Misfit("is no array")
        # By far the most lists have nothing to be converted, and this is how to know it quickly.
        if exact is None or exact and exact.issuperset(map(type, value)):
            return value
        return [read_item(item) for item in value]

    return read


def fixed_tuple(parts: list[PlainType]) -> PlainType:
    """A tuple with a type for each place."""
    schema: dict[str, Any] = {"type": "array"}
    if parts:
        schema["prefixItems"] = [part.schema for part in parts]
    schema.update(minItems=len(parts), maxItems=len(parts))
    readers = [part.read for part in parts]

    def read(value: Any) -> Any:
        if type(value) is not list or len(value) != len(readers):
            raise Misfit(f"is no array of {len(readers)}")
        return tuple(each(item) for each, item in zip(readers, value))

    return PlainType(schema, CONVERT, read)


def mapping(values: PlainType) -> PlainType:
    """A dict, whose keys are texts."""
    schema: dict[str, Any] = {"type": "object"}
    if values.schema:
        schema["additionalProperties"] = values.schema
    exact, read_value = values.exact, values.read

    def read(value: Any) -> Any:
        if type(value) is not dict:
            raise Misfit("is no object")
        if exact is None or exact and exact.issuperset(map(type, value.values())):
            return value
        return {key: read_value(item) for key, item in value.items()}

    return PlainType(schema, PLAIN if values.kind == PLAIN else CONVERT, read)


def union(members: list[PlainType]) -> PlainType:
    """One of several types: the first that a value fits."""
    if any(not member.schema for member in members):
        return PlainType({}, PLAIN, unread, None)
    kinds = {member.kind for member in members} - {PLAIN}
    exact: frozenset[type] = frozenset()
    if CONVERT not in kinds:
        exact = exact.union(*(member.exact or () for member in members))
    readers = [member.read for member in members]

    def read(value: Any) -> Any:
        if type(value) in exact:
            return value
        for each in readers:
            try:
                return each(value)
            except Misfit:
                pass
        raise Misfit("is nothing that it may be")

    # With int and float in it, numbers are left as they are.
    kind = CONVERT if CONVERT in kinds else kinds.pop() if len(kinds) == 1 else PLAIN
    return PlainType({"anyOf": [member.schema for member in members]}, kind, read, exact)


def nullable(member: PlainType) -> PlainType:
    """The type, or null."""
    if "null" in member.types:
        return member
    return union([member, NULL]).with_schema({"anyOf": [member.schema, NULL.schema]}, member.description)


