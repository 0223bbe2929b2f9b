"""Forms that users fill in, made of types. Imported with the first of them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from .signature.names import Names, Unresolved
from .signature.plain_type import NotPlain, PlainType, plain_type
from .signature.type_forms import MISSING

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
    plain = _plain(kind, Names({}), "value")
    form = {"type": "object", "properties": {"value": _field(plain)}, "required": ["value"]}
    return form, lambda content: plain.read(content["value"])


def _of_dataclass(kind: Any) -> tuple[dict[str, Any], Callable[[Any], Any]]:
    names = Names.of_module(kind.__module__)
    properties: dict[str, Any] = {}
    required: list[str] = []
    read: dict[str, Callable[[Any], Any]] = {}
    missing = sys.modules["dataclasses"].MISSING
    for name, field in kind.__dataclass_fields__.items():
        plain = _plain(field.type, names, name)
        properties[name] = _field(plain)
        read[name] = plain.read
        if "description" in field.metadata:
            properties[name]["description"] = field.metadata["description"]
        if field.default is not missing:
            if field.default is not None:
                properties[name]["default"] = field.default
        elif field.default_factory is missing:
            required.append(name)
    form = {"type": "object", "properties": properties, "required": required}
    return form, lambda content: kind(**{name: read[name](value) for name, value in content.items() if name in read})


def _of_typed_dict(kind: Any) -> tuple[dict[str, Any], Callable[[Any], Any]]:
    names = Names.of_module(kind.__module__)
    properties = {name: _field(_plain(annotation, names, name)) for name, annotation in kind.__annotations__.items()}
    return {"type": "object", "properties": properties, "required": sorted(kind.__required_keys__)}, dict


def _plain(annotation: Any, names: Names, name: str) -> PlainType:
    try:
        return plain_type(annotation, names)
    except NotPlain:
        raise TypeError(
            f"a form cannot ask for {name!r}: {annotation!r} is none of str, int, float, bool, an Enum and a Literal"
        ) from None
    except Unresolved as error:
        raise TypeError(
            f"a form cannot ask for {name!r}: its annotation {error.annotation!r} cannot be resolved: {error.reason}"
        ) from error


def _field(plain: PlainType) -> dict[str, Any]:
    return dict(_without_null(plain.schema))


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
