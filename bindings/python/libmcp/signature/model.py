"""The bridge to pydantic, for everything that is not plain: models, dataclasses, TypedDicts, dates and the like."""

from __future__ import annotations

from .definitions import Definitions
from .type_forms import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Literal

    Mode = Literal["validation", "serialization"]

# What pydantic says of a float in place of an integer.
_WANT_INTEGERS = frozenset({"enum", "int_type", "literal_error"})
_TOOL_ERROR = "The arguments do not fit:"


class Models:
    """The types of one function that pydantic knows. pydantic is imported when the first is added."""

    def __init__(self, function: str) -> None:
        self._function = function
        self._adapters: list[tuple[Any, str, Mode, Any]] = []

    def add(self, key: Any, place: str, annotation: Any, mode: Mode) -> Any:
        """An adapter for `annotation`. `key` names its schema in `schemas`, `place` is told in errors."""
        where = f"{self._function}: {place} is annotated as {shown(annotation)}"
        try:
            from pydantic import PydanticSchemaGenerationError, PydanticUserError, TypeAdapter
        except ImportError as error:
            raise TypeError(f"{where}, for which pydantic 2 is needed: pip install 'libmcp[pydantic]'") from error
        try:
            adapter: Any = _quietly(lambda: TypeAdapter(annotation))
        except PydanticSchemaGenerationError as error:
            raise TypeError(f"{where}, and pydantic can make nothing of that: {_first_line(error)}") from error
        except (PydanticUserError, NameError, TypeError, AttributeError) as error:
            raise TypeError(f"{where}: {_first_line(error)}") from error
        self._adapters.append((key, where, mode, adapter))
        return adapter

    def schemas(self, mode: Mode = "validation") -> tuple[dict[Any, dict[str, Any]], Definitions]:
        """The schema of each key that was added with this mode, and what they refer to."""
        of_mode = [(key, where, adapter) for key, where, its_mode, adapter in self._adapters if its_mode == mode]
        if not of_mode:
            return {}, Definitions({})
        from pydantic.errors import PydanticInvalidForJsonSchema, PydanticUserError

        try:
            return _schemas([(key, mode, adapter) for key, _, adapter in of_mode])
        except (PydanticInvalidForJsonSchema, PydanticUserError):
            # Which one it is shows when they are made one by one.
            for key, where, adapter in of_mode:
                try:
                    _schemas([(key, mode, adapter)])
                except (PydanticInvalidForJsonSchema, PydanticUserError) as error:
                    raise TypeError(f"{where}, which has no JSON Schema: {_first_line(error)}") from error
            raise


def _schemas(adapters: list[tuple[Any, Mode, Any]]) -> tuple[dict[Any, dict[str, Any]], Definitions]:
    from pydantic import TypeAdapter

    from .pydantic_schema import QuietSchema, without_unknown_formats

    found, definitions = _quietly(
        lambda: TypeAdapter.json_schemas(
            adapters, by_alias=True, ref_template="#/$defs/{model}", schema_generator=QuietSchema
        )
    )
    schemas = {key: without_unknown_formats(schema) for (key, _), schema in found.items()}
    named = definitions.get("$defs", {})
    return schemas, Definitions({name: without_unknown_formats(schema) for name, schema in named.items()})


def _quietly(make: Callable[[], Any]) -> Any:
    """pydantic warns of a Field with an alias that belongs to no model; here it is the name of the argument. And of
    defaults that JSON does not have, which are not published then."""
    import warnings

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*has no effect in the context it was used")
        warnings.filterwarnings("ignore", message=".*JSON serializable")
        return make()


def from_json(adapter: Any) -> Callable[[bytes], Any]:
    """What makes a value of its JSON, or raises pydantic's ValidationError.

    Strictly, so that no text becomes a number: what JSON has no type for, as dates, is read of texts all the same. Only
    the 1.0 of JSON, which is as good an integer as 1, has to be written so first.
    """
    from pydantic import ValidationError

    def convert(text: bytes) -> Any:
        try:
            return adapter.validate_json(text, strict=True)
        except ValidationError as error:
            if not any(problem["type"] in _WANT_INTEGERS for problem in problems(error)):
                raise
            return adapter.validate_json(_with_integers(text), strict=True)

    return convert


def from_argument(adapter: Any, argument: str) -> Callable[[bytes], Any]:
    """The same for an argument of a tool. What does not fit is for the model to mend."""
    from pydantic import ValidationError

    convert = from_json(adapter)

    def convert_argument(text: bytes) -> Any:
        try:
            return convert(text)
        except ValidationError as error:
            from libmcp.errors import ToolError

            lines = [
                f"- {'/'.join(['', argument, *map(str, problem['loc'])])}: {problem['msg']}" for problem in problems(error)
            ]
            raise ToolError("\n".join([_TOOL_ERROR, *lines])) from error

    return convert_argument


def to_json(adapter: Any) -> Callable[[Any], bytes]:
    """What writes a result. One that is not of the type, but can be made one, as a dict of a model, is taken as such."""
    from pydantic_core import PydanticSerializationError

    def dump(value: Any) -> bytes:
        written: bytes
        try:
            written = adapter.dump_json(value, by_alias=True, warnings="error")
        except PydanticSerializationError:
            made = adapter.validate_python(value)
            written = adapter.dump_json(made, by_alias=True, warnings=False)
        return written

    return dump


def default_as_json(adapter: Any, default: Any) -> Any:
    """A default as JSON, where pydantic can write it; otherwise itself."""
    try:
        return adapter.dump_python(default, mode="json", by_alias=True, warnings=False)
    except Exception:
        return default


def problems(error: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = error.errors(include_url=False, include_context=False, include_input=False)
    return found


def _with_integers(text: bytes) -> bytes:
    """The same JSON, with numbers such as 1.0 written as integers."""
    import json

    def number(written: str) -> int | float:
        value = float(written)
        return int(value) if value.is_integer() else value

    return json.dumps(json.loads(text, parse_float=number)).encode()


def _first_line(error: Exception) -> str:
    message = str(error)
    return message.partition("\n")[0].rstrip(".")
