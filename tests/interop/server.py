#!/usr/bin/env python3
"""The server that the clients of this folder use, in Python: it behaves like server.c.

    server.py stdio
    server.py http PORT     on http://127.0.0.1:PORT/mcp; PORT 0 takes one that is free, and stderr tells which
"""

import asyncio
import sys
import time
from typing import Any

from libmcp import Context, McpError, Message, NotFound, Server, ToolError

NAMES = ("Ada", "Alan", "Grace")
server = Server("interop", "1.0.0", instructions="Ask for one of each.")


@server.tool(
    input_schema={
        "type": "object",
        "properties": {"a": {"type": "integer", "maximum": 1000}, "b": {"type": "integer"}},
        "required": ["a", "b"],
    },
    output_schema={"type": "object", "properties": {"sum": {"type": "integer"}}, "required": ["sum"]},
)
def add(a: int, b: int) -> dict[str, int]:
    """Adds two numbers"""
    return {"sum": a + b}


@server.tool
async def count(ctx: Context) -> str:
    """Counts to 5"""
    for step in range(1, 6):
        await ctx.progress(step, 5, f"step {step}")
        await asyncio.sleep(0.02)  # some clients drop what they read together with the answer
    return "counted to 5"


@server.tool
def tell(what: str, ctx: Context) -> str:
    """Logs what you say"""
    ctx.log("notice", what, logger="teller")
    return "told"


@server.tool
async def ask_name(ctx: Context) -> str:
    """Asks your name"""
    form = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
    return f"The client answers {await ctx.elicit('Who are you?', form, key='question')}"


@server.tool
def ask_model(ctx: Context) -> str:
    """Asks your model"""
    return f"The client answers {ctx.sample('Say something.', max_tokens=20, key='question')}"


@server.tool
def ask_roots(ctx: Context) -> str:
    """Asks your roots"""
    return f"The client answers {ctx.roots(key='question')}"


@server.tool
def switch_tool(name: str, on: bool) -> str:
    """Adds or removes a tool"""

    def come_and_go() -> str:
        return "here I am"

    try:
        if on:
            server.add_tool(come_and_go, name=name)
        else:
            server.remove_tool(name)
    except McpError as fault:
        raise ToolError(str(fault)) from fault
    return "switched"


@server.tool
def touch(uri: str) -> str:
    """Says that a resource has changed"""
    server.resource_updated(uri)
    return "touched"


@server.resource("note://welcome", name="welcome", mime_type="text/plain")
def welcome() -> str:
    return "Welcome. Grüß Gott. ようこそ。"


@server.resource("note://bytes", name="bytes", mime_type="application/octet-stream")
def three_bytes() -> bytes:
    return b"\0\xff\1"


@server.resource("note://of/{name}", name="notes", mime_type="text/plain")
def note_of(name: str) -> str:
    if name == "nobody":
        raise NotFound
    return f"A note of {name}."


@server.prompt
def greet(name: str, tone: str = "friendly") -> list[Message]:
    """Has somebody greeted

    Args:
        name: Whom
        tone: How
    """
    return [Message("Whom shall I greet?", role="assistant"), Message(f"Greet {name} in a {tone} tone.")]


@server.completion
def complete(ref: Any, argument: Any) -> list[str]:
    """For the prompt and for the template: names that begin so."""
    return [name for name in NAMES if name.startswith(argument.value)]


def main(how: str, *port: str) -> None:
    if how == "stdio":
        server.run()
        return
    listener = server.start_http(port=int(port[0]))
    print(listener.url, file=sys.stderr, flush=True)
    while True:
        time.sleep(3600)


if len(sys.argv) < 2 or sys.argv[1:] != ["stdio"] and (len(sys.argv) != 3 or sys.argv[1] != "http"):
    sys.exit("usage: server.py stdio | server.py http PORT")
main(*sys.argv[1:])
