"""The function that completes arguments."""

from __future__ import annotations

from ._libmcp import Function
from .signature.describe import is_context
from .signature.function import Signature
from .signature.shape import AUTO, CONTEXT, CONVERT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

PARTS = ("ref", "argument", "context")


class Part:
    """An object of the protocol, its members as attributes. What is not there is None."""

    def __init__(self, members: dict[str, Any]) -> None:
        self.__dict__.update(members)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return None

    def __repr__(self) -> str:
        return f"Part({self.__dict__!r})"


def handler_of(function: Callable[..., Any]) -> Function:
    """The function, called with what it has parameters for."""
    signature = Signature(function)
    parameters: list[tuple[str, str, int, Any]] = []
    for parameter in signature.parameters:
        if is_context(parameter.annotation):
            parameters.append((parameter.name, parameter.name, CONTEXT, None))
        elif parameter.name in PARTS:
            parameters.append((parameter.name, parameter.name, CONVERT, Part))
        else:
            raise TypeError(
                f"{signature.name}: a completion takes ref, argument and context, and a Context; not {parameter.name!r}"
            )
    called = function
    if any(name == "context" and kind == CONVERT for name, _, kind, _ in parameters):
        called = with_context(function, signature.is_async)
    return Function(called, parameters, AUTO, None, signature.is_async)


def with_context(function: Callable[..., Any], is_async: bool) -> Callable[..., Any]:
    """Clients may leave the context out: then it is an empty one."""

    def call(**parts: Any) -> Any:
        parts.setdefault("context", Part({"arguments": {}}))
        return function(**parts)

    return call
