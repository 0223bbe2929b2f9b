"""What the annotation of a result says of the output."""

from __future__ import annotations

from .model import to_json
from .plain_type import NotPlain, PlainType, plain_type
from .shape import AUTO, DUMP, STRUCTURED, TEXT, Result
from .type_forms import arguments_of, is_any, is_class, is_none, origin_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .model import Models

# The key of the schema among those of pydantic; no argument can have it, for it is no str.
RESULT: Any = ("the result",)

_STREAMS = ("AsyncGenerator", "AsyncIterable", "AsyncIterator", "Generator", "Iterator")


def result_of(annotation: Any, models: Models) -> Result:
    """How a result of that type is written, and its schema: True where that is pydantic's, under RESULT."""
    if is_any(annotation) or is_none(annotation) or _may_be_content(annotation):
        return Result(AUTO)
    try:
        plain = plain_type(annotation)
    except NotPlain:
        return Result(DUMP, True, to_json(models.add(RESULT, "the result", annotation, "serialization")))
    if plain.types == {"string"} and "enum" not in plain.schema:
        return Result(TEXT)
    # What may be anything may be content; and a text, or None, is no structure.
    if not plain.schema or _is_open_array(plain) or _is_optional_text(plain):
        return Result(AUTO)
    return Result(STRUCTURED, plain.schema)


def _is_open_array(plain: PlainType) -> bool:
    """A list of anything: of images, for example."""
    return plain.schema == {"type": "array"}


def _is_optional_text(plain: PlainType) -> bool:
    members = plain.schema.get("anyOf", ())
    return plain.types == {"string", "null"} and all("enum" not in member for member in members)


def _may_be_content(annotation: Any) -> bool:
    """Whether content of the package's own, as Image, stands in it, or what is to be looked at when it is there."""
    if is_class(annotation):
        # Content of the package `mcp` passes as well.
        module = annotation.__module__
        is_content = hasattr(annotation, "__libmcp_result__") or module == "mcp.types" or module.startswith("mcp.types.")
        return is_content or annotation in (bytes, bytearray, memoryview)
    origin = origin_of(annotation)
    if getattr(origin, "__module__", "") == "collections.abc" and origin.__name__ in _STREAMS:
        return True
    return any(_may_be_content(argument) for argument in arguments_of(annotation))
