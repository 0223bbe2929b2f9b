"""What stands beside a type in Annotated: a description, bounds, or a Field of pydantic that says no more than these."""

from __future__ import annotations

from .field import is_field
from .json_value import is_finite_number, is_json
from .plain import NotPlain, PlainType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

_BOUNDS = {
    "ge": "minimum",
    "gt": "exclusiveMinimum",
    "le": "maximum",
    "lt": "exclusiveMaximum",
    "multiple_of": "multipleOf",
}
_LEAST = {"string": "minLength", "array": "minItems", "object": "minProperties"}
_MOST = {"string": "maxLength", "array": "maxItems", "object": "maxProperties"}
# Those of pydantic's modules that say nothing here: values are strict anyway.
_IGNORED = ("Strict",)


def annotated(inner: PlainType, notes: tuple[Any, ...]) -> PlainType:
    """The type with what the notes say. Raises NotPlain for what only pydantic understands."""
    if not notes:
        return inner
    says = _Says(inner)
    for note in notes:
        says.take(note)
    return inner.with_schema({**says.schema, **says.more}, says.description)


class _Says:
    def __init__(self, inner: PlainType) -> None:
        self.inner = inner
        self.schema = inner.schema
        self.more: dict[str, Any] = {}
        self.description: str | None = None

    def take(self, note: Any) -> None:
        if isinstance(note, str):
            self.describe(note)
        elif is_field(note):
            self.take_field(note)
        elif type(note).__name__ == "_PydanticGeneralMetadata":
            self.take_general(note)
        elif _is_pydantics(note):
            if type(note).__name__ not in _IGNORED:
                raise NotPlain
        else:
            self.take_attributes(note)

    def describe(self, text: Any) -> None:
        if isinstance(text, str):
            self.description = self.more["description"] = text

    def take_field(self, field: Any) -> None:
        """What belongs to the parameter, as its default and alias, is read by `field`."""
        extra = field.json_schema_extra
        if field.discriminator is not None or field.field_title_generator is not None or callable(extra):
            raise NotPlain
        for note in field.metadata:
            self.take(note)
        if field.title is not None:
            self.more["title"] = field.title
        self.describe(field.description)
        if field.examples is not None:
            if not is_json(field.examples):
                raise NotPlain
            self.more["examples"] = field.examples
        if field.deprecated:
            self.more["deprecated"] = True
        if extra is not None:
            self.more.update(extra)

    def take_general(self, note: Any) -> None:
        """pydantic's note for all that annotated_types has no class for: a pattern is among it."""
        said = vars(note)
        if said.keys() != {"pattern"}:
            raise NotPlain
        pattern = said["pattern"]
        self.put(pattern if isinstance(pattern, str) else pattern.pattern, {"string": "pattern"})

    def take_attributes(self, note: Any) -> None:
        """annotated_types and what is like it, known by attributes. What says nothing that is known is for others."""
        known = False
        for attribute, keyword in _BOUNDS.items():
            if (value := getattr(note, attribute, None)) is not None:
                if not is_finite_number(value):
                    raise NotPlain
                self.put(value, {"integer": keyword, "number": keyword})
                known = True
        for attribute, keywords in (("min_length", _LEAST), ("max_length", _MOST)):
            if isinstance(value := getattr(note, attribute, None), int):
                known = True
                if value or keywords is _MOST:
                    self.put(value, keywords)
        if isinstance(text := getattr(note, "documentation", None), str):  # typing_extensions.Doc
            self.describe(text)
        elif not known and type(note).__module__.partition(".")[0] == "annotated_types":
            raise NotPlain

    def put(self, value: Any, keywords: dict[str, str]) -> None:
        """Sets the keyword for the type, which in a union stands in the parts that it is for."""
        if "anyOf" in self.schema:
            parts = list(_with_keyword(self.schema["anyOf"], value, keywords))
            changed = any(new is not old for new, old in zip(parts, self.schema["anyOf"]))
            self.schema = {**self.schema, "anyOf": parts}
        else:
            [schema] = _with_keyword([self.schema], value, keywords)
            changed = schema is not self.schema
            self.schema = schema
        if not changed:
            raise NotPlain  # pydantic says what is wrong with it


def _with_keyword(schemas: list[Any], value: Any, keywords: dict[str, str]) -> Iterable[Any]:
    for schema in schemas:
        keyword = keywords.get(schema.get("type", ""))
        yield schema if keyword is None or "enum" in schema else {**schema, keyword: value}


def _is_pydantics(note: Any) -> bool:
    if hasattr(note, "__get_pydantic_core_schema__") or hasattr(note, "__get_pydantic_json_schema__"):
        return True
    return type(note).__module__.partition(".")[0] in ("pydantic", "pydantic_core")
