"""Changes of prompts and resources: who is told of what, in both eras, over pipes and HTTP (B064, B108)."""

import json
import os
import subprocess
import unittest

from wire import legacy
from wire.client import Client
from wire.http import HttpServer, Response, headers_of
from wire.patience import LONG, Deadline, bound, eventually
from wire.pipe import PipeServer
from wire.request import PREFIX, cancelled, encode, key, listen
from wire.shapes import LEGACY

ALL = ("--everything", "1")
ID = PREFIX + "subscriptionId"
ACK = "notifications/subscriptions/acknowledged"
UPDATED = "notifications/resources/updated"
LISTS = {kind: f"notifications/{kind}/list_changed" for kind in ("tools", "prompts", "resources")}
MIB = 1 << 20

STEPS = {
    "tools": [{"kind": "tool", "add": {"name": "fresh", "inputSchema": {"type": "object"}}}],
    "prompts": [{"kind": "prompt", "add": {"name": "fresh"}}],
    "resources": [{"kind": "resource", "add": {"uri": "x:fresh", "name": "fresh"}}],
    "templates": [{"kind": "template", "add": {"uriTemplate": "x:fresh/{v}", "name": "fresh"}}],
}


def told(frames, id=None):
    """The notifications of the subscription `id`, or of no subscription, as (method, uri)."""
    for frame in list(frames):
        params = frame.get("params", {})
        whose = params.get("_meta", {}).get(ID)
        if (
            "method" in frame
            and "id" not in frame
            and (whose is None if id is None else whose is not None and key(whose) == key(id))
        ):
            yield frame["method"], params.get("uri")


class Pipes:
    """What tests over pipes share."""

    def listen(self, server, id, wanted):
        server.send(listen(id, wanted))
        frame = server.wait(lambda frame: (ACK, None) in told([frame], id), bound(1), f"an acknowledgement of {id!r}")
        return frame["params"]["notifications"]

    def update(self, client, *uris, **named):
        client.text("updated", {"uris": list(uris), **named})

    def change(self, client, kind):
        self.assertEqual([step["status"] for step in json.loads(client.text("offer", {"steps": STEPS[kind]}))], [0])

    def wait_told(self, server, id, count=1, within=None):
        """Waits until so much was told; all of it, without the acknowledgement."""

        def found():
            return [one for one in told(server.frames, id) if one[0] != ACK]

        eventually(
            lambda: len(found()) >= count,
            bound(2) if within is None else within,
            f"{count} changes on {id!r}: {found()}",
        )
        server.check_frames()
        return found()


class Modern(Pipes, unittest.TestCase):
    def test_b064_what_is_there_is_honoured_as_it_was_asked_for(self):
        with PipeServer(*ALL) as server:
            uris = ["test://text", "file:///docs/a", "x:nowhere", "test://text"]
            cases = (
                ({"promptsListChanged": True}, {"promptsListChanged": True}),
                ({"resourcesListChanged": True, "toolsListChanged": False}, {"resourcesListChanged": True}),
                ({"resourceSubscriptions": []}, {}),
                ({"resourceSubscriptions": ["test://text"], "other": 1}, {"resourceSubscriptions": ["test://text"]}),
                (
                    {**{f"{kind}ListChanged": True for kind in LISTS}, "resourceSubscriptions": uris},
                    {**{f"{kind}ListChanged": True for kind in LISTS}, "resourceSubscriptions": sorted(set(uris))},
                ),
            )
            for id, (wanted, honoured) in enumerate(cases):
                found = self.listen(server, id, wanted)
                if "resourceSubscriptions" in found:
                    found["resourceSubscriptions"].sort()
                self.assertEqual(found, honoured)

    def test_b064_each_subscription_is_told_of_its_own_kind_alone(self):
        with PipeServer(*ALL) as server:
            client = Client(server)
            for kind in LISTS:
                self.listen(server, kind, {f"{kind}ListChanged": True})
            self.listen(server, "uri", {"resourceSubscriptions": ["test://text"]})
            for kind, heard in (
                ("prompts", "prompts"),
                ("tools", "tools"),
                ("resources", "resources"),
                ("templates", "resources"),
            ):
                before = len(self.wait_told(server, heard, 0))
                self.change(client, kind)
                self.assertEqual(self.wait_told(server, heard, before + 1)[before:], [(LISTS[heard], None)])
            self.update(client, "test://text")
            self.assertEqual(self.wait_told(server, "uri"), [(UPDATED, "test://text")])
            server.fence()
            self.assertEqual([len(self.wait_told(server, kind, 0)) for kind in LISTS], [1, 1, 2])

    def test_b064_only_the_resources_that_were_named_are_told_of(self):
        with PipeServer(*ALL) as server:
            client = Client(server)
            self.listen(server, 1, {"resourceSubscriptions": ["test://text", "file:///docs/a%20b"]})
            self.listen(server, "1", {"resourceSubscriptions": ["test://bytes"]})
            others = ("test://text/", "test://tex", "TEST://text", "file:///docs/a b", "test://nothing", "x")
            self.update(client, *others, "test://text", "test://bytes", "file:///docs/a%20b")
            self.assertEqual({uri for _, uri in self.wait_told(server, 1, 2)}, {"test://text", "file:///docs/a%20b"})
            self.assertEqual(self.wait_told(server, "1"), [(UPDATED, "test://bytes")])
            server.fence()
            self.assertEqual((len(self.wait_told(server, 1, 0)), len(self.wait_told(server, "1", 0))), (2, 1))

    def test_b064_nothing_comes_before_the_acknowledgement_or_after_a_cancel(self):
        with PipeServer(*ALL) as server:
            client = Client(server)
            for number in range(30):
                update = client.message("tools/call", {"name": "updated", "arguments": {"uris": ["x:1"]}})
                server.send(update, listen(number, {"resourceSubscriptions": ["x:1"]}))
                server.answer(update["id"])
            self.update(client, "x:1")
            for number in range(30):
                self.wait_told(server, number)
                self.assertEqual(next(told(server.frames, number))[0], ACK)
            for number in range(30):
                server.send(cancelled(number))
            server.fence()
            before = len(server.notifications(UPDATED))
            self.listen(server, "last", {"resourceSubscriptions": ["x:1"]})
            self.update(client, "x:1")
            self.wait_told(server, "last")
            self.assertEqual(len(server.notifications(UPDATED)), before + 1)

    def test_b064_many_updates_may_be_one_but_the_last_is_never_lost(self):
        with PipeServer(*ALL) as server:
            client = Client(server)
            uris = [f"x:{number}" for number in range(1000)]
            self.listen(server, "all", {"resourceSubscriptions": uris})
            self.update(client, *uris[:100], times=50)
            found = self.wait_told(server, "all", 100)
            self.assertLessEqual(len(found), 5000)
            self.assertEqual({uri for _, uri in found}, set(uris[:100]))
            # Whatever was on its way: resources that change within one moment are told of in any order.
            self.update(client, uris[700])
            eventually(lambda: (UPDATED, uris[700]) in self.wait_told(server, "all"), bound(2), "the last update")

    def test_b064_a_filter_that_is_none_is_invalid(self):
        with PipeServer(*ALL) as server, HttpServer(*ALL) as web:
            bad = ("x:1", [5], [None], [["x:1"]], {}, True, [f"x:{number}" for number in range(1001)])
            for id, uris in enumerate(bad):
                message = listen(id, {"resourceSubscriptions": uris})
                self.assertEqual(server.ask(message)["error"]["code"], -32602)
                self.assertEqual(web.post(message).outcome(), (200, -32602))
            for message in (
                listen("ok", {"resourceSubscriptions": ["x:" + "u" * 8000]}),
                listen("long", {"resourceSubscriptions": ["x:" + "u" * 9000]}),
            ):
                server.send(message)
            self.assertEqual(server.answer("long")["error"]["code"], -32602)
            server.fence()
            self.assertEqual(len(server.notifications(ACK)), 1)

    def test_b064_an_update_for_one_principal_reaches_no_other(self):
        with PipeServer(*ALL, mode="session") as server:
            client = Client(server)
            self.listen(server, "nobody", {"resourceSubscriptions": ["x:1"]})
            server.write(b"!ann\n")
            self.listen(server, "ann", {"resourceSubscriptions": ["x:1"]})
            self.update(client, "x:1", principal="bob")
            self.update(client, "x:1", principal="ann")
            self.wait_told(server, "ann")
            self.update(client, "x:1")
            self.wait_told(server, "nobody")
            self.wait_told(server, "ann", 2)
            server.fence()
            self.assertEqual([len(self.wait_told(server, who, 0)) for who in ("ann", "nobody")], [2, 1])

    def test_b064_what_somebody_subscribed_to_ends_when_the_client_comes_for_somebody_else(self):
        with PipeServer(*ALL, mode="session") as server:
            server.write(b"!ann\n")
            client = Client(server, "2025-06-18")
            self.assertEqual(client.ask("resources/subscribe", {"uri": "x:1"})["result"], {})
            self.listen(server, "ann", {"resourceSubscriptions": ["x:1"]})
            self.update(client, "x:1")
            self.wait_told(server, "ann")
            self.wait_told(server, None)
            server.write(b"!bob\n")
            self.assertEqual(server.answer("ann", bound(2))["result"]["_meta"][ID], "ann")
            self.listen(server, "bob", {"resourceSubscriptions": ["x:1"]})
            self.update(client, "x:1")
            self.wait_told(server, "bob")
            server.fence()
            self.assertEqual(self.wait_told(server, "ann", 0), [(UPDATED, "x:1")])
            self.assertEqual(self.wait_told(server, None, 0), [(UPDATED, "x:1"), ("notifications/cancelled", None)])

    def test_b064_over_http_each_stream_has_its_own(self):
        with HttpServer(*ALL) as server:
            client = Client(server)
            with server.listening(listen(1, {"resourceSubscriptions": ["x:1"], "promptsListChanged": True})) as mine, \
                 server.listening(listen(1, {"resourceSubscriptions": ["x:2"]})) as other:  # fmt: skip
                for stream in (mine, other):
                    self.assertEqual(stream.event(bound(1))["method"], ACK)
                self.update(client, "x:1", "x:3")
                self.assertEqual(list(told([mine.event(bound(2))], 1)), [(UPDATED, "x:1")])
                self.change(client, "prompts")
                self.assertEqual(list(told([mine.event(bound(2))], 1)), [(LISTS["prompts"], None)])
                self.update(client, "x:2")
                self.assertEqual(list(told([other.event(bound(2))], 1)), [(UPDATED, "x:2")])
                self.assertTrue(mine.quiet(0.1) and other.quiet(0.0))

    def test_b108_a_graceful_end_tells_each_stream_so_after_its_last_change(self):
        with HttpServer(*ALL) as server:
            server.still_serves = False
            client = Client(server)
            streams = [server.open(listen(id, {"resourceSubscriptions": ["x:1"]})) for id in (1, "1", 2)]
            for _, stream in streams:
                self.assertEqual(stream.event()["method"], ACK)
            self.update(client, "x:1")
            for _, stream in streams:
                self.assertEqual(stream.event(bound(2))["method"], UPDATED)
            server.tell("stop 1000")
            for (connection, stream), id in zip(streams, (1, "1", 2)):
                last = stream.event(bound(3))
                self.assertEqual((last["id"], last["result"]["_meta"][ID]), (id, id))
                self.assertIsNone(stream.event(bound(3)))
                connection.close()
            self.assertEqual(server.command(None), "done 0")


class SlowReaders(Pipes, unittest.TestCase):
    URIS = [f"x:{number:04}/" + "u" * 200 for number in range(1000)]

    def test_b064_a_slow_reader_over_http_costs_one_notification_for_each_resource(self):
        with HttpServer(*ALL) as server:
            message = listen(1, {"resourceSubscriptions": self.URIS})
            slow = server.connect()
            slow.request("POST", "/mcp", headers_of(message), encode(message))
            client, before = Client(server), None
            for round in range(20):
                self.update(client, *self.URIS)
                before = server.rss() if round == 4 else before
            self.assertLess(server.rss() - before, 16 * MIB)
            stream = Response(slow, "POST", Deadline(LONG))
            self.assertEqual(stream.event()["method"], ACK)
            missing = set(self.URIS)
            while missing:
                missing.discard(stream.event(bound(5))["params"]["uri"])
            slow.close()

    def unread(self):
        """Pipes whose output waits until somebody reads it."""
        mine_in, theirs_in, mine_out, theirs_out = PipeServer._pipes()
        blocked, unblock = os.pipe()
        return (mine_in, theirs_in, blocked, theirs_out), mine_out, unblock

    def test_b064_a_slow_reader_over_pipes_costs_no_more_in_either_era(self):
        for revision in (None, "2025-06-18"):
            descriptors, output, relay = self.unread()
            with PipeServer(*ALL, descriptors=descriptors) as server:
                # The answers are not read: how far the server has come is seen by its events.
                if revision is None:
                    server.send(listen("slow", {"resourceSubscriptions": self.URIS}))
                else:
                    server.send(legacy.initialize("hello", revision), legacy.notification("notifications/initialized"))
                    server.send(
                        *(
                            legacy.request(f"s{i}", "resources/subscribe", {"uri": uri})
                            for i, uri in enumerate(self.URIS)
                        )
                    )
                updates = [Client(server).message("tools/call", {"name": "updated", "arguments": {"uris": self.URIS}}, id=id)
                           for id in range(60)]  # fmt: skip
                for update in updates[:10]:
                    server.send(update)
                server.wait_read()
                before = server.rss()
                for update in updates[10:]:
                    server.send(update)
                server.wait_read()
                self.assertLess(server.rss() - before, 32 * MIB)
                process = subprocess.Popen(["cat"], stdin=output, stdout=relay)
                os.close(output)
                os.close(relay)
                for update in updates:
                    server.answer(update["id"], bound(20))
                self.assertEqual(
                    {uri for _, uri in self.wait_told(server, None if revision else "slow", 1000)}, set(self.URIS)
                )
                self.assertEqual(server.end(), 0)
                process.wait(LONG)


class Legacy(Pipes, unittest.TestCase):
    def subscribe(self, client, uri, verb="subscribe"):
        result = client.ask(f"resources/{verb}", {"uri": uri})["result"]
        self.assertEqual(result, {})

    def test_b064_a_session_is_told_of_what_it_subscribed_to_until_it_does_not_want_it(self):
        for revision in LEGACY:
            with self.subTest(revision=revision), PipeServer(*ALL) as server:
                client = Client(server, revision)
                self.subscribe(client, "test://text")
                self.subscribe(client, "file:///docs/a")
                self.subscribe(client, "test://text")
                self.update(client, "test://bytes", "test://text", "file:///docs/a")
                self.assertEqual(
                    set(self.wait_told(server, None, 2)), {(UPDATED, "test://text"), (UPDATED, "file:///docs/a")}
                )
                self.subscribe(client, "test://text", "unsubscribe")
                self.subscribe(client, "test://text", "unsubscribe")
                self.subscribe(client, "x:never", "unsubscribe")
                self.update(client, "test://text", "file:///docs/a")
                self.assertEqual(self.wait_told(server, None, 3)[2:], [(UPDATED, "file:///docs/a")])
                server.fence()
                self.assertEqual(len(self.wait_told(server, None, 0)), 3)

    def test_b064_a_session_is_told_of_every_list(self):
        for revision in LEGACY:
            with self.subTest(revision=revision), PipeServer(*ALL) as server:
                client = Client(server, revision)
                for count, (kind, heard) in enumerate(
                    (("prompts", "prompts"), ("tools", "tools"), ("resources", "resources"), ("templates", "resources"))
                ):
                    self.change(client, kind)
                    self.assertEqual(self.wait_told(server, None, count + 1)[count:], [(LISTS[heard], None)])

    def test_b064_before_it_is_initialized_a_client_is_told_nothing(self):
        with PipeServer(*ALL) as server:
            server.ask(legacy.initialize("hello"))
            call = legacy.call("c", "offer", {"steps": STEPS["tools"] + STEPS["prompts"]})
            server.ask(call)
            server.ask(legacy.request("s", "resources/subscribe", {"uri": "x:1"}))
            server.ask(legacy.call("u", "updated", {"uris": ["x:1"]}))
            # What is told is told within a moment; a subscription of the new era, which is told the same, says when.
            self.listen(server, "l", {"resourceSubscriptions": ["x:1"]})
            server.ask(legacy.call("v", "updated", {"uris": ["x:1"]}))
            self.wait_told(server, "l")
            server.fence()
            self.assertEqual(list(told(server.frames)), [])
            server.send(legacy.notification("notifications/initialized"))
            server.ask(legacy.call("w", "updated", {"uris": ["x:1"]}))
            self.assertEqual(self.wait_told(server, None), [(UPDATED, "x:1")])

    def test_b064_a_subscription_without_a_uri_is_malformed_and_there_is_a_bound(self):
        with PipeServer(*ALL) as server:
            client = Client(server, "2025-11-25")
            for verb in ("subscribe", "unsubscribe"):
                for params in ({}, {"uri": 5}, {"uri": None}, {"uri": ["x:1"]}):
                    self.assertEqual(client.ask(f"resources/{verb}", params)["error"]["code"], -32602, params)
            messages = [client.message("resources/subscribe", {"uri": f"x:{number}"}) for number in range(1000)]
            server.send(*messages)
            for message in messages:
                self.assertIn("result", server.answer(message["id"]))
            error = client.ask("resources/subscribe", {"uri": "x:1000"})["error"]
            self.assertEqual(error["code"], -32603)
            self.assertIn("1000", error["message"])
            self.subscribe(client, "x:999")
            self.subscribe(client, "x:0", "unsubscribe")
            self.subscribe(client, "x:1000")

    def test_b064_both_eras_on_one_pipe_are_told_each_in_its_own_way(self):
        with PipeServer(*ALL) as server:
            client = Client(server, "2025-06-18")
            self.subscribe(client, "x:1")
            self.listen(server, "l", {"resourceSubscriptions": ["x:1", "x:2"], "toolsListChanged": True})
            self.update(client, "x:1", "x:2")
            self.assertEqual({uri for _, uri in self.wait_told(server, "l", 2)}, {"x:1", "x:2"})
            self.assertEqual(self.wait_told(server, None), [(UPDATED, "x:1")])
            self.change(client, "tools")
            self.assertEqual(self.wait_told(server, "l", 3)[2:], [(LISTS["tools"], None)])
            self.assertEqual(self.wait_told(server, None, 2)[1:], [(LISTS["tools"], None)])
            self.change(client, "prompts")
            self.assertEqual(self.wait_told(server, None, 3)[2:], [(LISTS["prompts"], None)])
            server.fence()
            self.assertEqual(len(self.wait_told(server, "l", 0)), 3)

    def test_b064_where_nothing_is_offered_nothing_can_be_subscribed_to(self):
        with PipeServer() as server:
            client = Client(server, "2025-11-25")
            self.assertNotIn("resources", client.hello["capabilities"])
            for verb in ("subscribe", "unsubscribe"):
                self.assertEqual(client.ask(f"resources/{verb}", {"uri": "x:1"})["error"]["code"], -32601)


if __name__ == "__main__":
    unittest.main()
