"""When uvicorn is to exit it waits for the responses that are open, for ever, and tells the application nothing until they
are over. A stream is over when somebody ends it: so what uvicorn's own handler of signals notes is looked at while there
are open ones.
"""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, TimerHandle
    from collections.abc import Callable

INTERVAL = 0.25  # seconds


class ExitWatch:
    """Calls `end` when uvicorn is to exit while a loop has responses open."""

    def __init__(self, end: Callable[[AbstractEventLoop], object]) -> None:
        self._end = end
        self._open: dict[AbstractEventLoop, int] = {}
        self._timers: dict[AbstractEventLoop, TimerHandle] = {}

    def opened(self, loop: AbstractEventLoop) -> None:
        before = self._open.get(loop, 0)
        self._open[loop] = before + 1
        if before == 0:
            self._timers[loop] = loop.call_later(INTERVAL, self._look, loop)

    def closed(self, loop: AbstractEventLoop) -> None:
        self._open[loop] -= 1
        if self._open[loop] == 0:
            del self._open[loop]
            self._timers.pop(loop).cancel()

    def _look(self, loop: AbstractEventLoop) -> None:
        if is_exiting():
            self._end(loop)
        else:
            self._timers[loop] = loop.call_later(INTERVAL, self._look, loop)


def is_exiting() -> bool:
    """Whether the uvicorn that runs in this process, if one does, was told to exit."""
    handler = signal.getsignal(signal.SIGTERM)
    return getattr(getattr(handler, "__self__", None), "should_exit", False) is True
