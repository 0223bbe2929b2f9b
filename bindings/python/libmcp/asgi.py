"""A server as an ASGI application, to be mounted in FastAPI, Starlette or any other framework, or to be run by itself.

The framework's server reads requests and writes responses; everything between is the library's, on threads of its own. What
comes of a request is handed to the event loop that took it, as many pieces at a time as there are.
"""

from __future__ import annotations

import asyncio
from contextvars import copy_context
from functools import lru_cache
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from . import _libmcp
from .errors import InvalidArgument, ServerClosed
from .event_loop import running_queue
from .uvicorn_exit import ExitWatch

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, MutableMapping

    from .server import Server

    Scope = MutableMapping[str, Any]
    Message = MutableMapping[str, Any]
    Receive = Callable[[], Awaitable[Message]]
    Send = Callable[[Message], Awaitable[None]]
    Principal = Callable[[Scope], "str | None | Awaitable[str | None]"]

# What the web server that runs the application is told, and not the application.
OF_THE_WEB_SERVER = ("host", "port", "certificate_file", "key_file")
# How long a response may take before it is watched whether its client stays. Most are there sooner, and need no task.
UNWATCHED = 0.02  # seconds


class ASGIApp:
    """What `Server.asgi()` returns. It may be mounted at several places, and serve several event loops at a time."""

    def __init__(self, server: Server, *, path: str | None, principal: Principal | None, options: dict[str, Any]) -> None:
        for name in OF_THE_WEB_SERVER:
            if name in options:
                raise TypeError(f"{name}: that is the affair of the web server that runs the application")
        self._server = server
        # Where the router has chosen this application, its whole mount is the endpoint.
        self._anywhere = path is None
        self._path = "/" if path is None else path
        self._sse_path: str | None = options.get("sse_path")
        self._principal = principal or principal_of_user
        self._options = options
        self._engine: object = None
        self._endpoints: dict[bool, _libmcp.Endpoint] = {}
        self._exit_watch = ExitWatch(self._end)
        self._endpoint(True)  # what is wrong with the options is said here, not to the first client

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        kind = scope["type"]
        if kind == "http":
            await self._answer(scope, receive, send)
        elif kind == "lifespan":
            await self._live(receive, send)
        elif kind == "websocket":
            await receive()
            await send({"type": "websocket.close"})  # before it is accepted: the client gets 403
        else:
            raise ValueError(f"scope: libmcp answers HTTP, not {kind!r}")

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            endpoint = self._endpoint(is_local(scope))
            body = await read_body(receive, self._server.max_message_bytes)
            if body is None:
                return
            principal = self._principal(scope)
            if principal is not None and not isinstance(principal, str):
                principal = await principal
            bell = asyncio.Event()
            exchange = endpoint.start(
                scope["method"],
                self._target(scope),
                scope["headers"],
                body,
                principal,
                scope,
                copy_context(),
                running_queue(),
                bell.set,
            )
        except InvalidArgument as fault:
            return await refuse(send, 400, str(fault))
        except ServerClosed as fault:
            return await refuse(send, 503, str(fault))
        await pass_on(exchange, bell, self._exit_watch, receive, send)

    async def _live(self, receive: Receive, send: Send) -> None:
        """The life of an application that is not mounted, but run by itself."""
        while (await receive())["type"] != "lifespan.shutdown":
            await send({"type": "lifespan.startup.complete"})
        await asyncio.gather(*self._end(asyncio.get_running_loop()))
        await send({"type": "lifespan.shutdown.complete"})

    def _end(self, loop: asyncio.AbstractEventLoop) -> list[asyncio.Future[None]]:
        """Ends what is open, in time; a request that comes later finds a fresh endpoint."""
        endpoints, self._endpoints = self._endpoints, {}
        return [loop.run_in_executor(None, endpoint.close) for endpoint in endpoints.values()]

    def _endpoint(self, local: bool) -> _libmcp.Endpoint:
        """The endpoint for clients of this machine, or for all. A process that was forked has its own."""
        engine = self._server._engine()
        if engine is not self._engine:
            self._engine, self._endpoints = engine, {}
        endpoint = self._endpoints.get(local)
        if endpoint is None:
            host = "127.0.0.1" if local else "0.0.0.0"
            endpoint = _libmcp.Endpoint(engine, {**self._options, "path": self._path, "host": host})
            endpoint = self._endpoints.setdefault(local, endpoint)
        return endpoint

    def _target(self, scope: Scope) -> str:
        """The request's target, as the endpoint knows it: below the mount."""
        whole: str = scope["path"]
        if whole == self._sse_path:
            path = whole
        elif self._anywhere:
            path = "/"
        else:
            path = quote(whole.removeprefix(scope.get("root_path", "")))
        query: bytes = scope.get("query_string", b"")
        return f"{path}?{query.decode('latin-1')}" if query else path


async def read_body(receive: Receive, limit: int) -> bytes | None:
    """The body of a request; of one that is too large no more than shows that it is; None if its client has gone."""
    pieces: list[bytes] = []
    length = 0
    while length <= limit:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        piece: bytes = message.get("body", b"")
        if not message.get("more_body", False) and not pieces:
            return piece
        pieces.append(piece)
        length += len(piece)
        if not message.get("more_body", False):
            break
    return b"".join(pieces)


async def pass_on(
    exchange: _libmcp.Exchange, bell: asyncio.Event, exit_watch: ExitWatch, receive: Receive, send: Send
) -> None:
    """Sends what comes, until the exchange is over. A client that goes away ends it."""
    loop = asyncio.get_running_loop()
    watcher: asyncio.Task[None] | None = None

    def watch() -> None:
        nonlocal watcher
        exit_watch.opened(loop)
        watcher = loop.create_task(abort_when_gone(exchange, receive))

    later = loop.call_later(UNWATCHED, watch)
    try:
        over = False
        while not over:
            await bell.wait()
            bell.clear()
            messages, over = exchange.take()
            for message in messages:
                await send(message)
        if not exchange.begun:
            await refuse(send, 503, "the server was shut down before it answered")
    except OSError:  # how newer servers tell that the client has gone
        pass
    finally:
        exchange.abort()
        later.cancel()
        if watcher is not None:
            watcher.cancel()
            exit_watch.closed(loop)


async def abort_when_gone(exchange: _libmcp.Exchange, receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    exchange.abort()


async def refuse(send: Send, status: int, why: str) -> None:
    body = why.encode()
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def is_local(scope: Scope) -> bool:
    """Whether the connection came to an address that only this machine can reach, as far as is known. There, names
    and pages of this machine are let in and no others, so that no page of another site reaches it by DNS rebinding."""
    server = scope.get("server")
    return server is None or is_loopback(server[0])


@lru_cache
def is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:  # a socket in the file system, which no page can name; or a name, as clients of tests have it
        return host == "localhost"


def principal_of_user(scope: Scope) -> str | None:
    """On whose behalf a request comes, as authentication middleware of Starlette has it in `scope["user"]`."""
    user = scope.get("user")
    if user is None or not getattr(user, "is_authenticated", False):
        return None
    try:
        name = user.identity
    except (AttributeError, NotImplementedError):
        name = getattr(user, "display_name", None)
    if not isinstance(name, str):
        raise TypeError(
            f'scope["user"]: {type(user).__name__} has neither an `identity` nor a `display_name` that is a text; '
            "say who it is by asgi(principal=...)"
        )
    return name
