"""Coroutine functions that handle calls: each call is a task. Imported with the first of them."""

from __future__ import annotations

import asyncio
import sys
from contextvars import Context as Variables
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from ._libmcp import Call

# A loop has only weak references to its tasks.
_tasks: dict[Call, asyncio.Task[None]] = {}


def start(
    call: Call, function: Callable[..., Any], arguments: dict[str, Any], variables: Variables
) -> asyncio.Task[None] | None:
    """Begins a call on the running loop; None if it is over already."""
    coroutine = _run(call, function, arguments)
    loop = asyncio.get_running_loop()
    if sys.version_info >= (3, 12):
        task = asyncio.Task(coroutine, loop=loop, context=variables, eager_start=True)
    else:
        task = variables.run(loop.create_task, coroutine)
    if task.done():
        return None
    _tasks[call] = task
    return task


def end_with_closed_loops() -> None:
    """Ends the calls whose loop was closed under their tasks, which nobody runs any more."""
    for call, task in list(_tasks.items()):
        if task.get_loop().is_closed() and _tasks.pop(call, None) is not None:
            call.fail(RuntimeError("the event loop was closed while the call ran"))


async def _run(call: Call, function: Callable[..., Any], arguments: dict[str, Any]) -> None:
    try:
        value = await function(**arguments)
    except asyncio.CancelledError as raised:
        by_client = call.cancelled
        call.fail(raised)
        if not by_client:
            raise  # the loop itself comes to its end
    except BaseException as raised:  # also of those that would end the loop: the server goes on
        call.fail(raised)
    else:
        call.answer(value)
    finally:
        _tasks.pop(call, None)
