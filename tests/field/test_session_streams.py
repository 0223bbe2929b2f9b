"""Streams of sessions over HTTP: openings, disconnects, coming back, cancellation, listening, shutdown."""

import threading
import time
import unittest

from wire import legacy
from wire.http import JSON, SSE, HttpServer
from wire.patience import LONG, bound, eventually
from wire.request import encode, text_of
from wire.session import WITH_OPENINGS, Session, Stream
from wire.shapes import LEGACY

CHANGED = "notifications/tools/list_changed"


def progress_of(messages):
    return [message["params"]["progress"] for message in messages if message.get("method") == "notifications/progress"]


def beat(id, tag, progress=True, ms=30_000):
    return legacy.call(id, "beat", {"tag": tag, "ms": ms, "progress": progress}, token="p")


def change(session, name):
    """Adds a tool."""
    tool = {"name": name, "inputSchema": {"type": "object"}}
    session.post(legacy.call(f"change {name}", "change", {"add": [tool]}))


class Openings(unittest.TestCase):
    def test_a_stream_begins_with_an_id_where_clients_know_what_it_is_for(self):
        with HttpServer("--http", "retry_ms=1234") as server:
            for revision in LEGACY:
                with self.subTest(revision=revision):
                    session = Session(server, revision)
                    message = legacy.call(1, "progress", {"values": [1, 2, 3]}, token="p")
                    answering, listening = session.stream(message), session.listen()
                    self.assertEqual(len(answering.messages(method="tools/call")), 4)
                    change(session, revision)
                    self.assertEqual(listening.event()["method"], CHANGED)
                    for stream in (answering, listening):
                        opens = revision == WITH_OPENINGS
                        self.assertEqual((stream.openings, stream.retry), (1, 1234) if opens else (0, None))
                        stream.close()
                    self.assertEqual(len(set(session.seen)), len(session.seen), "an id on two events")
                    # An answer that comes first needs no stream, and a stream that is asked for is one.
                    self.assertEqual(session.post(legacy.call(3, "touch")).media_type, JSON)
                    with session.stream(legacy.call(4, "touch"), accept=SSE) as stream:
                        self.assertEqual(text_of(stream.messages(method="tools/call")[0]), "touched")

    def test_b031_a_quiet_stream_shows_signs_of_life(self):
        with HttpServer("--http", "keep_alive_ms=200") as server:
            session = Session(server)
            listening = session.listen()
            with session.stream(legacy.call(1, "nap", {"ms": 1500, "tag": "late"})) as stream:
                self.assertEqual(text_of(stream.messages(method="tools/call")[-1]), "late")
                self.assertGreaterEqual(stream.response.comments, 3)
            reply = session.post(legacy.call(2, "nap", {"ms": 600, "tag": "json"}), accept=JSON)
            self.assertEqual(reply.text, "json")
            change(session, "a")
            self.assertEqual(listening.event()["method"], CHANGED)
            self.assertGreaterEqual(listening.response.comments, 5)
            listening.close()


class ComingBack(unittest.TestCase):
    def test_a_disconnect_cancels_nothing_and_loses_nothing(self):
        with HttpServer() as server:
            for revision in LEGACY:
                for way in ("close", "reset"):
                    with self.subTest(revision=revision, way=way):
                        tag = f"{revision}-{way}"
                        session = Session(server, revision)
                        stream = session.stream(beat(1, tag, ms=1000))
                        found = [stream.event()]
                        getattr(stream, way)()
                        server.wait_event(f"unbothered {tag}")
                        self.assertEqual(server.events(f"cancelled {tag}"), [])
                        with session.resume(stream.last) as rest:
                            found += rest.messages()
                            self.assertEqual(rest.openings, 0)
                        self.assertEqual(text_of(found.pop()), tag)
                        self.assertEqual(progress_of(found), sorted(set(progress_of(found))), "twice, or out of order")
                        self.assertEqual(len(set(session.seen)), len(session.seen))
                        # What has been had is over.
                        self.assertEqual(session.status("GET", session.seen[-1], accept=SSE), 400)
            self.assertNotRegex(server.log(), r"(?i)error|warn")

    def test_many_breaks_in_one_call_lose_nothing(self):
        with HttpServer("--option", "progress_per_second=0") as server:
            session = Session(server)
            count = 60
            message = legacy.call(1, "progress", {"values": list(range(count)), "ms": 20}, token="p")
            stream, found = session.stream(message), []
            last, answer = None, None
            while answer is None:
                while (event := stream.event()) is not None:
                    if "result" in event:
                        answer = event
                    else:
                        found.append(event)
                    if len(found) % 7 == 0:
                        break
                last = stream.last
                stream.reset()
                if answer is None:
                    stream = session.resume(last)
                    # One more than is needed, so that each round makes some way.
                    event = stream.event()
                    if event is not None and "result" in event:
                        answer = event
                    elif event is not None:
                        found.append(event)
            self.assertEqual(progress_of(found), list(range(count)))

    def test_a_client_that_got_no_id_is_not_waited_for(self):
        with HttpServer() as server:
            session = Session(server)
            connection = server.connect()
            message = legacy.call(1, "nap", {"ms": 300, "tag": "gone"})
            headers = [*session.headers(), ("Content-Type", JSON)]
            connection.request("POST", "/mcp", headers, encode(message))
            server.wait_event("napping gone")
            connection.reset()
            self.assertEqual(session.post(legacy.call(1, "touch")).outcome(), (400, -32600), "it is in flight still")
            self.assertEqual(server.wait_event("napped gone"), "napped gone 0")
            self.assertEqual(session.post(legacy.call(1, "touch")).text, "touched")

    def test_a_stream_is_read_by_one_connection_at_a_time(self):
        with HttpServer() as server:
            session = Session(server)
            first = session.stream(beat(1, "one"))
            first.event()
            second = session.resume(first.last)
            self.assertTrue(all("result" not in message for message in first.messages(bound(2))))
            self.assertEqual(second.event()["method"], "notifications/progress")
            session.cancel(1)
            for stream in (first, second):
                stream.close()

    def test_a_stream_is_taken_up_in_its_own_session_alone(self):
        with HttpServer() as server:
            session, other = Session(server), Session(server)
            stream = session.stream(legacy.call(1, "progress", {"values": [1, 2]}, token="p"))
            stream.event()
            stream.reset()
            for last in (stream.last, "r999-1", "x", "5", "r1"):
                self.assertEqual(other.status("GET", last, accept=SSE), 400, last)
            with session.resume(stream.last) as rest:
                self.assertIn("result", rest.messages()[-1])

    def test_what_is_kept_is_bounded(self):
        with HttpServer("--http", "event_store_events=10", "--http", "event_store_bytes=100000", "--option", "progress_per_second=0") as server:
            session = Session(server)
            stream = session.stream(legacy.call(1, "progress", {"values": list(range(50))}, token="p"))
            first = stream.event()
            self.assertEqual(progress_of([first]), [0])
            begun = stream.last
            stream.messages()
            stream.close()
            with session.resume(begun) as rest:
                found = rest.messages()
            self.assertLessEqual(len(found), 10)
            self.assertEqual(progress_of(found), list(range(50))[-len(found) + 1 :], "the oldest go")
            self.assertIn("result", found[-1])

    def test_a_client_that_never_comes_back_costs_no_memory(self):
        with HttpServer("--option", "logs_per_second=0", "--option", "progress_per_second=0") as server:
            session = Session(server)
            before = None
            for round in range(40):
                values = list(range(3000))
                stream = session.stream(legacy.call(round, "progress", {"values": values}, token="p" * 1000))
                stream.event()
                stream.reset()
                eventually(lambda: session.post(legacy.call("x", "touch")).text, bound(5), "an answer")
                if round == 9:
                    before = server.rss()
            self.assertLess(server.rss() - before, 8 << 20)


class Polling(unittest.TestCase):
    def test_a_handler_lets_its_client_go_and_the_client_comes_back(self):
        with HttpServer("--http", "retry_ms=50") as server:
            session = Session(server)
            for progress, retry, told in ((False, 0, 50), (True, 120, 120)):
                with self.subTest(progress=progress):
                    arguments = {"tag": "back", "ms": 400, "retry": retry, "progress": progress}
                    began = time.monotonic()
                    stream = session.stream(legacy.call(1, "leave", arguments, token="p"))
                    self.assertEqual(len(stream.messages(bound(2))), int(progress))
                    self.assertLess(time.monotonic() - began, bound(0.35), "it closes before the call ends")
                    self.assertEqual((stream.openings, stream.retry), (1, told))
                    stream.close()
                    with session.resume(stream.last) as rest:
                        self.assertEqual(text_of(rest.messages()[-1]), "back")

    def test_elsewhere_nobody_is_let_go(self):
        with HttpServer() as server:
            for revision in LEGACY:
                session = Session(server, revision)
                arguments = {"tag": "stay", "ms": 100, "progress": True}
                if revision != WITH_OPENINGS:
                    with session.stream(legacy.call(1, "leave", arguments, token="p")) as stream:
                        self.assertEqual(text_of(stream.messages(method="tools/call")[-1]), "stay")
                self.assertEqual(session.post(legacy.call(2, "leave", arguments), accept=JSON).text, "stay")


class Cancellation(unittest.TestCase):
    def test_b088_a_request_is_cancelled_by_its_id_in_its_session(self):
        with HttpServer() as server:
            session, other = Session(server), Session(server)
            stream = session.stream(beat(1, "mine"))
            stream.event()
            self.assertEqual((other.cancel(1), session.cancel("1"), session.cancel(99)), (202, 202, 202))
            time.sleep(0.1)
            self.assertEqual(server.events("cancelled"), [])
            self.assertEqual(session.cancel(1), 202)
            server.wait_event("cancelled mine", bound(1))
            self.assertTrue(all("result" not in message for message in stream.messages(bound(1))), "it is answered")
            stream.close()
            self.assertEqual(session.status("GET", stream.last, accept=SSE), 400)
            self.assertEqual(session.post(legacy.call(1, "touch")).text, "touched")
            # A client that takes JSON alone gets nothing.
            answers = []
            message = beat(2, "json", progress=False)
            waiting = threading.Thread(target=lambda: answers.append(session.post(message, accept=JSON)))
            waiting.start()
            server.wait_event("beat json")
            session.cancel(2)
            waiting.join(LONG)
            self.assertEqual((answers[0].status, answers[0].messages), (202, []))

    def test_the_end_of_a_session_cancels_what_runs_in_it(self):
        with HttpServer() as server:
            session = Session(server)
            stream = session.stream(beat(1, "last"))
            stream.event()
            session.end()
            server.wait_event("cancelled last", bound(1))
            stream.messages(bound(1))
            stream.close()


class Listening(unittest.TestCase):
    def test_each_message_goes_out_on_one_stream(self):
        with HttpServer() as server:
            session, other = Session(server), Session(server)
            streams = [session.listen(), session.listen()]
            heard = other.listen()
            for name in ("a", "b", "c"):
                change(session, name)
                self.assertEqual(heard.event()["method"], CHANGED)
                self.assertEqual(streams[1].event()["method"], CHANGED)
            self.assertIsNone(self.heard(streams[0], 0.3))
            streams[1].close()

            def told():
                change(session, f"t{time.monotonic()}")
                return self.heard(streams[0], bound(0.3))

            eventually(told, bound(3), "the other stream takes over")
            for stream in (streams[0], heard):
                stream.close()

    def heard(self, stream, seconds):
        """What comes within so long; None if nothing does."""
        try:
            return stream.event(seconds)
        except AssertionError:
            return None

    def test_what_comes_while_nobody_listens_waits_and_changes_wait_once(self):
        with HttpServer() as server:
            session = Session(server)
            for name in ("a", "b", "c"):
                change(session, name)
                time.sleep(0.05)
            with session.listen() as stream:
                self.assertEqual(stream.event()["method"], CHANGED)
                self.assertTrue(stream.quiet(0.3))
                last = stream.last
            # What was had does not come again, neither on a new stream nor on the old one.
            with session.listen() as stream, session.listen(last) as again:
                change(session, "d")
                self.assertEqual(again.event()["method"], CHANGED)
                self.assertTrue(again.quiet(0.2))
            # A stream that is forgotten is as good as a new one.
            with session.listen("l99999-1") as stream:
                change(session, "e")
                self.assertEqual(stream.event()["method"], CHANGED)

    def test_b064_updates_of_resources_come_where_the_client_listens(self):
        with HttpServer("--everything", "1") as server:
            session = Session(server)
            stream = session.listen()
            uri = "test://text"
            self.assertEqual(session.ask(1, "resources/subscribe", {"uri": uri}).result, {})
            session.post(legacy.call(2, "updated", {"uris": [uri, "test://bytes"]}))
            message = stream.event()
            self.assertEqual((message["method"], message["params"]["uri"]), ("notifications/resources/updated", uri))
            self.assertEqual(session.ask(3, "resources/unsubscribe", {"uri": uri}).result, {})
            session.post(legacy.call(4, "updated", {"uris": [uri]}))
            self.assertTrue(stream.quiet(0.3))
            stream.close()

    def test_a_client_is_asked_on_the_stream_of_its_request_or_where_it_listens(self):
        asks = {"elicitation": {}}
        with HttpServer("--everything", "1") as server:
            session = Session(server, capabilities=asks)
            with session.stream(legacy.call(1, "name")) as stream:
                question = stream.event(method="tools/call")
                self.assertEqual(question["method"], "elicitation/create")
                self.assertEqual(session.answer(question, {"action": "accept", "content": {"name": "Ann"}}), 202)
                self.assertEqual(text_of(stream.messages(method="tools/call")[-1]), "Ann")
            # The stream broke off, and the question is asked again where the client takes it up.
            stream = session.stream(legacy.call(2, "name"))
            stream.event(method="tools/call")
            stream.reset()
            with session.resume(stream.ids[0]) as rest:
                question = rest.event(method="tools/call")
                session.answer(question, {"action": "accept", "content": {"name": "Bob"}})
                self.assertEqual(text_of(rest.messages()[-1]), "Bob")
            answers = []
            message = legacy.call(3, "name")
            waiting = threading.Thread(target=lambda: answers.append(session.post(message, accept=JSON)))
            waiting.start()
            with session.listen() as listening:
                question = listening.event(bound(5))
                session.answer(question, {"action": "accept", "content": {"name": "Cy"}})
                waiting.join(LONG)
            self.assertEqual(answers[0].text, "Cy")

    def test_log_messages_come_from_the_level_that_was_set(self):
        with HttpServer() as server:
            session = Session(server)
            levels = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]
            for level in levels:
                self.assertEqual(session.ask(1, "logging/setLevel", {"level": level}).result, {})
                connection, response = session.send(legacy.call(2, "logs", {"levels": levels}))
                logged = [m["params"]["level"] for m in self.messages(session, connection, response) if "method" in m]
                self.assertTrue(set(logged) <= set(levels[levels.index(level) :]), f"{level}: {logged}")
                connection.close()
            self.assertEqual(session.ask(1, "logging/setLevel", {"level": "loud"}).outcome(), (200, -32602))

    def messages(self, session, connection, response):
        if response.media_type() == SSE:
            return Stream(connection, response, session.seen).messages(method="tools/call")
        return response.messages(method="tools/call")


class Shutdown(unittest.TestCase):
    def test_a_listener_that_stops_ends_streams_and_waits_for_answers(self):
        with HttpServer() as server:
            server.still_serves = False
            session = Session(server)
            listening = session.listen()
            left = session.stream(beat(1, "left"))
            left.event()
            left.reset()
            message = legacy.call(2, "progress", {"values": [1, 2, 3], "ms": int(bound(0.3) * 1000)}, token="p")
            stream = session.stream(message)
            stream.event()
            began = time.monotonic()
            server.tell(f"shutdown {int(bound(5) * 1000)}")
            self.assertEqual(listening.messages(bound(2)), [])
            server.wait_event("cancelled left", bound(2))
            self.assertIn("result", stream.messages(bound(5))[-1])
            self.assertEqual(server.command(None), "done 0")
            self.assertLess(time.monotonic() - began, bound(4))
            for one in (listening, stream):
                one.close()

    def test_a_drain_that_is_over_cancels_what_is_left(self):
        with HttpServer() as server:
            server.still_serves = False
            session = Session(server)
            stream = session.stream(beat(1, "endless"))
            stream.event()
            self.assertEqual(server.command("shutdown 200"), "done 0")
            server.wait_event("cancelled endless", bound(2))
            stream.close()
