"""Schemas of plain types, made without pydantic; and how what JSON has of them becomes what the annotation says."""

from __future__ import annotations

import sys
import types
from typing import Any, Callable

from .function import MISSING, resolve_inner, typing_name
from .shape import CONVERT, FLOAT, INT, PLAIN

Convert = Callable[[Any], Any]


class NotPlain(Exception):
    """The type is for pydantic."""


class PlainType:
    """A schema, and how a value that fits it is converted."""

    __slots__ = ("convert", "kind", "schema")

    def __init__(self, schema: dict[str, Any], kind: int = PLAIN, convert: Convert | None = None) -> None:
        self.schema = schema
        self.kind = kind
        self.convert = convert

    def converter(self) -> Convert | None:
        """The conversion as a function, for values inside others."""
        return {INT: _to_int, FLOAT: _to_float}.get(self.kind, self.convert)


def plain_type(annotation: Any, scope: dict[str, Any]) -> PlainType:
    """The plain type that `annotation` is; raises NotPlain for all others. Names in quotes are looked up in `scope`."""
    if isinstance(annotation, str) or hasattr(annotation, "__forward_arg__"):
        annotation = resolve_inner(annotation, scope)
    if annotation in (MISSING, object) or annotation is typing_name("Any"):
        return PlainType({})
    if isinstance(annotation, type) and (simple := _SIMPLE.get(annotation)):
        return PlainType(dict(simple[0]), simple[1])
    if annotation is None or annotation is type(None):
        return PlainType({"type": "null"})
    if hasattr(annotation, "__metadata__"):
        return _annotated(annotation, scope)
    if hasattr(annotation, "__supertype__"):  # NewType
        return plain_type(annotation.__supertype__, scope)
    origin, arguments = getattr(annotation, "__origin__", None), getattr(annotation, "__args__", ())
    if isinstance(annotation, types.UnionType) or (origin is not None and origin is typing_name("Union")):
        return _union(arguments, scope)
    if origin is not None and origin is typing_name("Literal"):
        return _literal(arguments)
    if annotation in (list, tuple, dict) or origin in (list, tuple, dict):
        return _container(origin or annotation, arguments, scope)
    if _is_enum(annotation):
        return _enum(annotation)
    raise NotPlain


_SIMPLE: dict[type, tuple[dict[str, Any], int]] = {
    int: ({"type": "integer"}, INT),
    float: ({"type": "number"}, FLOAT),
    str: ({"type": "string"}, PLAIN),
    bool: ({"type": "boolean"}, PLAIN),
}


def _to_int(value: Any) -> Any:
    return int(value) if type(value) is float and value.is_integer() else value


def _to_float(value: Any) -> Any:
    return float(value) if type(value) is int else value


# ---- containers ----


def _container(origin: type, arguments: tuple[Any, ...], scope: dict[str, Any]) -> PlainType:
    if origin is dict:
        return _dict(arguments, scope)
    if origin is tuple:
        if not arguments:
            return PlainType({"type": "array"}, CONVERT, tuple)
        if len(arguments) != 2 or arguments[1] is not Ellipsis:
            return _fixed_tuple(() if arguments == ((),) else arguments, scope)
    if not arguments:
        return PlainType({"type": "array"})
    items = plain_type(arguments[0], scope)
    convert = items.converter()
    schema = {"type": "array", "items": items.schema}
    if origin is tuple:
        return PlainType(schema, CONVERT, (lambda value: tuple(map(convert, value))) if convert else tuple)
    if convert is None:
        return PlainType(schema)
    return PlainType(schema, CONVERT, lambda value: list(map(convert, value)) if type(value) is list else value)


def _fixed_tuple(arguments: tuple[Any, ...], scope: dict[str, Any]) -> PlainType:
    parts = [plain_type(argument, scope) for argument in arguments]
    converts = [part.converter() or _same for part in parts]
    schema: dict[str, Any] = {"type": "array"}
    if parts:
        schema["prefixItems"] = [part.schema for part in parts]
    schema.update(minItems=len(parts), maxItems=len(parts))
    return PlainType(schema, CONVERT, lambda value: tuple(each(item) for each, item in zip(converts, value)))


def _same(value: Any) -> Any:
    return value


def _dict(arguments: tuple[Any, ...], scope: dict[str, Any]) -> PlainType:
    if not arguments:
        return PlainType({"type": "object"})
    if arguments[0] is not str:
        raise NotPlain
    values = plain_type(arguments[1], scope)
    schema: dict[str, Any] = {"type": "object"}
    if values.schema:
        schema["additionalProperties"] = values.schema
    convert = values.converter()
    if convert is None:
        return PlainType(schema)
    return PlainType(
        schema,
        CONVERT,
        lambda value: {key: convert(item) for key, item in value.items()} if type(value) is dict else value,
    )


# ---- choices ----


def _union(arguments: tuple[Any, ...], scope: dict[str, Any]) -> PlainType:
    members = [plain_type(argument, scope) for argument in arguments]
    if any(not member.schema for member in members):
        return PlainType({})
    schema = {"anyOf": [member.schema for member in members]}
    kinds = {member.kind for member in members} - {PLAIN}
    if kinds == {INT, FLOAT} or not kinds:
        return PlainType(schema)
    if len(kinds) > 1:
        raise NotPlain
    kind = kinds.pop()
    if kind != CONVERT:
        return PlainType(schema, kind)
    converting = [member for member in members if member.kind == CONVERT]
    others = [member.schema for member in members if member.kind != CONVERT]
    convert = converting[0].convert
    if convert is None or len(converting) > 1 or any(other != {"type": "null"} for other in others):
        raise NotPlain
    return PlainType(schema, CONVERT, lambda value: None if value is None else convert(value))


def _literal(values: tuple[Any, ...]) -> PlainType:
    if not all(value is None or type(value) in (str, int, bool) for value in values):
        raise NotPlain
    kind = INT if any(type(value) is int for value in values) else PLAIN
    return PlainType(_choice(list(values)), kind)


def _is_enum(annotation: Any) -> bool:
    enum = sys.modules.get("enum")
    return enum is not None and isinstance(annotation, type) and issubclass(annotation, enum.Enum)


def _enum(choices: Any) -> PlainType:
    values = [member.value for member in choices]
    if not all(type(value) in (str, int) for value in values):
        raise NotPlain
    return PlainType(_choice(values), CONVERT, lambda value: choices(_to_int(value)))


def _choice(values: list[Any]) -> dict[str, Any]:
    kinds = {type(value) for value in values}
    names = {str: "string", int: "integer", bool: "boolean"}
    schema: dict[str, Any] = {}
    if len(kinds) == 1 and (kind := kinds.pop()) in names:
        schema["type"] = names[kind]
    schema["enum"] = values
    return schema


# ---- Annotated ----

_BOUNDS = (("ge", "minimum"), ("gt", "exclusiveMinimum"), ("le", "maximum"), ("lt", "exclusiveMaximum"))
_LENGTHS = {"string": ("minLength", "maxLength"), "array": ("minItems", "maxItems"), "object": ("minProperties", "maxProperties")}


def _annotated(annotation: Any, scope: dict[str, Any]) -> PlainType:
    inner = plain_type(annotation.__origin__, scope)
    schema = inner.schema
    for note in annotation.__metadata__:
        if isinstance(note, str):
            schema["description"] = note
        elif isinstance(text := getattr(note, "documentation", None), str):  # typing_extensions.Doc
            schema["description"] = text
        elif type(note).__module__.partition(".")[0] in ("pydantic", "pydantic_core"):
            raise NotPlain
        elif hasattr(note, "__get_pydantic_core_schema__"):
            raise NotPlain
        else:
            _bound(note, schema)
    return PlainType(schema, inner.kind, inner.convert)


def _bound(note: Any, schema: dict[str, Any]) -> None:
    """What the objects of annotated_types say, known by their attributes."""
    if (type(note).__module__.partition(".")[0]) != "annotated_types":
        return
    kind = schema.get("type")
    if kind not in ("integer", "number", *_LENGTHS):
        raise NotPlain
    known = False
    for attribute, keyword in (*_BOUNDS, ("multiple_of", "multipleOf")):
        if (value := getattr(note, attribute, None)) is not None:
            if kind not in ("integer", "number") or type(value) not in (int, float):
                raise NotPlain
            schema[keyword] = value
            known = True
    for attribute, which in (("min_length", 0), ("max_length", 1)):
        if (value := getattr(note, attribute, None)) is not None:
            if kind not in _LENGTHS:
                raise NotPlain
            if value or attribute == "max_length":
                schema[_LENGTHS[kind][which]] = value
            known = True
    if not known and type(note).__name__ not in ("MinLen", "Len"):
        raise NotPlain
