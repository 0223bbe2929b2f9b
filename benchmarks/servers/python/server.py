"""The benchmark server in Python: `add`, `echo`, and with MANY=n in the environment n trivial tools more.

    server.py stdio [async]
    server.py http [async]      on the port that PORT names

The tools are plain functions; with `async` they are coroutine functions.
"""

import os
import sys
from collections.abc import Callable

from libmcp import Server

server = Server("bench", "1.0.0")


def plain() -> None:
    @server.tool
    def add(a: int, b: int) -> dict[str, int]:
        """Add two integers"""
        return {"sum": a + b}

    @server.tool
    def echo(text: str) -> str:
        """Echo a text"""
        return text

    def trivial(x: int) -> str:
        return "ok"

    add_many(trivial)


def coroutines() -> None:
    @server.tool
    async def add(a: int, b: int) -> dict[str, int]:
        """Add two integers"""
        return {"sum": a + b}

    @server.tool
    async def echo(text: str) -> str:
        """Echo a text"""
        return text

    async def trivial(x: int) -> str:
        return "ok"

    add_many(trivial)


def add_many(function: Callable[[int], object]) -> None:
    for number in range(int(os.environ.get("MANY", "0"))):
        server.add_tool(function, name=f"tool_{number:04}", description=f"trivial tool {number:04}")


if __name__ == "__main__":
    if sys.argv[1:] not in (["stdio"], ["stdio", "async"], ["http"], ["http", "async"]):
        sys.exit("usage: server.py stdio|http [async]")
    if "async" in sys.argv:
        coroutines()
    else:
        plain()
    if sys.argv[1] == "stdio":
        server.run()
    else:
        server.run("http", port=int(os.environ.get("PORT", "0")))
