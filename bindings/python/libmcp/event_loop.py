"""The event loops that run coroutines of handlers: each has one queue, which the library's threads fill.

Imported only where a coroutine or an awaited method needs it, as is asyncio.
"""

from __future__ import annotations

import asyncio
from weakref import WeakKeyDictionary

from ._libmcp import LoopQueue

_queues: WeakKeyDictionary[asyncio.AbstractEventLoop, LoopQueue] = WeakKeyDictionary()


def running_queue() -> LoopQueue:
    """The queue of the running loop, which drains it from now on for as long as it runs."""
    loop = asyncio.get_running_loop()
    queue = _queues.get(loop)
    if queue is None or queue.closed:
        queue = LoopQueue()
        loop.add_reader(queue.fileno(), queue.drain)
        _queues[loop] = queue
    return queue
