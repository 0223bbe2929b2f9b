"""What is called in place of a function, where the function itself would not do."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


def callable_of(
    function: Callable[..., Any],
    returns_awaitable: bool,
    fill: Mapping[str, Callable[[], Any]],
    convert: Callable[[str, Any], Any] | None = None,
) -> Callable[..., Any]:
    """`function`, with what makes up for defaults that are Fields, and what converts its keyword arguments by name."""
    called = function
    if fill or convert is not None:
        called = _prepared(function, fill, convert)
    return _awaiting(called) if returns_awaitable else called


def _prepared(
    function: Callable[..., Any],
    fill: Mapping[str, Callable[[], Any]],
    convert: Callable[[str, Any], Any] | None,
) -> Callable[..., Any]:
    def prepared(**arguments: Any) -> Any:
        if convert is not None:
            arguments = {name: convert(name, value) for name, value in arguments.items()}
        for name, make in fill.items():
            if name not in arguments:
                arguments[name] = make()
        return function(**arguments)

    return prepared


def _awaiting(function: Callable[..., Any]) -> Callable[..., Any]:
    """For what a decorator made of an ``async def``: a function that returns its coroutine, or has awaited it already."""

    async def awaiting(**arguments: Any) -> Any:
        result = function(**arguments)
        return await result if hasattr(result, "__await__") else result

    return awaiting
