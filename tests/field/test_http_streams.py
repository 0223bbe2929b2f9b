"""Topic 2, HTTP: answers that take a while. Disconnects (B028), keep-alive (B031), what a stream holds."""

import resource
import time
import unittest

from wire.h2 import H2Connection
from wire.http import JSON, SSE, Connection, HttpServer, Response, headers_of
from wire.patience import Deadline, bound, eventually
from wire.proxy import IdleProxy
from wire.request import call, discover, encode, listen, text_of


class Disconnect(unittest.TestCase):
    def open_beat(self, server, tool, tag, stream):
        """A call that beats; the connection, with all that came so far read."""
        connection = server.connect()
        message = call(1, tool, {"tag": tag, "ms": 30000, "progress": stream}, token=1 if stream else None)
        connection.request("POST", "/mcp", headers_of(message), encode(message))
        server.wait_event(f"beat {tag}")
        if stream:
            response = connection.response()
            self.assertEqual(response.media_type(), SSE)
            self.assertEqual(response.event()["method"], "notifications/progress")
        return connection

    def test_b028_a_disconnect_reaches_the_handler_and_ends_its_work(self):
        with HttpServer() as server:
            for tool in ("beat", "beat_async"):
                for stream in (False, True) if tool == "beat" else (False,):
                    for way in ("close", "reset"):
                        with self.subTest(tool=tool, stream=stream, way=way):
                            tag = f"{tool}-{stream}-{way}"
                            connection = self.open_beat(server, tool, tag, stream)
                            getattr(connection, way)()
                            # The handler finishes all the same, and is told that nobody waits (-12).
                            self.assertEqual(server.wait_event(f"cancelled {tag}", bound(1)), f"cancelled {tag} -12")
                            beats = len(server.events(f"beat {tag}"))
                            self.assertEqual(server.post(call(2, "touch")).text, "touched")
                            self.assertEqual(len(server.events(f"beat {tag}")), beats, "the heart still beats")
                            if tool == "beat_async":
                                self.assertEqual(len(server.events(f"told {tag}")), 1)
            self.assertNotRegex(server.log(), r"(?i)error|warn")

    def test_b028_a_disconnect_of_one_disturbs_no_other(self):
        with HttpServer() as server:
            gone = self.open_beat(server, "beat", "gone", False)
            message = call("kept", "nap", {"ms": 800, "tag": "kept"})
            kept, response = server.connect(), None
            kept.request("POST", "/mcp", headers_of(message), encode(message))
            server.wait_event("napping kept")
            gone.reset()
            server.wait_event("cancelled gone", bound(1))
            response = kept.response()
            self.assertEqual(text_of(response.messages(method="tools/call")[-1]), "kept")
            kept.close()

    def test_b028_a_call_that_only_finished_later_sends_nothing_more(self):
        with HttpServer() as server:
            message = call(1, "nap", {"ms": 400, "tag": "deaf"})
            connection = server.connect()
            connection.request("POST", "/mcp", headers_of(message), encode(message))
            server.wait_event("napping deaf")
            connection.reset()
            self.assertEqual(server.wait_event("napped deaf"), "napped deaf -12")

    def test_b028_an_http2_stream_is_cancelled_alone(self):
        with HttpServer() as server:
            connection = H2Connection(server.port)
            authority = f"127.0.0.1:{server.port}"
            beat, nap = call(1, "beat", {"tag": "h2", "ms": 30000}), call(1, "nap", {"ms": 600, "tag": "other"})
            first = connection.send(authority, headers_of(beat), encode(beat))
            second = connection.send(authority, headers_of(nap), encode(nap))
            server.wait_event("beat h2")
            connection.cancel(first)
            server.wait_event("cancelled h2", bound(1))
            self.assertIn(b"other", connection.finish(second).body)
            connection.close()


class KeepAlive(unittest.TestCase):
    def test_b031_a_silent_call_and_a_silent_subscription_survive_an_impatient_proxy(self):
        with HttpServer("--http", "keep_alive_ms=1000") as server:
            proxy = IdleProxy(server.port, bound(3))
            message = listen("l", {"toolsListChanged": True})
            quiet = Connection(proxy.port)
            quiet.request("POST", "/mcp", headers_of(message), encode(message))
            stream = quiet.response()
            began = time.monotonic()
            self.assertEqual(stream.event()["method"], "notifications/subscriptions/acknowledged")

            message = call(1, "nap", {"ms": int(bound(6) * 1000), "tag": "patient"})
            waiting = Connection(proxy.port)
            waiting.request("POST", "/mcp", headers_of(message), encode(message))
            answer = waiting.response(within=bound(5))
            self.assertEqual(answer.media_type(), SSE, "the answer becomes a stream at the first tick")
            messages = answer.messages(bound(15), "tools/call")
            self.assertEqual(text_of(messages[-1]), "patient")
            self.assertEqual(len(messages), 1)
            self.assertGreaterEqual(answer.comments, 3)

            # The timer stops with the stream: nothing follows on the connection, which goes on serving.
            self.assertTrue(waiting.silent(1.5))
            waiting.request("POST", "/mcp", headers_of(discover(2)), encode(discover(2)))
            self.assertIn("result", waiting.response().messages(method="server/discover")[0])

            time.sleep(max(0.0, 10.0 - (time.monotonic() - began)))
            server.post(call(3, "change", {"add": [{"name": "fresh", "inputSchema": {"type": "object"}}]}))
            self.assertEqual(stream.event()["method"], "notifications/tools/list_changed")
            self.assertGreaterEqual(stream.comments, 5)
            self.assertEqual(stream.get("x-accel-buffering"), "no")
            self.assertEqual(proxy.cut, 0)
            for connection in (quiet, waiting):
                connection.close()
            proxy.close()

    def test_b031_a_client_that_takes_json_only_gets_json_however_long_it_takes(self):
        with HttpServer("--http", "keep_alive_ms=200") as server:
            reply = server.post(call(1, "nap", {"ms": 900, "tag": "late"}), accept=JSON)
            self.assertEqual((reply.media_type, reply.text), (JSON, "late"))

    def test_b031_each_event_is_sent_at_once(self):
        with HttpServer() as server:
            message = call(1, "beat", {"tag": "b", "ms": 3000, "progress": True}, token="t")
            with server.listening(message) as stream:
                for _ in range(3):
                    self.assertEqual(stream.event(bound(1))["method"], "notifications/progress")
                self.assertEqual(server.events("unbothered"), [], "the events came only with the end")

    def test_b031_the_first_tick_is_not_at_once(self):
        with HttpServer("--http", "keep_alive_ms=60000") as server:
            reply = server.post(call(1, "nap", {"ms": 300, "tag": "short"}))
            self.assertEqual((reply.media_type, reply.text), (JSON, "short"))


class Streams(unittest.TestCase):
    def test_the_answer_is_the_last_event_and_ends_the_stream(self):
        with HttpServer() as server:
            reply = server.post(call(1, "progress", {"values": [1, 2, 3]}, token="t"))
            self.assertEqual(reply.media_type, SSE)
            self.assertEqual([frame.get("method") for frame in reply.messages], ["notifications/progress"] * 3 + [None])
            self.assertEqual(reply.last["id"], 1)

    def test_an_answer_without_notifications_is_plain_json_and_one_line(self):
        with HttpServer() as server:
            for message in (discover(1), call(2, "touch"), call(3, "progress", {"values": [1, 2]}), call(4, "logs")):
                self.assertEqual(server.post(message).media_type, JSON)

    def test_a_connection_serves_one_request_after_another(self):
        with HttpServer() as server:
            connection = server.connect()
            for id in range(50):
                message = (
                    call(id, "progress", {"values": [1]}, token=id) if id % 3 == 0 else call(id, "echo", {"n": id})
                )
                reply = server.post(message, connection=connection)
                self.assertEqual(reply.last["id"], id)
            connection.close()

    def test_pipelined_requests_are_answered_in_their_order(self):
        with HttpServer() as server:
            connection = server.connect()
            requests = [
                call(1, "nap", {"ms": 300, "tag": "slow"}),
                discover(2),
                call(3, "progress", {"values": [1]}, token=1),
                call(4, "touch"),
            ]
            for message in requests:
                connection.request("POST", "/mcp", headers_of(message), encode(message))
            for message in requests:
                self.assertEqual(connection.response().messages(method=message["method"])[-1]["id"], message["id"])
            connection.close()

    def test_many_http2_streams_share_a_connection(self):
        with HttpServer() as server:
            connection = H2Connection(server.port)
            authority = f"127.0.0.1:{server.port}"
            numbers = {}
            for index in range(60):
                message = call(1, "nap", {"ms": 200, "tag": f"tag-{index}"})
                numbers[connection.send(authority, headers_of(message), encode(message))] = f"tag-{index}"
            for number, tag in numbers.items():
                stream = connection.finish(number)
                self.assertEqual(stream.status, 200)
                self.assertIn(tag.encode(), stream.body)
            connection.close()

    def test_http_1_0_gets_a_whole_answer(self):
        with HttpServer() as server:
            connection = server.connect()
            message = discover(1)
            head = "".join(f"{name}: {value}\r\n" for name, value in headers_of(message))
            body = encode(message)
            connection.write(
                f"POST /mcp HTTP/1.0\r\nHost: localhost\r\n{head}Content-Length: {len(body)}\r\n\r\n".encode() + body
            )
            response = connection.response()
            self.assertEqual(response.status, 200)
            self.assertIn(b"supportedVersions", response.body())
            connection.close()

    def test_a_client_that_waits_for_100_continue_gets_it(self):
        with HttpServer() as server:
            connection = server.connect()
            message = call(1, "echo", {"v": "x" * 2000})
            headers = [*headers_of(message), ("Expect", "100-continue"), ("Content-Length", str(len(encode(message))))]
            connection.request("POST", "/mcp", headers)
            self.assertEqual(connection.response().status, 100)
            connection.write(encode(message))
            self.assertEqual(connection.response().status, 200)
            connection.close()

    def test_a_slow_reader_of_a_stream_holds_up_nobody(self):
        with HttpServer() as server:
            message = call(1, "big", {"bytes": 12 << 20})
            slow = server.connect()
            slow.request("POST", "/mcp", headers_of(message), encode(message))
            for id in range(20):
                self.assertEqual(server.post(call(id, "touch"), within=bound(2)).text, "touched")
            response = Response(slow, "POST", Deadline(bound(15)))
            self.assertEqual(len(text_of(response.messages(bound(15), "tools/call")[0])), 12 << 20)
            slow.close()


class Ending(unittest.TestCase):
    """Graceful ends, which the subscriptions page and design.md section 5 describe."""

    def begin(self, server, message, event=None):
        connection = server.connect()
        connection.request("POST", "/mcp", headers_of(message), encode(message))
        if event:
            server.wait_event(event)
        return connection

    def end(self, command):
        with HttpServer() as server:
            server.still_serves = False
            streams = [server.open(listen(f"l{number}", {"toolsListChanged": True})) for number in range(5)]
            for _, stream in streams:
                self.assertEqual(stream.event()["method"], "notifications/subscriptions/acknowledged")
            short = self.begin(server, call("s", "nap", {"ms": 1000, "tag": "short"}), "napping short")
            endless = self.begin(server, call("e", "beat", {"ms": 60000, "tag": "endless"}), "beat endless")
            idle = server.connect()
            self.assertIn("result", server.post(discover(1), connection=idle).last)
            began = time.monotonic()
            server.tell(f"{command} 3000")
            for number, (connection, stream) in enumerate(streams):
                last = stream.event(bound(2), "subscriptions/listen")
                self.assertEqual(last["id"], f"l{number}")
                self.assertEqual(last["result"]["_meta"]["io.modelcontextprotocol/subscriptionId"], f"l{number}")
                self.assertIsNone(stream.event(bound(2)), "the stream goes on")
                connection.close()
            self.assertEqual(text_of(short.response(within=bound(3)).messages(method="tools/call")[-1]), "short")
            server.wait_event("cancelled endless", bound(4))
            self.assertEqual(server.command(None, bound(5)), "done 0")
            self.assertLess(time.monotonic() - began, bound(4))
            self.assertRaises(OSError, Connection, server.port)
            for connection in (short, endless, idle):
                connection.close()
            with HttpServer("--port", str(server.port)) as successor:
                self.assertEqual(successor.port, server.port)
            self.assertEqual(server.end(), 0)

    def test_b064_a_listener_that_shuts_down_ends_its_streams_with_a_result(self):
        self.end("shutdown")

    def test_b064_a_server_that_shuts_down_ends_its_streams_with_a_result(self):
        self.end("stop")

    def test_nothing_in_flight_ends_at_once(self):
        for command in ("shutdown", "stop"):
            with self.subTest(command=command), HttpServer() as server:
                server.still_serves = False
                idle = server.connect()
                server.post(discover(1), connection=idle)
                began = time.monotonic()
                self.assertEqual(server.command(f"{command} 5000"), "done 0")
                self.assertLess(time.monotonic() - began, bound(1))
                idle.close()

    def test_thousands_of_idle_connections_cost_little_and_disturb_nobody(self):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        with HttpServer() as server:
            idle = [server.connect() for _ in range(min(3000, hard - 200))]
            for connection in idle[::50]:
                server.post(discover(1), connection=connection)
            memory, cpu = server.rss(), server.cpu()
            time.sleep(0.5)
            self.assertLess(server.cpu() - cpu, 0.1)
            self.assertEqual(server.post(call(1, "touch"), within=bound(1)).text, "touched")
            self.assertLess(memory, 96 << 20)
            for connection in idle:
                connection.close()
            eventually(lambda: server.descriptors() < 60, bound(5), "the server closes what its clients closed")


if __name__ == "__main__":
    unittest.main()
