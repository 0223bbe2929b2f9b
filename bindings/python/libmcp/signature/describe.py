"""From a function to its shape: for tools, for prompts and for templates of resources."""

from __future__ import annotations

import math
from typing import Any, Callable

from . import docstring, explicit_schema
from .function import MISSING, RawParameter, Signature
from .model import Models, from_json
from .plain_type import NotPlain, PlainType, plain_type
from .result import RESULT, result_of
from .shape import (
    AUTO,
    CONTEXT,
    CONVERT,
    CONVERT_JSON,
    DUMP,
    PLAIN,
    REST,
    STRUCTURED,
    TEXT,
    Parameter,
    PromptArgument,
    Result,
    Shape,
)
from .text_argument import from_text


def describe_tool(
    function: Callable[..., Any], *, input_schema: Any = None, output_schema: Any = None
) -> Shape:
    """The shape of a tool. Schemas that are given are published as they are, and held against the signature."""
    return _Description(function).tool(input_schema, output_schema)


def describe_prompt(function: Callable[..., Any]) -> Shape:
    """The shape of a prompt, whose arguments are texts on the wire."""
    description = _Description(function)
    parameters = description.text_parameters(None)
    arguments = tuple(
        PromptArgument(parameter.argument, description.said.get(parameter.argument), parameter.required)
        for parameter in parameters
        if parameter.kind not in (CONTEXT, REST)
    )
    return description.shape(parameters, Result(AUTO), arguments=arguments)


def describe_template(function: Callable[..., Any], variables: tuple[str, ...]) -> Shape:
    """The shape of a resource template with those variables; without any, of a resource."""
    description = _Description(function)
    return description.shape(description.text_parameters(variables), Result(AUTO))


class _Description:
    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.signature = Signature(function)
        self.name = self.signature.name
        self.scope: dict[str, Any] = getattr(function, "__globals__", {})
        self.models = Models(self.name)
        self.text, self.said = docstring.parse(self.signature.doc)
        self.fill: dict[str, Callable[[], Any]] = {}

    def shape(self, parameters: tuple[Parameter, ...], result: Result, **more: Any) -> Shape:
        return Shape(
            name=self.name,
            description=self.text,
            function=_filling(self.function, self.fill) if self.fill else self.function,
            is_async=self.signature.is_async,
            parameters=parameters,
            result=result,
            **more,
        )

    # ---- tools ----

    def tool(self, input_schema: Any, output_schema: Any) -> Shape:
        properties: dict[str, dict[str, Any] | None] = {}
        parameters: list[Parameter] = []
        for raw in self.signature.parameters:
            if is_context(raw.annotation):
                parameters.append(Parameter(raw.name, CONTEXT))
            else:
                parameter, schema = self._tool_parameter(raw)
                if parameter.argument in properties:
                    raise TypeError(f"{self.name}: two parameters take the argument {parameter.argument!r}")
                parameters.append(parameter)
                properties[parameter.argument] = schema
        if self.signature.rest:
            parameters.append(Parameter("", REST, required=False))
        result = result_of(self.signature.returns, self.scope, self.models) if output_schema is None else self._result()
        schemas, definitions = self.models.schemas()
        derived = self._input_schema(properties, schemas, parameters, definitions)
        if input_schema is not None:
            explicit_schema.check_input(self.name, input_schema, tuple(parameters), derived)
            derived = input_schema
        if output_schema is not None:
            explicit_schema.check_output(self.name, output_schema)
            published = output_schema
        else:
            published = result.schema
            if published is True:
                published = _with_definitions(_at_the_root(schemas[RESULT], definitions), definitions)
        return self.shape(tuple(parameters), result, input_schema=derived, output_schema=published)

    def _result(self) -> Result:
        """How a result is written whose schema is the author's: as its annotation says, and as structured content."""
        result = result_of(self.signature.returns, self.scope, self.models)
        return Result(STRUCTURED if result.kind == TEXT else result.kind, None, result.dump if result.kind == DUMP else None)

    def _tool_parameter(self, raw: RawParameter) -> tuple[Parameter, dict[str, Any] | None]:
        """The parameter, and its schema; None where pydantic will say it."""
        field = raw.default if _is_field(raw.default) else None
        if field is None:
            try:
                plain = plain_type(raw.annotation, self.scope)
            except NotPlain:
                pass
            else:
                required = raw.default is MISSING
                parameter = Parameter(raw.name, plain.kind, convert=plain.convert, required=required)
                return parameter, _with_default(plain, raw.default)
        return self._model_parameter(raw, field), None

    def _model_parameter(self, raw: RawParameter, field: Any) -> Parameter:
        annotation: Any = object if raw.annotation is MISSING else raw.annotation
        alias = _alias(annotation)
        required = raw.default is MISSING
        if field is not None:
            from typing import Annotated

            annotation = Annotated[annotation, field]
            alias = field.validation_alias or field.alias or alias
            required = field.is_required()
            if not required:
                self.fill[raw.name] = lambda: field.get_default(call_default_factory=True)
        argument = alias if isinstance(alias, str) else raw.name
        adapter = self.models.add(f"the parameter {raw.name!r}", annotation, "validation")
        return Parameter(
            raw.name, CONVERT_JSON, argument=argument, convert=from_json(adapter, argument), required=required
        )

    def _input_schema(
        self,
        properties: dict[str, dict[str, Any] | None],
        schemas: dict[str, dict[str, Any]],
        parameters: list[Parameter],
        definitions: dict[str, Any],
    ) -> dict[str, Any]:
        by_argument = {parameter.argument: parameter for parameter in parameters if parameter.kind not in (CONTEXT, REST)}
        defaults = {raw.name: raw.default for raw in self.signature.parameters}
        written: dict[str, Any] = {}
        for argument, schema in properties.items():
            parameter = by_argument[argument]
            if schema is None:
                schema = dict(schemas[f"the parameter {parameter.name!r}"])
                if "default" not in schema:
                    schema = _default_added(schema, defaults[parameter.name])
            if argument in self.said and "description" not in schema and self.said[argument]:
                schema = {**schema, "description": self.said[argument]}
            written[argument] = schema
        whole: dict[str, Any] = {"type": "object", "properties": written}
        if required := [argument for argument, parameter in by_argument.items() if parameter.required]:
            whole["required"] = required
        if not self.signature.rest:
            whole["additionalProperties"] = False
        return _with_definitions(whole, definitions)

    # ---- prompts and templates ----

    def text_parameters(self, variables: tuple[str, ...] | None) -> tuple[Parameter, ...]:
        """Parameters that are made of texts. `variables`: the names that there are; None for any."""
        parameters: list[Parameter] = []
        for raw in self.signature.parameters:
            if is_context(raw.annotation):
                parameters.append(Parameter(raw.name, CONTEXT))
                continue
            required = raw.default is MISSING
            if variables is not None and raw.name not in variables:
                if required:
                    known = ", ".join(map(repr, variables)) or "none"
                    raise TypeError(f"{self.name}: the parameter {raw.name!r} is no variable of the URI template (it has {known})")
                continue
            convert = from_text(raw.annotation, self.name, raw.name)
            parameters.append(Parameter(raw.name, CONVERT if convert else PLAIN, convert=convert, required=required))
        if self.signature.rest:
            parameters.append(Parameter("", REST, required=False))
        elif variables is not None:
            taken = {parameter.name for parameter in parameters}
            if untaken := [name for name in variables if name not in taken]:
                raise TypeError(
                    f"{self.name}: the variable {untaken[0]!r} of the URI template is taken by no parameter; add one, or **kwargs"
                )
        return tuple(parameters)


def is_context(annotation: Any) -> bool:
    """Whether a parameter of that annotation gets the context of the call."""
    from libmcp.context import Context

    if isinstance(annotation, type):
        return issubclass(annotation, Context)
    arguments = getattr(annotation, "__args__", ())
    is_annotated = hasattr(annotation, "__metadata__")
    return any(argument is Context for argument in arguments) or (is_annotated and is_context(annotation.__origin__))


def _filling(function: Callable[..., Any], fill: dict[str, Callable[[], Any]]) -> Callable[..., Any]:
    """`function` with what pydantic's Field says in place of defaults that are Fields."""

    def filled(**arguments: Any) -> Any:
        for name, make in fill.items():
            if name not in arguments:
                arguments[name] = make()
        return function(**arguments)

    return filled


def _is_field(default: Any) -> bool:
    return type(default).__module__ == "pydantic.fields"


def _alias(annotation: Any) -> str | None:
    for note in getattr(annotation, "__metadata__", ()):
        if _is_field(note) and isinstance(alias := note.validation_alias or note.alias, str):
            return alias
    return None


def _with_default(plain: PlainType, default: Any) -> dict[str, Any]:
    return plain.schema if default is MISSING else _default_added(plain.schema, default)


def _default_added(schema: dict[str, Any], default: Any) -> dict[str, Any]:
    value = getattr(default, "value", default) if type(type(default)).__name__ in ("EnumType", "EnumMeta") else default
    return {**schema, "default": value} if _is_json(value) else schema


def _is_json(value: Any) -> bool:
    if type(value) is float:
        return math.isfinite(value)
    if type(value) is list:
        return all(map(_is_json, value))
    if type(value) is dict:
        return all(type(key) is str and _is_json(item) for key, item in value.items())
    return value is None or type(value) in (str, int, bool)


def _at_the_root(schema: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    """In place of a reference what it refers to: clients of older revisions want to see an object at the root."""
    reference = schema.get("$ref", "").removeprefix("#/$defs/")
    if reference not in definitions:
        return schema
    beside = {key: value for key, value in schema.items() if key != "$ref"}
    return {**definitions[reference], **beside}


def _with_definitions(schema: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    """Only the definitions that it refers to, one through the other."""
    needed: dict[str, Any] = {}
    waiting = [schema]
    while waiting:
        for name in _references(waiting.pop()):
            if name in definitions and name not in needed:
                needed[name] = definitions[name]
                waiting.append(definitions[name])
    return {**schema, "$defs": {name: needed[name] for name in sorted(needed)}} if needed else schema


def _references(schema: Any) -> list[str]:
    if isinstance(schema, list):
        return [name for item in schema for name in _references(item)]
    if not isinstance(schema, dict):
        return []
    found = [name for value in schema.values() for name in _references(value)]
    if isinstance(reference := schema.get("$ref"), str) and reference.startswith("#/$defs/"):
        found.append(reference.removeprefix("#/$defs/"))
    return found
