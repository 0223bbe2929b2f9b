"""Topic 2, HTTP: sizes of bodies (B035)."""

import threading
import time
import unittest

from wire.http import HttpServer, headers_of
from wire.patience import bound
from wire.request import call, encode

MIB = 1 << 20
LIMIT = 16 * MIB


def padded(size):
    """A call of `say` whose body has exactly `size` bytes, and its value."""
    message = call(1, "say", {"value": ""})
    value = "y" * (size - len(encode(message)))
    message["params"]["arguments"]["value"] = value
    return message, value


class Bodies(unittest.TestCase):
    def send(self, connection, message, body, chunk=None, rate=None, length=None):
        """Sends in a thread, so that an early answer is seen; a connection that the server closed ends it."""
        headers = headers_of(message)
        headers += (
            [("Transfer-Encoding", "chunked")]
            if chunk
            else [("Content-Length", str(len(body) if length is None else length))]
        )
        connection.request("POST", "/mcp", headers)

        def feed():
            try:
                step = chunk or 64 * 1024
                for start in range(0, len(body), step):
                    part = body[start : start + step]
                    connection.socket.sendall(b"%x\r\n%b\r\n" % (len(part), part) if chunk else part)
                    if rate:
                        time.sleep(len(part) / rate)
                if chunk:
                    connection.socket.sendall(b"0\r\n\r\n")
            except OSError:
                pass

        thread = threading.Thread(target=feed, daemon=True)
        thread.start()
        return thread

    def post(self, server, size, **named):
        message, value = padded(size)
        connection = server.connect()
        connection.socket.settimeout(bound(40))
        thread = self.send(connection, message, encode(message), **named)
        response = connection.response(within=bound(40))
        body = response.messages(bound(40), "tools/call") if response.status == 200 else response.body(bound(10))
        ended = response.get("connection") == "close"
        connection.close()
        thread.join(bound(5))
        return response, body, value, ended

    def test_b035_bodies_within_the_limit_are_served_however_they_are_framed(self):
        with HttpServer() as server:
            for size in (5 * MIB, 12 * MIB, LIMIT):
                for named in ({}, {"chunk": 100_000}, {"chunk": 1 << 20}):
                    with self.subTest(size=size, named=named):
                        response, messages, value, _ = self.post(server, size, **named)
                        self.assertEqual(response.status, 200, messages if response.status != 200 else "")
                        self.assertTrue(messages[-1]["result"]["content"][0]["text"] == value)

    def test_b035_a_slow_body_is_waited_for(self):
        with HttpServer() as server:
            response, messages, value, _ = self.post(server, 5 * MIB, rate=MIB)
            self.assertEqual(response.status, 200)
            self.assertTrue(messages[-1]["result"]["content"][0]["text"] == value)

    def test_b035_bodies_over_the_limit_are_413_and_cost_no_more_than_the_limit(self):
        with HttpServer() as server:
            for size, named in (
                (LIMIT + 1, {}),
                (17 * MIB, {}),
                (LIMIT + 1, {"chunk": 1 << 20}),
                (17 * MIB, {"chunk": 1 << 20}),
                (64 * MIB, {"chunk": 1 << 20}),
            ):
                with self.subTest(size=size, named=named):
                    response, body, _, ended = self.post(server, size, **named)
                    self.assertEqual(response.status, 413)
                    self.assertRegex(body.decode(), r"16777216|16 MiB|max_message_bytes")
                    self.assertTrue(ended, "the connection is to be closed")
            self.assertLess(server.peak_rss(), LIMIT + 48 * MIB)

    def test_b035_a_declared_length_over_the_limit_is_refused_at_once(self):
        with HttpServer() as server:
            for length in (17 * MIB, 99_999_999_999, 1 << 62):
                with self.subTest(length=length):
                    message, _ = padded(1000)
                    connection = server.connect()
                    self.send(connection, message, b"", length=length)
                    self.assertEqual(connection.response(within=bound(1)).status, 413)
                    connection.close()

    def test_b035_the_limit_is_a_setting_and_exact(self):
        with HttpServer("--option", "max_message_bytes=5000") as server:
            for size, status in ((5000, 200), (5001, 413), (4999, 200)):
                for named in ({}, {"chunk": 1000}):
                    response, body, _, _ = self.post(server, size, **named)
                    self.assertEqual(response.status, status, named)
                    if status == 413:
                        self.assertIn("5000", body.decode())

    def test_b035_a_result_of_12_mib_is_delivered(self):
        with HttpServer() as server:
            text = server.post(call(1, "big", {"bytes": 12 * MIB}), within=bound(15)).text
            self.assertTrue(text == "x" * (12 * MIB))

    def test_b035_a_body_that_never_comes_whole_is_no_call(self):
        with HttpServer() as server:
            message, body = call(1, "touch"), encode(call(1, "touch"))
            for part in (body[:-1], body[:10], b""):
                connection = server.connect()
                connection.request("POST", "/mcp", [*headers_of(message), ("Content-Length", str(len(body)))], part)
                connection.close()
            self.assertEqual(server.post(call(2, "count")).text, "0")


if __name__ == "__main__":
    unittest.main()
