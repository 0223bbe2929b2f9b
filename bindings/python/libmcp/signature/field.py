"""pydantic's Field, read by its attributes: whoever wrote one has imported pydantic already."""

from __future__ import annotations

from .type_forms import MISSING, is_any, notes_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .function import RawParameter


def is_field(value: Any) -> bool:
    return type(value).__module__ == "pydantic.fields" and hasattr(value, "default_factory")


class FieldedParameter:
    """A parameter with what the Fields in its annotation and in place of its default say of it."""

    __slots__ = ("annotation", "argument", "default", "fill", "name", "required")

    def __init__(self, function: str, raw: RawParameter) -> None:
        self.name = self.argument = raw.name
        self.annotation = raw.annotation
        # What is published as the default; MISSING if there is none, or one that is made anew each time.
        self.default = raw.default
        # Makes the default, where Python itself has none but the Field.
        self.fill: Callable[[], Any] | None = None
        for note in notes_of(raw.annotation):
            if is_field(note):
                self._take(function, note, raw.default is MISSING or is_field(raw.default))
        if is_field(raw.default):
            from typing import Annotated

            self.default = MISSING
            self._take(function, raw.default, True)
            self.annotation = Annotated[object if is_any(raw.annotation) else raw.annotation, raw.default]
        self.required = self.default is MISSING and self.fill is None

    def _take(self, function: str, field: Any, its_default: bool) -> None:
        alias = field.alias if field.validation_alias is None else field.validation_alias
        if alias is not None:
            # Of several choices the first is published.
            choices = getattr(alias, "choices", (alias,))
            if not isinstance(choices[0], str):
                raise TypeError(
                    f"{function}: the alias of the parameter {self.name!r} is a path; an argument has a name, a str"
                )
            self.argument = choices[0]
        if its_default and not field.is_required():
            factory = field.default_factory
            self.default = field.default if factory is None else MISSING
            self.fill = field.get_default if factory is None else factory
