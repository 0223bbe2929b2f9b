"""2026-07-28: subscriptions/listen, as far as it concerns tools (B064)."""

import json
import threading
import unittest

from wire.http import JSON, SSE, HttpServer
from wire.patience import LONG, bound
from wire.pipe import PipeServer
from wire.request import PREFIX, call, cancelled, listen, listing, text_of

ID = PREFIX + "subscriptionId"
ACK = "notifications/subscriptions/acknowledged"
CHANGED = "notifications/tools/list_changed"


def new(name):
    return {"name": name, "inputSchema": {"type": "object"}}


def of(frames, id):
    """The frames that carry this very subscription id."""
    found = [frame for frame in frames if frame.get("params", {}).get("_meta", {}).get(ID) == id]
    return [frame for frame in found if type(frame["params"]["_meta"][ID]) is type(id)]


class Stdio(unittest.TestCase):
    def acknowledge(self, server, id, wanted):
        server.send(listen(id, wanted))
        frame = server.wait(lambda frame: frame in of([frame], id), bound(1), f"an acknowledgement of {id!r}")
        self.assertEqual(frame["method"], ACK)
        return frame["params"]["notifications"]

    def change(self, server, id, *names):
        answer = server.ask(call(id, "change", {"add": [new(name) for name in names]}))
        self.assertEqual([step["status"] for step in json.loads(text_of(answer))], [0] * len(names))

    def wait_changes(self, server, id, count):
        server.wait(lambda frame: len(of(server.frames, id)) > count, bound(2), f"{count} changes on {id!r}")

    def test_b064_only_what_was_asked_for_and_is_there_is_honoured(self):
        with PipeServer() as server:
            uris = ["file:///a", "file:///b"]
            everything = {
                "toolsListChanged": True,
                "promptsListChanged": True,
                "resourcesListChanged": True,
                "resourceSubscriptions": uris,
            }
            self.assertEqual(self.acknowledge(server, "all", everything), {"toolsListChanged": True})
            self.assertEqual(self.acknowledge(server, "tools", {"toolsListChanged": True}), {"toolsListChanged": True})
            for id, wanted in (
                ("none", {}),
                ("off", {"toolsListChanged": False}),
                ("prompts", {"promptsListChanged": True}),
                ("odd", {"sunsets": True, "x": [None]}),
            ):
                self.assertFalse(self.acknowledge(server, id, wanted).get("toolsListChanged", False))
                self.assertLessEqual(set(of(server.frames, id)[0]["params"]["notifications"]), {"toolsListChanged"})
            self.change(server, 1, "fresh")
            for id in ("all", "tools"):
                self.wait_changes(server, id, 1)
                self.assertEqual(of(server.frames, id)[1]["method"], CHANGED)
            server.fence()
            for id in ("none", "off", "prompts", "odd"):
                self.assertEqual(len(of(server.frames, id)), 1, id)
            self.assertEqual(len(server.notifications(CHANGED)), 2)

    def test_b064_an_id_keeps_its_type(self):
        with PipeServer() as server:
            for id in (1, "1", 0, "", 2**53 + 1):
                self.acknowledge(server, id, {"toolsListChanged": True})
            self.change(server, "c", "fresh")
            for id in (1, "1", 0, "", 2**53 + 1):
                self.wait_changes(server, id, 1)
                self.assertEqual([frame["method"] for frame in of(server.frames, id)], [ACK, CHANGED])

    def test_b064_nothing_comes_before_the_acknowledgement(self):
        with PipeServer() as server:
            for number in range(50):
                server.send(
                    call(f"c{number}", "change", {"add": [new(f"n{number}")]}),
                    listen(number, {"toolsListChanged": True}),
                    call(f"d{number}", "change", {"add": [new(f"m{number}")]}),
                )
            for number in range(50):
                server.answer(f"d{number}")
                server.wait(lambda frame: frame in of([frame], number))
                self.assertEqual(of(server.frames, number)[0]["method"], ACK)
            server.fence()
            for frame in server.notifications(CHANGED):
                self.assertIn(ID, frame["params"]["_meta"])

    def test_b064_each_kind_of_change_is_told(self):
        with PipeServer("--tool", "touch", json.dumps(new("old"))) as server:
            self.acknowledge(server, "l", {"toolsListChanged": True})
            for number, (arguments, statuses) in enumerate((
                ({"add": [new("fresh")]}, [0]),
                ({"add": [{**new("fresh"), "description": "replaced"}]}, [0]),
                ({"remove": ["old"]}, [0]),
            ), 1):  # fmt: skip
                answer = server.ask(call(number, "change", arguments))
                self.assertEqual([step["status"] for step in json.loads(text_of(answer))], statuses)
                self.wait_changes(server, "l", number)
            before = len(of(server.frames, "l"))
            answer = server.ask(call("x", "change", {"remove": ["never there"]}))
            self.assertEqual(json.loads(text_of(answer))[0]["status"], -5)
            server.fence()
            self.assertEqual(len(of(server.frames, "l")), before, "a removal of nothing is no change")

    def test_b064_many_changes_may_be_one_notification_but_the_last_is_never_lost(self):
        with PipeServer() as server:
            self.acknowledge(server, "l", {"toolsListChanged": True})
            names = [f"n{number:03}" for number in range(100)]
            self.change(server, 1, *names)
            self.wait_changes(server, "l", 1)
            listed = [entry["name"] for entry in server.ask(listing(2))["result"]["tools"]]
            self.assertLessEqual(set(names), set(listed))
            server.fence()
            self.assertLessEqual(len(of(server.frames, "l")), 101)
            before = len(of(server.frames, "l")) - 1
            self.change(server, 3, "one-more")
            self.wait_changes(server, "l", before + 1)

    def test_b064_a_slow_reader_gets_few_notifications_and_the_last(self):
        with HttpServer() as server, server.listening(listen(1, {"toolsListChanged": True})) as stream:
            stream.event()
            for number in range(300):
                server.post(call(number, "change", {"add": [new("flip")]} if number % 2 else {"remove": ["flip"]}))
            seen = 0
            while not stream.quiet(0.3):
                self.assertEqual(stream.event(bound(2))["method"], CHANGED)
                seen += 1
            self.assertGreaterEqual(seen, 1)
            self.assertLessEqual(seen, 300)

    def test_b064_a_cancelled_subscription_is_silent_without_a_result(self):
        with PipeServer() as server:
            self.acknowledge(server, "gone", {"toolsListChanged": True})
            self.acknowledge(server, "kept", {"toolsListChanged": True})
            server.send(cancelled("gone"))
            server.fence()
            self.change(server, 1, "fresh")
            self.wait_changes(server, "kept", 1)
            server.fence()
            self.assertEqual(len(of(server.frames, "gone")), 1)
            self.assertEqual(server.answers("gone"), [])
            self.assertEqual(server.notifications("notifications/cancelled"), [])
            # The id is free again.
            server.send(listen("gone", {}))
            server.wait(lambda frame: len(of(server.frames, "gone")) == 2)

    def test_b064_no_progress_and_no_log_on_a_subscription(self):
        with PipeServer() as server:
            server.send(listen("l", {"toolsListChanged": True}, token="lt", log="debug"))
            server.wait(lambda frame: frame.get("method") == ACK)
            server.send(call(1, "progress", {"values": [1, 2]}, token="t"), call(2, "logs", log="debug"))
            server.answer(1)
            server.answer(2)
            server.fence()
            self.assertEqual(len(of(server.frames, "l")), 1)
            self.assertFalse(
                [
                    frame
                    for frame in server.notifications("notifications/progress")
                    if frame["params"]["progressToken"] == "lt"
                ]
            )

    def test_b064_an_id_in_use_is_refused_and_the_subscription_goes_on(self):
        with PipeServer() as server:
            self.acknowledge(server, 1, {"toolsListChanged": True})
            server.send(listen(1, {}), call(1, "touch"))
            for error in server.wait_anonymous(2, bound(1)):
                self.assertEqual(error["error"]["code"], -32600)
            self.change(server, "c", "fresh")
            self.wait_changes(server, 1, 1)
            self.assertEqual(text_of(server.ask(call(2, "count"))), "0")

    def test_b064_a_filter_that_is_none_is_invalid(self):
        with PipeServer() as server:
            for id, params in enumerate(({}, {"notifications": None}, {"notifications": []}, {"notifications": "tools"}, {"notifications": {"toolsListChanged": "yes"}},
                                         {"notifications": {"toolsListChanged": 1}}, {"notifications": {"resourceSubscriptions": "file:///a"}})):  # fmt: skip
                with self.subTest(params=params):
                    message = listen(id, {})
                    del message["params"]["notifications"]
                    message["params"].update(params)
                    server.send(message)
                    self.assertEqual(server.answer(id, bound(1))["error"]["code"], -32602)
            self.assertEqual(server.notifications(ACK), [])

    def test_b064_at_its_end_a_server_says_so_result_first(self):
        with PipeServer() as server:
            for id in (1, "1"):
                self.acknowledge(server, id, {"toolsListChanged": True})
            server.send(call("stop", "stop", {"drain_ms": 1000}))
            for id in (1, "1"):
                answer = server.answer(id, bound(2))
                self.assertEqual(answer["result"]["resultType"], "complete")
                self.assertEqual(answer["result"]["_meta"][ID], id)
                self.assertIs(type(answer["result"]["_meta"][ID]), type(id))
            self.assertEqual(server.wait_exit(bound(3)), 0)
            self.assertEqual(server.end(), 0)
            self.assertEqual(text_of(server.answers("stop")[0]), "stopping")
            for id in (1, "1"):
                frames = list(server.frames)
                answered = frames.index(server.answers(id)[0])
                told = [index for index, frame in enumerate(frames) if frame.get("method") == "notifications/cancelled"
                        and frame["params"]["requestId"] == id and type(frame["params"]["requestId"]) is type(id)]  # fmt: skip
                self.assertEqual(len(told), 1)
                self.assertGreater(told[0], answered)

    def test_b064_the_end_of_input_ends_subscriptions_too(self):
        with PipeServer() as server:
            self.acknowledge(server, "l", {"toolsListChanged": True})
            self.assertEqual(server.end(bound(3)), 0)
            self.assertLessEqual(len(server.answers("l")), 1)

    def test_b064_more_subscriptions_than_allowed_are_refused_clearly(self):
        with PipeServer("--option", "max_subscriptions=3") as server:
            for id in range(3):
                self.acknowledge(server, id, {"toolsListChanged": True})
            server.send(listen(3, {"toolsListChanged": True}))
            self.assertRegex(server.answer(3)["error"]["message"], r"\b3\b|max_subscriptions")
            server.send(cancelled(0))
            server.fence()
            self.acknowledge(server, 4, {"toolsListChanged": True})


class Http(unittest.TestCase):
    def test_b064_a_stream_begins_with_the_acknowledgement_and_has_only_its_own(self):
        with HttpServer() as server:
            with server.listening(listen(1, {"toolsListChanged": True})) as tools, server.listening(
                listen("1", {"promptsListChanged": True})
            ) as prompts:
                for stream, id, honoured in ((tools, 1, {"toolsListChanged": True}), (prompts, "1", {})):
                    self.assertEqual(stream.media_type(), SSE)
                    self.assertEqual(stream.get("x-accel-buffering"), "no")
                    frame = stream.event(bound(1))
                    self.assertEqual((frame["method"], frame["params"]["notifications"]), (ACK, honoured))
                    self.assertEqual(of([frame], id), [frame])
                server.post(call(1, "change", {"add": [new("fresh")]}))
                frame = tools.event(bound(1))
                self.assertEqual(frame["method"], CHANGED)
                self.assertEqual(of([frame], 1), [frame])
                server.post(call(1, "progress", {"values": [1]}, token="t"))
                self.assertTrue(tools.quiet(0.3))
                self.assertTrue(prompts.quiet(0.0))

    def test_b064_nothing_comes_before_the_acknowledgement_over_http(self):
        with HttpServer() as server:
            over = threading.Event()

            def flip():
                number = 0
                while not over.is_set():
                    number += 1
                    server.post(call(number, "change", {"add": [new("flip")]} if number % 2 else {"remove": ["flip"]}))

            thread = threading.Thread(target=flip, daemon=True)
            thread.start()
            try:
                for id in range(60):
                    with server.listening(listen(id, {"toolsListChanged": True})) as stream:
                        self.assertEqual(stream.event()["method"], ACK)
                        self.assertEqual(stream.event()["method"], CHANGED)
            finally:
                over.set()
                thread.join(LONG)

    def test_b064_a_client_that_takes_no_stream_is_told_so(self):
        with HttpServer() as server:
            connection, response = server.open(listen(1, {"toolsListChanged": True}), accept=JSON, within=bound(2))
            self.assertEqual(response.status, 406)
            connection.close()

    def test_b064_a_change_reaches_every_subscriber(self):
        with HttpServer() as server:
            streams = [server.open(listen(1, {"toolsListChanged": True})) for _ in range(50)]
            for _, stream in streams:
                self.assertEqual(stream.event()["method"], ACK)
            server.post(call(1, "change", {"add": [new("fresh")]}))
            for connection, stream in streams:
                self.assertEqual(stream.event(bound(2))["method"], CHANGED)
                connection.close()


if __name__ == "__main__":
    unittest.main()
