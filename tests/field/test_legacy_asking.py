"""The revisions before 2026-07-28 over pipes: handlers that ask, by requests of the server's (B062, B087, B088)."""

import json
import unittest

from wire import legacy
from wire.client import Client
from wire.patience import bound
from wire.pipe import PipeServer
from wire.questions import (
    AGREED, DECLINED, EVERYTHING, ROOTS, ROOTS_ANSWER, TOOLS, accept, answer, form, questions, sampled, sampling, url,
)  # fmt: skip
from wire.request import cancelled, text_of
from wire.shapes import LEGACY

ALL = ("--everything", "1")
NEWEST = LEGACY[-1]
WITH_FORMS = ("2025-06-18", "2025-11-25")
SEAT, SURE = accept(seat="12A"), accept(sure=True)


class Asking(unittest.TestCase):
    def clients(self, *options, revisions=LEGACY, capabilities=EVERYTHING):
        for revision in revisions:
            with PipeServer(*ALL, *options) as server:
                yield Client(server, revision, capabilities)

    def begin(self, client, name, arguments=None, method="tools/call", asks=1):
        """Sends a request; it and the questions that the server asks on it."""
        seen = len(client.server.requests())
        params = {"uri": name} if method == "resources/read" else {"name": name, "arguments": arguments or {}}
        message = client.message(method, params)
        client.server.send(message)
        return message, client.server.wait_requests(seen + asks)[seen:]

    def finish(self, client, message):
        return client.server.answer(message["id"])

    def tool_error(self, answered):
        self.assertIs(answered.get("result", {}).get("isError"), True, answered)
        return text_of(answered)


class Questions(Asking):
    def test_what_a_revision_can_ask_is_asked_and_its_answer_reaches_the_handler(self):
        cases = {
            "roots": (ROOTS, ROOTS_ANSWER, "2024-11-05"),
            "sampling": (sampling(temperature=0.5, systemPrompt="s", stopSequences=["."]), sampled("Hé"), "2024-11-05"),
            "form": (form(), accept(text="T"), "2025-06-18"),
            "no": (form(), DECLINED, "2025-06-18"),
            "url": (url(), AGREED, "2025-11-25"),
            "tools": (sampling(**TOOLS), {**sampled(), "content": [{"type": "tool_use", "id": "1", "name": "t", "input": {}}]}, "2025-11-25"),
        }  # fmt: skip
        for client in self.clients():
            for key, (question, given, since) in cases.items():
                if client.revision < since:
                    self.assertIn(client.revision, self.tool_error(client.call("ask", questions(k=question))))
                    continue
                message, (asked,) = self.begin(client, "ask", questions(k=question))
                self.assertEqual(asked["method"], question["method"], key)
                client.server.send(legacy.answer(asked, given))
                self.assertEqual(json.loads(text_of(self.finish(client, message))), {"k": given})

    def test_a_form_is_put_into_the_words_of_the_revision(self):
        fields = {
            "t": {"type": "string", "oneOf": [{"const": "p", "title": "P"}, {"const": "q", "title": "Q"}]},
            "e": {"type": "string", "enum": ["x", "y"]},
            "d": {"type": "integer", "default": 3},
        }
        several = {"m": {"type": "array", "items": {"type": "string", "enum": ["x", "y"]}}}
        for client in self.clients(revisions=WITH_FORMS):
            # The question is held against the shape of the revision on its way in.
            message, (asked,) = self.begin(client, "ask", questions(k=form(fields)))
            shown = asked["params"]["requestedSchema"]["properties"]["t"]
            self.assertEqual(shown.get("enum"), ["p", "q"] if client.revision < NEWEST else None)
            given = accept(t="q", e="x", d=4)
            client.server.send(legacy.answer(asked, given))
            self.assertEqual(json.loads(text_of(self.finish(client, message))), {"k": given})
            if client.revision < NEWEST:
                self.tool_error(client.call("ask", questions(k=form(several))))
            else:
                message, (asked,) = self.begin(client, "ask", questions(k=form(several)))
                client.server.send(legacy.answer(asked, accept(m=["x"])))
                self.finish(client, message)

    def test_prompts_and_resources_may_ask_too(self):
        for client in self.clients(revisions=WITH_FORMS):
            for method, name in (("tools/call", "name"), ("prompts/get", "asks"), ("resources/read", "test://asks")):
                message, (asked,) = self.begin(client, name, method=method)
                client.server.send(legacy.answer(asked, accept(name="Zoë")))
                self.assertIn('"text": "Zoë"', json.dumps(self.finish(client, message)["result"], ensure_ascii=False))

    def test_answers_may_come_in_any_order_and_other_requests_meanwhile(self):
        for client in self.clients(revisions=(NEWEST,)):
            message, asked = self.begin(client, "ask", questions(a=form(message="a"), b=ROOTS, c=sampling()), asks=3)
            by_method = {one["method"]: one for one in asked}
            given = {"a": accept(text="A"), "b": ROOTS_ANSWER, "c": sampled()}
            for key, method in (("c", "sampling/createMessage"), ("a", "elicitation/create"), ("b", "roots/list")):
                self.assertEqual(client.ask("ping")["result"], {})
                self.assertEqual(client.server.answers(message["id"]), [])
                client.server.send(legacy.answer(by_method[method], given[key]))
            self.assertEqual(json.loads(text_of(self.finish(client, message))), given)

    def test_b087_many_calls_that_ask_at_once_do_not_mix(self):
        for client in self.clients(revisions=(NEWEST,)):
            calls = [self.begin(client, "ask", questions(k=form(message=f"m{number}"))) for number in range(50)]
            for message, (asked,) in reversed(calls):
                client.server.send(legacy.answer(asked, accept(text=asked["params"]["message"])))
            for number, (message, _) in enumerate(calls):
                self.assertEqual(json.loads(text_of(self.finish(client, message))), {"k": accept(text=f"m{number}")})

    def test_a_handler_runs_again_until_nothing_is_asked_and_keeps_what_it_wants(self):
        for client in self.clients(revisions=WITH_FORMS):
            client.answers = answer
            self.assertEqual(client.text("rounds", {"rounds": 12, "bytes": 100_000}), "13")
            error = client.call("rounds", {"rounds": 80})
            self.assertEqual(error["error"]["code"], -32603)
            self.assertEqual(client.text("rounds", {"rounds": 1}), "2")

    def test_an_effect_between_two_questions_happens_once(self):
        for client in self.clients(revisions=WITH_FORMS):
            client.answers = lambda asked: SEAT if "seat" in json.dumps(asked) else SURE
            self.assertEqual(json.loads(client.text("book")), {"seat": "12A", "sure": True})
            self.assertEqual(client.text("effects"), "2")
            self.assertEqual(len(client.events("booking")), 3)

    def test_a_wrong_answer_is_asked_again(self):
        wrong = (
            {},
            {"action": "maybe"},
            {"action": "accept"},
            accept(text=5),
            accept(text=""),
            accept(other="x"),
            {"action": "accept", "content": []},
        )
        for client in self.clients(revisions=WITH_FORMS):
            message, (asked,) = self.begin(client, "ask", questions(k=form()))
            for count, given in enumerate(wrong, 2):
                client.server.send(legacy.answer(asked, given))
                asked = client.server.wait_requests(count)[-1]
            client.server.send(legacy.answer(asked, accept(text="right")))
            self.assertEqual(json.loads(text_of(self.finish(client, message))), {"k": accept(text="right")})

    def test_a_handler_may_end_its_round_itself_or_on_another_thread_and_cannot_go_on_as_if_it_had_not_asked(self):
        for client in self.clients(revisions=(NEWEST,)):
            client.answers = lambda asked: SEAT if "seat" in json.dumps(asked) else answer(asked)
            for arguments in ({"early": True}, {"swallow": True}):
                for name in ("ask", "ask_inline"):
                    self.assertEqual(
                        json.loads(client.text(name, {**questions(k=form()), **arguments})),
                        {"k": accept(text="yes please")},
                    )
            self.assertEqual(client.text("ask_later"), "seated")
            client.server.wait_event("swallowed -21", count=2)

    def test_a_page_has_an_id_and_the_client_is_told_once_when_the_user_is_done(self):
        for client in self.clients(revisions=(NEWEST,)):
            message, (asked,) = self.begin(client, "page")
            id = asked["params"]["elicitationId"]
            self.assertEqual(asked["params"]["url"], f"https://example.com/{id}")
            client.server.send(legacy.answer(asked, AGREED))
            self.assertEqual(text_of(self.finish(client, message)), "accept")
            self.assertEqual([client.text("page_done", {"id": one}) for one in ("nobody", id, id)], ["-5", "0", "-5"])
            told = client.server.wait(
                lambda frame: frame.get("method") == "notifications/elicitation/complete", bound(2)
            )
            self.assertEqual(told["params"], {"elicitationId": id})
            client.server.fence()
            self.assertEqual(len(client.server.notifications("notifications/elicitation/complete")), 1)

    def test_questions_of_a_batch_are_asked_outside_of_it(self):
        with PipeServer(*ALL) as server:
            client = Client(server, legacy.WITH_BATCHES, EVERYTHING)
            server.send(
                [
                    legacy.request(1, "ping"),
                    legacy.call(2, "ask", questions(k=ROOTS)),
                    legacy.call(3, "ask", questions(k=ROOTS)),
                ]
            )
            asked = server.wait_requests(2)
            self.assertEqual(server.batches, [])
            server.send(
                [
                    legacy.answer(asked[1], ROOTS_ANSWER),
                    legacy.request(4, "ping"),
                    legacy.answer(asked[0], {"roots": []}),
                ]
            )
            server.wait(lambda _: len(server.batches) == 2, bound(5), "two batches")
            self.assertEqual(sorted(len(batch) for batch in server.batches), [1, 3])
            self.assertEqual(client.ask("ping")["result"], {})


class Refusals(Asking):
    def test_b062_nothing_is_asked_that_the_client_did_not_declare(self):
        cases = (
            (ROOTS, {}, "roots"), (ROOTS, {"sampling": {}}, "roots"), (sampling(), {"roots": {}}, "sampling"),
            (sampling(**TOOLS), {"sampling": {}}, "sampling"), (form(), {"roots": {}}, "elicitation"),
            (url(), {"elicitation": {}}, "elicitation"), (url(), {"elicitation": {"form": {}}}, "elicitation"),
            (form(), {"elicitation": {"url": {}}}, "elicitation"),
        )  # fmt: skip
        for question, capabilities, named in cases:
            # What an elicitation can be is declared from 2025-11-25 on.
            for client in self.clients(
                revisions=(NEWEST,) if named == "elicitation" else LEGACY, capabilities=capabilities
            ):
                said = self.tool_error(client.call("ask", questions(k=question)))
                self.assertIn(named, said)
                self.assertEqual(json.loads(client.text("ask", {**questions(k=question), "without": True})), {"k": -22})
                self.assertEqual(client.server.requests(), [])

    def test_b062_a_prompt_or_resource_that_cannot_ask_is_an_error_of_the_era(self):
        for client in self.clients(revisions=WITH_FORMS, capabilities={}):
            for answered in (client.prompt("asks"), client.read("test://asks")):
                self.assertEqual(answered["error"]["code"], -32603)
                self.assertIn("elicitation", answered["error"]["message"])

    def test_an_error_in_place_of_an_answer_ends_the_call_in_words(self):
        for client in self.clients():
            message, asked = self.begin(client, "ask", questions(a=ROOTS, b=sampling()), asks=2)
            client.server.send(legacy.refusal(asked[0], -32601, "no roots here"))
            self.assertIn("no roots here", self.tool_error(self.finish(client, message)))
            # The other question is taken back.
            told = client.server.wait(lambda frame: frame.get("method") == "notifications/cancelled", bound(2))
            self.assertEqual(told["params"]["requestId"], asked[1]["id"])
            client.server.send(legacy.answer(asked[1], sampled()))
            client.server.fence()
            self.assertEqual(len(client.server.answers(message["id"])), 1)

    def test_an_answer_to_nothing_is_passed_over(self):
        for client in self.clients(revisions=(NEWEST, "2025-03-26")):
            message, (asked,) = self.begin(client, "ask", questions(k=ROOTS))
            for id in (str(asked["id"]), asked["id"] + 1, -1, 0, "x", 1.5, None):
                client.server.send({"jsonrpc": "2.0", "id": id, "result": ROOTS_ANSWER})
            client.server.send('{"jsonrpc":"2.0","result":{}}')
            client.server.fence()
            self.assertEqual(client.server.answers(message["id"]), [])
            client.server.send(
                legacy.answer(asked, {"roots": []}), legacy.answer(asked, ROOTS_ANSWER), legacy.refusal(asked)
            )
            self.assertEqual(json.loads(text_of(self.finish(client, message))), {"k": {"roots": []}})
            client.server.fence()
            self.assertEqual(len(client.server.answers(message["id"])), 1)

    def test_b088_a_call_that_is_cancelled_while_it_asks_takes_its_questions_back(self):
        for client in self.clients():
            message, asked = self.begin(client, "ask", questions(a=ROOTS, b=sampling()), asks=2)
            client.server.send(
                legacy.answer(asked[0], ROOTS_ANSWER if asked[0]["method"] == "roots/list" else sampled())
            )
            client.server.fence()
            client.server.send(cancelled(message["id"]))
            told = client.server.wait(lambda frame: frame.get("method") == "notifications/cancelled", bound(2))
            self.assertEqual(told["params"]["requestId"], asked[1]["id"])
            client.server.send(legacy.answer(asked[1], ROOTS_ANSWER))
            client.server.fence()
            self.assertEqual(client.server.answers(message["id"]), [])
            self.assertEqual(len(client.server.notifications("notifications/cancelled")), 1)
            self.assertEqual(client.events("asking ask"), ["asking ask"])
            # The id is free again.
            self.assertEqual(client.exchange({**client.message("ping"), "id": message["id"]})["result"], {})

    def test_a_question_that_nobody_answers_has_a_limit(self):
        for client in self.clients("--option", "answer_timeout_ms=200"):
            message, (asked,) = self.begin(client, "ask", questions(k=ROOTS))
            self.assertIn("200 ms", self.tool_error(self.finish(client, message)))
            told = client.server.wait(lambda frame: frame.get("method") == "notifications/cancelled", bound(2))
            self.assertEqual(told["params"]["requestId"], asked["id"])
            client.server.send(legacy.answer(asked, ROOTS_ANSWER))
            client.server.fence()
            self.assertEqual(len(client.server.answers(message["id"])), 1)

    def test_the_end_of_input_does_not_wait_for_an_answer_that_cannot_come(self):
        for client in self.clients(revisions=(NEWEST,)):
            self.begin(client, "ask", questions(k=ROOTS))
            self.assertEqual(client.server.end(bound(3)), 0)

    def test_calls_that_wait_for_an_answer_keep_nobody_from_calling_and_have_a_bound(self):
        for client in self.clients("--option", "max_in_flight=3", revisions=(NEWEST,)):
            calls = [self.begin(client, "ask", questions(k=ROOTS)) for _ in range(3)]
            self.assertEqual(client.text("touch"), "touched")
            self.assertIn("busy", self.tool_error(client.call("ask", questions(k=ROOTS))))
            for message, (asked,) in calls:
                client.server.send(legacy.answer(asked, ROOTS_ANSWER))
                self.finish(client, message)
            self.assertEqual(client.text("touch"), "touched")


if __name__ == "__main__":
    unittest.main()
