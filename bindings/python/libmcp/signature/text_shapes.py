"""The shapes of prompts, and of resources and their templates: what clients send them are texts."""

from __future__ import annotations

from .calling import callable_of
from .context_parameter import is_context
from .docstring import parse
from .field import FieldedParameter
from .function import Signature
from .shape import AUTO, CONTEXT, CONVERT, PLAIN, REST, Parameter, PromptArgument, Result, Shape
from .text_argument import TextArgument

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def describe_prompt(function: Callable[..., Any]) -> Shape:
    """The shape of a prompt."""
    read = _Read(function)
    return read.shape(
        tuple(
            PromptArgument(argument, read.description_of(argument), parameter.required)
            for argument, parameter in read.parameters.items()
        )
    )


def describe_template(function: Callable[..., Any], variables: tuple[str, ...]) -> Shape:
    """The shape of a resource template with those variables; without any, of a resource."""
    read = _Read(function)
    name = read.signature.name
    for argument, parameter in list(read.parameters.items()):
        if argument in variables:
            continue
        if parameter.required:
            where = f"it has {', '.join(map(repr, variables))}" if variables else "there are none in the URI"
            raise TypeError(f"{name}: the parameter {parameter.name!r} is no variable of the URI template: {where}")
        del read.parameters[argument]
    for variable in variables:
        if variable not in read.parameters and not read.signature.rest:
            raise TypeError(
                f"{name}: no parameter takes the variable {variable!r} of the URI template; add one of that name, or **kwargs"
            )
    return read.shape(())


class _Read:
    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.signature = Signature(function)
        self.contexts: list[Parameter] = []
        self.parameters: dict[str, Parameter] = {}
        self.texts: dict[str, TextArgument] = {}
        self.fill: dict[str, Callable[[], Any]] = {}
        for raw in self.signature.parameters:
            if is_context(raw.annotation):
                self.contexts.append(Parameter(raw.name, CONTEXT))
            else:
                self._take(FieldedParameter(self.signature.name, raw))
        mentioned = [raw.name for raw in self.signature.parameters]
        self.text, self.said = parse(self.signature.doc, (*mentioned, "kwargs"))

    def _take(self, raw: FieldedParameter) -> None:
        if raw.argument in self.parameters:
            raise TypeError(f"{self.signature.name}: two parameters take the argument {raw.argument!r}")
        if raw.fill is not None:
            self.fill[raw.name] = raw.fill
        text = self.texts[raw.argument] = TextArgument(self.signature.name, raw)
        kind = PLAIN if text.convert is None else CONVERT
        self.parameters[raw.argument] = Parameter(
            raw.name, kind, argument=raw.argument, convert=text.convert, required=raw.required
        )

    def description_of(self, argument: str) -> str | None:
        """What is said of it, and of the JSON that it must be: clients see no schema of it."""
        text = self.texts[argument]
        said = text.description or self.said.get(argument) or self.said.get(self.parameters[argument].name)
        if text.schema is None:
            return said
        from json import dumps

        schema = {key: value for key, value in text.schema.items() if key != "description"}
        wanted = f"JSON: {dumps(schema, ensure_ascii=False)}"
        return wanted if said is None else f"{said}\n\n{wanted}"

    def shape(self, arguments: tuple[PromptArgument, ...]) -> Shape:
        parameters = [*self.contexts, *self.parameters.values()]
        if self.signature.rest:
            parameters.append(Parameter("", REST, required=False))
        return Shape(
            name=self.signature.name,
            description=self.text,
            function=callable_of(self.function, self.signature.returns_awaitable, self.fill),
            is_async=self.signature.is_async,
            parameters=tuple(parameters),
            result=Result(AUTO),
            arguments=arguments,
        )
