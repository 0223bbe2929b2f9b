"""What a handler asks of its call: progress, log, cancellation, questions to the client, and the server's own tools."""

import json
import subprocess
import sys
import unittest

from programs import Program, text

SERVER = """
import asyncio, enum, threading, time
from dataclasses import dataclass
from typing import Literal, TypedDict
from libmcp import Context, Deadlock, InputRequired, MissingCapability, Server

server = Server("context")
cancelled = threading.Event()
runs = []

@server.tool
def steps(ctx: Context) -> str:
    for step in range(3):
        ctx.progress(step, 3, f"step {step}")
        time.sleep(0.02)
    ctx.info("half")
    ctx.log("error", {"n": 1}, "own")
    return "done"

@server.tool
async def impatient(ctx: Context) -> str:
    try:
        ctx.server.call_tool_sync("awaited")
    except Deadlock as fault:
        return str(fault)

@server.tool
async def awaited(ctx: Context) -> str:
    await ctx.progress(1)
    await ctx.report_progress(2, 2)
    await ctx.info("text")
    return "done"

@server.tool
async def sleeper(ctx: Context) -> str:
    ctx.progress(0.5)
    try:
        await asyncio.sleep(60)
    except asyncio.CancelledError:
        cancelled.set()
        raise
    return "woke"

@server.tool
def looker(ctx: Context) -> str:
    heard = threading.Event()
    ctx.on_cancel(heard.set)
    ctx.progress(0.5)
    while not ctx.cancelled:
        time.sleep(0.005)
    if heard.wait(10):
        cancelled.set()
    return "nobody hears this"

@server.tool
def was_cancelled() -> bool:
    seen = cancelled.wait(10)
    cancelled.clear()
    return seen

class Seat(enum.Enum):
    WINDOW = "window"
    AISLE = "aisle"

@dataclass
class Booking:
    seat: Seat
    bags: int = 1

class Named(TypedDict):
    name: str

@server.tool
def book(ctx: Context) -> str:
    runs.append(ctx.name)
    number = ctx.memo("number", lambda: len(runs))
    first = ctx.once("pay")
    answer = ctx.elicit("Which seat?", Booking)
    if not answer.accepted:
        return f"no seat: {answer.action}"
    name = ctx.elicit("Your name?", Named).data["name"]
    return f"{name} {answer.data.seat!r} {answer.data.bags} {number} {first}"

@server.tool
async def book_later(ctx: Context) -> str:
    async def compute():
        return len(runs)
    number = await ctx.memo("number", compute)
    answer = await ctx.elicit("Which seat?", {"type": "object", "properties": {"seat": {"type": "string"}}}, key="seat")
    return f"{answer.data['seat']} {number}"

@server.tool
def page(ctx: Context) -> str:
    return ctx.elicit_url("Pay", "https://pay.test/", key="pay").action

@server.tool
def think(ctx: Context) -> str:
    return ctx.sample("What?", max_tokens=10, system_prompt="Be short.").text

@server.tool
def places(ctx: Context) -> list:
    return [root["uri"] for root in ctx.roots().roots]

@server.tool
def swallows(ctx: Context) -> str:
    try:
        ctx.elicit("Really?")
    except BaseException:
        pass
    return "swallowed"

@server.tool
def does_without(ctx: Context) -> str:
    try:
        return ctx.elicit("Really?").action
    except MissingCapability:
        return "cannot ask"

@server.tool(requires=["sampling"])
def demanding() -> str:
    return "served"

@server.tool
def about(ctx: Context) -> dict:
    return {
        "name": ctx.name, "revision": ctx.revision, "client": ctx.client_info, "principal": ctx.principal,
        "headers": dict(ctx.headers), "raw": ctx.arguments_json.decode(), "request": ctx.request,
        "capabilities": ctx.client_capabilities, "meta": sorted(ctx.meta),
    }

@server.tool
def outer(ctx: Context) -> dict:
    result = ctx.server.call_tool_sync("add", {"a": 1})
    return {"inner": result["structuredContent"], "tools": len(ctx.server.tools()), "later": later(ctx)}

def later(ctx):
    return ctx.server.call_tool_sync("awaited")["content"][0]["text"]

@server.tool
async def outer_async(ctx: Context) -> dict:
    results = await asyncio.gather(*(ctx.server.call_tool("add", {"a": n}) for n in range(3)))
    prompt = await ctx.server.get_prompt("p")
    read = await ctx.server.read_resource("x://r")
    return {"sums": [r["structuredContent"] for r in results], "prompt": prompt["messages"][0]["content"]["text"],
            "read": read["contents"][0]["text"]}

@server.tool
def add(a: int) -> int:
    return a + 1

@server.prompt
def p():
    return "asked"

@server.resource("x://r")
def r():
    return "read"

kept = []

@server.tool
def keeps(ctx: Context) -> str:
    kept.append(ctx)
    return "kept"

@server.tool
def uses_kept() -> str:
    try:
        kept[-1].progress(1)
    except Exception as error:
        return f"{type(error).__name__} {kept[-1].cancelled}"
    return "still there"

server.run()
"""

FORM = {"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {}}


class Context(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.program = Program(SERVER, capabilities=FORM)
        cls.addClassCleanup(cls.program.__exit__, None)

    def test_progress_and_log_messages_come_before_the_answer(self):
        for tool in ("steps", "awaited"):
            seen = []
            result = self.program.call(
                tool, seen=seen, progressToken="t", **{"io.modelcontextprotocol/logLevel": "info"}
            )
            self.assertEqual(text(result), "done")
            methods = {message["method"] for message in seen}
            self.assertEqual(methods, {"notifications/progress", "notifications/message"})
        progress = [message["params"] for message in seen if message["method"] == "notifications/progress"]
        self.assertEqual(progress[-1]["progress"], 2)
        self.assertEqual(progress[-1]["progressToken"], "t")

    def test_a_cancelled_coroutine_is_told_and_a_function_can_look(self):
        for tool in ("sleeper", "looker"):
            with self.subTest(tool):
                number = self.program.begin("tools/call", {"name": tool}, progressToken="c")
                self.assertEqual(self.program.receive()["method"], "notifications/progress")
                params = {"requestId": number}
                self.program.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})
                seen = []
                self.assertEqual(self.program.call("was_cancelled", seen=seen)["structuredContent"], True)
                self.assertEqual(seen, [])

    def rounds(self, tool, *answers):
        """Calls a tool that asks, and answers; the result, and the questions."""
        params = {"name": tool, "arguments": {}}
        asked = []
        for answer in answers:
            result = self.program.ask("tools/call", params)["result"]
            self.assertEqual(result["resultType"], "input_required", result)
            [(key, request)] = result["inputRequests"].items()
            asked.append(request)
            params = {**params, "inputResponses": {key: answer}, "requestState": result["requestState"]}
        return self.program.ask("tools/call", params)["result"], asked

    def test_questions_are_asked_round_by_round(self):
        accept = {"action": "accept", "content": {"seat": "aisle", "bags": 2}}
        result, asked = self.rounds("book", accept, {"action": "accept", "content": {"name": "Ann"}})
        self.assertRegex(text(result), r"^Ann <Seat.AISLE: 'aisle'> 2 \d+ False$")
        schema = asked[0]["params"]["requestedSchema"]
        self.assertEqual(schema["required"], ["seat"])
        self.assertEqual(schema["properties"]["seat"]["enum"], ["window", "aisle"])
        self.assertEqual(schema["properties"]["bags"], {"type": "integer", "default": 1})
        result, _ = self.rounds("book", {"action": "decline"})
        self.assertEqual(text(result), "no seat: decline")

    def test_coroutines_ask_too(self):
        result, asked = self.rounds("book_later", {"action": "accept", "content": {"seat": "7a"}})
        self.assertRegex(text(result), r"^7a \d+$")
        result, asked = self.rounds("page", {"action": "accept"})
        self.assertEqual((text(result), asked[0]["params"]["mode"]), ("accept", "url"))

    def test_the_model_and_the_roots_of_the_client_are_asked_for(self):
        answer = {"role": "assistant", "content": {"type": "text", "text": "That."}, "model": "m"}
        result, asked = self.rounds("think", answer)
        self.assertEqual(text(result), "That.")
        self.assertEqual(asked[0]["params"]["maxTokens"], 10)
        self.assertEqual(asked[0]["params"]["messages"], [{"role": "user", "content": {"type": "text", "text": "What?"}}])
        result, _ = self.rounds("places", {"roots": [{"uri": "file:///a"}]})
        self.assertEqual(result["structuredContent"], ["file:///a"])

    def test_a_question_that_is_swallowed_is_asked_all_the_same(self):
        result = self.program.ask("tools/call", {"name": "swallows", "arguments": {}})["result"]
        self.assertEqual(result["resultType"], "input_required")

    def test_a_client_that_cannot_be_asked_is_not(self):
        with Program(SERVER) as program:
            answer = program.ask("tools/call", {"name": "book", "arguments": {}})
            self.assertEqual(answer["error"]["code"], -32021)
            self.assertEqual(text(program.call("does_without")), "cannot ask")
            self.assertEqual(program.ask("tools/call", {"name": "demanding", "arguments": {}})["error"]["code"], -32021)

    def test_the_request_is_known(self):
        about = self.program.call("about")["structuredContent"]
        self.assertEqual(about["name"], "about")
        self.assertEqual(about["revision"], "2026-07-28")
        self.assertEqual(about["client"], {"name": "test", "version": "1"})
        self.assertEqual((about["principal"], about["headers"], about["request"]), (None, {}, None))
        self.assertEqual(json.loads(about["raw"]), {})
        self.assertEqual(about["capabilities"], FORM)
        self.assertIn("io.modelcontextprotocol/protocolVersion", about["meta"])

    def test_a_client_of_an_older_revision_says_who_it_is_when_it_comes(self):
        client = {"name": "old", "version": "3"}
        messages = [
            {"id": 1, "method": "initialize",
             "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}},
            {"method": "notifications/initialized"},
            {"id": 2, "method": "tools/call", "params": {"name": "about", "arguments": {}}},
        ]
        said = "".join(json.dumps({"jsonrpc": "2.0", **message}) + "\n" for message in messages)
        done = subprocess.run([sys.executable, "-c", SERVER], input=said, text=True, capture_output=True, timeout=60)
        about = json.loads(done.stdout.splitlines()[-1])["result"]["structuredContent"]
        self.assertEqual((about["client"], about["revision"]), (client, "2025-06-18"))

    def test_the_servers_own_tools_are_called_on_behalf_of_the_call(self):
        outer = self.program.call("outer")["structuredContent"]
        self.assertEqual((outer["inner"], outer["later"]), (2, "done"))
        outer = self.program.call("outer_async")["structuredContent"]
        self.assertEqual(outer, {"sums": [1, 2, 3], "prompt": "asked", "read": "read"})

    def test_a_coroutine_is_told_not_to_wait_for_its_own_loop(self):
        with Program(SERVER) as program:
            self.assertIn("await", text(program.call("impatient")))

    def test_a_context_that_is_kept_says_that_its_call_has_ended(self):
        self.program.call("keeps")
        self.assertEqual(text(self.program.call("uses_kept")), "CallEnded True")


if __name__ == "__main__":
    unittest.main()
