"""A client over a transport of the program's own."""

from __future__ import annotations

from ._libmcp import Channel

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from ._libmcp import Engine, LoopQueue


class Session:
    """What ``Server.session`` returns: one client."""

    __slots__ = ("_channel",)

    def __init__(self, engine: Engine, send: Callable[[bytes], object], queue: LoopQueue | None) -> None:
        self._channel = Channel(engine, send, queue)

    def receive(self, message: str | bytes) -> None:
        """Takes a message of the client's, JSON. What is wrong with it is told to the client."""
        self._channel.receive(message)

    def set_principal(self, principal: str | None) -> None:
        """Says on whose behalf messages come from now on."""
        self._channel.set_principal(principal)

    def close(self) -> None:
        """Ends what the client has open."""
        self._channel.close()

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
