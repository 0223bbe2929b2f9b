"""The shape of a tool: its arguments with their schema, and its result."""

from __future__ import annotations

from . import containers, explicit_schema
from .calling import callable_of
from .context_parameter import is_context
from .docstring import parse
from .field import FieldedParameter
from .function import Signature
from .json_value import as_json
from .model import Models, default_as_json, from_argument
from .plain_type import NotPlain, PlainType, plain_type
from .result import RESULT, result_of
from .shape import CONTEXT, CONVERT, CONVERT_JSON, REST, STRUCTURED, TEXT, Parameter, Result, Shape
from .type_forms import MISSING, notes_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Schema = dict[str, Any]


def describe_tool(function: Callable[..., Any], *, input_schema: Any = None, output_schema: Any = None) -> Shape:
    """The shape of a tool. Schemas that are given are published as they are, and held against the signature."""
    return _Tool(function).shape(input_schema, output_schema)


class _Argument:
    """An argument of the tool: its parameter, and what is known of its schema."""

    __slots__ = ("adapter", "default", "field_description", "parameter", "plain")

    def __init__(self, parameter: Parameter, plain: PlainType | None, adapter: Any, default: Any) -> None:
        self.parameter = parameter
        self.plain = plain  # None where pydantic has the schema
        self.adapter = adapter
        self.default = default
        self.field_description: str | None = None


class _Tool:
    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.signature = Signature(function)
        self.name = self.signature.name
        self.models = Models(self.name)
        self.contexts: list[Parameter] = []
        self.arguments: dict[str, _Argument] = {}
        self.fill: dict[str, Callable[[], Any]] = {}
        for raw in self.signature.parameters:
            if is_context(raw.annotation):
                self.contexts.append(Parameter(raw.name, CONTEXT))
            else:
                self._take(FieldedParameter(self.name, raw))
        self.rest: PlainType | None = None
        self.rest_adapter: Any = None
        if self.signature.rest:
            self._take_rest()
        mentioned = [raw.name for raw in self.signature.parameters]
        self.text, self.said = parse(self.signature.doc, (*mentioned, "args", "kwargs"))

    # ---- reading ----

    def _take(self, raw: FieldedParameter) -> None:
        if raw.argument in self.arguments:
            raise TypeError(f"{self.name}: two parameters take the argument {raw.argument!r}")
        if raw.fill is not None:
            self.fill[raw.name] = raw.fill
        try:
            plain = plain_type(raw.annotation)
        except NotPlain:
            argument = self._model_argument(raw)
        else:
            if raw.default is None and plain.schema:
                plain = containers.nullable(plain)
            parameter = Parameter(
                raw.name, plain.kind, argument=raw.argument, convert=plain.convert, required=raw.required
            )
            argument = _Argument(parameter, plain, None, as_json(raw.default))
            argument.field_description = plain.description
        self.arguments[raw.argument] = argument

    def _model_argument(self, raw: FieldedParameter) -> _Argument:
        adapter = self.models.add(raw.argument, f"the parameter {raw.name!r}", raw.annotation, "validation")
        convert = from_argument(adapter, raw.argument)
        parameter = Parameter(
            raw.name, CONVERT_JSON, argument=raw.argument, convert=convert, required=raw.required
        )
        default = raw.default if raw.default is MISSING else as_json(default_as_json(adapter, raw.default))
        argument = _Argument(parameter, None, adapter, default)
        for note in notes_of(raw.annotation):
            said = note if isinstance(note, str) else getattr(note, "description", getattr(note, "documentation", None))
            if isinstance(said, str):
                argument.field_description = said
        return argument

    def _take_rest(self) -> None:
        annotation = self.signature.rest_annotation
        try:
            self.rest = plain_type(annotation)
        except NotPlain:
            self.rest_adapter = self.models.add(RESULT + ("rest",), "the parameter for all the rest", annotation, "validation")

    # ---- writing ----

    def shape(self, input_schema: Any, output_schema: Any) -> Shape:
        result = result_of(self.signature.returns, self.models)
        schemas, definitions = self.models.schemas("validation")
        derived = definitions.settle(self._input_schema(schemas))
        published = result.schema if isinstance(result.schema, dict) else None
        if result.schema is True:
            schemas, definitions = self.models.schemas("serialization")
            published = definitions.settle(schemas[RESULT], at_root=True)
        if input_schema is not None:
            parameters = {argument.parameter.name: argument.parameter for argument in self.arguments.values()}
            explicit_schema.check_input(self.name, input_schema, parameters, derived, self.signature.rest)
            self._convert_for(input_schema)
            derived = input_schema
        if output_schema is not None:
            explicit_schema.check_output(self.name, output_schema, self.signature.returns, published)
            published = output_schema
            result = _with_schema(result)
        return Shape(
            name=self.name,
            description=self.text,
            function=callable_of(self.function, self.signature.returns_awaitable, self.fill, self._convert_rest()),
            is_async=self.signature.is_async,
            parameters=self._parameters(),
            result=result,
            input_schema=derived,
            output_schema=published,
        )

    def _parameters(self) -> tuple[Parameter, ...]:
        order = {raw.name: at for at, raw in enumerate(self.signature.parameters)}
        parameters = [*self.contexts, *(argument.parameter for argument in self.arguments.values())]
        parameters.sort(key=lambda parameter: order[parameter.name])
        if self.signature.rest:
            parameters.append(Parameter("", REST, required=False))
        return tuple(parameters)

    def _input_schema(self, schemas: dict[Any, Schema]) -> Schema:
        whole: Schema = {
            "type": "object",
            "properties": {
                name: self._property(name, argument, schemas) for name, argument in self.arguments.items()
            },
        }
        if required := [name for name, argument in self.arguments.items() if argument.parameter.required]:
            whole["required"] = required
        if not self.signature.rest:
            whole["additionalProperties"] = False
        elif self.rest is None:
            whole["additionalProperties"] = schemas[RESULT + ("rest",)]
        elif self.rest.schema:
            whole["additionalProperties"] = self.rest.schema
        return whole

    def _property(self, name: str, argument: _Argument, schemas: dict[Any, Schema]) -> Schema:
        schema = dict(schemas[name] if argument.plain is None else argument.plain.schema)
        description = argument.field_description or self.said.get(name) or self.said.get(argument.parameter.name)
        if description is not None:
            schema["description"] = description
        if argument.default is MISSING:
            # pydantic publishes those of a Field, which may be overridden by one of Python's own.
            schema.pop("default", None)
        else:
            schema["default"] = argument.default
        return schema

    def _convert_for(self, input_schema: Schema) -> None:
        """Arguments whose schema is the author's are converted by what they are, since the schema may let others through."""
        for name, argument in self.arguments.items():
            plain = argument.plain
            said = explicit_schema.types_of_property(input_schema, name)
            if plain is not None and not is_any_schema(plain) and not (said and plain.exact and said <= plain.types):
                argument.parameter.kind = CONVERT
                argument.parameter.convert = plain.read

    def _convert_rest(self) -> Callable[[str, Any], Any] | None:
        """Converts a value of the ``**`` parameter, by its name, where that is needed; None where not."""
        names = {argument.parameter.name for argument in self.arguments.values()}
        names |= {context.name for context in self.contexts}
        if self.rest_adapter is not None:
            return _rest_by_pydantic(names, self.rest_adapter)
        if self.rest is None or self.rest.kind == 0:
            return None
        read = self.rest.read
        return lambda name, value: value if name in names else read(value)


def is_any_schema(plain: PlainType) -> bool:
    return plain.exact is None


def _with_schema(result: Result) -> Result:
    """A result whose schema is the author's is a structure, also where a text alone would be none."""
    if result.kind == TEXT or result.schema is None and result.dump is None:
        return Result(STRUCTURED)
    return result


def _rest_by_pydantic(names: set[str], adapter: Any) -> Callable[[str, Any], Any]:
    import json

    def convert(name: str, value: Any) -> Any:
        return value if name in names else from_argument(adapter, name)(json.dumps(value).encode())

    return convert


