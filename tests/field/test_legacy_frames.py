"""The revisions before 2026-07-28 over pipes: frames that are broken, large or arrays (B001, B002, B004, B005, B007 to B009,
B013, B014, B020)."""

import json
import random
import unittest

from wire import legacy
from wire.client import Client
from wire.mutation import mutated
from wire.patience import bound
from wire.pipe import PipeServer
from wire.questions import EVERYTHING, ROOTS, questions
from wire.request import call, cancelled, discover, encode, text_of
from wire.shapes import LEGACY

ALL = ("--everything", "1")
NEWEST, BATCHES = LEGACY[-1], legacy.WITH_BATCHES


class Broken(unittest.TestCase):
    def said(self, server, *lines):
        """What the server says to these lines, up to the answer of a ping behind them."""
        seen = len(server.frames)
        server.write(b"".join(encode(line) + b"\n" for line in lines))
        server.fence()
        return server.frames[seen:-1]

    def test_b001_b002_b009_what_is_no_message_is_an_error_without_id_or_nothing(self):
        lines = (b"\xff\xfe", "not json", '{"jsonrpc":"2.0",', "{}{}", '{"jsonrpc":"2.0","id":true,"method":"ping"}', "42", '"x"', "[]",
                 '[{"jsonrpc":"2.0","id":1,"method":"ping"}]')  # fmt: skip
        for revision in LEGACY:
            with PipeServer() as server:
                server.greet(revision)
                for line in lines:
                    if revision == BATCHES and line == lines[-1]:
                        continue
                    with self.subTest(revision=revision, line=line):
                        said = self.said(server, line)
                        # Up to 2025-06-18 every error has the id of a request.
                        self.assertEqual(len(said), 1 if revision == NEWEST else 0, said)
                        self.assertEqual(
                            [("id" in one, one["error"]["code"] in (-32700, -32600)) for one in said],
                            [(False, True)] * len(said),
                        )
                self.assertEqual(self.said(server, "", "   ", "\t"), [])

    def test_b008_a_request_that_is_none_is_answered_with_its_id(self):
        for revision in LEGACY:
            with self.subTest(revision=revision), PipeServer() as server:
                server.greet(revision)
                for id, line in ((99, '{"id":99,"method":"ping"}'), (7, '{"jsonrpc":"2.0","id":7,"method_":"x"}'),
                                 ("a", '{"jsonrpc":"2.0","id":"a","method":42}'), (8, '{"jsonrpc":"1.0","id":8,"method":"ping"}')):  # fmt: skip
                    (said,) = self.said(server, line)
                    self.assertEqual((said["id"], said["error"]["code"]), (id, -32600))
                for line in ('{"jsonrpc":"2.0","method":42}', '{"jsonrpc":"2.0","id":5,"result":{}}', '{"jsonrpc":"2.0","id":5,"error":{}}',
                             '{"jsonrpc":"2.0","id":"5","error":{"code":1,"message":"x"}}', '{"jsonrpc":"2.0","method":"notifications/x"}'):  # fmt: skip
                    self.assertEqual(self.said(server, line), [], line)

    def test_b001_a_call_with_a_bad_byte_is_not_executed(self):
        for revision in LEGACY:
            with PipeServer() as server:
                server.greet(revision)
                self.said(server, encode(legacy.call(2, "touch", {"v": "X"})).replace(b'"X"', b'"\xc3\x28"'))
                self.assertEqual(text_of(server.ask(legacy.call(3, "count"))), "0")

    def test_b004_b005_b007_marks_line_ends_and_odd_characters(self):
        with PipeServer() as server:
            mark = b"\xef\xbb\xbf"
            server.write(mark + encode(legacy.initialize("hello", "2024-11-05")) + b"\r\n")
            server.note(legacy.initialize("hello", "2024-11-05"))
            self.assertEqual(server.answer("hello")["result"]["protocolVersion"], "2024-11-05")
            for id, value in enumerate(("\u2028", "\u2029", "\u0085", "\ufeff", "a\u000cb", "\u001c")):
                for ending in (b"\n", b"\r\n"):
                    message = legacy.call(f"{id}{ending}", "say", {"value": value})
                    server.note(message)
                    server.write(mark + encode(message) + ending)
                    self.assertEqual(text_of(server.answer(message["id"])), value)

    def test_b013_a_line_without_end_is_dropped_and_the_session_goes_on(self):
        for revision in LEGACY:
            with self.subTest(revision=revision), PipeServer("--option", "max_message_bytes=65536") as server:
                server.greet(revision)
                said = self.said(server, "A" * (1 << 20), encode(legacy.call(1, "say", {"value": "x" * 70_000})))
                # What is too long is not looked into, so that nobody knows its id.
                self.assertEqual([one["error"]["code"] for one in said], [-32600, -32600] if revision == NEWEST else [])
                self.assertEqual(len(text_of(server.ask(legacy.call(2, "say", {"value": "x" * 60_000})))), 60_000)

    def test_b014_messages_of_every_size_arrive_whole(self):
        with PipeServer() as server:
            client = Client(server, "2024-11-05")
            for size in (4095, 4096, 65535, 65536, 65537, 1 << 20, 4 << 20):
                self.assertEqual(client.text("say", {"value": "x" * size}), "x" * size)

    def test_b020_depth_and_giant_numbers(self):
        for revision in LEGACY:
            with self.subTest(revision=revision), PipeServer() as server:
                server.greet(revision)
                self.said(server, "[" * 100_000)
                for id, value in (
                    (5, '{"a":' * 10_000 + "1" + "}" * 10_000),
                    (6, "7" * 5000),
                    (7, '"\\ud800"'),
                    (8, "1e400"),
                ):
                    message = legacy.call(id, "echo", {"value": "X"})
                    server.note(message)
                    server.write(encode(message).replace(b'"X"', value.encode()) + b"\n")
                server.fence(bound(3))
                for id in (5, 6, 7, 8):
                    self.assertLessEqual(len(server.answers(id)), 1)
                if revision == NEWEST:
                    self.assertEqual(sum(len(server.answers(id)) for id in (5, 6, 7, 8)) + len(server.anonymous()), 5)


class Mutated(unittest.TestCase):
    SEEDS = (
        legacy.request(1, "ping"),
        legacy.request(2, "tools/list", {"cursor": "x"}),
        legacy.call(3, "echo", {"a": [1, {"b": "c"}]}, token="t"),
        legacy.call(4, "ask", questions(k=ROOTS)),
        legacy.request(5, "resources/read", {"uri": "file:///docs/a%20b"}),
        legacy.request(6, "resources/subscribe", {"uri": "x:1"}),
        legacy.request(7, "prompts/get", {"name": "greet", "arguments": {"who": "x"}}),
        legacy.request(8, "logging/setLevel", {"level": "info"}),
        legacy.request(
            9,
            "completion/complete",
            {"ref": {"type": "ref/prompt", "name": "greet"}, "argument": {"name": "who", "value": "b"}},
        ),
        legacy.answer({"id": 1}, {"roots": []}),
        legacy.refusal({"id": 2}),
        legacy.initialize("again"),
        [legacy.request(10, "ping"), legacy.notification("notifications/x"), legacy.call(11, "touch")],
        cancelled(4),
    )

    def test_mutated_messages_never_break_a_session(self):
        noise = random.Random(1105)
        for revision in LEGACY:
            with PipeServer(*ALL) as server:
                server.greet(revision, EVERYTHING)
                for _ in range(15):
                    server.write(b"".join(mutated(noise, encode(noise.choice(self.SEEDS))) + b"\n" for _ in range(50)))
                    server.fence()


class Batches(unittest.TestCase):
    def batch(self, server, messages, count=None):
        """Sends an array; the array that answers it."""
        seen = len(server.batches)
        server.send(messages)
        server.wait(lambda _: len(server.batches) > seen, bound(5), "a batch")
        answers = server.batches[seen]
        self.assertEqual(len(answers), len(messages) if count is None else count)
        return {answer["id"]: answer for answer in answers}

    def test_a_batch_is_answered_by_one_array(self):
        with PipeServer(*ALL) as server:
            server.greet(BATCHES)
            answers = self.batch(server, [legacy.request(1, "ping"), legacy.request("1", "tools/list"), legacy.call(2, "echo", {"a": 1}),
                                          legacy.request(3, "foo/bar"), legacy.call(4, "nobody")])  # fmt: skip
            self.assertEqual(answers[1]["result"], {})
            self.assertIn("tools", answers["1"]["result"])
            self.assertEqual(text_of(answers[2]), '{"a":1}')
            self.assertEqual((answers[3]["error"]["code"], answers[4]["error"]["code"]), (-32601, -32602))
            self.assertEqual(self.batch(server, [legacy.request("one", "ping")])["one"]["result"], {})

    def test_slow_members_are_waited_for_and_notifications_are_not_answered(self):
        with PipeServer(*ALL) as server:
            server.greet(BATCHES)
            messages = [legacy.call(1, "nap", {"ms": 200, "tag": "slow"}), legacy.notification("notifications/x"), legacy.request(2, "ping"),
                        legacy.call(3, "progress", {"values": [1, 2]}, token="t")]  # fmt: skip
            answers = self.batch(server, messages, 3)
            self.assertEqual(text_of(answers[1]), "slow")
            # What is said on the way is said at once, in messages of its own.
            told = server.notifications("notifications/progress")
            self.assertEqual(len(told), 2)
            self.assertNotIn(told[0], server.batches[0])
            server.send([legacy.notification("notifications/x"), legacy.notification("notifications/y")])
            server.fence()
            self.assertEqual(len(server.batches), 1)

    def test_a_cancelled_member_is_left_out_and_holds_up_nobody(self):
        with PipeServer(*ALL) as server:
            server.greet(BATCHES)
            server.send([legacy.call(1, "beat", {"ms": 30000, "tag": "b"}), legacy.request(2, "ping")])
            server.wait_event("beat b")
            self.assertEqual(server.batches, [])
            server.send(cancelled(1))
            answered = server.answer(2, bound(2))
            self.assertEqual(server.batches, [[answered]])
            server.send([legacy.call(3, "beat", {"ms": 30000, "tag": "c"})])
            server.wait_event("beat c")
            server.send([cancelled(3)])
            server.wait_event("cancelled c", bound(2))
            server.fence()
            self.assertEqual((len(server.batches), server.answers(3)), (1, []))

    def test_a_member_that_is_no_message_costs_itself_only(self):
        with PipeServer(*ALL) as server:
            server.greet(BATCHES)
            messages = [5, legacy.request(1, "ping"), {"jsonrpc": "2.0", "id": 2, "method": 5}, [legacy.request(3, "ping")], None, "x",
                        {"jsonrpc": "2.0", "method": 5}]  # fmt: skip
            answers = self.batch(server, messages, 2)
            self.assertEqual(answers[1]["result"], {})
            self.assertEqual(answers[2]["error"]["code"], -32600)
            server.send([1, 2, 3])
            server.fence()
            self.assertEqual(len(server.batches), 1)

    def test_an_id_twice_in_a_batch_is_run_once(self):
        with PipeServer(*ALL) as server:
            server.greet(BATCHES)
            answers = self.batch(server, [legacy.call(1, "nap", {"ms": 100, "tag": "a"}), legacy.call(1, "touch")], 1)
            self.assertEqual(text_of(answers[1]), "a")
            self.assertEqual(text_of(server.ask(legacy.call(2, "count"))), "0")

    def test_a_session_begins_outside_of_a_batch(self):
        with PipeServer(*ALL) as server:
            server.send([legacy.initialize("hello", BATCHES), legacy.request(1, "ping")])
            self.assertEqual(server.wait_anonymous(1)[0]["error"]["code"], -32600)
            server.greet(BATCHES)
            answers = self.batch(server, [legacy.initialize("again", BATCHES), legacy.request(2, "ping")])
            self.assertEqual(answers["again"]["error"]["code"], -32600)

    def test_a_batch_is_large_but_not_without_end(self):
        with PipeServer(*ALL) as server:
            server.greet(BATCHES)
            answers = self.batch(server, [legacy.request(id, "ping") for id in range(1000)])
            self.assertEqual(set(answers), set(range(1000)))
            server.send([legacy.request(id, "ping") for id in range(1001)])
            server.fence()
            self.assertEqual(len(server.batches), 1)
            server.wait_stderr("passed over")

    def test_nothing_of_a_batch_is_of_the_modern_era(self):
        with PipeServer(*ALL) as server:
            server.greet(BATCHES)
            modern = call(3, "echo", {"a": 1})
            answers = self.batch(server, [legacy.request(1, "ping"), discover(2), modern])
            self.assertEqual(answers[2]["error"]["code"], -32601)
            self.assertEqual(text_of(answers[3]), '{"a":1}')

    def test_many_batches_at_once_do_not_mix(self):
        with PipeServer(*ALL) as server:
            server.greet(BATCHES)
            for batch in range(30):
                server.send(
                    [legacy.call(f"{batch}/{n}", "nap", {"ms": (7 * batch + n) % 40, "tag": str(n)}) for n in range(5)]
                )
            server.wait(lambda _: len(server.batches) == 30, bound(10), "30 batches")
            for batch in server.batches:
                self.assertEqual(len({answer["id"].split("/")[0] for answer in batch}), 1)
                self.assertEqual(sorted(text_of(answer) for answer in batch), list("01234"))


if __name__ == "__main__":
    unittest.main()
