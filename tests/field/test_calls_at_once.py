"""Topic 5: calls at the same time. Cancellation (B088), equal ids (B093), handlers that do not yield."""

import json
import threading
import time
import unittest

from wire.http import HttpServer, headers_of
from wire.patience import LONG, bound
from wire.pipe import PipeServer
from wire.request import call, cancelled, discover, encode, listing, text_of


class Cancellation(unittest.TestCase):
    def test_b088_a_cancelled_call_is_never_answered_whatever_its_handler_does(self):
        with PipeServer() as server:
            for tool, tag, ended in (
                ("beat", "sees", "cancelled sees -12"),
                ("nap", "ignores", "napped ignores -12"),
                ("beat_async", "told", "cancelled told -12"),
            ):
                with self.subTest(tool=tool):
                    server.send(call(9, tool, {"ms": 600, "tag": tag}))
                    server.wait_event("beat " + tag if tool != "nap" else "napping " + tag)
                    server.send(cancelled(9))
                    self.assertEqual(server.wait_event(ended.rsplit(" ", 1)[0]), ended)
                    server.fence()
                    self.assertEqual(server.answers(9), [])

    def test_b088_a_handler_is_told_promptly(self):
        with PipeServer() as server:
            for tool in ("beat", "beat_async"):
                server.send(call(tool, tool, {"ms": 30000, "tag": tool}))
                server.wait_event("beat " + tool)
                server.send(cancelled(tool))
                server.wait_event("cancelled " + tool, bound(1))

    def test_b088_no_progress_and_no_log_follow_a_cancel(self):
        with PipeServer() as server:
            server.send(call(9, "beat", {"ms": 3000, "tag": "p", "progress": True}, token="t", log="debug"))
            server.wait(lambda frame: frame.get("method") == "notifications/progress")
            server.send(cancelled(9), discover("after"))
            server.answer("after")
            seen = len(server.frames)
            server.wait_event("cancelled p", bound(1))
            server.fence()
            self.assertEqual([frame for frame in server.frames[seen:] if "method" in frame], [])

    def test_b088_a_race_at_the_very_end_has_one_normal_answer_or_none(self):
        count = 500
        with PipeServer() as server:
            messages = []
            for id in range(count):
                messages += [call(id, "nap" if id % 2 else "touch", {"ms": 0, "tag": "x"}), cancelled(id)]
            for start in range(0, len(messages), 100):
                server.send(*messages[start : start + 100])
            server.fence()
            time.sleep(0.2)
            server.fence()
            for id in range(count):
                answers = server.answers(id)
                self.assertLessEqual(len(answers), 1)
                for answer in answers:
                    self.assertIn("result", answer)
            self.assertEqual(server.anonymous(), [])

    def test_b088_a_cancel_of_nothing_is_ignored(self):
        with PipeServer() as server:
            server.ask(call(1, "touch"))
            server.send(call("9", "nap", {"ms": 300, "tag": "text"}), call(10, "nap", {"ms": 300, "tag": "number"}))
            server.wait_event("napping", count=2)
            # Long done, never there, of the other type, and of no type at all.
            server.send(cancelled(1), cancelled(77), cancelled(9), cancelled("10"), cancelled(10.5), cancelled(None))
            server.send(
                '{"jsonrpc":"2.0","method":"notifications/cancelled"}',
                '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}',
            )
            self.assertEqual(text_of(server.answer("9")), "text")
            self.assertEqual(text_of(server.answer(10)), "number")
            self.assertEqual(server.anonymous(), [])

    def test_b088_the_id_of_a_cancelled_call_is_free_again(self):
        with PipeServer() as server:
            server.send(call(1, "beat", {"ms": 20000, "tag": "old"}))
            server.wait_event("beat old")
            server.send(cancelled(1))
            server.wait_event("cancelled old")
            self.assertEqual(text_of(server.ask(call(1, "touch"))), "touched")

    def test_b088_over_http_a_cancel_notification_cancels_nothing(self):
        with HttpServer() as server:
            message = call(1, "nap", {"ms": 400, "tag": "kept"})
            connection = server.connect()
            connection.request("POST", "/mcp", headers_of(message), encode(message))
            server.wait_event("napping kept")
            response, _ = server.bare("POST", headers_of(cancelled(1)), encode(cancelled(1)))
            self.assertEqual(response.status, 202)
            self.assertEqual(text_of(connection.response().messages(method="tools/call")[0]), "kept")
            connection.close()


class EqualIds(unittest.TestCase):
    def test_b093_over_http_each_connection_gets_its_own_answer(self):
        with HttpServer() as server:
            results, start = {}, threading.Barrier(50)

            def one(index):
                start.wait(LONG)
                results[index] = server.post(call(1, "nap", {"ms": 200, "tag": f"tag-{index}"})).text

            threads = [threading.Thread(target=one, args=(index,), daemon=True) for index in range(50)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(LONG)
            self.assertEqual(results, {index: f"tag-{index}" for index in range(50)})

    def test_b093_over_stdio_the_second_is_refused_without_an_id_and_not_run(self):
        for id in (1, "one"):
            with self.subTest(id=id), PipeServer() as server:
                server.send(call(id, "nap", {"ms": 300, "tag": "first"}))
                server.wait_event("napping")
                # As bytes, for the driver to go on expecting the answer of the first.
                server.send(encode(call(id, "touch")), encode(discover(id)), encode(listing(id)))
                errors = server.wait_anonymous(3, bound(1))
                for error in errors:
                    self.assertEqual(error["error"]["code"], -32600)
                    self.assertIn(str(id), error["error"]["message"])
                self.assertEqual(text_of(server.answer(id)), "first")
                self.assertEqual(len(server.answers(id)), 1)
                # Free again once answered.
                self.assertEqual(text_of(server.ask(call("c", "count"))), "0")
                server.send(call(id, "touch"))
                server.wait(lambda frame: len(server.answers(id)) == 2)
                self.assertEqual(text_of(server.answers(id)[1]), "touched")

    def test_b093_one_and_the_text_one_are_two_ids(self):
        with PipeServer() as server:
            server.send(call(1, "nap", {"ms": 200, "tag": "number"}), call("1", "nap", {"ms": 100, "tag": "text"}))
            self.assertEqual(text_of(server.answer(1)), "number")
            self.assertEqual(text_of(server.answer("1")), "text")
            self.assertEqual(server.anonymous(), [])

    def test_b093_an_id_may_be_used_again_and_again(self):
        with PipeServer() as server:
            for number in range(20):
                server.send(call(1, "echo", {"n": number}))
                server.wait(lambda frame, count=number + 1: len(server.answers(1)) == count)
            self.assertEqual([json.loads(text_of(answer))["n"] for answer in server.answers(1)], list(range(20)))


class Busy(unittest.TestCase):
    def test_handlers_that_never_return_delay_no_one_else(self):
        with PipeServer() as server:
            for id in range(64):
                server.send(call(id, "hang"))
            server.wait_event("hanging", count=64)
            server.send(call("queued", "nap", {"ms": 0, "tag": "q"}))
            began = time.monotonic()
            for message in (discover("d"), listing("l"), call("i", "touch")):
                self.assertIn("result", server.ask(message, bound(1)))
            self.assertLess(time.monotonic() - began, bound(0.5))
            server.send(cancelled("queued"))
            server.fence()
            self.assertEqual(server.answers("queued"), [])
            self.assertEqual(server.events("napping"), [])
            server.end(bound(12))

    def test_eight_sleepers_take_as_long_as_one(self):
        with PipeServer() as server:
            began = time.monotonic()
            server.send(*(call(id, "nap", {"ms": 1000}) for id in range(8)))
            for id in range(8):
                server.answer(id)
            self.assertLess(time.monotonic() - began, bound(2))

    def test_beyond_the_queue_a_tool_says_that_the_server_is_busy(self):
        with PipeServer("--option", "handler_threads=2", "--option", "handler_queue=2") as server:
            server.send(*(call(id, "nap", {"ms": 700, "tag": str(id)}) for id in range(2)))
            server.wait_event("napping", count=2)
            server.send(*(call(id, "nap", {"ms": 10, "tag": str(id)}) for id in range(2, 8)))
            results = [server.answer(id)["result"] for id in range(8)]
            busy = [result for result in results if result.get("isError")]
            self.assertEqual(len(busy), 4)
            for result in busy:
                self.assertRegex(result["content"][0]["text"], r"(?i)busy")
            self.assertEqual([result["content"][0]["text"] for result in results[:4]], ["0", "1", "2", "3"])

    def test_beyond_the_calls_of_a_connection_there_is_a_clear_error_and_nothing_is_lost(self):
        with PipeServer("--option", "max_in_flight_per_connection=2") as server:
            server.send(*(call(id, "nap", {"ms": 500, "tag": str(id)}) for id in range(2)))
            server.wait_event("napping", count=2)
            refused = server.ask(call(2, "nap", {"ms": 0}))
            said = refused["error"]["message"] if "error" in refused else refused["result"]["content"][0]["text"]
            self.assertTrue("error" in refused or refused["result"]["isError"])
            self.assertRegex(said, r"(?i)\b2\b|max_in_flight_per_connection|busy")
            for id in range(2):
                self.assertEqual(text_of(server.answer(id)), str(id))
            self.assertEqual(text_of(server.ask(call(3, "touch"))), "touched")

    def test_answers_come_as_they_are_ready(self):
        with HttpServer() as server:
            slow = call(1, "nap", {"ms": 1500, "tag": "slow"})
            connections = []
            for _ in range(20):
                connection = server.connect()
                connection.request("POST", "/mcp", headers_of(slow), encode(slow))
                connections.append(connection)
            server.wait_event("napping", count=20)
            for number in range(10):
                self.assertEqual(server.post(call(number, "echo_pool", {"n": number}), within=bound(1)).status, 200)
            for connection in connections:
                connection.response().messages(method="tools/call")
                connection.close()


if __name__ == "__main__":
    unittest.main()
