"""An open port."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any

    from . import _libmcp
    from .server import Server


class Listener:
    """What ``Server.start_http`` returns. It serves until it or its server is closed, or the program ends."""

    __slots__ = ("_listener", "_server", "_tls", "path")

    def __init__(self, server: Server, listener: _libmcp.Listener, options: dict[str, Any]) -> None:
        self._server = server
        self._listener = listener
        self._tls = options.get("certificate_file") is not None
        self.path: str = options.get("path") or "/mcp"

    @property
    def host(self) -> str:
        """The address that is listened on."""
        return self._listener.host

    @property
    def port(self) -> int:
        """The port that is listened on."""
        return self._listener.port

    @property
    def url(self) -> str:
        """Where clients find the server."""
        return f"{'https' if self._tls else 'http'}://{self.host}:{self.port}{self.path}"

    def close(self, drain: float | None = None) -> None:
        """Stops listening, and waits for that. Calls in flight get ``drain`` seconds, or as the option ``drain_ms``
        says."""
        self._listener.close(None if drain is None else int(drain * 1000))
        self._server._listeners.discard(self)

    def wait(self) -> None:
        """Waits until it is closed. Signals are handled meanwhile."""
        self._listener.ending.wait()

    def __enter__(self) -> Listener:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Listener({self.url!r})"
