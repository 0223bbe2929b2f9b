"""What every client is to find at the server of this folder, asked through the few methods of `Client`; `checks.mjs`
asks the same in JavaScript."""

import asyncio
import contextlib
import json
import sys
from dataclasses import dataclass

MODERN = "2026-07-28"
LEGACY = "2025-11-25"  # the newest revision of the era that begins with `initialize`
TOOLS = ["add", "ask_model", "ask_name", "ask_roots", "count", "switch_tool", "tell", "touch"]
PATIENCE = 60  # seconds, for everything over one connection

# What a client answers when the server asks.
NAME = "Ada"
SAID = "Something."
ROOT = "file:///some/where"


@dataclass
class Called:
    """A tool's result: the text of its first block, its structured content, and whether it is an error."""

    text: str
    structured: object
    is_error: bool


class Client:
    """One connection, as a client library has it: `connects`, `mcp_v1` and their like implement this."""

    revision: str
    server_name: str | None  # None where the client has not asked
    logs: list  # (level, logger, data) of each message so far

    async def tools(self):
        """The names of all tools."""

    async def call(self, name, arguments, on_progress=None):
        """`Called`; `on_progress` gets (progress, total, message)."""

    async def resources(self):
        """The URIs of all resources."""

    async def templates(self):
        """All URI templates."""

    async def read(self, uri):
        """The text, or the bytes, of a resource."""

    async def prompts(self):
        """The names of all prompts."""

    async def prompt(self, name, arguments):
        """The messages of a prompt: (role, text)."""

    async def complete(self, prompt=None, template=None, argument=None, value=None):
        """What completes an argument of a prompt or of a template."""

    async def ask_for_logs(self):
        """Has log messages sent from level `info` on."""

    def watch(self, tools=False, uri=None):
        """An async context in which changes of the tool list, or of a resource, are told; its value is an async
        function that waits for the next one: "tools", or the URI."""


class Checks:
    """Runs named checks and counts them."""

    def __init__(self):
        self.passed = self.failed = 0

    @contextlib.contextmanager
    def check(self, name):
        """One check. A failure is shown and counted, and the next check goes on."""
        try:
            yield
        except Exception as reason:
            self.failed += 1
            print(f"  FAILED  {name}: {explain(reason)}", flush=True)
        else:
            self.passed += 1
            print(f"  ok      {name}", flush=True)

    async def connection(self, label, connect, revision):
        """Everything that one connection is asked, from the beginning to the end. `connect` is an async context with a
        `Client`."""
        with self.check(f"{label}: connection, use and goodbye"):
            async with asyncio.timeout(PATIENCE), connect as client:
                await ask_for_everything(client, label, revision, self)

    def end(self):
        """Prints the count and ends the program."""
        print(f"{self.passed} passed, {self.failed} failed")
        sys.exit(self.failed > 0)


def explain(reason):
    """The reasons within groups of them, too."""
    parts = getattr(reason, "exceptions", None)
    return "; ".join(map(explain, parts)) if parts else repr(reason)


def equal(actual, wanted):
    if actual != wanted:
        raise AssertionError(f"{actual!r}, not {wanted!r}")


def true(condition, otherwise):
    if not condition:
        raise AssertionError(otherwise)


def own_tools(names):
    """Without the tools that other clients add and remove meanwhile."""
    return [name for name in names if not name.startswith("extra-")]


async def refused(request, code):
    """The request must end with a JSON-RPC error of this code."""
    try:
        result = await request
    except Exception as error:
        found = getattr(error, "code", None) or getattr(getattr(error, "error", None), "code", None)
        true(found == code, f"{error!r}, not an error {code}")
    else:
        raise AssertionError(f"{result!r}, not an error {code}")


async def ask_for_everything(client, label, revision, checks):
    for area in use_tools, use_resources, use_prompts, answer_questions, watch_changes:
        await area(client, label, revision, checks)


async def use_tools(client, label, revision, checks):
    with checks.check(f"{label}: connects at {revision}"):
        equal(client.revision, revision)
        true(client.server_name in (None, "interop"), client.server_name)
    with checks.check(f"{label}: lists the tools"):
        equal(own_tools(await client.tools()), TOOLS)
    with checks.check(f"{label}: a good call has structured content, and the same as text"):
        called = await client.call("add", {"a": 2, "b": 40})
        equal((called.is_error, called.structured), (False, {"sum": 42}))
        equal(json.loads(called.text), {"sum": 42})
    with checks.check(f"{label}: bad arguments are a tool error that names each problem"):
        called = await client.call("add", {"a": 2000})
        true(called.is_error, called)
        true("/a" in called.text and "b" in called.text, called.text)
    with checks.check(f"{label}: an unknown tool is a protocol error"):
        await refused(client.call("no_such_tool", {}), -32602)
    with checks.check(f"{label}: progress arrives in order"):
        seen = []

        async def on_progress(progress, total, message):
            seen.append((progress, total, message))

        called = await client.call("count", {}, on_progress)
        equal(seen, [(step, 5, f"step {step}") for step in range(1, 6)])
        equal(called.text, "counted to 5")
    with checks.check(f"{label}: a log message arrives"):
        await client.ask_for_logs()
        what = f"I am {label} — ≠ ascii"
        equal((await client.call("tell", {"what": what})).text, "told")
        await until(lambda: client.logs)
        equal(client.logs[0], ("notice", "teller", what))


async def use_resources(client, label, revision, checks):
    not_found = -32602 if revision == MODERN else -32002
    with checks.check(f"{label}: lists resources and templates"):
        equal(await client.resources(), ["note://bytes", "note://welcome"])
        equal(await client.templates(), ["note://of/{name}"])
    with checks.check(f"{label}: reads a text"):
        equal(await client.read("note://welcome"), "Welcome. Grüß Gott. ようこそ。")
    with checks.check(f"{label}: reads bytes"):
        equal(await client.read("note://bytes"), b"\0\xff\1")
    with checks.check(f"{label}: reads by a template"):
        equal(await client.read("note://of/J%C3%BCrgen"), "A note of Jürgen.")
    with checks.check(f"{label}: what is not there is not found"):
        await refused(client.read("note://nothing"), not_found)
        await refused(client.read("note://of/nobody"), not_found)


async def use_prompts(client, label, revision, checks):
    with checks.check(f"{label}: lists the prompts"):
        equal(await client.prompts(), ["greet"])
    with checks.check(f"{label}: gets a prompt of two roles"):
        equal(await client.prompt("greet", {"name": "Zoë"}), [
            ("assistant", "Whom shall I greet?"), ("user", "Greet Zoë in a friendly tone."),
        ])  # fmt: skip
    with checks.check(f"{label}: a prompt without a required argument is a protocol error"):
        await refused(client.prompt("greet", {"tone": "dry"}), -32602)
    with checks.check(f"{label}: an unknown prompt is a protocol error"):
        await refused(client.prompt("no_such_prompt", {}), -32602)
    with checks.check(f"{label}: completes an argument of a prompt"):
        equal(await client.complete(prompt="greet", argument="name", value="A"), ["Ada", "Alan"])
    with checks.check(f"{label}: completes a variable of a template"):
        equal(await client.complete(template="note://of/{name}", argument="name", value="G"), ["Grace"])


async def answer_questions(client, label, revision, checks):
    """The client answers by itself, as its program told it at the beginning."""
    questions = ("the user", "ask_name", NAME), ("the model", "ask_model", SAID), ("for roots", "ask_roots", ROOT)
    for what, tool, wanted in questions:
        with checks.check(f"{label}: a tool asks {what}"):
            called = await client.call(tool, {})
            true(not called.is_error and wanted in called.text, called)


async def watch_changes(client, label, revision, checks):
    with checks.check(f"{label}: a change of a resource is told"):
        uri = f"note://of/{label.replace(' ', '-')}"
        async with client.watch(uri=uri) as changed:
            equal((await client.call("touch", {"uri": uri})).text, "touched")
            await until_told(changed, uri)
    with checks.check(f"{label}: a change of the tools is told"):
        extra = f"extra-{label.replace(' ', '-')}"
        async with client.watch(tools=True) as changed:
            equal((await client.call("switch_tool", {"name": extra, "on": True})).text, "switched")
            await until_told(changed, "tools")
        true(extra in await client.tools(), "the new tool is not listed")
        equal((await client.call(extra, {})).text, "here I am")
        equal((await client.call("switch_tool", {"name": extra, "on": False})).text, "switched")


async def until_told(changed, what):
    """Passes over what other clients have changed."""
    async with asyncio.timeout(10):
        while await changed() != what:
            pass


async def until(condition):
    """Waits for what arrives beside the answer."""
    async with asyncio.timeout(10):
        while not condition():
            await asyncio.sleep(0.01)
