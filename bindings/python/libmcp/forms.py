"""Forms that users fill in, made of types. Imported with the first of them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from .signature.function import MISSING
from .signature.plain_type import NotPlain, plain_type

if TYPE_CHECKING:
    from collections.abc import Callable


def form_of(kind: Any) -> tuple[dict[str, Any], Callable[[Any], Any]]:
    """The JSON Schema of a form, and what makes a value of the type of what was filled in."""
    if hasattr(kind, "model_json_schema"):
        return _flat(kind.model_json_schema()), kind.model_validate
    if hasattr(kind, "__dataclass_fields__"):
        return _of_dataclass(kind)
    if hasattr(kind, "__required_keys__"):
        return _of_typed_dict(kind)
    # One value alone is a form with one field.
    form = {"type": "object", "properties": {"value": _field(kind, {}, "value")}, "required": ["value"]}
    return form, lambda content: _made(kind, content["value"])


def _of_dataclass(kind: Any) -> tuple[dict[str, Any], Callable[[Any], Any]]:
    scope = _scope(kind)
    properties: dict[str, Any] = {}
    required: list[str] = []
    kinds: dict[str, Any] = {}
    missing = sys.modules["dataclasses"].MISSING
    for name, field in kind.__dataclass_fields__.items():
        properties[name] = _field(field.type, scope, name)
        kinds[name] = _resolved(field.type, scope)
        if "description" in field.metadata:
            properties[name]["description"] = field.metadata["description"]
        if field.default is not missing:
            if field.default is not None:
                properties[name]["default"] = field.default
        elif field.default_factory is missing:
            required.append(name)
    form = {"type": "object", "properties": properties, "required": required}
    return form, lambda content: kind(**{name: _made(kinds.get(name), value) for name, value in content.items()})


def _of_typed_dict(kind: Any) -> tuple[dict[str, Any], Callable[[Any], Any]]:
    scope = _scope(kind)
    properties = {name: _field(annotation, scope, name) for name, annotation in kind.__annotations__.items()}
    return {"type": "object", "properties": properties, "required": sorted(kind.__required_keys__)}, dict


def _field(annotation: Any, scope: dict[str, Any], name: str) -> dict[str, Any]:
    annotation = _resolved(annotation, scope)
    try:
        schema = dict(plain_type(annotation, scope).schema)
    except NotPlain:
        raise TypeError(
            f"a form cannot ask for {name!r}: {annotation!r} is none of str, int, float, bool, an Enum and a Literal"
        ) from None
    return _without_null(schema)


def _resolved(annotation: Any, scope: dict[str, Any]) -> Any:
    return eval(annotation, scope) if isinstance(annotation, str) else annotation


def _scope(kind: Any) -> dict[str, Any]:
    return dict(vars(sys.modules.get(kind.__module__, sys)))


def _made(kind: Any, value: Any) -> Any:
    return kind(value) if isinstance(kind, type) and hasattr(kind, "__members__") else value


def _flat(schema: dict[str, Any]) -> dict[str, Any]:
    """A form has no references and no null: what is optional may be left out."""
    definitions = schema.get("$defs", {})
    properties = {}
    for name, field in schema.get("properties", {}).items():
        reference = field.get("$ref", "").removeprefix("#/$defs/")
        if reference in definitions:
            field = {**definitions[reference], **{key: value for key, value in field.items() if key != "$ref"}}
        field = _without_null(field)
        if field.get("default", MISSING) is None:
            field = {key: value for key, value in field.items() if key != "default"}
        properties[name] = field
    return {"type": "object", "properties": properties, "required": schema.get("required", [])}


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    choices = schema.get("anyOf")
    if isinstance(choices, list):
        others = [choice for choice in choices if choice.get("type") != "null"]
        if len(others) == 1:
            return {**others[0], **{key: value for key, value in schema.items() if key != "anyOf"}}
    kinds = schema.get("type")
    if isinstance(kinds, list):
        named = [kind for kind in kinds if kind != "null"]
        return {**schema, "type": named[0]} if len(named) == 1 else schema
    return schema
