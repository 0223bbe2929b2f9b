"""The event loops that run coroutines of handlers: each has one queue, which the library's threads fill.

Imported only where a coroutine or an awaited method needs it, as is asyncio.
"""

from __future__ import annotations

import asyncio
import sys
import threading
from weakref import WeakKeyDictionary, ref

from ._libmcp import LoopQueue

# A queue is held by its loop alone, which lets go of it when it is closed: so the library learns of that.
_queues: WeakKeyDictionary[asyncio.AbstractEventLoop, ref[LoopQueue]] = WeakKeyDictionary()


def running_queue() -> LoopQueue:
    """The queue of the running loop, which drains it from now on for as long as it runs."""
    loop = asyncio.get_running_loop()
    known = _queues.get(loop)
    queue = known() if known is not None else None
    if queue is None or queue.closed:
        queue = LoopQueue()
        loop.add_reader(queue.fileno(), queue.drain)
        _queues[loop] = ref(queue, _closed)
    return queue


def _closed(_queue: ref[LoopQueue]) -> None:
    coroutines = sys.modules.get("libmcp.coroutines")
    if coroutines is not None:
        coroutines.end_with_closed_loops()


def queue_of_running_loop() -> LoopQueue | None:
    """The same, or None on a thread that runs no loop."""
    try:
        return running_queue()
    except RuntimeError:
        return None


def queue_of_own_thread() -> LoopQueue:
    """The queue of a new loop on a thread of its own, for coroutines of a server that is served without a loop."""
    queues: list[LoopQueue] = []
    begun = threading.Event()

    async def live() -> None:
        queues.append(running_queue())
        begun.set()
        await asyncio.get_running_loop().create_future()

    threading.Thread(target=asyncio.run, args=(live(),), name="libmcp-loop", daemon=True).start()
    begun.wait()
    return queues[0]
