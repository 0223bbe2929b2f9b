"""2026-07-28: notifications of one request. Log messages (B059) and progress (B091)."""

import json
import threading
import unittest

from wire.http import SSE, HttpServer
from wire.patience import LONG
from wire.pipe import PipeServer
from wire.request import call, discover, listen, meta, request, text_of

LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")


def logs(frames, tag=None):
    found = [frame["params"] for frame in frames if frame.get("method") == "notifications/message"]
    return [entry for entry in found if tag is None or entry["data"]["tag"] == tag]


def progress(frames, token):
    found = [frame["params"] for frame in frames if frame.get("method") == "notifications/progress"]
    return [entry for entry in found if entry["progressToken"] == token and type(entry["progressToken"]) is type(token)]


class Logs(unittest.TestCase):
    def test_b059_without_a_level_nothing_is_logged_to_the_client(self):
        with PipeServer() as server, HttpServer() as web:
            server.ask(call(1, "logs"))
            server.fence()
            self.assertEqual(logs(server.frames), [])
            reply = web.post(call(1, "logs"))
            self.assertEqual((len(reply.messages), reply.media_type), (1, "application/json"))

    def test_b059_with_a_level_what_is_as_grave_comes_before_the_answer(self):
        with PipeServer() as server, HttpServer() as web:
            for number, level in enumerate(LEVELS):
                with self.subTest(level=level):
                    message = call(number, "logs", {"tag": level}, log=level)
                    server.ask(message)
                    server.fence()
                    frames = list(server.frames)
                    answered = next(index for index, frame in enumerate(frames) if frame.get("id") == number)
                    self.assertEqual(
                        [entry["level"] for entry in logs(frames[:answered], level)], list(LEVELS[number:])
                    )
                    self.assertEqual(logs(frames[answered:], level), [])
                    reply = web.post(message)
                    self.assertEqual(reply.media_type, SSE)
                    self.assertEqual([entry["level"] for entry in logs(reply.messages)], list(LEVELS[number:]))
                    self.assertIn("result", reply.last)
            entry = logs(server.frames, "emergency")[0]
            self.assertEqual(entry, {"level": "emergency", "logger": "field", "data": {"level": 7, "tag": "emergency"}})

    def test_b059_a_level_that_is_none_is_invalid(self):
        with PipeServer() as server, HttpServer() as web:
            for number, level in enumerate(("bogus", 3, "WARNING", "warn", "", None, [], {"level": "debug"})):
                for method in ("tools/call", "tools/list", "server/discover"):
                    with self.subTest(level=level, method=method):
                        members = {**meta(), "io.modelcontextprotocol/logLevel": level}
                        message = request(f"{method}{number}", method, {"name": "logs"}, members)
                        outcome = server.ask(message)
                        if level is None and "result" in outcome:
                            continue
                        self.assertEqual(outcome["error"]["code"], -32602)
                        self.assertEqual(web.post(message).outcome(), (400, -32602))
            self.assertEqual(logs(server.frames), [])

    def test_b059_the_level_of_one_call_is_not_that_of_another(self):
        with PipeServer() as server:
            server.send(
                call("a", "logs", {"tag": "a", "ms": 300}, log="warning"),
                call("b", "logs", {"tag": "b", "ms": 300}),
                call("c", "logs", {"tag": "c"}, log="alert"),
            )
            for id in "abc":
                server.answer(id)
            server.fence()
            self.assertEqual([len(logs(server.frames, tag)) for tag in "abc"], [5, 0, 2])
        with HttpServer() as web:
            replies = {}
            messages = {
                "a": call(1, "logs", {"tag": "a", "ms": 300}, log="warning"),
                "b": call(1, "logs", {"tag": "b", "ms": 300}),
            }
            threads = [
                threading.Thread(target=lambda tag=tag: replies.update({tag: web.post(messages[tag])}))
                for tag in messages
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(LONG)
            self.assertEqual([entry["data"]["tag"] for entry in logs(replies["a"].messages)], ["a"] * 5)
            self.assertEqual(logs(replies["b"].messages), [])

    def test_b059_a_subscription_gets_no_log_messages_even_when_it_asks_for_a_level(self):
        with PipeServer() as server, HttpServer() as web:
            everything = listen("l", {"toolsListChanged": True}, log="debug")
            server.send(everything)
            server.wait(lambda frame: frame.get("method") == "notifications/subscriptions/acknowledged")
            server.ask(call(1, "logs", {"tag": "x"}, log="debug"))
            server.ask(call(2, "logs", {"tag": "y"}))
            server.fence()
            self.assertEqual(len(logs(server.frames)), 8)
            self.assertFalse([entry for entry in logs(server.frames) if "_meta" in entry])
            with web.listening(everything) as stream:
                self.assertEqual(stream.event()["method"], "notifications/subscriptions/acknowledged")
                self.assertEqual(len(logs(web.post(call(1, "logs", log="debug")).messages)), 8)
                web.post(call(2, "change", {"add": [{"name": "new", "inputSchema": {"type": "object"}}]}))
                self.assertEqual(stream.event()["method"], "notifications/tools/list_changed")

    def test_b059_switched_off_there_is_no_logging_at_all(self):
        with PipeServer("--option", "logging=false") as server:
            self.assertIn("result", server.ask(call(1, "logs", log="debug")))
            server.fence()
            self.assertEqual(logs(server.frames), [])


class Progress(unittest.TestCase):
    TOKENS = (0, "", "0", 7, -1, "x" * 1022, 2**53 + 1, -(2**63), 'é\u2028"', "1", 1)

    def test_b091_the_token_comes_back_with_its_type(self):
        with PipeServer() as server, HttpServer() as web:
            for number, token in enumerate(self.TOKENS):
                with self.subTest(token=token):
                    message = call(number, "progress", {"values": [1, 2], "total": 4, "message": "half"}, token=token)
                    before = len(server.frames)
                    server.ask(message)
                    for frames in (server.frames[before:], web.post(message).messages):
                        self.assertEqual(
                            progress(frames, token),
                            [
                                {"progressToken": token, "progress": value, "total": 4, "message": "half"}
                                for value in (1, 2)
                            ],
                        )
                        self.assertEqual(len(frames), 3)
                        self.assertIn("result", frames[-1])

    def test_b091_without_a_token_there_is_no_progress(self):
        with PipeServer() as server, HttpServer() as web:
            self.assertEqual(text_of(server.ask(call(1, "progress", {"values": [1, 2]}))), "[0,0]")
            server.fence()
            self.assertEqual(server.notifications("notifications/progress"), [])
            self.assertEqual(len(web.post(call(1, "progress", {"values": [1, 2]})).messages), 1)

    def test_b091_a_token_of_another_type_is_refused_or_ignored(self):
        with PipeServer() as server:
            for number, token in enumerate((1.5, None, {}, [], True, ["t"], "x" * 1023)):
                with self.subTest(token=token):
                    message = request(
                        number,
                        "tools/call",
                        {"name": "progress", "arguments": {"values": [1]}},
                        {**meta(), "progressToken": token},
                    )
                    answer = server.ask(message)
                    self.assertIn(answer.get("error", {}).get("code"), (None, -32602))
            server.fence()
            self.assertEqual(server.notifications("notifications/progress"), [])

    def test_b091_two_calls_with_1_and_the_text_1_keep_apart(self):
        with PipeServer() as server:
            server.send(
                call("a", "progress", {"values": [1, 2, 3], "ms": 50}, token=1),
                call("b", "progress", {"values": [10, 20, 30], "ms": 50}, token="1"),
            )
            server.answer("a")
            server.answer("b")
            self.assertEqual([entry["progress"] for entry in progress(server.frames, 1)], [1, 2, 3])
            self.assertEqual([entry["progress"] for entry in progress(server.frames, "1")], [10, 20, 30])

    def test_b091_progress_only_grows(self):
        with PipeServer() as server:
            answer = server.ask(call(1, "progress", {"values": [1, 1, 0.5, 1.25, -3, 2]}, token="t"))
            self.assertEqual(json.loads(text_of(answer)), [0, -2, -2, 0, -2, 0])
            self.assertEqual([entry["progress"] for entry in progress(server.frames, "t")], [1, 1.25, 2])

    def test_b091_an_unknown_total_and_no_message_are_left_out(self):
        with PipeServer() as server:
            for number, total in enumerate((None, 0, -5)):
                server.ask(
                    call(
                        number,
                        "progress",
                        {"values": [0.5]} | ({} if total is None else {"total": total}),
                        token=f"t{number}",
                    )
                )
                self.assertEqual(
                    progress(server.frames, f"t{number}"), [{"progressToken": f"t{number}", "progress": 0.5}]
                )

    def test_b091_a_flood_is_thinned_and_never_reordered(self):
        values = list(range(1, 2001))
        with PipeServer("--option", "progress_per_second=50") as server, HttpServer(
            "--option", "progress_per_second=50"
        ) as web:
            message = call(1, "progress", {"values": values}, token="t")
            self.assertEqual(set(json.loads(text_of(server.ask(message)))), {0})
            reply = web.post(message)
            for frames in (server.frames, reply.messages):
                seen = [entry["progress"] for entry in progress(frames, "t")]
                self.assertEqual(seen, sorted(set(seen)))
                self.assertLess(len(seen), 500)
                self.assertEqual(seen[-1], values[-1], "the last value is the one that counts")

    def test_b091_nothing_follows_the_answer(self):
        with PipeServer() as server:
            for number in range(30):
                server.ask(call(number, "progress", {"values": [1, 2, 3]}, token=number))
                server.ask(discover(f"d{number}"))
                answered = False
                for frame in server.frames:
                    answered = answered or frame.get("id") == number
                    self.assertFalse(answered and frame.get("params", {}).get("progressToken") == number)


if __name__ == "__main__":
    unittest.main()
