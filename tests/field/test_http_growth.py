"""Topic 2, HTTP: nothing stays behind of a request (B034)."""

import unittest

from wire.http import HttpServer, headers_of
from wire.patience import Deadline, bound, eventually
from wire.request import call, discover, encode, listen

BATCH = 100


def raw(message):
    """The bytes of a whole POST."""
    body = encode(message)
    head = "".join(
        f"{name}: {value}\r\n"
        for name, value in [("Host", "localhost"), *headers_of(message), ("Content-Length", str(len(body)))]
    )
    return f"POST /mcp HTTP/1.1\r\n{head}\r\n".encode() + body


class Growth(unittest.TestCase):
    # Bytes that a request may leave behind, measured over many.
    SLOPE = 100

    def burst(self, connection, request, count):
        """`count` equal requests, pipelined a batch at a time; every answer must be a 200."""
        for _ in range(count // BATCH):
            connection.write(request * BATCH)
            for _ in range(BATCH):
                response = connection.response()
                assert response.status == 200, response.raw_head
                assert response.get("mcp-session-id") is None
                response.body()

    def test_b034_discovery_and_calls_leave_nothing_behind(self):
        for message in (discover(1), call(1, "echo", {"n": 1})):
            with self.subTest(method=message["method"]), HttpServer() as server:
                connection = server.connect()
                request = raw(message)
                self.burst(connection, request, 4000)
                before, descriptors = server.rss(), server.descriptors()
                self.burst(connection, request, 20_000)
                self.assertLess((server.rss() - before) / 20_000, self.SLOPE)
                self.assertEqual(server.descriptors(), descriptors)
                connection.close()

    def test_b034_subscriptions_that_vanish_leave_nothing_behind(self):
        with HttpServer() as server:
            request = raw(listen(1, {"toolsListChanged": True}))

            def vanish(count):
                for _ in range(count):
                    connection = server.connect()
                    connection.write(request)
                    connection.until(b"acknowledged", Deadline(bound(5)))
                    connection.reset()

            vanish(300)
            eventually(lambda: server.descriptors() < 40, bound(5), "the server lets go of vanished streams")
            before, descriptors, threads = server.rss(), server.descriptors(), server.threads()
            vanish(2000)
            eventually(
                lambda: server.descriptors() <= descriptors,
                bound(5),
                f"{server.descriptors()} descriptors, {descriptors} before",
            )
            # A few pages come and go with the allocator, whatever the count.
            self.assertLess(server.rss() - before, 2000 * self.SLOPE + (256 << 10))
            self.assertLessEqual(server.threads(), threads)

    def test_b034_cancelled_calls_leave_nothing_behind(self):
        with HttpServer() as server:

            def cancel(count, tag):
                for number in range(count):
                    connection = server.connect()
                    connection.write(raw(call(1, "beat", {"tag": f"{tag}{number}"})))
                    server.wait_event(f"beat {tag}{number}")
                    connection.reset()
                    server.wait_event(f"cancelled {tag}{number}")

            cancel(20, "w")
            eventually(lambda: server.descriptors() < 40, bound(5), "the server lets go of cancelled calls")
            descriptors, threads = server.descriptors(), server.threads()
            cancel(60, "c")
            eventually(lambda: server.descriptors() <= descriptors, bound(5), "no descriptor stays")
            self.assertLessEqual(server.threads(), threads + 2)


if __name__ == "__main__":
    unittest.main()
