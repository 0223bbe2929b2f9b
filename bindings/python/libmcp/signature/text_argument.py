"""Arguments that are texts on the wire, those of prompts and the variables of URI templates, as what is annotated."""

from __future__ import annotations

from .bounds import check_bounds, has_bounds
from .model import Models, from_json, problems
from .plain import Misfit, PlainType, types_of
from .plain_type import NotPlain, plain_type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from .field import FieldedParameter

_SCALARS = frozenset({"string", "integer", "number", "boolean", "null"})


class TextArgument:
    """`convert` makes the value of the text; None where the text is it. `schema` is that of the JSON that must stand in
    the text; None where it is written as a person would."""

    __slots__ = ("convert", "description", "schema")

    def __init__(self, function: str, parameter: FieldedParameter) -> None:
        self.convert: Callable[[str], Any] | None = None
        self.schema: dict[str, Any] | None = None
        self.description: str | None = None
        try:
            plain = plain_type(parameter.annotation)
        except NotPlain:
            self._take_model(function, parameter)
            return
        self.description = plain.description
        if plain.exact is None or str in plain.exact and not has_bounds(plain.schema):
            return  # any text will do
        self.convert = _reader(parameter.argument, plain)
        if not plain.types & _SCALARS:
            self.schema = plain.schema

    def _take_model(self, function: str, parameter: FieldedParameter) -> None:
        models = Models(function)
        place = f"the parameter {parameter.name!r}"
        adapter = models.add(parameter.argument, place, parameter.annotation, "validation")
        schemas, definitions = models.schemas()
        schema = definitions.settle(schemas[parameter.argument], at_root=True)
        described = schema.get("description")
        self.description = described if isinstance(described, str) else None
        # Such as a date is a text itself.
        if "type" in schema and not types_of({"type": schema["type"]}) & _SCALARS:
            self.schema = schema
        self.convert = _model_reader(parameter.argument, adapter, self.schema is None)


def _reader(argument: str, plain: PlainType) -> Callable[[str], Any]:
    def convert(text: str) -> Any:
        said = "it does not fit"
        for candidate in _candidates(text):
            try:
                value = plain.read(candidate)
                check_bounds(candidate, plain.schema)
                return value
            except Misfit as misfit:
                said = f"it {misfit}"
        raise _refused(argument, text, said)

    return convert


def _candidates(text: str) -> Iterator[Any]:
    """What a text may stand for: itself first of all."""
    yield text
    stripped = text.strip()
    from json import loads

    try:
        yield loads(stripped, parse_constant=_no_constant, parse_float=_finite)
    except ValueError:
        if stripped.lower() in ("true", "false"):
            yield stripped.lower() == "true"
        elif stripped.lstrip("+-").isdecimal():  # 007
            yield int(stripped)
    if stripped in ("0", "1"):
        yield stripped == "1"


def _finite(written: str) -> float:
    value = float(written)
    if value - value != 0:
        raise ValueError(f"{written} is beyond all numbers")
    return value


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number of JSON")


def _model_reader(argument: str, adapter: Any, is_text: bool) -> Callable[[str], Any]:
    from pydantic import ValidationError

    convert = from_json(adapter)

    def convert_text(text: str) -> Any:
        from json import dumps

        try:
            return convert(dumps(text).encode())
        except ValidationError as error:
            as_text = error
        try:
            return convert(text.encode())
        except ValidationError as error:
            as_json = error
        # What is no JSON at all was not meant as such, unless nothing else would do.
        said = as_text if is_text and problems(as_json)[0]["type"] == "json_invalid" else as_json
        problem = problems(said)[0]
        place = "/".join(["", *map(str, problem["loc"])]) + ": " if problem["loc"] else ""
        raise _refused(argument, text, place + problem["msg"]) from said

    return convert_text


def _refused(argument: str, text: str, said: str) -> Exception:
    from libmcp.errors import ProtocolError

    return ProtocolError(-32602, f"The argument {argument!r}, {text[:80]!r}: {said}")
