"""The server's own tools, prompts and resources, called without a transport."""

from __future__ import annotations

import sys

from ._libmcp import to_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Literal

    from ._libmcp import Call
    from .server import Server

    Kind = Literal["tool", "prompt", "resource"]
    Provider = Literal["openai-chat", "openai-responses", "anthropic", "gemini"]


async def ask(server: Server, call: Call | None, kind: Kind, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The result, on the running loop. Cancelled, it waits no more."""
    import asyncio

    from .event_loop import running_queue

    queue = running_queue()
    engine = server._engine()
    engine.add_loop(queue)
    future: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
    engine.begin(kind, name, to_json(arguments), call, queue, future)
    return await future


class ServerOfCall:
    """The server as a handler uses it: on behalf of its call."""

    __slots__ = ("_call", "_server")

    def __init__(self, server: Server, call: Call) -> None:
        self._server = server
        self._call = call

    async def call_tool(self, name: str, arguments: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Calls a tool, by its name or by that under which it was exported: its result, as the protocol has it."""
        return await ask(self._server, self._call, "tool", name, arguments or {})

    async def get_prompt(self, name: str, arguments: Mapping[str, str] | None = None) -> dict[str, Any]:
        return await ask(self._server, self._call, "prompt", name, arguments or {})

    async def read_resource(self, uri: str) -> dict[str, Any]:
        return await ask(self._server, self._call, "resource", uri, {})

    def call_tool_sync(self, name: str, arguments: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """As ``call_tool``, for a function that is none of a coroutine: it waits. A tool of the pool runs on this thread."""
        return self._wait("tool", name, to_json(arguments or {}))

    def get_prompt_sync(self, name: str, arguments: Mapping[str, str] | None = None) -> dict[str, Any]:
        return self._wait("prompt", name, to_json(arguments or {}))

    def read_resource_sync(self, uri: str) -> dict[str, Any]:
        return self._wait("resource", uri, b"")

    def _wait(self, kind: Kind, name: str, arguments: bytes) -> dict[str, Any]:
        asyncio = sys.modules.get("asyncio")
        if asyncio is not None and asyncio._get_running_loop() is not None:
            from .errors import Deadlock

            raise Deadlock("a coroutine cannot wait for its server, as others would wait for it: await the call instead")
        return self._server._engine().wait(kind, name, arguments, self._call)

    def tools(self) -> list[dict[str, Any]]:
        return self._server.tools()

    def prompts(self) -> list[dict[str, Any]]:
        return self._server.prompts()

    def resources(self) -> list[dict[str, Any]]:
        return self._server.resources()

    def resource_templates(self) -> list[dict[str, Any]]:
        return self._server.resource_templates()

    def find_tool(self, name: str) -> dict[str, Any] | None:
        return self._server.find_tool(name)

    def export_tools(self, provider: Provider) -> list[dict[str, Any]]:
        return self._server.export_tools(provider)

    def resource_updated(self, uri: str, principal: str | None = None) -> None:
        self._server.resource_updated(uri, principal)
