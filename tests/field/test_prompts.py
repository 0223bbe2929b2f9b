"""Prompts and the completion of their arguments, in both eras (B042, B056, B088, B094, B095, B096)."""

import json
import unittest

from wire.client import Client
from wire.http import HttpServer
from wire.patience import bound
from wire.pipe import PipeServer
from wire.request import PREFIX, cancelled
from wire.shapes import LEGACY, MODERN, REVISIONS

ALL = ("--everything", "1")
OLD = LEGACY[0]


def clients(*options, revisions=(MODERN, OLD)):
    """A client of each of these revisions, each with a server of its own, over pipes."""
    for revision in revisions:
        with PipeServer(*(options or ALL)) as server:
            yield Client(server, revision)


def said(answer):
    """Who says what in a prompt of texts."""
    assert "result" in answer, answer
    return [(message["role"], message["content"]["text"]) for message in answer["result"]["messages"]]


class Prompts(unittest.TestCase):
    def test_a_prompt_is_listed_as_far_as_the_revision_knows_it(self):
        full = {
            "name": "greet", "title": "Greet", "description": "Greets.", "icons": [{"src": "https://example.com/i.png"}],
            "arguments": [{"name": "who", "title": "Who", "description": "Whom", "required": True}, {"name": "style"}],
            "_meta": {"com.example/a": 1},
        }  # fmt: skip
        for client in clients(revisions=REVISIONS):
            wanted = json.loads(json.dumps(full))
            if client.revision < "2025-11-25":
                del wanted["icons"]
            if client.revision < "2025-06-18":
                del wanted["title"], wanted["_meta"], wanted["arguments"][0]["title"]
            listed = client.listed("prompts/list", "prompts")
            self.assertEqual([one for one in listed if one["name"] == "greet"], [wanted])
            self.assertEqual([one["name"] for one in listed], sorted(one["name"] for one in listed))

    def test_the_arguments_reach_the_handler_and_each_message_has_its_speaker(self):
        for client in clients(revisions=REVISIONS):
            answer = client.prompt("greet", {"who": 'Zoë "Z"\n', "style": "grand"})
            self.assertEqual(said(answer), [("user", 'Greet Zoë "Z"\n.'), ("assistant", "In the grand style?")])
            self.assertEqual(answer["result"]["description"], "A greeting")
            self.assertEqual(said(client.prompt("greet", {"who": ""}))[0], ("user", "Greet ."))
            (asked,) = said(client.prompt("echo", {"a": "1e5", "b": "null", "c": "é"}))
            self.assertEqual(json.loads(asked[1]), {"a": "1e5", "b": "null", "c": "é"})

    def test_a_prompt_has_content_of_every_kind_that_the_revision_knows(self):
        for client in clients(revisions=REVISIONS):
            blocks = [message["content"] for message in client.prompt("blocks")["result"]["messages"]]
            kinds = ["text", "image", "audio", "resource_link", "resource", "resource", "text"]
            if client.revision < "2025-06-18":
                kinds[3] = "text"
                self.assertEqual(blocks[3]["text"], "a.txt: file:///a.txt")
                self.assertEqual(
                    blocks[6], {"type": "text", "text": "t", "annotations": {"audience": ["user"], "priority": 0.5}}
                )
            if client.revision < "2025-03-26":
                kinds[2] = "resource"
                self.assertEqual(blocks[2]["resource"]["mimeType"], "audio/wav")
            self.assertEqual([block["type"] for block in blocks], kinds)

    def test_b096_an_unknown_prompt_and_wrong_arguments_are_protocol_errors(self):
        for client in clients():
            for params in (
                {"name": "nobody"},
                {"name": "Greet", "arguments": {"who": "x"}},
                {"name": ""},
                {},
                {"name": 5},
                {"name": None},
                {"name": "greet"},
                {"name": "greet", "arguments": {}},
                {"name": "greet", "arguments": {"style": "x"}},
                {"name": "greet", "arguments": {"who": 5}},
                {"name": "greet", "arguments": {"who": None}},
                {"name": "greet", "arguments": ["x"]},
                {"name": "greet", "arguments": "who"},
            ):
                with self.subTest(params=params, revision=client.revision):
                    error = client.ask("prompts/get", params)["error"]
                    self.assertEqual(error["code"], -32602)
            self.assertIn("who", client.prompt("greet")["error"]["message"])
            self.assertIn("nobody", client.prompt("nobody")["error"]["message"])

    def test_b094_b095_errors_of_a_handler_are_what_their_author_said_and_no_more(self):
        for client in clients():
            for name, code, message in (("fault", 4242, "custom fault"), ("error", -32603, "the city is unknown")):
                error = client.prompt(name)["error"]
                self.assertEqual((error["code"], error["message"]), (code, message))
            self.assertEqual(client.prompt("unfinished")["error"]["code"], -32603)
            client.server.wait_stderr("unfinished")

    def test_progress_and_logs_come_before_the_prompt(self):
        for client in clients():
            named = {"token": 0}
            if client.modern:
                named[PREFIX + "logLevel"] = "debug"
            client.prompt("steps", **named)
            told = [frame.get("method", "answer") for frame in client.server.frames if frame.get("id") != "hello"]
            self.assertEqual(told, ["notifications/progress", "notifications/message"] * 3 + ["answer"])
            seen = len(client.server.frames)
            client.prompt("steps")
            told = [frame.get("method", "answer") for frame in client.server.frames[seen:]]
            # A session is logged to from its level on; a request of the modern era that names none is not.
            self.assertEqual(told, ["answer"] if client.modern else ["notifications/message"] * 3 + ["answer"])
            tokens = {
                frame["params"]["progressToken"] for frame in client.server.notifications("notifications/progress")
            }
            self.assertEqual(tokens, {0})

    def test_b088_a_cancelled_prompt_is_never_answered(self):
        for client in clients("--prompt", "slow", '{"name":"slow","arguments":[{"name":"tag"},{"name":"ms"}]}'):
            message = client.message("prompts/get", {"name": "slow", "arguments": {"tag": "p", "ms": "30000"}})
            client.server.send(message)
            client.server.wait_event("reading p")
            client.server.send(cancelled(message["id"]))
            client.server.wait_event("read p -12", bound(2))
            client.server.fence()
            self.assertEqual(client.server.answers(message["id"]), [])


class Completion(unittest.TestCase):
    def values(self, answer):
        assert "result" in answer, answer
        return answer["result"]["completion"]

    def test_values_of_prompts_and_of_templates_are_completed(self):
        for client in clients(revisions=REVISIONS):
            self.assertEqual(self.values(client.complete("greet", "style", "b"))["values"], ["black", "blue"])
            self.assertEqual(
                self.values(client.complete("file:///docs/{name}", "name", "a"))["values"], ["amber", "apricot"]
            )
            self.assertEqual(self.values(client.complete("x://i{?q,r}", "r", "zz"))["values"], [])
            self.assertEqual(len(self.values(client.complete("greet", "who", ""))["values"]), 5)

    def test_other_arguments_that_are_known_reach_the_handler(self):
        for client in clients(revisions=REVISIONS):
            found = self.values(client.complete("greet", "style", "b", {"who": "blue"}))["values"]
            self.assertEqual(found, ["black"])
            asked, name = self.values(client.complete("x://two/{a}/{b}", "b", "?", {"a": "1", "z": "é"}))["values"]
            self.assertEqual(
                json.loads(asked),
                {
                    "ref": {"type": "ref/resource", "uri": "x://two/{a}/{b}"},
                    "argument": {"name": "b", "value": "?"},
                    "context": {"arguments": {"a": "1", "z": "é"}},
                },
            )
            self.assertEqual(name, "x://two/{a}/{b}")

    def test_no_more_than_a_hundred_values_are_sent_and_the_client_knows(self):
        cases = (
            ("many 0", 0, None, False),
            ("many 99", 99, None, False),
            ("many 100", 100, None, False),
            ("many 101", 100, 101, True),
            ("many 5000", 100, 5000, True),
            ("many 3 of 7", 3, 7, True),
            ("many 3 of 3", 3, 3, False),
            ("many 3 of 2", 3, None, False),
            ("many 200 of 100000", 100, 100000, True),
            ("many 200 of 5", 100, 200, True),
        )
        for client in clients(revisions=(MODERN, "2025-06-18")):
            for value, count, total, more in cases:
                with self.subTest(value=value):
                    found = self.values(client.complete("greet", "who", value))
                    self.assertEqual(found["values"], [f"v{number:05}" for number in range(count)])
                    self.assertIn(found.get("total", total), (total, count))
                    self.assertEqual(found.get("hasMore", False), more)

    def test_b096_what_cannot_be_completed_is_refused(self):
        prompt = {"type": "ref/prompt", "name": "greet"}
        argument = {"name": "who", "value": ""}
        bad = (
            {},
            {"ref": prompt},
            {"argument": argument},
            {"ref": {"type": "ref/prompt", "name": "nobody"}, "argument": argument},
            {"ref": {"type": "ref/prompt"}, "argument": argument},
            {"ref": {"type": "ref/tool", "name": "greet"}, "argument": argument},
            {"ref": {"name": "greet"}, "argument": argument},
            {"ref": "greet", "argument": argument},
            {"ref": {"type": "ref/resource", "uri": "x://none/{a}"}, "argument": argument},
            {"ref": {"type": "ref/resource", "uri": "file:///docs/a"}, "argument": argument},
            {"ref": prompt, "argument": {"name": "whom", "value": ""}},
            {"ref": prompt, "argument": {"name": "who"}},
            {"ref": prompt, "argument": {"name": "who", "value": 5}},
            {"ref": prompt, "argument": {"name": 5, "value": ""}},
            {"ref": prompt, "argument": argument, "context": {"arguments": {"style": 5}}},
            {"ref": prompt, "argument": argument, "context": {"arguments": []}},
            {"ref": prompt, "argument": argument, "context": "x"},
        )
        for client in clients():
            for params in bad:
                with self.subTest(params=params, revision=client.revision):
                    self.assertEqual(client.ask("completion/complete", params)["error"]["code"], -32602)
            error = client.complete("greet", "who", "!")["error"]
            self.assertEqual((error["code"], error["message"]), (4242, "no colours today"))

    def test_a_completion_cannot_ask_the_client(self):
        for client in clients():
            client.capabilities = {"roots": {}}
            self.assertEqual(self.values(client.complete("greet", "who", "~"))["values"], [])
            self.assertRegex(client.server.wait_event("cannot ask"), r"cannot ask -\d+")
            self.assertEqual(client.server.requests(), [])

    def test_b056_without_a_handler_there_is_no_completion(self):
        for client in clients(
            "--prompt", "greet", '{"name":"greet","arguments":[{"name":"who"}]}', revisions=(MODERN, "2025-11-25")
        ):
            declared = (client.hello or client.ask("server/discover")["result"])["capabilities"]
            self.assertNotIn("completions", declared)
            self.assertIn("prompts", declared)
            self.assertEqual(client.complete("greet", "who", "")["error"]["code"], -32601)

    def test_completions_over_http_are_the_same(self):
        with HttpServer(*ALL) as server:
            client = Client(server)
            self.assertEqual(self.values(client.complete("greet", "style", "b"))["values"], ["black", "blue"])
            self.assertIs(self.values(client.complete("greet", "style", "many 300"))["hasMore"], True)


if __name__ == "__main__":
    unittest.main()
