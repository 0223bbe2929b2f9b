"""Topic 1, stdio: what is a line, what is a message, and what a server says to anything else."""

import hashlib
import json
import unittest

from wire.patience import bound
from wire.pipe import PipeServer
from wire.request import call, discover, encode, listing, meta, request, text_of

BOM = b"\xef\xbb\xbf"


def line(message):
    return encode(message) + b"\n"


class Bytes(unittest.TestCase):
    def test_b001_a_line_that_is_not_utf8_costs_itself_only(self):
        for bad in (b"\xff\xfe\n", b"\x80\n", b"\x80" + line(discover(7)), b"\xc3\x28\n", b"\xed\xa0\x80\n"):
            with self.subTest(bad=bad[:8]), PipeServer() as server:
                server.write(bad + line(discover(1)))
                self.assertIn("result", server.answer(1, bound(1)))
                errors = server.wait_anonymous(1, bound(1))
                self.assertEqual([error["error"]["code"] for error in errors], [-32700])
                self.assertEqual(server.answers(7), [])

    def test_b001_a_call_with_a_bad_byte_in_an_argument_is_not_executed(self):
        with PipeServer() as server:
            bad = encode(call(2, "touch", {"value": "X"})).replace(b'"X"', b'"\xc3\x28"')
            server.write(bad + b"\n")
            errors = server.wait_anonymous(1, bound(1))
            self.assertEqual([error["error"]["code"] for error in errors], [-32700])
            self.assertEqual(server.answers(2), [])
            self.assertEqual(text_of(server.ask(call(3, "count"))), "0")

    def test_b002_a_line_that_is_not_json_gets_one_parse_error_and_blank_lines_nothing(self):
        with PipeServer() as server:
            server.write(b'not json\n{"jsonrpc":"2.0",\n\n   \n\t\r\n' + line(discover(1)))
            server.answer(1, bound(1))
            server.fence()
            self.assertEqual([error["error"]["code"] for error in server.anonymous()], [-32700, -32700])
            self.assertEqual(len(server.answers(1)), 1)
            self.assertEqual(len(server.frames), 4)

    def test_b002_text_behind_a_message_is_no_json(self):
        for bad in (
            b'{"jsonrpc":"2.0","method":"notifications/x"} x\n',
            b"{}{}\n",
            b"nan\n",
            b"{'a':1}\n",
            b'{"a":01}\n',
        ):
            with self.subTest(bad=bad), PipeServer() as server:
                server.write(bad)
                server.fence()
                self.assertEqual([error["error"]["code"] for error in server.anonymous()], [-32700])

    def test_b004_a_byte_order_mark_in_front_of_a_line_is_no_part_of_it(self):
        with PipeServer() as server:
            server.write(BOM + line(discover("a")))
            server.answer("a", bound(1))
            server.write(line(discover("b1")) + line(discover("b2")) + BOM + line(discover("b")))
            server.answer("b", bound(1))
            server.write(BOM[:2])
            server.wait_read()
            server.write(BOM[2:] + encode(discover("c")) + b"\r\n")
            server.answer("c", bound(1))
            self.assertEqual(server.anonymous(), [])

    def test_b004_a_byte_order_mark_inside_a_string_stays(self):
        with PipeServer() as server:
            for id, raw in ((1, b"\xef\xbb\xbfd"), (2, b"\\ufeffd")):
                message = encode(call(id, "say", {"value": "X"})).replace(b'"X"', b'"' + raw + b'"')
                server.note(call(id, "say"))
                server.write(message + b"\n")
                self.assertEqual(text_of(server.answer(id, bound(1))), "\ufeffd")

    def test_b005_output_ends_lines_with_lf_alone_whatever_the_input_does(self):
        with PipeServer() as server:
            server.write(encode(discover(1)) + b"\r\n" + encode(discover(2)) + b"\n" + encode(discover(3)))
            server.answer(1)
            server.answer(2)
            self.assertEqual(server.end(), 0)
            self.assertEqual(len(server.answers(3)), 1)
            self.assertFalse(any(b"\r" in text for text in server.lines))
            self.assertEqual(len(server.frames), 3)

    def test_b007_only_lf_ends_a_line(self):
        odd = ["\u2028", "\u2029", "\u0085", "\u000b", "\u000c", "\u001c", "\u001d", "\u001e", "a\u2028b\u2029c"]
        with PipeServer() as server:
            for id, value in enumerate(odd):
                # Unescaped where JSON allows it; the control characters are escaped by the encoder.
                self.assertEqual(text_of(server.ask(call(id, "say", {"value": value}))), value)
                back = server.ask(call(f"s{id}", "structured", {"value": {"v": value}}))
                self.assertEqual(back["result"]["structuredContent"], {"v": value})
                self.assertEqual(json.loads(back["result"]["content"][0]["text"]), {"v": value})


class Sizes(unittest.TestCase):
    SIZES = (4095, 4096, 4097, 65535, 65536, 65537, 1 << 20, 12 << 20)

    def test_b014_requests_of_every_size_arrive_whole_and_in_order(self):
        with PipeServer() as server:
            for size in self.SIZES:
                with self.subTest(size=size):
                    frame = call(size, "say", {"value": ""})
                    frame["params"]["arguments"]["value"] = "0123456789abcdef" * (size // 16 + 1)
                    surplus = len(encode(frame)) + 1 - size
                    value = frame["params"]["arguments"]["value"][:-surplus]
                    frame["params"]["arguments"]["value"] = value
                    self.assertEqual(len(encode(frame)) + 1, size)
                    server.send(frame, discover(f"after {size}"))
                    echoed = text_of(server.answer(size))
                    self.assertEqual(hashlib.sha256(echoed.encode()).digest(), hashlib.sha256(value.encode()).digest())
                    server.answer(f"after {size}")
            ids = [message["id"] for message in server.frames]
            self.assertEqual(ids, [id for size in self.SIZES for id in (size, f"after {size}")])

    def test_b014_results_of_every_size_arrive_whole(self):
        with PipeServer() as server:
            empty = len(encode(server.ask(call(10, "big", {"bytes": 0})))) + 1
            for size in self.SIZES:
                with self.subTest(size=size):
                    # The same number of digits everywhere is not needed: the text alone is compared.
                    server.send(call(size, "big", {"bytes": size - empty}), discover(f"after {size}"))
                    self.assertEqual(text_of(server.answer(size)), "x" * (size - empty))
                    server.answer(f"after {size}")

    def test_b013_a_line_without_end_is_dropped_at_the_limit_and_named(self):
        with PipeServer() as server:
            server.send(discover(1))
            server.answer(1)
            server.write(line(discover(2)) + b"A" * (64 << 20))
            server.answer(2, bound(5))
            server.write(b"\n" + line(discover(3)))
            self.assertIn("result", server.answer(3, bound(5)))
            errors = server.anonymous()
            self.assertEqual(len(errors), 1, errors)
            self.assertIn(errors[0]["error"]["code"], (-32600, -32700))
            self.assertRegex(errors[0]["error"]["message"], r"16777216|16 MiB|max_message_bytes")
            self.assertLess(server.peak_rss(), (16 + 32) << 20)

    def test_b013_the_limit_is_a_setting_and_exact(self):
        with PipeServer("--option", "max_message_bytes=4096") as server:
            for size, fits in ((4096, True), (4097, False), (4095, True)):
                frame = call(size, "say", {"value": "y" * 5000})
                surplus = len(encode(frame)) - size
                frame["params"]["arguments"]["value"] = "y" * (5000 - surplus)
                self.assertEqual(len(encode(frame)), size)
                before = len(server.anonymous())
                server.send(frame)
                server.fence()
                self.assertEqual(len(server.answers(size)), 1 if fits else 0, size)
                self.assertEqual(len(server.anonymous()) - before, 0 if fits else 1, size)
            self.assertIn("4096", server.anonymous()[0]["error"]["message"])


class Envelopes(unittest.TestCase):
    # Each line, and the id that its one -32600 has.
    NO_REQUESTS = [
        ('{"id":99,"method":"tools/list"}', 99),
        ('{"jsonrpc":"2.0","id":7,"method_":"x"}', 7),
        ('{"jsonrpc":"2.0","id":"s","method_":"x"}', "s"),
        ('{"jsonrpc":"2.0","id":8,"method":42}', 8),
        ('{"jsonrpc":"2.0","id":11,"method":null}', 11),
        ('{"jsonrpc":"1.0","id":9,"method":"tools/list"}', 9),
        ('{"jsonrpc":2.0,"id":10,"method":"tools/list"}', 10),
        ('{"jsonrpc":"2.0","id":true,"method":"tools/list"}', None),
        ('{"jsonrpc":"2.0","id":1.5,"method":"tools/list"}', None),
        ('{"jsonrpc":"2.0","id":null,"method":"tools/list"}', None),
        ('{"jsonrpc":"2.0","id":{},"method":"tools/list"}', None),
        ('{"jsonrpc":"2.0","id":[1],"method":"tools/list"}', None),
        ("42", None),
        ('"tools/list"', None),
        ("null", None),
    ]

    def test_b008_json_that_is_no_request_gets_one_invalid_request(self):
        with PipeServer() as server:
            for text, id in self.NO_REQUESTS:
                with self.subTest(line=text):
                    before = len(server.frames)
                    server.send(text)
                    answer = server.wait(lambda message: message in server.frames[before:], bound(1))
                    self.assertEqual(answer["error"]["code"], -32600)
                    self.assertEqual(answer.get("id"), id)
                    self.assertIs(type(answer.get("id")), type(id))
                    server.fence()
                    self.assertEqual(len(server.frames), before + 2)

    def test_b008_a_malformed_notification_gets_nothing(self):
        with PipeServer() as server:
            for text in (
                '{"jsonrpc":"2.0","method":42}',
                '{"jsonrpc":"1.0","method":"notifications/x"}',
                '{"method":"notifications/x"}',
                '{"jsonrpc":"2.0","method":"notifications/cancelled"}',
                '{"jsonrpc":"2.0","method":"notifications/cancelled","params":[1]}',
                '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}',
                '{"jsonrpc":"2.0","method":"tools/call","params":{"name":"touch"}}',
                '{"jsonrpc":"2.0","method":"nonexistent/method"}',
            ):
                with self.subTest(line=text):
                    before = len(server.frames)
                    server.send(text)
                    server.fence()
                    self.assertEqual(len(server.frames), before + 1, server.frames[before:])
            self.assertEqual(text_of(server.ask(call(1, "count"))), "0")

    def test_b008_a_response_from_the_client_starts_no_conversation(self):
        with PipeServer() as server:
            server.send(
                '{"jsonrpc":"2.0","id":5,"result":{}}', '{"jsonrpc":"2.0","id":6,"error":{"code":1,"message":"x"}}'
            )
            server.fence()
            for message in server.frames[:-1]:
                self.assertEqual(message["error"]["code"], -32600)
            self.assertLessEqual(len(server.frames), 3)

    def test_b009_each_routine_failure_has_its_code(self):
        with PipeServer() as server:
            self.assertEqual(server.ask(request(1, "nonexistent/method"))["error"]["code"], -32601)
            for id, method in ((2, "tools/list"), (3, "server/discover"), (4, "tools/call")):
                answer = server.ask({"jsonrpc": "2.0", "id": id, "method": method, "params": ["a"]})
                self.assertEqual(answer["error"]["code"], -32602, method)
            self.assertEqual(server.ask({"jsonrpc": "2.0", "id": 5})["error"]["code"], -32600)
            server.send(json.dumps([discover(6), listing(7)]))
            batch = server.wait_anonymous(1, bound(1))[0]
            self.assertEqual(batch["error"]["code"], -32600)
            server.send("[]")
            self.assertEqual([error["error"]["code"] for error in server.wait_anonymous(2, bound(1))], [-32600, -32600])
            server.fence()
            self.assertEqual(server.answers(6) + server.answers(7), [])

    def test_b009_ids_come_back_as_they_were_sent(self):
        with PipeServer() as server:
            for id in (0, -1, 2**53 + 1, 2**63 - 1, -(2**63), "", "0", 'é\u2028"\\\n', "x" * 1022):
                with self.subTest(id=str(id)[:20]):
                    self.assertIn("result", server.ask(discover(id)))

    def test_b009_an_id_that_is_too_long_is_none(self):
        with PipeServer() as server:
            server.send(discover("x" * 1023), call(10**1024, "touch"), call("y" * (1 << 20), "touch"))
            for error in server.wait_anonymous(3):
                self.assertEqual(error["error"]["code"], -32600)
                self.assertIn("1024", error["error"]["message"])
            self.assertEqual(text_of(server.ask(call(1, "count"))), "0")

    def test_b009_spaces_and_member_order_do_not_matter(self):
        with PipeServer() as server:
            params = json.dumps({"_meta": meta()})
            server.note(discover(1))
            server.send(
                f' \t{{ "params" : {params} , "method":"server\\/discover" ,"id": 1, "jsonrpc":"2.0", "extra": null }} \t'
            )
            self.assertIn("result", server.answer(1))


class Depth(unittest.TestCase):
    def test_b020_brackets_without_end_are_an_error(self):
        for text in (
            "[" * 100_000,
            '{"a":' * 100_000,
            '{"jsonrpc":"2.0","id":1,"method":"x","params":' + "[" * 100_000,
        ):
            with self.subTest(text=text[:20]), PipeServer() as server:
                server.send(text)
                error = server.wait(lambda message: "error" in message, bound(1))
                self.assertIn(error["error"]["code"], (-32700, -32600))

    def test_b020_deep_arguments_are_an_error_and_not_the_end(self):
        for depth in (101, 10_000, 100_000):
            for opening, closing in (('{"a":', "}"), ("[", "]")):
                with self.subTest(depth=depth, opening=opening), PipeServer() as server:
                    deep = opening * depth + "1" + closing * depth
                    server.send(encode(call(5, "touch", {"value": "X"})).replace(b'"X"', deep.encode()))
                    error = server.wait(lambda message: "error" in message or message.get("id") == 5, bound(1))
                    self.assertIn("error", error)
                    self.assertIn(error.get("id", 5), (5,))
                    self.assertEqual(text_of(server.ask(call(6, "count"))), "0")

    def test_b020_the_depth_is_a_setting_that_the_error_names(self):
        with PipeServer("--option", "max_depth=20") as server:
            shallow = server.ask(call(1, "echo", {"value": json.loads("[" * 10 + "]" * 10)}))
            self.assertIn("result", shallow)
            server.send(call(2, "echo", {"value": json.loads("[" * 21 + "]" * 21)}))
            error = server.wait(lambda message: "error" in message)
            self.assertRegex(error["error"]["message"], r"\b20\b|max_depth")

    def test_b020_a_number_of_5000_digits_is_an_error_or_kept(self):
        digits = "7" * 5000
        with PipeServer() as server:
            server.send(encode(call(6, "echo", {"value": "X"})).replace(b'"X"', digits.encode()))
            answer = server.wait(lambda message: "error" in message or message.get("id") == 6, bound(1))
            if "result" in answer and not answer["result"].get("isError"):
                self.assertEqual(text_of(answer), '{"value":' + digits + "}")
            server.send(encode(call(7, "typed", {"v": "X"})).replace(b'"X"', digits.encode()))
            answer = server.wait(
                lambda message: message.get("id") == 7 or ("error" in message and "id" not in message), bound(1)
            )
            if "result" in answer and not answer["result"].get("isError"):
                seen = answer["result"]["structuredContent"]
                self.assertNotEqual(seen["int64"]["status"], 0)
                self.assertNotEqual(seen["double"]["status"], 0, "infinity is no number")

    def test_b020_a_lone_surrogate_is_an_error_or_kept(self):
        for tool in ("echo", "say", "touch"):
            for escape in ("\\ud800", "\\udc00", "\\ud800x", "\\ud800\\u0041"):
                with self.subTest(tool=tool, escape=escape), PipeServer() as server:
                    server.send(encode(call(8, tool, {"value": "X"})).replace(b'"X"', f'"{escape}"'.encode()))
                    answer = server.wait(
                        lambda message: message.get("id") == 8 or ("error" in message and "id" not in message), bound(1)
                    )
                    if tool == "echo" and "result" in answer and not answer["result"].get("isError"):
                        self.assertEqual(text_of(answer), f'{{"value":"{escape}"}}')
                    self.assertNotIn("\ufffd", json.dumps(answer, ensure_ascii=False))


if __name__ == "__main__":
    unittest.main()
