"""What is known of a function once its signature was read."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Literal

# How the value of an argument is made. The extension knows these numbers.
PLAIN = 0  # as JSON has it
INT = 1  # as PLAIN, but a number without a fraction is an int
FLOAT = 2  # as PLAIN, but a number is a float
CONVERT = 3  # by calling `convert` with what PLAIN would give
CONVERT_JSON = 4  # by calling `convert` with the client's own JSON, as bytes
CONTEXT = 5  # the context of the call
REST = 6  # every argument that no other parameter takes, one keyword each

# How a result is written. The extension knows these numbers.
TEXT = 0  # a str, as a text
STRUCTURED = 1  # builtins, as structured content
DUMP = 2  # as structured content, by calling `dump`, which gives JSON as bytes
AUTO = 3  # as the value itself suggests


class Parameter:
    """One parameter of a function, always passed by keyword."""

    __slots__ = ("argument", "convert", "kind", "name", "required")

    def __init__(
        self,
        name: str,
        kind: int,
        *,
        argument: str | None = None,
        convert: Callable[[Any], Any] | None = None,
        required: bool = True,
    ) -> None:
        self.name = name
        self.argument = name if argument is None else argument
        self.kind = kind
        self.convert = convert
        self.required = required


class PromptArgument:
    """One argument of a prompt, as clients see it."""

    __slots__ = ("description", "name", "required")

    def __init__(self, name: str, description: str | None, required: bool) -> None:
        self.name = name
        self.description = description
        self.required = required


class Result:
    """How what a function returns becomes a result."""

    __slots__ = ("dump", "kind", "schema")

    def __init__(
        self,
        kind: int,
        schema: dict[str, Any] | Literal[True] | None = None,
        dump: Callable[[Any], bytes] | None = None,
    ) -> None:
        self.kind = kind
        self.schema = schema
        self.dump = dump


class Shape:
    """A function as clients see it, and how it is called."""

    __slots__ = (
        "arguments",
        "description",
        "function",
        "input_schema",
        "is_async",
        "name",
        "output_schema",
        "parameters",
        "result",
    )

    def __init__(
        self,
        *,
        name: str,
        description: str | None,
        function: Callable[..., Any],
        is_async: bool,
        parameters: tuple[Parameter, ...],
        result: Result,
        input_schema: dict[str, Any] | None = None,
        output_schema: dict[str, Any] | None = None,
        arguments: tuple[PromptArgument, ...] = (),
    ) -> None:
        self.name = name
        self.description = description
        # What is to be called: the function itself, or one that fills in what pydantic's Field says.
        self.function = function
        self.is_async = is_async
        self.parameters = parameters
        self.result = result
        self.input_schema = input_schema
        self.output_schema = output_schema
        self.arguments = arguments
