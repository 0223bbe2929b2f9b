"""A plain type: its schema, and how a value of JSON becomes one of it."""

from __future__ import annotations

from .shape import CONVERT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class NotPlain(Exception):
    """The type is for pydantic."""


class Misfit(ValueError):
    """A value that is none of the type; the message goes on from what the value is of."""


class PlainType:
    """`kind` and `convert` are those of a Parameter, for values that fit the schema; `read` takes any value of JSON, and
    raises Misfit. `exact` are the Python types whose values need no reading; None: all of them."""

    __slots__ = ("description", "exact", "kind", "read", "schema")

    def __init__(
        self,
        schema: dict[str, Any],
        kind: int,
        read: Callable[[Any], Any],
        exact: frozenset[type] | None = frozenset(),
        description: str | None = None,
    ) -> None:
        self.schema = schema
        self.kind = kind
        self.read = read
        self.exact = exact
        # What the author of the annotation says, where it is one of the parameter and not of its type.
        self.description = description

    @property
    def convert(self) -> Callable[[Any], Any] | None:
        return self.read if self.kind == CONVERT else None

    @property
    def types(self) -> frozenset[str]:
        """The types of JSON that it takes, as JSON Schema calls them."""
        return types_of(self.schema)

    def with_schema(self, schema: dict[str, Any], description: str | None = None) -> PlainType:
        """The same with another schema."""
        return PlainType(schema, self.kind, self.read, self.exact, description or self.description)


ALL_TYPES = frozenset({"string", "number", "integer", "boolean", "object", "array", "null"})
_TYPES_OF_VALUES = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}


def types_of(schema: dict[str, Any]) -> frozenset[str]:
    """The types that a schema made here takes. A number may be an integer."""
    if "anyOf" in schema:
        return frozenset().union(*(types_of(part) for part in schema["anyOf"]))
    if "type" in schema:
        return frozenset({"number", "integer"}) if schema["type"] == "number" else frozenset({schema["type"]})
    if "enum" in schema:
        return frozenset(_TYPES_OF_VALUES[type(value)] for value in schema["enum"])
    return ALL_TYPES


def unread(value: Any) -> Any:
    return value


