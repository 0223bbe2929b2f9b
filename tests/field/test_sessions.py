"""Sessions of the older revisions over HTTP: from initialize to their end, and what is refused (B034 to B052, B093)."""

import json
import threading
import unittest

from wire import legacy
from wire.http import JSON, SSE, HttpServer
from wire.patience import bound, eventually
from wire.request import call, encode
from wire.session import BOTH, Session
from wire.shapes import LEGACY

PING = legacy.request(1, "ping")
INITIALIZED = legacy.notification("notifications/initialized")


class Life(unittest.TestCase):
    def test_a_session_lives_from_initialize_to_delete(self):
        with HttpServer() as server:
            for revision in LEGACY:
                with self.subTest(revision=revision):
                    session = Session(server, revision)
                    self.assertEqual(session.revision, revision)
                    self.assertEqual(session.ask(1, "ping").result, {})
                    self.assertIn("touch", [tool["name"] for tool in session.ask(2, "tools/list").result["tools"]])
                    self.assertEqual(session.ask(3, "logging/setLevel", {"level": "debug"}).result, {})
                    self.assertEqual(session.post(legacy.call(4, "touch")).text, "touched")
                    again = session.post(legacy.initialize(5, revision))
                    self.assertEqual(again.outcome(), (200, -32600))
                    stream = session.listen()
                    session.end()
                    self.assertEqual(stream.messages(bound(2)), [], "the stream ends with its session")
                    stream.close()
                    for gone in (PING, INITIALIZED, legacy.answer({"id": 1}, {})):
                        self.assertEqual(session.post(gone).status, 404)
                    self.assertEqual((session.status("GET"), session.status("DELETE")), (404, 404))

    def test_b052_initialize_negotiates_whatever_the_header_says(self):
        with HttpServer() as server:
            for asked in (*LEGACY, "2026-07-28", "2099-01-01", "x"):
                for header in (None, asked):
                    session = Session(server, asked, change={"MCP-Protocol-Version": header})
                    self.assertEqual(session.revision, asked if asked in LEGACY else legacy.NEWEST)
            for params in ({}, {"protocolVersion": 5}, {"protocolVersion": "2025-06-18", "capabilities": []}):
                reply = server.post(legacy.request(1, "initialize", params), change={"MCP-Protocol-Version": None})
                self.assertEqual(reply.outcome(), (200, -32602))

    def test_both_eras_are_served_at_the_same_place_at_the_same_time(self):
        with HttpServer() as server:
            session = Session(server)
            for _ in range(3):
                self.assertEqual(session.post(legacy.call(1, "touch")).text, "touched")
                # The session's header means nothing to the other era, which never names one.
                reply = server.post(call(1, "touch"), extra=[("Mcp-Session-Id", session.id)])
                self.assertEqual(reply.text, "touched")
            self.assertEqual(session.post(legacy.call(1, "count")).text, "6")

    def test_a_session_that_is_idle_ends_and_one_that_is_in_use_does_not(self):
        idle_ms = int(bound(0.6) * 1000)
        with HttpServer("--http", f"session_idle_ms={idle_ms}") as server:
            idle, listening, working = Session(server), Session(server), Session(server)
            stream = listening.listen()
            connection = server.connect()
            message = legacy.call(1, "beat", {"tag": "w", "ms": idle_ms * 4})
            headers = working.headers() + [("Content-Type", JSON)]
            connection.request("POST", "/mcp", headers, encode(message))
            server.wait_event("beat w")
            connection.reset()
            server.wait_event("unbothered w", bound(10))
            self.assertEqual(idle.post(PING).status, 404)
            self.assertEqual(listening.post(PING).status, 200)
            self.assertEqual(working.post(PING).status, 200, "it worked until just now")
            stream.close()

    def test_the_number_of_sessions_is_bounded(self):
        with HttpServer("--http", "max_sessions=3") as server:
            first, second, third = Session(server), Session(server), Session(server)
            for session in (first, third):
                self.assertEqual(session.post(PING).status, 200)
            fourth = Session(server)
            self.assertEqual(second.post(PING).status, 404, "it had been idle longest")
            streams = [session.listen() for session in (first, third, fourth)]
            reply = server.post(legacy.initialize(1), change={"MCP-Protocol-Version": None})
            self.assertEqual(reply.status, 503)
            self.assertIn("max_sessions", reply.error["message"])
            for stream in streams:
                stream.close()
            eventually(lambda: self.opens(server), bound(2), "room for another session")

    def opens(self, server):
        connection = server.connect()
        headers = [("Content-Type", JSON), ("Accept", BOTH)]
        connection.request("POST", "/mcp", headers, encode(legacy.initialize(1)))
        status = connection.response().status
        connection.close()
        return status == 200

    def test_b034_sessions_that_vanish_leave_nothing_behind(self):
        with HttpServer("--http", "session_idle_ms=200") as server:
            body = encode(legacy.initialize(1))
            head = f"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: {JSON}\r\nAccept: {BOTH}\r\n"
            request = f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body
            connection = server.connect()

            def initialize(count):
                for _ in range(count // 50):
                    connection.write(request * 50)
                    ids = set()
                    for _ in range(50):
                        response = connection.response()
                        ids.add(response.get("mcp-session-id"))
                        response.body()
                    self.assertEqual(len(ids - {None}), 50)

            initialize(3000)
            before = server.rss()
            initialize(6000)
            self.assertLess(server.rss() - before, 1 << 20)
            connection.close()


class Refusals(unittest.TestCase):
    def test_a_message_without_its_session_is_refused(self):
        with HttpServer() as server:
            session = Session(server)
            for message in (PING, INITIALIZED, legacy.answer({"id": 1}, {})):
                for id, status in ((None, 400), ("", 404), ("unknown", 404), (session.id[:-1], 404)):
                    with self.subTest(message=message, id=id):
                        reply = session.post(message, change={"Mcp-Session-Id": id})
                        self.assertEqual(reply.status, status)
                        self.assertNotIn("id", reply.last)
            self.assertEqual(session.status("DELETE", change={"Mcp-Session-Id": None}), 400)
            self.assertEqual(session.status("DELETE", change={"Mcp-Session-Id": "x"}), 404)
            self.assertEqual(session.status("GET", change={"Mcp-Session-Id": "x"}), 404)
            # A client that tries the older transports goes on after a 405.
            self.assertEqual(session.status("GET", change={"Mcp-Session-Id": None}), 405)
            self.assertEqual(session.status("GET", accept=JSON), 406)
            for method in ("PUT", "HEAD", "PATCH"):
                self.assertEqual(session.status(method), 405)
            self.assertEqual(session.post(PING).status, 200)

    def test_a_session_is_held_to_its_revision(self):
        with HttpServer() as server:
            for revision in LEGACY:
                session = Session(server, revision)
                for header in (None, *LEGACY, "1999-01-01", "latest", ""):
                    strict = revision >= "2025-06-18"
                    good = header in (None, revision) or header in LEGACY and not strict
                    change = {"MCP-Protocol-Version": header}
                    with self.subTest(revision=revision, header=header):
                        for message, fine in ((PING, 200), (INITIALIZED, 202)):
                            connection, response = session.send(message, change=change)
                            self.assertEqual(response.status, fine if good else 400)
                            connection.close()
                        self.assertEqual(session.status("GET", change=change), 200 if good else 400)
                self.assertEqual(session.status("DELETE", change={"MCP-Protocol-Version": "latest"}), 400)
                session.end()

    def test_b039_an_unknown_method_is_no_lost_session(self):
        with HttpServer() as server:
            session = Session(server)
            for method in ("resources/list", "foo/bar", "server/discover", "subscriptions/listen"):
                self.assertEqual(session.ask(1, method, {}).outcome(), (200, -32601), method)
            for method in ("notifications/foo", "notifications/roots/list_changed"):
                self.assertEqual(session.notify(method), 202)

    def test_a_bad_message_is_refused_with_400(self):
        with HttpServer() as server:
            session = Session(server)
            for body, code in (
                (b"{", -32700),
                (b"[]", -32600),
                (b"5", -32600),
                (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600),
                (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600),
            ):
                self.assertEqual(session.post(body).outcome(), (400, code), body)
            change = {"Content-Type": "text/plain"}
            connection = server.connect()
            headers = [*session.headers(), *change.items()]
            connection.request("POST", "/mcp", headers, encode(PING))
            self.assertEqual(connection.response().status, 415)
            connection.close()

    def test_b093_an_id_that_is_in_flight_is_refused_without_it(self):
        with HttpServer() as server:
            session, other = Session(server), Session(server)
            answers = []
            nap = legacy.call(1, "nap", {"ms": int(bound(0.5) * 1000), "tag": "first"})
            first = threading.Thread(target=lambda: answers.append(session.post(nap)))
            first.start()
            server.wait_event("napping first")
            refused = session.post(legacy.call(1, "touch"))
            self.assertEqual(refused.outcome(), (400, -32600))
            self.assertNotIn("id", refused.last)
            self.assertEqual(session.post(legacy.call("1", "touch")).last["id"], "1")
            self.assertEqual(other.post(legacy.call(1, "touch")).text, "touched")
            first.join()
            self.assertEqual(answers[0].text, "first")
            self.assertEqual(session.post(legacy.call(1, "count")).text, "2")

    def test_b021_a_foreign_page_reaches_no_session(self):
        with HttpServer() as server:
            session = Session(server)
            evil = {"Origin": "https://evil.example"}
            self.assertEqual(session.post(PING, change=evil).status, 403)
            for method in ("GET", "DELETE", "OPTIONS"):
                self.assertEqual(session.status(method, change=evil), 403)
                self.assertEqual(session.status(method, change={"Host": "evil.example"}), 403)
            self.assertEqual(session.post(PING).status, 200)


class Pages(unittest.TestCase):
    def test_b036_a_page_may_use_sessions(self):
        origin = ("Origin", "https://app.test")
        asked = "content-type,mcp-protocol-version,mcp-session-id,last-event-id"
        with HttpServer("--origin", "https://app.test") as server:
            for method in ("GET", "POST", "DELETE"):
                headers = [origin, ("Access-Control-Request-Method", method), ("Access-Control-Request-Headers", asked)]
                response, _ = server.bare("OPTIONS", headers)
                self.assertEqual(response.status, 204)
                self.assertIn(method, response.get("access-control-allow-methods"))
                self.assertEqual(response.get("access-control-allow-headers"), asked)
            connection = server.connect()
            headers = [origin, ("Content-Type", JSON), ("Accept", BOTH)]
            connection.request("POST", "/mcp", headers, encode(legacy.initialize(1)))
            response = connection.response()
            self.assertEqual(response.get("access-control-allow-origin"), origin[1])
            self.assertIn("mcp-session-id", response.get("access-control-expose-headers").lower())
            self.assertIn("Origin", response.get("vary"))
            connection.close()


class Batches(unittest.TestCase):
    def batch(self, session, *messages, **named):
        """The answers to a batch."""
        connection, response = session.send(encode([*messages]), **named)
        raw = response.body()
        connection.close()
        return response, raw

    def test_batches_are_of_one_revision(self):
        with HttpServer() as server:
            messages = [legacy.request(1, "ping"), INITIALIZED, legacy.call(2, "touch"), legacy.call("1", "count")]
            for revision in LEGACY:
                session = Session(server, revision)
                response, raw = self.batch(session, *messages)
                if revision != legacy.WITH_BATCHES:
                    self.assertEqual(response.status, 400, revision)
                    continue
                self.assertEqual((response.status, response.media_type()), (200, JSON))
                answers = json.loads(raw)
                self.assertEqual([answer["id"] for answer in answers], [1, 2, "1"])
                response, raw = self.batch(session, INITIALIZED, legacy.answer({"id": 9}, {}))
                self.assertEqual((response.status, raw), (202, b""))

    def test_a_batch_becomes_a_stream_when_something_else_is_said(self):
        with HttpServer() as server:
            session = Session(server, legacy.WITH_BATCHES)
            progress = legacy.call(1, "progress", {"values": [1, 2]}, token="p")
            response, raw = self.batch(session, progress, legacy.request(2, "ping"))
            self.assertEqual(response.media_type(), SSE)
            data = [json.loads(line[6:]) for line in raw.split(b"\n") if line.startswith(b"data: ")]
            self.assertEqual({answer["id"] for answer in data[-1]}, {1, 2})
            self.assertEqual([message["params"]["progress"] for message in data[:-1]], [1, 2])
