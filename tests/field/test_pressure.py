"""Bounds that no single case names: a peer that does not read, a handler that says too much, HTTP/2 in full."""

import json
import os
import subprocess
import threading
import time
import unittest

from wire import frame
from wire.h2 import H2Connection
from wire.http import Closed, HttpServer, Response, headers_of
from wire.patience import LONG, Deadline, bound, eventually
from wire.pipe import PipeServer
from wire.request import call, cancelled, discover, encode, listen, text_of

MIB = 1 << 20


class NobodyReads(unittest.TestCase):
    """What waits for a reader is bounded, whatever it is."""

    LIMIT = 128 * MIB

    def unread(self):
        """Pipes whose output nobody reads until `relay` is called."""
        mine_in, theirs_in, mine_out, theirs_out = PipeServer._pipes()
        blocked, unblock = os.pipe()

        def relay():
            process = subprocess.Popen(["cat"], stdin=mine_out, stdout=unblock)
            os.close(mine_out)
            os.close(unblock)
            return process

        return (mine_in, theirs_in, blocked, theirs_out), relay

    def test_answers_that_nobody_reads_are_bounded_and_none_is_lost(self):
        # Those of the calls in flight may wait, no more; who comes later waits or is told that the server is busy.
        count, size, flying = 1500, 200_000, 100
        descriptors, relay = self.unread()
        with PipeServer("--option", f"max_in_flight_per_connection={flying}", descriptors=descriptors) as server:
            feeder = threading.Thread(
                target=lambda: server.send(*(call(id, "big", {"bytes": size}) for id in range(count))), daemon=True
            )
            feeder.start()
            time.sleep(1.0)
            process = relay()
            whole = 0
            for id in range(count):
                answer = server.answer(id, bound(30))
                if answer.get("result", {"isError": True}).get("isError"):
                    self.assertRegex(json.dumps(answer), r"(?i)busy|\b100\b|max_in_flight_per_connection")
                else:
                    self.assertEqual(len(text_of(answer)), size)
                    whole += 1
            self.assertGreaterEqual(whole, flying)
            feeder.join(LONG)
            self.assertLess(server.peak_rss(), flying * size + 64 * MIB)
            self.assertEqual(server.end(), 0)
            process.wait(LONG)

    def test_notifications_that_nobody_reads_may_be_dropped_but_not_the_answer(self):
        descriptors, relay = self.unread()
        with PipeServer(descriptors=descriptors) as server:
            server.send(call(1, "flood", {"count": 100_000, "bytes": 10_000}, log="debug"))
            time.sleep(1.0)
            self.assertLess(server.peak_rss(), self.LIMIT)
            process = relay()
            self.assertEqual(text_of(server.answer(1, bound(30))), "flooded")
            self.assertLess(server.peak_rss(), self.LIMIT)
            self.assertEqual(server.end(), 0)
            process.wait(LONG)

    def test_the_same_over_http(self):
        with HttpServer() as server:
            message = call(1, "flood", {"count": 100_000, "bytes": 10_000}, log="debug")
            slow = server.connect()
            slow.request("POST", "/mcp", headers_of(message), encode(message))
            time.sleep(1.0)
            self.assertLess(server.peak_rss(), self.LIMIT)
            self.assertEqual(server.post(call(2, "touch"), within=bound(2)).text, "touched")
            response = Response(slow, "POST", Deadline(LONG))
            last, deadline = None, Deadline(bound(30))
            while (message := response.event(deadline=deadline)) is not None:
                last = message
            self.assertEqual(text_of(last), "flooded")
            self.assertLess(server.peak_rss(), self.LIMIT)
            slow.close()

    def test_a_client_that_leaves_during_a_flood_ends_it(self):
        with HttpServer() as server:
            message = call(1, "flood", {"count": 1 << 40, "bytes": 10_000}, log="debug")
            connection = server.connect()
            connection.request("POST", "/mcp", headers_of(message), encode(message))
            self.assertEqual(connection.response().event()["method"], "notifications/message")
            connection.reset()
            server.wait_event("flooded", bound(2))

    def test_a_subscriber_that_does_not_read_costs_nothing_and_misses_nothing_that_counts(self):
        with HttpServer() as server:
            message = listen(1, {"toolsListChanged": True})
            slow = server.connect()
            slow.request("POST", "/mcp", headers_of(message), encode(message))
            names = [{"name": f"n{number}", "inputSchema": {"type": "object"}} for number in range(200)]
            fast = server.connect()
            before = None
            for round in range(30):
                change = {"add": names} if round % 2 == 0 else {"remove": [entry["name"] for entry in names]}
                server.post(call(round, "change", change), connection=fast)
                if round == 5:
                    before = server.rss()
            self.assertLess(server.rss() - before, 16 * MIB)
            response = Response(slow, "POST", Deadline(LONG))
            methods = [response.event()["method"]]
            while not response.quiet(0.3):
                methods.append(response.event()["method"])
            self.assertEqual(set(methods[1:]), {"notifications/tools/list_changed"})
            for connection in (slow, fast):
                connection.close()

    def test_a_cancelled_flood_stops_at_once(self):
        with PipeServer() as server:
            server.send(call(1, "flood", {"count": 1 << 40, "bytes": 100}, log="debug"))
            server.wait(lambda message: message.get("method") == "notifications/message")
            server.send(cancelled(1), discover(2))
            server.wait_event("flooded", bound(2))
            server.answer(2, bound(10))
            seen = len(server.frames)
            server.fence(bound(10))
            self.assertEqual([message for message in server.frames[seen:] if "method" in message], [])


class Http2(unittest.TestCase):
    def request(self, connection, server, message, **named):
        return connection.send(f"127.0.0.1:{server.port}", headers_of(message, **named), encode(message))

    def messages(self, stream):
        lines = bytes(stream.body).split(b"\n")
        return [frame.parse(line[5:].strip()) for line in lines if line.startswith(b"data:")]

    def test_bodies_of_every_size_arrive_and_larger_ones_are_413(self):
        with HttpServer() as server:
            for size, status in ((100, 200), (20_000, 200), (3 * MIB, 200), (12 * MIB, 200), (17 * MIB, 413)):
                with self.subTest(size=size):
                    connection = H2Connection(server.port)
                    stream = connection.finish(self.request(connection, server, call(1, "say", {"value": "z" * size})))
                    self.assertEqual(stream.status, status)
                    if status == 200:
                        self.assertEqual(len(text_of(frame.parse(bytes(stream.body)))), size)
                    connection.close()
            self.assertLess(server.peak_rss(), 160 * MIB)

    def test_a_stream_of_events_and_a_subscription_share_a_connection_with_calls(self):
        with HttpServer() as server:
            connection = H2Connection(server.port)
            subscription = self.request(connection, server, listen(1, {"toolsListChanged": True}))
            connection.wait(lambda: b"acknowledged" in connection.streams[subscription].body)
            progress = connection.finish(
                self.request(connection, server, call(1, "progress", {"values": [1, 2]}, token="t"))
            )
            self.assertEqual(
                [message.get("method") for message in self.messages(progress)], ["notifications/progress"] * 2 + [None]
            )
            change = {"add": [{"name": "fresh", "inputSchema": {"type": "object"}}]}
            connection.finish(self.request(connection, server, call(1, "change", change)))
            connection.wait(lambda: b"list_changed" in connection.streams[subscription].body)
            self.assertFalse(connection.streams[subscription].over)
            connection.close()

    def test_guards_and_faults_are_the_same(self):
        with HttpServer() as server:
            connection = H2Connection(server.port)
            for message, change, status in (
                (discover(1), {"Origin": "https://evil.example"}, 403),
                (discover(1), {"Content-Type": "text/plain"}, 415),
                (call(1, "touch"), {"Mcp-Name": "count"}, 400),
                ({**discover(1), "method": "nowhere"}, {}, 404),
            ):
                stream = connection.finish(self.request(connection, server, message, change=change))
                self.assertEqual(stream.status, status, bytes(stream.body))
            self.assertEqual(connection.finish(connection.send(f"127.0.0.1:{server.port}", method="GET")).status, 405)
            connection.close()

    def test_a_connection_that_ends_cancels_all_its_calls(self):
        with HttpServer() as server:
            connection = H2Connection(server.port)
            for tag in ("one", "two", "three"):
                self.request(connection, server, call(1, "beat", {"tag": tag, "ms": 30000}))
            for tag in ("one", "two", "three"):
                server.wait_event(f"beat {tag}")
            connection.close()
            for tag in ("one", "two", "three"):
                server.wait_event(f"cancelled {tag}", bound(1))

    def test_a_shutdown_drains_and_says_goodbye(self):
        with HttpServer() as server:
            server.still_serves = False
            connection = H2Connection(server.port)
            subscription = self.request(connection, server, listen("l", {"toolsListChanged": True}))
            connection.wait(lambda: b"acknowledged" in connection.streams[subscription].body)
            short = self.request(connection, server, call(1, "nap", {"ms": 500, "tag": "short"}))
            server.wait_event("napping short")
            server.tell("shutdown 3000")
            last = self.messages(connection.finish(subscription, bound(2)))[-1]
            self.assertEqual((last["id"], last["result"]["resultType"]), ("l", "complete"))
            self.assertIn(b"short", connection.finish(short, bound(3)).body)
            self.assertEqual(server.command(None, bound(4)), "done 0")
            connection.close()


class Http1(unittest.TestCase):
    def test_chunks_with_extensions_and_trailers_are_a_body(self):
        body = encode(call(1, "touch"))
        with HttpServer() as server:
            connection = server.connect()
            connection.request("POST", "/mcp", [*headers_of(call(1, "touch")), ("Transfer-Encoding", "chunked")])
            connection.write(
                b"5;name=value\r\n"
                + body[:5]
                + b"\r\n%x\r\n" % (len(body) - 5)
                + body[5:]
                + b"\r\n0\r\nX-Trailer: y\r\n\r\n"
            )
            self.assertEqual(text_of(json.loads(connection.response().body())), "touched")
            connection.close()

    def test_a_refused_request_leaves_its_connection_usable_or_closed_but_never_out_of_step(self):
        with HttpServer() as server:
            refused = [
                ("POST", headers_of(discover(1), {"Origin": "https://evil.example"}), 403),
                ("POST", headers_of(discover(1), {"Content-Type": "text/plain"}), 415),
                ("POST", headers_of(discover(1), {"Accept": "text/html"}), 406),
                ("PUT", headers_of(discover(1)), 405),
            ]
            for method, headers, status in refused:
                with self.subTest(status=status):
                    connection = server.connect()
                    connection.request(method, "/mcp", headers, b'{"x":"' + b"POST /mcp HTTP/1.1\r\n" * 2000 + b'"}')
                    connection.request("POST", "/mcp", headers_of(call(7, "touch")), encode(call(7, "touch")))
                    response = connection.response(method)
                    self.assertEqual(response.status, status)
                    response.body()
                    try:
                        following = connection.response()
                    except Closed:
                        continue
                    self.assertEqual(following.messages(method="tools/call")[0]["id"], 7)
                    connection.close()

    def test_a_connection_over_the_limit_waits_for_its_turn(self):
        with HttpServer("--http", "max_connections=2") as server:
            held = [server.connect() for _ in range(2)]
            for connection in held:
                server.post(discover(1), connection=connection)
            third = server.connect()
            third.request("POST", "/mcp", headers_of(discover(3)), encode(discover(3)))
            self.assertTrue(third.silent(0.3))
            held[0].close()
            self.assertEqual(third.response(within=bound(3)).status, 200)
            third.close()
            held[1].close()
            eventually(lambda: server.descriptors() < 30, bound(3), "closed connections are let go")


if __name__ == "__main__":
    unittest.main()
