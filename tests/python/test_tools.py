"""Tools: how functions are called, and what comes of what they return."""

import json
import os
import tempfile
import unittest

from programs import Program, elapsed, text

SERVER = """
import asyncio, contextvars, threading, time
from libmcp import Audio, Context, File, Image, ResourceLink, Server, Text, ToolResult

server = Server("tools", "1.2", title="Tools", instructions="Use them.")
mood = contextvars.ContextVar("mood", default="none")
mood.set("good")

@server.tool
def add(a: int, b: int = 10) -> int:
    return a + b

@server.tool
def kinds(i: int, f: float, s: str, b: bool, l: list, d: dict, o: str | None = None) -> list[str]:
    return [repr(value) for value in (i, f, s, b, l, d, o)]

@server.tool(name="renamed", title="Other", description="Says so.", annotations={"readOnlyHint": True}, meta={"x/y": 1})
async def original(ctx: Context) -> str:
    await asyncio.sleep(0)
    return f"{ctx.name} {mood.get()} {asyncio.current_task() is not None}"

@server.tool
def where() -> str:
    mood_here, before = mood.get(), threading.current_thread() is threading.main_thread()
    mood.set("spoilt")
    return f"{mood_here} {before}"

@server.tool
def nap() -> str:
    time.sleep(1)
    return "slept"

@server.tool
def rest(first: int, **others: int) -> dict:
    return {"first": first, **others}

class Shop:
    def __init__(self, name):
        self.name = name

    def sell(self, what: str) -> str:
        "Sells something."
        return f"{self.name} sells {what}"

    async def buy(self, what: str) -> str:
        return f"{self.name} buys {what}"

    def __call__(self) -> str:
        return self.name

shop = Shop("corner")
server.add_tool(shop.sell)
server.add_tool(shop.buy)
server.add_tool(shop, name="shop")

RESULTS = {
    "none": None,
    "dict": {"a": [1, 2.5, None, True]},
    "texts": ["a", "b"],
    "image": Image(b"png", format="png"),
    "audio": Audio(b"wav", format="wav"),
    "file": File("x://a", text="t", mime_type="text/plain"),
    "link": ResourceLink("x://a", "a"),
    "mixed": ["words", Image(b"png", format="png"), {"n": 1}],
    "text": Text("t", annotations={"priority": 1}),
    "whole": ToolResult("words", structured={"n": 1}, is_error=True, meta={"x/y": 2}),
    "empty": [],
    "big": 10**40,
    "set": {"only"},
}

@server.tool
def result(kind: str):
    return RESULTS[kind]

server.run()
"""


class Tools(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.program = Program(SERVER)
        cls.addClassCleanup(cls.program.__exit__, None)

    def call(self, name, arguments=None):
        return self.program.call(name, arguments)

    def test_a_server_says_who_it_is(self):
        answer = self.program.ask("server/discover")["result"]
        self.assertEqual(answer["instructions"], "Use them.")
        info = answer["_meta"]["io.modelcontextprotocol/serverInfo"]
        self.assertEqual((info["name"], info["version"], info["title"]), ("tools", "1.2", "Tools"))

    def test_arguments_come_as_what_they_are(self):
        self.assertEqual(self.call("add", {"a": 1})["structuredContent"], 11)
        self.assertEqual(self.call("add", {"a": 10**30, "b": -(10**30)})["structuredContent"], 0)
        given = {"i": 3.0, "f": 2, "s": "1", "b": True, "l": [1, {"z": 1, "a": 10**25}], "d": {"z": None, "a": 1}}
        self.assertEqual(
            self.call("kinds", given)["structuredContent"],
            ["3", "2.0", "'1'", "True", f"[1, {{'z': 1, 'a': {10**25}}}]", "{'z': None, 'a': 1}", "None"],
        )

    def test_texts_are_not_taken_for_numbers(self):
        result = self.call("add", {"a": "1"})
        self.assertTrue(result["isError"])
        self.assertIn("/a", text(result))

    def test_options_say_what_clients_see(self):
        tools = {tool["name"]: tool for tool in self.program.ask("tools/list")["result"]["tools"]}
        renamed = tools["renamed"]
        self.assertEqual(renamed["title"], "Other")
        self.assertEqual(renamed["description"], "Says so.")
        self.assertEqual(renamed["annotations"], {"readOnlyHint": True})
        self.assertEqual(renamed["_meta"], {"x/y": 1})
        self.assertEqual(tools["sell"]["description"], "Sells something.")

    def test_functions_run_in_a_copy_of_the_context_in_which_serving_began(self):
        for _ in range(3):
            self.assertEqual(text(self.call("where")), "good False")
        self.assertEqual(text(self.call("renamed")), "renamed good True")

    def test_two_slow_functions_overlap_and_lists_do_not_wait_for_them(self):
        def both():
            first, second = (self.program.begin("tools/call", {"name": "nap"}) for _ in range(2))
            listed, soon = elapsed(lambda: self.program.ask("tools/list"))
            self.assertLess(soon, 0.5)
            self.assertIn("tools", listed["result"])
            seen = []
            self.program.answer(first, seen)
            if not seen:
                self.program.answer(second)

        _, took = elapsed(both)
        self.assertLess(took, 1.8)

    def test_other_keywords_go_to_the_rest(self):
        self.assertEqual(self.call("rest", {"first": 1, "z": 2, "a": 3})["structuredContent"], {"first": 1, "z": 2, "a": 3})

    def test_methods_and_callables_are_tools_too(self):
        self.assertEqual(text(self.call("sell", {"what": "tea"})), "corner sells tea")
        self.assertEqual(text(self.call("buy", {"what": "tea"})), "corner buys tea")
        self.assertEqual(text(self.call("shop")), "corner")

    def test_values_become_results(self):
        png, wav = ({"type": kind, "data": data, "mimeType": mime} for kind, data, mime in (
            ("image", "cG5n", "image/png"), ("audio", "d2F2", "audio/wav")))  # fmt: skip
        for kind, content, structured in [
            ("none", [], None),
            ("dict", None, {"a": [1, 2.5, None, True]}),
            ("texts", None, ["a", "b"]),
            ("image", [png], None),
            ("audio", [wav], None),
            ("file", [{"type": "resource", "resource": {"uri": "x://a", "mimeType": "text/plain", "text": "t"}}], None),
            ("link", [{"type": "resource_link", "uri": "x://a", "name": "a"}], None),
            ("mixed", [{"type": "text", "text": "words"}, png, {"type": "text", "text": '{"n":1}'}], None),
            ("text", [{"type": "text", "text": "t", "annotations": {"priority": 1}}], None),
            ("empty", None, []),
            ("big", None, 10**40),
            ("set", None, ["only"]),
        ]:
            with self.subTest(kind):
                result = self.call("result", {"kind": kind})
                self.assertNotIn("isError", result)
                self.assertEqual(result.get("structuredContent"), structured)
                twin = [] if content is not None else [{"type": "text", "text": json.dumps(structured, separators=(",", ":"))}]
                self.assertEqual(result["content"], twin if content is None else content)
        whole = self.call("result", {"kind": "whole"})
        self.assertEqual((text(whole), whole["structuredContent"], whole["isError"]), ("words", {"n": 1}, True))
        self.assertEqual(whole["_meta"]["x/y"], 2)


class Registration(unittest.TestCase):
    def setUp(self):
        import libmcp

        self.libmcp = libmcp
        self.server = libmcp.Server("s")
        self.addCleanup(self.server.close)

    def test_an_unknown_option_names_the_nearest_one(self):
        def tool():
            pass

        for begin, nearest in [
            (lambda: self.server.add_tool(tool, descripton="x"), "description"),
            (lambda: self.server.resource("x://a", mimetype="x"), "mime_type"),
            (lambda: self.server.add_prompt(tool, titel="x"), "title"),
            (lambda: self.libmcp.Server("s", handler_timeout=1), "handler_timeout_ms"),
            (lambda: self.libmcp.Server("s", instrctions="x"), "instructions"),
            (lambda: self.server.start_http(prot=1), "port"),
        ]:
            with self.subTest(nearest), self.assertRaisesRegex(TypeError, nearest):
                begin()

    def test_slips_are_told_in_words(self):
        libmcp = self.libmcp
        for begin, says in [
            (lambda: self.server.run(port=1), r'stdio has no options, and port was given; is run\("http", \.\.\.\) meant'),
            (lambda: self.server.start_http(port=99999), "port is 99999; it must be a whole number from 0 to 65535"),
            (lambda: libmcp.Message("x", role="system"), "the role is 'system'"),
            (lambda: libmcp.Image("x.png", data=b"x"), "Image: give one of them"),
            (lambda: libmcp.Image(), "Image: give one of them"),
        ]:
            with self.subTest(says), self.assertRaisesRegex((TypeError, ValueError), says):
                begin()

    def test_an_image_is_made_of_a_file_or_of_bytes(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "dot.png")
            with open(path, "wb") as file:
                file.write(b"png")
            made = [self.libmcp.Image(path), self.libmcp.Image(path=path), self.libmcp.Image(b"png", format="png")]
        self.assertEqual({(image.data, image.mime_type) for image in made}, {(b"png", "image/png")})

    def test_options_are_those_of_the_core(self):
        server = self.libmcp.Server("s", max_message_bytes=4096, legacy=False, icons=[{"src": "https://a.test/i.png"}])
        self.assertEqual(server.max_message_bytes, 4096)
        with self.assertRaises(self.libmcp.InvalidArgument):
            self.libmcp.Server("s", max_message_bytes=1)
        server.close()

    def test_what_was_removed_is_offered_no_more(self):
        @self.server.tool
        def one():
            pass

        self.assertEqual([tool["name"] for tool in self.server.tools()], ["one"])
        self.assertEqual(self.server.find_tool("one")["name"], "one")
        self.server.remove_tool("one")
        self.assertEqual(self.server.tools(), [])
        with self.assertRaises(self.libmcp.NotFound):
            self.server.remove_tool("one")
        with self.assertRaises(LookupError):
            self.server.remove_prompt("one")

    def test_tools_are_exported_to_providers(self):
        @self.server.tool(name="a.b")
        def one(x: int) -> str:
            "Does."
            return ""

        [tool] = self.server.export_tools("openai-chat")
        self.assertEqual(tool["function"]["description"], "Does.")
        self.assertEqual(self.server.export_tools("gemini")[0]["functionDeclarations"][0]["name"], "a.b")
        with self.assertRaises(ValueError):
            self.server.export_tools("nobody")

    def test_decorators_return_the_function(self):
        @self.server.tool
        def plain(x: int) -> int:
            return x + 1

        @self.server.prompt()
        def asked():
            return "x"

        self.assertEqual((plain(1), asked()), (2, "x"))


if __name__ == "__main__":
    unittest.main()
