"""What the annotation of a result says of the output."""

from __future__ import annotations

import types
from typing import Any

from .function import MISSING, typing_name
from .model import Models, to_json
from .plain_type import NotPlain, PlainType, plain_type
from .shape import AUTO, CONVERT, DUMP, STRUCTURED, TEXT, Result

RESULT = "the result"


def result_of(annotation: Any, scope: dict[str, Any], models: Models) -> Result:
    """How a result of that type is written, and its schema."""
    if annotation is str:
        return Result(TEXT)
    if _says_nothing(annotation) or _has_content(annotation):
        return Result(AUTO)
    try:
        plain = plain_type(annotation, scope)
    except NotPlain:
        return Result(DUMP, True, to_json(models.add(RESULT, annotation, "serialization")))
    if not plain.schema or _may_be_text(plain):
        return Result(AUTO)
    if plain.kind == CONVERT and "enum" in str(plain.schema):
        return Result(DUMP, plain.schema, _dump_choice)
    return Result(STRUCTURED, plain.schema)


def _says_nothing(annotation: Any) -> bool:
    return annotation in (MISSING, None, type(None), object) or annotation is typing_name("Any")


def _may_be_text(plain: PlainType) -> bool:
    """A str, or a str and None: texts, not structures."""
    kinds = [member.get("type") for member in plain.schema.get("anyOf", [plain.schema])]
    return set(kinds) <= {"string", "null"} and "enum" not in str(plain.schema)


def _has_content(annotation: Any) -> bool:
    """Whether content of the package's own, as Image, stands in it."""
    if isinstance(annotation, type) and not isinstance(annotation, types.GenericAlias):
        return any(base.__module__ == "libmcp.content" for base in annotation.__mro__)
    return any(_has_content(argument) for argument in getattr(annotation, "__args__", ()))


def _dump_choice(value: Any) -> bytes:
    import json

    return json.dumps(value, default=lambda member: member.value, ensure_ascii=False).encode()
