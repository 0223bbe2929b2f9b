"""Schemas within a schema. What stands in data, as in a default, is none."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_ONE = (
    "additionalProperties",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
)
_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
_BY_NAME = ("$defs", "definitions", "dependentSchemas", "patternProperties", "properties")


def with_parts(schema: dict[str, Any], change: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
    """The schema, with what `change` makes of each schema directly within."""

    def changed(part: Any) -> Any:
        return change(part) if isinstance(part, dict) else part

    new: dict[str, Any] = {}
    for keyword, value in schema.items():
        if keyword in _ONE:
            new[keyword] = changed(value)
        elif keyword in _LISTS and isinstance(value, list):
            new[keyword] = [changed(part) for part in value]
        elif keyword in _BY_NAME and isinstance(value, dict):
            new[keyword] = {name: changed(part) for name, part in value.items()}
        else:
            new[keyword] = value
    return new


def parts(schema: dict[str, Any]) -> list[dict[str, Any]]:
    """The schemas directly within."""
    found: list[dict[str, Any]] = []
    with_parts(schema, lambda part: found.append(part) or part)  # type: ignore[func-returns-value]
    return found
