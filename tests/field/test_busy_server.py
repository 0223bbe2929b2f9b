"""Topic 5 in both eras and for every kind of call: handlers that block, nest, race with their cancellation, and are called
at once (B086, B088, B091, B093, B110)."""

import json
import time
import unittest

from wire.client import Client
from wire.http import HttpServer
from wire.patience import bound
from wire.pipe import PipeServer
from wire.questions import EVERYTHING, answer
from wire.request import cancelled, text_of
from wire.shapes import LEGACY, MODERN, REVISIONS

OLD, NEWEST = LEGACY[0], LEGACY[-1]
SLOW_PROMPT = ("--prompt", "slow", '{"name":"slow","arguments":[{"name":"tag"},{"name":"ms"}]}')
ALL = ("--everything", "1", *SLOW_PROMPT)


class Blocking(unittest.TestCase):
    def test_b086_handlers_that_block_delay_no_lists_reads_or_pings_in_either_era(self):
        for revision in (MODERN, NEWEST):
            with PipeServer(*ALL, "--option", "drain_ms=200") as server:
                client = Client(server, revision)
                calls = [client.message("tools/call", {"name": "hang"}) for _ in range(20)]
                calls += [client.message("resources/read", {"uri": "slow://r/30000"}) for _ in range(20)]
                calls += [client.message("prompts/get", {"name": "slow", "arguments": {"tag": "p"}}) for _ in range(20)]
                server.send(*calls)
                server.wait_event("hanging", count=20)
                server.wait_event("reading", count=40)
                began = time.monotonic()
                for method, params in (("tools/list", {}), ("resources/list", {}), ("prompts/list", {}), ("resources/templates/list", {}),
                                       ("resources/read", {"uri": "test://text"}), ("prompts/get", {"name": "blocks"}),
                                       ("tools/call", {"name": "touch"}), ("server/discover" if client.modern else "ping", {})):  # fmt: skip
                    self.assertIn("result", client.ask(method, params, bound(1)))
                self.assertLess(time.monotonic() - began, bound(0.5))
                for call in calls[20:]:
                    server.send(cancelled(call["id"]))
                server.wait_event("read r -12", bound(3), 20)
                server.wait_event("read p -12", bound(3), 20)
                server.end(bound(12))

    def test_b086_calls_inside_of_calls_need_no_second_thread(self):
        for revision in (MODERN, NEWEST):
            with PipeServer(*ALL, "--option", "handler_threads=2", "--option", "handler_queue=64") as server:
                client = Client(server, revision)
                calls = [
                    client.message("tools/call", {"name": "nested", "arguments": {"depth": 10, "ms": 5}})
                    for _ in range(40)
                ]
                server.send(*calls)
                for call in calls:
                    self.assertEqual(text_of(server.answer(call["id"], bound(10))), "bottom")

    def test_b086_calls_inside_of_calls_have_a_bound(self):
        with PipeServer(*ALL) as server:
            client = Client(server)
            self.assertEqual(client.text("nested", {"depth": 31}), "bottom")
            result = client.call("nested", {"depth": 100})["result"]
            self.assertIs(result["isError"], True)
            self.assertEqual(client.text("nested", {"depth": 31}), "bottom")

    def test_b086_more_calls_than_threads_wait_their_turn_whatever_they_are(self):
        options = ("--option", "handler_threads=2", "--option", "handler_queue=200")
        for revision in (MODERN, OLD):
            with PipeServer(*ALL, *options) as server:
                client = Client(server, revision)
                messages = []
                for number in range(30):
                    messages.append(
                        client.message("tools/call", {"name": "nap", "arguments": {"ms": 5, "tag": str(number)}})
                    )
                    messages.append(client.message("resources/read", {"uri": f"slow://{number}/5"}))
                    messages.append(
                        client.message("prompts/get", {"name": "slow", "arguments": {"tag": str(number), "ms": "5"}})
                    )
                server.send(*messages)
                for index, message in enumerate(messages):
                    result = server.answer(message["id"], bound(10))["result"]
                    said = (
                        result.get("content")
                        or result.get("contents")
                        or [result.get("messages", [{}])[0].get("content")]
                    )[0]
                    self.assertEqual(said["text"], str(index // 3))

    def test_beyond_the_bounds_what_is_no_tool_is_an_error(self):
        for revision in (MODERN, NEWEST):
            with PipeServer(*ALL, "--option", "max_in_flight=2") as server:
                client = Client(server, revision)
                calls = [client.message("tools/call", {"name": "nap", "arguments": {"ms": 400}}) for _ in range(2)]
                server.send(*calls)
                server.wait_event("napping", count=2)
                result = client.call("touch")["result"]
                self.assertIs(result["isError"], True)
                for method, params in (("resources/read", {"uri": "test://text"}), ("prompts/get", {"name": "blocks"}),
                                       ("completion/complete", {"ref": {"type": "ref/prompt", "name": "greet"}, "argument": {"name": "who", "value": ""}})):  # fmt: skip
                    error = client.ask(method, params)["error"]
                    self.assertEqual(error["code"], -32603)
                    self.assertIn("busy", error["message"])
                for method in ("resources/list", "prompts/list"):
                    self.assertIn("result", client.ask(method))
                for call in calls:
                    server.answer(call["id"])
                self.assertIn("result", client.read("test://text"))

    def test_a_handler_has_a_time_limit_whatever_it_answers(self):
        for revision in (MODERN, NEWEST):
            with PipeServer(*ALL, "--option", "handler_timeout_ms=100") as server:
                client = Client(server, revision)
                result = client.call("beat", {"ms": 30000, "tag": "t"})["result"]
                self.assertIs(result["isError"], True)
                self.assertIn("100 ms", result["content"][0]["text"])
                for answered in (client.read("slow://r/30000"), client.prompt("slow", {"tag": "p"})):
                    self.assertEqual(answered["error"]["code"], -32603)
                    self.assertIn("100 ms", answered["error"]["message"])
                for event in ("cancelled t", "read r -1", "read p -1"):
                    server.wait_event(event, bound(3))


class Races(unittest.TestCase):
    def test_b088_a_race_at_the_very_end_has_one_answer_or_none(self):
        for revision in LEGACY:
            with PipeServer(*ALL) as server:
                client = Client(server, revision)
                messages = []
                for number in range(150):
                    message = client.message("tools/call", {"name": "nap", "arguments": {"ms": number % 3}})
                    messages.append(message)
                    if number % 2:
                        server.send(message, cancelled(message["id"]))
                    else:
                        server.send(message)
                        server.send(cancelled(message["id"]))
                server.fence(bound(5))
                client.events("none")
                for message in messages:
                    answers = server.answers(message["id"])
                    self.assertLessEqual(len(answers), 1)
                    self.assertTrue(all("result" in one for one in answers))

    def test_b088_a_cancel_of_what_is_not_there_is_ignored(self):
        for revision in REVISIONS:
            with PipeServer(*ALL) as server:
                client = Client(server, revision)
                client.text("touch")
                last = server.frames[-1]["id"]
                notification = {"jsonrpc": "2.0", "method": "notifications/cancelled"}
                for params in (
                    *({"requestId": id} for id in (last, "never", 0, -1, 1.5, None, {}, "hello")),
                    {},
                    [],
                    None,
                ):
                    server.send(json.dumps({**notification, "params": params}))
                server.send(json.dumps(notification))
                seen = len(server.frames)
                server.fence()
                self.assertEqual(len(server.frames), seen + 1)

    def test_b091_b093_many_calls_of_every_kind_and_era_keep_apart(self):
        with PipeServer(*ALL) as server:
            server_clients = [Client(server), Client(server, NEWEST)]
            expected = {}
            for number in range(60):
                for client in server_clients:
                    tag = f"{client.revision}-{number}"
                    for message, wanted in (
                        (client.message("tools/call", {"name": "say", "arguments": {"value": tag}}, token=tag), tag),
                        (client.message("prompts/get", {"name": "greet", "arguments": {"who": tag}}), f"Greet {tag}."),
                        (client.message("resources/read", {"uri": f"x://a.b/{tag}"}), f'"c":"{tag}"'),
                        (
                            client.message(
                                "tools/call", {"name": "progress", "arguments": {"values": [number]}}, token=tag
                            ),
                            "[0]",
                        ),
                    ):
                        expected[message["id"]] = wanted
                        server.send(message)
            for id, wanted in expected.items():
                self.assertIn(wanted, str(server.answer(id)["result"]))
            told = {
                frame["params"]["progressToken"]: frame["params"]["progress"]
                for frame in server.notifications("notifications/progress")
            }
            self.assertEqual(
                told, {f"{client.revision}-{number}": number for client in server_clients for number in range(60)}
            )

    def test_b110_two_servers_have_nothing_in_common(self):
        with PipeServer(*ALL) as one, PipeServer() as two, HttpServer(*ALL) as web:
            first, second = Client(one, capabilities=EVERYTHING, answers=answer), Client(
                web, capabilities=EVERYTHING, answers=answer
            )
            self.assertEqual(
                (first.text("name"), first.text("effects"), second.text("effects")), ("yes please", "1", "0")
            )
            self.assertEqual(Client(two).read("test://text")["error"]["code"], -32601)
            # Nor do two transports share what belongs to one client.
            self.assertEqual(second.text("name"), "yes please")


if __name__ == "__main__":
    unittest.main()
