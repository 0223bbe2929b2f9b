"""The bridge to pydantic, for everything that is not plain: models, dataclasses, TypedDicts, dates and the like."""

from __future__ import annotations

from typing import Any, Callable

_TOOL_ERROR = "The arguments do not fit:"


class Models:
    """The types of one function that pydantic knows. pydantic is imported when the first is added."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._adapters: list[tuple[str, str, Any]] = []

    def add(self, place: str, annotation: Any, mode: str) -> Any:
        """An adapter for `annotation`. `place` is told in errors, and names the schema in `schemas`."""
        try:
            from pydantic import PydanticSchemaGenerationError, PydanticUserError, TypeAdapter
        except ImportError as error:
            raise TypeError(
                f"{self._name}: {place} is a {_shown(annotation)}, for which pydantic 2 is needed: "
                "pip install 'libmcp[pydantic]'"
            ) from error
        try:
            adapter: Any = _quietly(lambda: TypeAdapter(annotation))
        except (PydanticSchemaGenerationError, PydanticUserError, NameError) as error:
            raise TypeError(f"{self._name}: {place} is a {_shown(annotation)}: {error}") from error
        self._adapters.append((place, mode, adapter))
        return adapter

    def schemas(self) -> tuple[dict[str, dict[str, Any]], dict[str, Any]]:
        """The schema of each place, and the definitions that they refer to."""
        if not self._adapters:
            return {}, {}
        from pydantic import TypeAdapter
        from pydantic.errors import PydanticInvalidForJsonSchema

        try:
            found, definitions = TypeAdapter.json_schemas(
                [(place, mode, adapter) for place, mode, adapter in self._adapters],  # type: ignore[misc]
                ref_template="#/$defs/{model}",
            )
        except PydanticInvalidForJsonSchema as error:
            places = ", ".join(place for place, _, _ in self._adapters)
            raise TypeError(f"{self._name}: {places}: {error}") from error
        schemas = {place: _without_titles(schema) for (place, _), schema in found.items()}
        return schemas, _without_titles(definitions.get("$defs", {}), names=True)


def _quietly(make: Callable[[], Any]) -> Any:
    """pydantic warns of a Field with an alias that belongs to no model; here it is the name of the argument."""
    import warnings

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*has no effect in the context it was used")
        return make()


def from_json(adapter: Any, argument: str) -> Callable[[bytes], Any]:
    """What makes the value of an argument out of its JSON. What does not fit is for the model to mend."""
    from pydantic import ValidationError

    def convert(text: bytes) -> Any:
        try:
            return adapter.validate_json(text)
        except ValidationError as error:
            raise _tool_error(error, argument) from error

    return convert


def to_json(adapter: Any) -> Callable[[Any], bytes]:
    """What writes a result."""

    def dump(value: Any) -> bytes:
        written: bytes = adapter.dump_json(value, by_alias=True, warnings=False)
        return written

    return dump


def _tool_error(error: Any, argument: str) -> Exception:
    from libmcp.errors import ToolError

    lines = [
        f"- {'/'.join(['', argument, *map(str, problem['loc'])])}: {problem['msg']}"
        for problem in error.errors(include_url=False, include_context=False, include_input=False)
    ]
    return ToolError("\n".join([_TOOL_ERROR, *lines]))


def _shown(annotation: Any) -> str:
    return getattr(annotation, "__name__", None) or repr(annotation)


def _without_titles(schema: Any, *, names: bool = False) -> Any:
    """Takes away the titles that pydantic makes of names: they say nothing new. `names`: the keys are names."""
    if isinstance(schema, list):
        return [_without_titles(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {}
    for key, value in schema.items():
        if key in ("default", "const", "enum", "examples") and not names:
            kept[key] = value
        elif key in ("properties", "$defs", "patternProperties", "dependentSchemas") and not names:
            kept[key] = {
                name: _without_titles(_untitled(name, part)) for name, part in value.items()
            }
        else:
            kept[key] = _without_titles(_untitled(key, value) if names else value)
    return kept


def _untitled(name: str, schema: Any) -> Any:
    """Without its title, where that is made of the name."""
    if isinstance(schema, dict) and isinstance(title := schema.get("title"), str):
        if _letters(title) == _letters(name) or _letters(name).endswith(_letters(title)):
            return {key: value for key, value in schema.items() if key != "title"}
    return schema


def _letters(text: str) -> str:
    return "".join(letter for letter in text.lower() if letter.isalnum())
