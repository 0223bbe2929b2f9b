"""Resources, prompts and completions."""

import unittest

from programs import Program

SERVER = """
from typing import Literal
from libmcp import Context, File, Image, Message, Server

server = Server("rpc")
server.add_resource("x://text", "fixed", mime_type="text/plain")
server.add_resource("x://bytes", b"\\x00\\x01", name="raw")

@server.resource("x://made", title="Made", description="Says so.", mime_type="application/json")
def made():
    return {"a": 1}

@server.resource("x://later")
async def later(ctx: Context):
    return ctx.name

@server.resource("x://fresh")
def fresh(ctx: Context) -> str:
    ctx.set_cache(60000)
    try:
        ctx.set_cache(1, "mine")
    except ValueError as error:
        return str(error)
    return "taken"

@server.resource("x://files")
def files():
    return [File("x://files/a", text="a"), File("x://files/b", data=b"b", mime_type="image/png")]

@server.resource("x://users/{user}/notes/{note}")
def note(user: str, note: int, ctx: Context):
    return f"{user} {note + 1} {ctx.name}"

@server.resource("x://search{?q,limit}")
def search(q: str, limit: int = 5) -> str:
    return f"{q} {limit}"

@server.prompt(title="Ask")
def ask(topic: str, tone: Literal["dry", "warm"] = "dry", times: int = 2) -> str:
    "Asks.\\n\\nArgs:\\n    topic: Of what\\n"
    return f"{topic} {tone} {times + 1}"

@server.prompt
async def talk():
    return [Message("Hi", role="user"), Message("Hello", role="assistant"), "And?", Message(Image(b"x", format="png"))]

@server.completion
def complete(ref, argument, context):
    known = context.arguments.get("topic", "none")
    return [f"{ref.name or ref.uri} {argument.name} {argument.value} {known}"]

server.run()
"""


class Offer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.program = Program(SERVER)
        cls.addClassCleanup(cls.program.__exit__, None)

    def read(self, uri):
        return self.program.ask("resources/read", {"uri": uri})["result"]["contents"]

    def test_resources_are_read(self):
        for uri, contents in [
            ("x://text", [{"uri": "x://text", "mimeType": "text/plain", "text": "fixed"}]),
            ("x://bytes", [{"uri": "x://bytes", "blob": "AAE="}]),
            ("x://made", [{"uri": "x://made", "mimeType": "application/json", "text": '{"a":1}'}]),
            ("x://later", [{"uri": "x://later", "text": "x://later"}]),
            ("x://users/ann/notes/6", [{"uri": "x://users/ann/notes/6", "text": "ann 7 x://users/ann/notes/6"}]),
            ("x://search?q=a%20b", [{"uri": "x://search?q=a%20b", "text": "a b 5"}]),
            ("x://search?q=a&limit=7", [{"uri": "x://search?q=a&limit=7", "text": "a 7"}]),
            (
                "x://files",
                [{"uri": "x://files/a", "text": "a"}, {"uri": "x://files/b", "mimeType": "image/png", "blob": "Yg=="}],
            ),
        ]:
            with self.subTest(uri):
                self.assertEqual(self.read(uri), contents)

    def test_a_resource_says_how_long_it_may_be_kept(self):
        result = self.program.ask("resources/read", {"uri": "x://fresh"})["result"]
        self.assertEqual((result["ttlMs"], result["cacheScope"]), (60000, "private"))
        self.assertEqual(result["contents"][0]["text"], 'scope is "mine"; it must be "public" or "private"')

    def test_resources_are_listed(self):
        listed = {item["uri"]: item for item in self.program.ask("resources/list")["result"]["resources"]}
        self.assertEqual(listed["x://text"], {"uri": "x://text", "name": "x://text", "mimeType": "text/plain", "size": 5})
        self.assertEqual(listed["x://made"]["title"], "Made")
        self.assertEqual(listed["x://made"]["description"], "Says so.")
        templates = self.program.ask("resources/templates/list")["result"]["resourceTemplates"]
        self.assertEqual(
            sorted(item["uriTemplate"] for item in templates), ["x://search{?q,limit}", "x://users/{user}/notes/{note}"]
        )

    def test_prompts_are_got(self):
        got = self.program.ask("prompts/get", {"name": "ask", "arguments": {"topic": "cats", "times": "4"}})["result"]
        self.assertEqual(got["messages"], [{"role": "user", "content": {"type": "text", "text": "cats dry 5"}}])
        talk = self.program.ask("prompts/get", {"name": "talk"})["result"]["messages"]
        self.assertEqual([message["role"] for message in talk], ["user", "assistant", "user", "user"])
        self.assertEqual(talk[3]["content"]["type"], "image")

    def test_prompts_are_listed(self):
        listed = {item["name"]: item for item in self.program.ask("prompts/list")["result"]["prompts"]}
        self.assertEqual(listed["ask"]["title"], "Ask")
        self.assertEqual(listed["ask"]["description"], "Asks.")
        self.assertEqual(listed["ask"]["arguments"][0], {"name": "topic", "description": "Of what", "required": True})
        self.assertFalse(listed["ask"]["arguments"][1]["required"])

    def test_a_text_that_is_no_number_is_refused(self):
        answer = self.program.ask("prompts/get", {"name": "ask", "arguments": {"topic": "a", "times": "many"}})
        self.assertIn("times", answer["error"]["message"])

    def test_arguments_are_completed(self):
        argument = {"name": "tone", "value": "d"}
        params = {"ref": {"type": "ref/prompt", "name": "ask"}, "argument": argument}
        answer = self.program.ask("completion/complete", params)["result"]["completion"]
        self.assertEqual(answer["values"], ["ask tone d none"])
        params["context"] = {"arguments": {"topic": "cats"}}
        answer = self.program.ask("completion/complete", params)["result"]["completion"]
        self.assertEqual(answer["values"], ["ask tone d cats"])
        uri = "x://users/{user}/notes/{note}"
        params = {"ref": {"type": "ref/resource", "uri": uri}, "argument": {"name": "user", "value": "a"}}
        answer = self.program.ask("completion/complete", params)["result"]["completion"]
        self.assertEqual(answer["values"], [f"{uri} user a none"])


if __name__ == "__main__":
    unittest.main()
