"""2026-07-28: results that ask for input, and the rounds after them (B056, B060, B062)."""

import json
import unittest

from wire.asking import ALL, Asking
from wire.client import Client
from wire.http import HttpServer
from wire.pipe import PipeServer
from wire.questions import (
    AGREED, DECLINED, EVERYTHING, ROOTS, ROOTS_ANSWER, TOOLS, accept, answer, form, questions, sampled, sampling, url,
)  # fmt: skip

SEAT = accept(seat="12A")


class Rounds(Asking):
    def test_b056_a_result_that_asks_has_the_questions_and_a_state_and_nothing_else(self):
        asked = {"a": form(), "b": ROOTS, "c é": sampling()}
        for client in self.servers():
            message, required = self.first(client, "ask", questions(**asked))
            self.assertEqual(set(required), {"resultType", "inputRequests", "requestState", "_meta"})
            self.assertEqual(set(required["inputRequests"]), set(asked))
            self.assertEqual(
                required["inputRequests"]["a"]["params"]["requestedSchema"], form()["params"]["requestedSchema"]
            )
            self.assertEqual(required["inputRequests"]["c é"]["params"]["messages"], sampling()["params"]["messages"])
            # What is carried along is nobody's to read.
            self.assertRegex(required["requestState"], r"^[A-Za-z0-9_.~=+/-]+$")

    def test_every_kind_of_question_is_asked_and_its_answer_reaches_the_handler(self):
        fields = {
            "s": {"type": "string", "title": "S", "format": "email", "default": "a@b.c"},
            "i": {"type": "integer", "minimum": 1, "maximum": 9},
            "n": {"type": "number"},
            "b": {"type": "boolean", "default": False},
            "e": {"type": "string", "enum": ["x", "y"]},
            "t": {"type": "string", "oneOf": [{"const": "p", "title": "P"}, {"const": "q", "title": "Q"}]},
            "m": {"type": "array", "items": {"type": "string", "enum": ["x", "y", "z"]}, "maxItems": 2},
        }
        filled = accept(s="me@example.com", i=3, n=0.5, b=True, e="y", t="q", m=["x", "z"])
        cases = {
            "form": (form(fields), filled),
            "no": (form(), DECLINED),
            "away": (form(), {"action": "cancel"}),
            "url": (url(), AGREED),
            "sampling": (sampling(temperature=0.5, stopSequences=["."], systemPrompt="s", modelPreferences={"hints": [{"name": "m"}]}),
                         sampled("Hé")),
            "tools": (sampling(**TOOLS, toolChoice={"mode": "auto"}),
                      {**sampled(), "content": [{"type": "tool_use", "id": "1", "name": "t", "input": {"a": 1}}], "stopReason": "toolUse"}),
            "roots": (ROOTS, ROOTS_ANSWER),
            "none": (ROOTS, {"roots": []}),
        }  # fmt: skip
        for client in self.servers():
            message, required = self.first(
                client, "ask", questions(**{key: asked for key, (asked, _) in cases.items()})
            )
            answered = self.next(client, message, required, **{key: given for key, (_, given) in cases.items()})
            self.assertEqual(json.loads(self.text(answered)), {key: given for key, (_, given) in cases.items()})

    def test_prompts_and_resources_may_ask_too(self):
        for client in self.servers():
            for method, name in (("tools/call", "name"), ("prompts/get", "asks"), ("resources/read", "test://asks")):
                message, required = self.first(client, name, method=method)
                self.assertEqual(set(required["inputRequests"]), {"name"})
                result = self.next(client, message, required, name=accept(name="Zoë"))["result"]
                self.assertIn('"text": "Zoë"', json.dumps(result, ensure_ascii=False))
                self.assertEqual("ttlMs" in result, method == "resources/read")

    def test_what_was_answered_is_not_asked_again_and_the_rest_is(self):
        for client in self.servers():
            message, required = self.first(client, "ask", questions(a=form(), b=form(), c=ROOTS))
            required = self.required(self.next(client, message, required, b=accept(text="B")))
            self.assertEqual(set(required["inputRequests"]), {"a", "c"})
            required = self.required(self.next(client, message, required))
            self.assertEqual(set(required["inputRequests"]), {"a", "c"})
            required = self.required(self.next(client, message, required, c=ROOTS_ANSWER, unknown={"x": 1}))
            self.assertEqual(set(required["inputRequests"]), {"a"})
            answered = self.next(client, message, required, a=accept(text="A"))
            self.assertEqual(
                json.loads(self.text(answered)), {"a": accept(text="A"), "b": accept(text="B"), "c": ROOTS_ANSWER}
            )

    def test_a_wrong_answer_counts_as_none(self):
        asked = {
            "f": form({"n": {"type": "integer", "minimum": 1}, "e": {"type": "string", "enum": ["x"]}}),
            "s": sampling(),
            "r": ROOTS,
        }
        wrong = {
            "f": ({}, {"action": "maybe"}, {"action": "accept"}, accept(n=1), accept(n="1", e="x"), accept(n=0, e="x"), accept(n=1, e="y"),
                  {"action": "accept", "content": []}, {"action": 5}, None, [], "accept"),
            "s": ({}, {"role": "assistant"}, {**sampled(), "content": "hello"}, {**sampled(), "role": "dog"},
                  {**sampled(), "content": {"type": "text"}}, {**sampled(), "model": 5}),
            "r": ({}, {"roots": {}}, {"roots": [{"name": "x"}]}, {"roots": [{"uri": 5}]}),
        }  # fmt: skip
        for client in self.servers():
            for key, answers in wrong.items():
                message, required = self.first(client, "ask", questions(**{key: asked[key]}))
                for given in answers:
                    with self.subTest(key=key, given=given):
                        required = self.required(self.next(client, message, required, **{key: given}))
                        self.assertEqual(set(required["inputRequests"]), {key})
                self.text(self.next(client, message, required, **{key: answer(required["inputRequests"][key])}))

    def test_a_chain_of_rounds_remembers_what_the_handler_keeps(self):
        for client in self.servers():
            client.answers = answer
            self.assertEqual(client.text("rounds", {"rounds": 12, "bytes": 10_000}), "13")
            self.assertEqual(client.rounds, 12)

    def test_rounds_without_end_have_an_end(self):
        for client in self.servers():
            client.answers = answer
            self.assertEqual(client.text("rounds", {"rounds": 60}), "61")
            error = client.call("rounds", {"rounds": 80})["error"]
            self.assertEqual(error["code"], -32603)
            self.assertIn("rounds", error["message"])

    def test_chains_side_by_side_do_not_mix(self):
        for client in self.servers():
            begun = [self.first(client, "ask", questions(a=form(message=f"m{number}"))) for number in range(20)]
            for number, (message, required) in reversed(list(enumerate(begun))):
                answered = self.next(client, message, required, a=accept(text=f"t{number}"))
                self.assertEqual(json.loads(self.text(answered)), {"a": accept(text=f"t{number}")})

    def test_a_handler_may_end_its_round_itself_or_on_another_thread_and_cannot_go_on_as_if_it_had_not_asked(self):
        for client in self.servers():
            for name, arguments in (("ask", {"early": True}), ("ask", {"swallow": True}), ("ask_inline", {"swallow": True}),
                                    ("ask_inline", {}), ("ask_later", None)):  # fmt: skip
                key, given = ("seat", SEAT) if name == "ask_later" else ("a", accept(text="A"))
                asked = None if name == "ask_later" else {**questions(a=form()), **arguments}
                message, required = self.first(client, name, asked)
                self.assertEqual(set(required["inputRequests"]), {key})
                self.assertIn(
                    self.text(self.next(client, message, required, **{key: given})),
                    ("seated", json.dumps({key: given}, separators=(",", ":"))),
                )
            client.server.wait_event("ended 0")
            client.server.wait_event("swallowed -21", count=2)

    def test_a_question_that_is_none_is_refused_to_the_handler(self):
        bad = (
            {},
            {"method": "tools/call", "params": {}},
            {"method": "elicitation/create"},
            {"method": "elicitation/create", "params": {"message": "m"}},
            {"method": "elicitation/create", "params": {"requestedSchema": {"type": "object", "properties": {}}}},
            form({"deep": {"type": "object", "properties": {}}}),
            {"method": "elicitation/create", "params": {"mode": "url", "message": "m"}},
            {"method": "elicitation/create", "params": {"mode": "url", "message": "m", "url": "not an address"}},
            {"method": "sampling/createMessage", "params": {"messages": []}},
            {
                "method": "sampling/createMessage",
                "params": {"messages": [{"role": "dog", "content": {}}], "maxTokens": 1},
            },
            sampling(unknown=1),
        )
        for client in self.servers():
            for request in bad:
                with self.subTest(request=request):
                    seen = len(client.server.events("asked k -2"))
                    self.assertEqual(client.call("ask", questions(k=request))["error"]["code"], -32603)
                    client.server.wait_event("asked k -2", count=seen + 1)

    def test_a_page_keeps_its_id_over_the_rounds_and_the_modern_question_has_none(self):
        for client in self.servers():
            message, required = self.first(client, "page")
            page = required["inputRequests"]["page"]["params"]
            self.assertEqual(set(page), {"mode", "message", "url"})
            again = self.required(self.next(client, message, required))["inputRequests"]["page"]["params"]
            self.assertEqual(again["url"], page["url"])
            self.assertEqual(self.text(self.next(client, message, required, page=AGREED)), "accept")
            _, other = self.first(client, "page")
            self.assertNotEqual(other["inputRequests"]["page"]["params"]["url"], page["url"])
            # Nobody waits to be told in this era.
            client.answers = answer
            self.assertEqual(client.text("page_done", {"id": page["url"].rsplit("/", 1)[1]}), "-5")

    def test_a_round_asks_so_many_questions_and_no_more(self):
        for client in self.servers():
            message, required = self.first(client, "ask", questions(**{f"k{number}": ROOTS for number in range(64)}))
            self.assertEqual(len(required["inputRequests"]), 64)
            answered = self.next(client, message, required, **{f"k{number}": ROOTS_ANSWER for number in range(64)})
            self.assertEqual(len(json.loads(self.text(answered))), 64)
            message, required = self.first(client, "ask", questions(**{f"k{number}": ROOTS for number in range(65)}))
            self.assertEqual(len(required["inputRequests"]), 64)
            client.server.wait_event("asked k64 -2")

    def test_answers_that_are_no_object_or_too_many_are_malformed(self):
        for client in self.servers():
            message, required = self.first(client, "ask", questions(a=form()))
            for given in ([], "x", 5, True, {f"k{number}": {} for number in range(257)}):
                broken = client.again(message, required, given)
                self.assertEqual(client.exchange(broken)["error"]["code"], -32602, str(given)[:40])


class Capabilities(Asking):
    # What is asked, what the client declared, and what it lacks; None where it can be asked.
    FORM, URL = {"elicitation": {"form": {}}}, {"elicitation": {"url": {}}}
    MATRIX = (
        (form(), {}, FORM),
        (form(), {"elicitation": {}}, None),
        (form(), {"elicitation": {"form": {}}}, None),
        (form(), {"elicitation": {"url": {}}}, FORM),
        (form(), {"sampling": {}, "roots": {}}, FORM),
        (url(), {}, URL),
        (url(), {"elicitation": {}}, URL),
        (url(), {"elicitation": {"form": {}}}, URL),
        (url(), {"elicitation": {"url": {}}}, None),
        (url(), {"elicitation": {"url": {}, "form": {}}}, None),
        (sampling(), {}, {"sampling": {}}),
        (sampling(), {"elicitation": {}}, {"sampling": {}}),
        (sampling(), {"sampling": {}}, None),
        (sampling(**TOOLS), {"sampling": {}}, {"sampling": {"tools": {}}}),
        (sampling(**TOOLS), {"sampling": {"tools": {}}}, None),
        (ROOTS, {}, {"roots": {}}),
        (ROOTS, {"sampling": {}, "elicitation": {}}, {"roots": {}}),
        (ROOTS, {"roots": {}}, None),
    )

    def test_b062_nothing_is_asked_that_the_client_did_not_declare(self):
        with PipeServer(*ALL) as server, HttpServer(*ALL) as web:
            for asked, capabilities, lacking in self.MATRIX:
                with self.subTest(asked=asked["method"], capabilities=capabilities):
                    for one in (server, web):
                        client = Client(one, capabilities=capabilities)
                        message = client.message("tools/call", {"name": "ask", "arguments": questions(k=asked)})
                        if one is web:
                            reply = web.post(message)
                            answered = reply.last
                            self.assertEqual(reply.status, 400 if lacking else 200)
                        else:
                            answered = client.exchange(message)
                        if lacking:
                            self.assertEqual(answered["error"]["code"], -32021)
                            self.assertEqual(answered["error"]["data"]["requiredCapabilities"], lacking)
                        else:
                            self.required(answered)

    def test_b062_each_round_is_asked_of_what_its_own_request_declares(self):
        for client in self.servers():
            message, required = self.first(client, "ask", questions(a=form(), b=ROOTS))
            client.capabilities = {"elicitation": {}}
            fewer = client.again(message, required, {"a": accept(text="A")})
            fewer["params"]["_meta"] = client.message("x")["params"]["_meta"]
            error = client.exchange(fewer)["error"]
            self.assertEqual((error["code"], error["data"]["requiredCapabilities"]), (-32021, {"roots": {}}))

    def test_b062_a_handler_may_do_without(self):
        for client in self.servers():
            client.capabilities = {}
            self.assertEqual(
                json.loads(client.text("ask", {**questions(a=form(), b=ROOTS), "without": True})), {"a": -22, "b": -22}
            )
            client.capabilities = {"roots": {}}
            asked = {**questions(a=form(), b=ROOTS), "without": True}
            message, required = self.first(client, "ask", asked)
            self.assertEqual(set(required["inputRequests"]), {"b"})
            self.assertEqual(
                json.loads(self.text(self.next(client, message, required, b=ROOTS_ANSWER))),
                {"a": -22, "b": ROOTS_ANSWER},
            )

    def test_b062_prompts_and_resources_are_held_to_it_too(self):
        with HttpServer(*ALL) as web:
            client = Client(web)
            for method, params in (("prompts/get", {"name": "asks"}), ("resources/read", {"uri": "test://asks"})):
                reply = web.post(client.message(method, params))
                self.assertEqual(reply.outcome(), (400, -32021))
                self.assertEqual(reply.error["data"], {"requiredCapabilities": {"elicitation": {"form": {}}}})


if __name__ == "__main__":
    unittest.main()
