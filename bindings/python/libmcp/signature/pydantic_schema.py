"""pydantic's JSON Schema without what says nothing: imported with pydantic itself, when the first type needs it."""

from __future__ import annotations

from typing import Any

from pydantic.json_schema import GenerateJsonSchema

from .schema_parts import with_parts

# Formats that pydantic writes and JSON Schema does not have: validators warn of them, one line for each property.
_UNKNOWN_FORMATS = frozenset(
    {
        "base64",
        "base64url",
        "binary",
        "color",
        "decimal",
        "directory-path",
        "file-path",
        "ipv4interface",
        "ipv4network",
        "ipv6interface",
        "ipv6network",
        "ipvanyaddress",
        "ipvanyinterface",
        "ipvanynetwork",
        "json-string",
        "multi-host-uri",
        "name-email",
        "password",
        "path",
        "phone",
    }
)


class QuietSchema(GenerateJsonSchema):
    """Titles are those that an author wrote: pydantic makes others of the names of classes and fields."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def model_schema(self, schema: Any) -> dict[str, Any]:
        return _untitled(super().model_schema(schema), schema, "model_config")

    def dataclass_schema(self, schema: Any) -> dict[str, Any]:
        return _untitled(super().dataclass_schema(schema), schema, "__pydantic_config__")

    def typed_dict_schema(self, schema: Any) -> dict[str, Any]:
        return _untitled(super().typed_dict_schema(schema), schema, "__pydantic_config__")

    def generate_inner(self, schema: Any) -> dict[str, Any]:
        if schema["type"] == "enum":
            # Its title is put there by a function in its metadata: another one takes it away.
            metadata = schema.get("metadata", {})
            functions = [*metadata.get("pydantic_js_functions", ()), _untitled_enum]
            schema = {**schema, "metadata": {**metadata, "pydantic_js_functions": functions}}
        return super().generate_inner(schema)

    def tagged_union_schema(self, schema: Any) -> dict[str, Any]:
        # The discriminator is OpenAPI's, and its references would lead nowhere.
        return _without(super().tagged_union_schema(schema), "discriminator")


def without_unknown_formats(schema: dict[str, Any]) -> dict[str, Any]:
    if schema.get("format") in _UNKNOWN_FORMATS:
        schema = _without(schema, "format")
    return with_parts(schema, without_unknown_formats)


def _untitled_enum(schema: Any, handler: Any) -> dict[str, Any]:
    made: dict[str, Any] = handler(schema)
    described = handler.resolve_ref_schema(made)
    if described.get("title") == schema["cls"].__name__:
        del described["title"]
    return made


def _untitled(made: dict[str, Any], schema: Any, config_name: str) -> dict[str, Any]:
    """Without the title, where that is only the name of the class."""
    cls = schema.get("cls")
    config = getattr(cls, config_name, None) or {}
    extra = config.get("json_schema_extra")
    by_author = config.get("title") is not None or isinstance(extra, dict) and "title" in extra
    if by_author or cls is None or made.get("title") != cls.__name__:
        return made
    return _without(made, "title")


def _without(schema: dict[str, Any], keyword: str) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key != keyword}
