"""Holds a value against the bounds in a schema made here, where the core does not: texts have no schema on the wire."""

from __future__ import annotations

from .plain import Misfit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def _matches(value: Any, pattern: Any) -> bool:
    import re

    return re.search(pattern, value) is not None


_CHECKS: tuple[tuple[str, tuple[type, ...], Callable[[Any, Any], bool], str], ...] = (
    ("minimum", (int, float), lambda value, bound: value >= bound, "is less than"),
    ("maximum", (int, float), lambda value, bound: value <= bound, "is more than"),
    ("exclusiveMinimum", (int, float), lambda value, bound: value > bound, "is not more than"),
    ("exclusiveMaximum", (int, float), lambda value, bound: value < bound, "is not less than"),
    ("multipleOf", (int, float), lambda value, bound: value / bound == round(value / bound), "is no multiple of"),
    ("minLength", (str,), lambda value, bound: len(value) >= bound, "is shorter than"),
    ("maxLength", (str,), lambda value, bound: len(value) <= bound, "is longer than"),
    ("minItems", (list,), lambda value, bound: len(value) >= bound, "has fewer items than"),
    ("maxItems", (list,), lambda value, bound: len(value) <= bound, "has more items than"),
    ("pattern", (str,), _matches, "does not match"),
)


def has_bounds(schema: dict[str, Any]) -> bool:
    keywords = {keyword for keyword, *_ in _CHECKS}
    return any(not keywords.isdisjoint(part) for part in schema.get("anyOf", [schema]))


def check_bounds(value: Any, schema: dict[str, Any]) -> None:
    """Raises Misfit where the value, which fits but for its bounds, is beyond one. Those of parts are not looked at."""
    parts = schema.get("anyOf", [schema])
    if len(parts) > 1 and any(_problem(value, part) is None and _is_of(value, part) for part in parts):
        return
    for part in parts:
        if (problem := _problem(value, part)) is not None:
            raise Misfit(problem)


def _problem(value: Any, schema: dict[str, Any]) -> str | None:
    for keyword, kinds, holds, said in _CHECKS:
        if keyword in schema and type(value) in kinds and not holds(value, schema[keyword]):
            return f"{said} {schema[keyword]}"
    return None


_PYTHON = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
    "array": (list,),
    "object": (dict,),
}


def _is_of(value: Any, schema: dict[str, Any]) -> bool:
    return type(value) in _PYTHON.get(schema.get("type", ""), (type(value),))
