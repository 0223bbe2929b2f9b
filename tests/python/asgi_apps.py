"""The applications that test_asgi.py has ASGI servers run."""

import asyncio
import contextvars
import os
import threading

from fastapi import FastAPI, Request
from starlette.routing import Route

from libmcp import Context, Server

who = contextvars.ContextVar("who", default="nobody")
mcp = Server("mounted", "1.0.0", max_message_bytes=100_000)
other = Server("other", "1.0.0")
ended = asyncio.Event()  # a coroutine tool was cancelled
go_on = {"coroutine": asyncio.Event(), "function": threading.Event()}


@mcp.tool
def seen_by_function(ctx: Context) -> dict:
    """What a function sees, on a thread of the library's"""
    return {"who": who.get(), "principal": ctx.principal, "path": ctx.request["path"],
            "main": threading.current_thread() is threading.main_thread()}


@mcp.tool
async def seen_by_coroutine(ctx: Context) -> dict:
    """What a coroutine sees, on the application's loop"""
    await asyncio.sleep(0)
    return {"who": who.get(), "principal": ctx.principal, "path": ctx.request["path"],
            "main": threading.current_thread() is threading.main_thread(),
            "loop": id(asyncio.get_running_loop()), "header": ctx.headers["x-own"]}


@mcp.tool
async def step_coroutine(ctx: Context) -> str:
    """Says that it has begun, and goes on when it is told to"""
    ctx.progress(1, 2, "begun")
    await go_on["coroutine"].wait()
    return "gone on"


@mcp.tool
def step_function(ctx: Context) -> str:
    """Says that it has begun, and goes on when it is told to"""
    ctx.progress(1, 2, "begun")
    return "gone on" if go_on["function"].wait(30) else "left alone"


@mcp.tool
async def wait_for_ever(ctx: Context) -> str:
    """Until its client goes away"""
    ctx.progress(1, 2, "begun")
    try:
        await asyncio.Event().wait()
    finally:
        ended.set()


@mcp.tool
def length_of(text: str) -> int:
    """How long a text is"""
    return len(text)


@mcp.tool
def letters(count: int) -> str:
    """So many letters"""
    return "x" * count


@mcp.tool
def process() -> int:
    """Which process answers"""
    return os.getpid()


@mcp.tool
async def process_of_loop() -> int:
    """Which process answers"""
    return os.getpid()


@other.tool
def only_here() -> str:
    """What the other server does not have"""
    return "other"


app = FastAPI()


@app.middleware("http")
async def remember_who(request: Request, call_next):
    who.set(request.headers.get("x-who", "nobody"))
    return await call_next(request)


@app.get("/page")
async def page() -> dict:
    return {"loop": id(asyncio.get_running_loop())}


@app.get("/go-on")
async def let_go_on(what: str) -> None:
    go_on[what].set()


@app.get("/ended")
async def wait_until_ended() -> None:
    await asyncio.wait_for(ended.wait(), 30)


class KnowsUsers:
    """Authentication as Starlette's middleware has it: the user stands in the scope."""

    def __init__(self, app):
        self.app = app

    async def __call__(self, scope, receive, send):
        user = User(dict(scope["headers"]).get(b"x-user", b"").decode())
        await self.app({**scope, "user": user}, receive, send)


class User:
    def __init__(self, name):
        self.is_authenticated = name != ""
        self.identity = name


async def principal(scope):
    return dict(scope["headers"])[b"x-key"].decode()


app.routes.append(Route("/mcp", mcp.asgi()))
app.mount("/below", mcp.asgi(path="/tools"))
app.mount("/users", KnowsUsers(mcp.asgi()))
app.mount("/keys", mcp.asgi(principal=principal))
app.mount("/known", mcp.asgi(allowed_hosts=["api.example.com"], allowed_origins=["https://app.example.com"]))
app.mount("/older", mcp.asgi(sse_path="/older/sse"))
app.mount("/other", other.asgi())

root = mcp.asgi(path="/mcp")  # run by itself
assert mcp.find_tool("process")["name"] == "process"  # the engine is there before a server with workers forks
