"""The revisions before 2026-07-28 over pipes: how a session begins, what it can do, and two eras on one pipe (B050, B052,
B059, B088, B091, B093)."""

import json
import unittest

from wire import legacy
from wire.client import Client
from wire.patience import bound
from wire.pipe import PipeServer
from wire.request import PREFIX, call, cancelled, discover, meta, request, text_of
from wire.shapes import LEGACY, LEVELS, LISTS, MODERN

ALL = ("--everything", "1")
NEWEST = LEGACY[-1]


class Beginning(unittest.TestCase):
    def test_b052_a_revision_that_is_known_is_agreed_on_and_else_the_newest_of_its_era(self):
        cases = [(version, version) for version in LEGACY]
        cases += [
            (version, NEWEST)
            for version in (MODERN, "2099-01-01", "2024-11-04", "1.0", "", "2025-06-18 ", "DRAFT-2025-v1")
        ]
        for asked, agreed in cases:
            with self.subTest(asked=asked), PipeServer(*ALL) as server:
                # The answer is held against the shape of the revision that is expected.
                result = server.greet(asked)
                self.assertEqual(result["protocolVersion"], agreed)
                self.assertIn("result", server.ask(legacy.request(1, "tools/list")))

    def test_b052_without_a_version_there_is_no_session_and_a_second_try_makes_one(self):
        with PipeServer(*ALL) as server:
            for id, params in enumerate(({}, {"protocolVersion": 5}, {"protocolVersion": None}, {"protocolVersion": [NEWEST]},
                                         {"protocolVersion": NEWEST, "capabilities": []}, {"protocolVersion": NEWEST, "capabilities": "x"})):  # fmt: skip
                message = legacy.request(id, "initialize", params)
                self.assertEqual(server.ask(message)["error"]["code"], -32602, params)
            self.assertEqual(server.ask(legacy.request("no params", "initialize"))["error"]["code"], -32602)
            large = legacy.initialize("large", NEWEST, {"experimental": {"x": {"y": "z" * 70_000}}})
            self.assertEqual(server.ask(large)["error"]["code"], -32602)
            self.assertEqual(server.greet("2025-03-26")["protocolVersion"], "2025-03-26")

    def test_b052_the_server_describes_itself_as_far_as_the_revision_knows(self):
        options = ("--title", "Field", "--instructions", "Use « well ».", "--option", "description=D", "--option",
                   "website_url=https://example.com", "--option", 'icons=[{"src":"https://example.com/i.png"}]')  # fmt: skip
        for revision in LEGACY:
            with self.subTest(revision=revision), PipeServer(*ALL, *options) as server:
                result = server.greet(revision)
                wanted = {"name": "field", "version": "1.0.0"}
                if revision >= "2025-06-18":
                    wanted["title"] = "Field"
                if revision >= "2025-11-25":
                    wanted.update(
                        description="D", websiteUrl="https://example.com", icons=[{"src": "https://example.com/i.png"}]
                    )
                self.assertEqual(result["serverInfo"], wanted)
                self.assertEqual(result["instructions"], "Use « well ».")
                capabilities = {
                    "tools": {"listChanged": True}, "prompts": {"listChanged": True}, "logging": {},
                    "resources": {"subscribe": True, "listChanged": True},
                }  # fmt: skip
                if revision >= "2025-03-26":
                    capabilities["completions"] = {}
                self.assertEqual(result["capabilities"], capabilities)

    def test_b050_a_probe_before_initialize_costs_nothing(self):
        with PipeServer() as server:
            probes = [discover(1), legacy.request(2, "server/discover"), legacy.request(3, "tools/list"), legacy.request(4, "x/y"),
                      legacy.notification("notifications/initialized"), legacy.notification("x"), cancelled(9)]  # fmt: skip
            server.send(*probes, legacy.initialize("hello", "2025-06-18"))
            self.assertIn("supportedVersions", server.answer(1)["result"])
            for id in (2, 3, 4):
                self.assertIn(server.answer(id)["error"]["code"], (-32602, -32601))
            self.assertEqual(server.answer("hello")["result"]["protocolVersion"], "2025-06-18")
            self.assertIn("initialize", server.answer(3)["error"]["message"])

    def test_b052_a_session_is_initialized_once(self):
        with PipeServer() as server:
            server.greet("2025-06-18")
            error = server.ask(legacy.initialize("again", "2024-11-05"))["error"]
            self.assertEqual(error["code"], -32600)
            self.assertIn("initialized", error["message"])
            # It goes on as it was: the shapes are those of its revision.
            content = server.ask(legacy.call(1, "content"))["result"]["content"]
            self.assertIn("resource_link", [block["type"] for block in content])

    def test_requests_may_follow_at_once(self):
        for revision in LEGACY:
            with PipeServer() as server:
                server.send(legacy.initialize("hello", revision), legacy.notification("notifications/initialized"),
                            legacy.request(1, "ping"), legacy.call(2, "echo", {"a": 1}))  # fmt: skip
                self.assertEqual(server.answer(1)["result"], {})
                self.assertEqual(text_of(server.answer(2)), '{"a":1}')
                self.assertEqual([frame["id"] for frame in server.frames[:2]], ["hello", 1])

    def test_b010_b011_the_end_of_input_ends_a_session_once_all_is_answered(self):
        with PipeServer(*ALL) as server:
            server.greet(NEWEST)
            server.send(*(legacy.call(id, "nap", {"ms": 100, "tag": str(id)}) for id in range(3)))
            self.assertEqual(server.end(bound(3)), 0)
            self.assertEqual([text_of(server.answers(id)[0]) for id in range(3)], ["0", "1", "2"])


class Serving(unittest.TestCase):
    def test_b039_what_the_session_does_not_offer_is_an_unknown_method(self):
        with PipeServer("--bare", "1", "--option", "logging=false") as server:
            client = Client(server, NEWEST)
            self.assertEqual(client.hello["capabilities"], {})
            for method in (*LISTS, "tools/call", "prompts/get", "resources/read", "resources/subscribe", "completion/complete",
                           "logging/setLevel", "foo/bar", "tasks/list", "notifications/initialized"):  # fmt: skip
                self.assertEqual(
                    client.ask(method, {"uri": "x:1", "name": "x", "level": "info"})["error"]["code"], -32601, method
                )
            self.assertEqual(client.ask("ping")["result"], {})
            server.send(legacy.notification("notifications/foo"), legacy.notification("tools/call"))
            server.fence()

    def test_the_methods_of_the_modern_era_are_not_those_of_a_session(self):
        with PipeServer(*ALL) as server:
            server.greet(NEWEST)
            for id, method in enumerate(("server/discover", "subscriptions/listen")):
                self.assertEqual(server.ask(legacy.request(id, method, {"notifications": {}}))["error"]["code"], -32602)

    def test_parameters_that_are_no_object_are_invalid(self):
        with PipeServer(*ALL) as server:
            server.greet(NEWEST)
            for id, params in enumerate((["a"], "x", 5, None, True)):
                answer = server.ask({"jsonrpc": "2.0", "id": id, "method": "tools/list", "params": params})
                self.assertIn(
                    answer.get("error", {}).get("code", -32602 if params is not None else None), (-32602, None)
                )

    def test_b059_a_session_is_logged_to_from_its_level_on(self):
        for revision in LEGACY:
            with self.subTest(revision=revision), PipeServer(*ALL, "--option", "logs_per_second=0") as server:
                client = Client(server, revision)
                for level in (None, *reversed(LEVELS), "error"):
                    if level is not None:
                        self.assertEqual(client.ask("logging/setLevel", {"level": level})["result"], {})
                    seen = len(server.frames)
                    client.text("logs", {"tag": level})
                    told = [
                        frame["params"]
                        for frame in server.frames[seen:]
                        if frame.get("method") == "notifications/message"
                    ]
                    self.assertEqual([one["level"] for one in told], list(LEVELS[LEVELS.index(level or "info") :]))
                    self.assertEqual({one["logger"] for one in told}, {"field"})
                    self.assertIn("id", server.frames[-1], "a message after the answer")

    def test_b059_a_level_that_is_none_is_invalid_and_changes_nothing(self):
        with PipeServer(*ALL) as server:
            client = Client(server, NEWEST)
            client.ask("logging/setLevel", {"level": "emergency"})
            for params in (
                {},
                {"level": "bogus"},
                {"level": "WARNING"},
                {"level": 3},
                {"level": None},
                {"level": ["info"]},
            ):
                error = client.ask("logging/setLevel", params)["error"]
                self.assertEqual(error["code"], -32602)
                self.assertIn("warning", error["message"])
            client.text("logs")
            self.assertEqual(len(server.notifications("notifications/message")), 1)

    def test_b091_the_token_comes_back_with_its_type_and_without_one_there_is_no_progress(self):
        for revision in LEGACY:
            with self.subTest(revision=revision), PipeServer(*ALL) as server:
                client = Client(server, revision)
                for token in (0, "", "0", 7, -1, "x" * 1000):
                    seen = len(server.frames)
                    client.call("progress", {"values": [1, 2.5], "message": "step", "total": 3}, token=token)
                    told = [
                        frame["params"]
                        for frame in server.frames[seen:]
                        if frame.get("method") == "notifications/progress"
                    ]
                    self.assertEqual(
                        [(one["progressToken"], type(one["progressToken"])) for one in told], [(token, type(token))] * 2
                    )
                    self.assertEqual([one["progress"] for one in told], [1, 2.5])
                    self.assertEqual(
                        [one.get("message") for one in told], ["step" if revision >= "2025-03-26" else None] * 2
                    )
                seen = len(server.frames)
                client.call("progress", {"values": [1, 2]})
                self.assertEqual(len(server.frames), seen + 1)
                for token in (1.5, {}, [], True):
                    message = client.message("tools/call", {"name": "touch", "_meta": {"progressToken": token}})
                    answer = client.exchange(message)
                    self.assertIn(answer.get("error", {}).get("code"), (None, -32602))

    def test_b088_a_cancelled_call_is_never_answered_and_its_id_is_free(self):
        for revision in LEGACY:
            with self.subTest(revision=revision), PipeServer(*ALL) as server:
                server.greet(revision)
                for name in ("beat", "beat_async", "nap"):
                    server.send(
                        legacy.call(
                            9, name, {"ms": 400 if name == "nap" else 30000, "tag": name, "progress": True}, token=1
                        )
                    )
                    server.wait_event(f"{'napping' if name == 'nap' else 'beat'} {name}")
                    server.send(cancelled(9))
                    server.wait_event(f"{'napped' if name == 'nap' else 'cancelled'} {name} -12", bound(3))
                    seen = len(server.frames)
                    server.fence()
                    self.assertEqual(len(server.frames), seen + 1)
                self.assertEqual(server.answers(9), [])
                self.assertEqual(text_of(server.ask(legacy.call(9, "touch"))), "touched")

    def test_b093_an_id_in_use_is_refused_in_the_way_of_the_revision(self):
        for revision in LEGACY:
            with self.subTest(revision=revision), PipeServer(*ALL) as server:
                server.greet(revision)
                server.send(legacy.call(1, "nap", {"ms": 300, "tag": "first"}))
                server.wait_event("napping first")
                server.send(legacy.call(1, "touch"), legacy.call("1", "echo", {"x": 1}))
                self.assertEqual(text_of(server.answer(1)), "first")
                self.assertEqual(text_of(server.answer("1")), '{"x":1}')
                server.fence()
                # Up to 2025-06-18 an error has an id, and that of the first would be taken for its answer.
                self.assertEqual(
                    [error["error"]["code"] for error in server.anonymous()], [-32600] * (revision == NEWEST)
                )
                self.assertEqual(text_of(server.ask(legacy.call("c", "count"))), "0")

    def test_b094_b095_a_handler_that_misbehaves_costs_its_own_call_only(self):
        for revision in LEGACY:
            with self.subTest(revision=revision), PipeServer(*ALL) as server:
                client = Client(server, revision)
                self.assertEqual(client.call("unfinished")["error"]["code"], -32603)
                self.assertEqual(client.text("twice"), "first")
                error = client.call("fault", {"code": 77, "message": "m", "data": {"a": [1, None]}})["error"]
                self.assertEqual(error, {"code": 77, "message": "m", "data": {"a": [1, None]}})
                for code in (-32000, -32002, -32021, -32042, -32700, -32600, -32601):
                    client.call("fault", {"code": code})
                    server.wait_event("refused -2")
                result = client.call("tool_error", {"message": "no such city"})["result"]
                self.assertEqual(result, {"content": [{"type": "text", "text": "no such city"}], "isError": True})

    def test_b096_what_is_wrong_with_a_call_is_told_in_the_way_of_the_revision(self):
        schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
        options = ("--tool", "touch", json.dumps({"name": "strict", "inputSchema": schema}))
        for revision in LEGACY:
            with self.subTest(revision=revision), PipeServer(*ALL, *options) as server:
                client = Client(server, revision)
                for params in (
                    {},
                    {"name": "nobody"},
                    {"name": 5},
                    {"name": "strict", "arguments": []},
                    {"name": "strict", "arguments": 5},
                ):
                    self.assertEqual(client.ask("tools/call", params)["error"]["code"], -32602, params)
                for arguments in ({}, {"n": "5"}, {"n": 1.5}, {"n": None}):
                    answer = client.call("strict", arguments)
                    if revision < "2025-11-25":
                        self.assertEqual(answer["error"]["code"], -32602)
                        said = answer["error"]["message"]
                    else:
                        self.assertIs(answer["result"]["isError"], True)
                        said = text_of(answer)
                    self.assertRegex(said, "n")
                self.assertEqual(client.text("count"), "0")


class BothEras(unittest.TestCase):
    def test_both_eras_share_a_pipe_each_message_by_its_own_rules(self):
        for revision in LEGACY:
            with self.subTest(revision=revision), PipeServer(*ALL) as server:
                old, new = Client(server, revision), Client(server)
                messages = []
                for _ in range(20):
                    messages += [
                        old.message("tools/call", {"name": "content"}),
                        new.message("tools/call", {"name": "content"}),
                    ]
                    messages += [
                        old.message("resources/list"),
                        new.message("resources/list"),
                        old.message("ping"),
                        new.message("server/discover"),
                    ]
                server.send(*messages)
                for message in messages:
                    # Each answer is held against the shape of its own revision.
                    result = server.answer(message["id"])["result"]
                    self.assertEqual("resultType" in result, "_meta" in message.get("params", {}))

    def test_b059_the_level_of_a_session_and_that_of_a_request_are_two(self):
        with PipeServer(*ALL) as server:
            old, new = Client(server, NEWEST), Client(server)
            old.ask("logging/setLevel", {"level": "emergency"})

            def logged(client, **named):
                seen = len(server.frames)
                client.call("logs", **named)
                return sum(frame.get("method") == "notifications/message" for frame in server.frames[seen:])

            self.assertEqual(logged(new), 0)
            self.assertEqual(logged(new, **{PREFIX + "logLevel": "debug"}), 8)
            self.assertEqual(logged(old), 1)
            old.ask("logging/setLevel", {"level": "debug"})
            self.assertEqual(logged(new), 0)
            self.assertEqual(logged(old), 8)

    def test_a_handler_learns_the_revision_and_the_capabilities_of_its_own_request(self):
        for revision in LEGACY:
            with PipeServer(*ALL) as server:
                old = Client(server, revision, {"roots": {"listChanged": True}, "experimental": {"x": {}}})
                new = Client(server, capabilities={"sampling": {}})
                seen = json.loads(old.text("context", token="t"))
                self.assertEqual((seen["protocolVersion"], seen["meta"]), (revision, {"progressToken": "t"}))
                self.assertEqual(
                    seen["clientCapabilities"], {"roots": {"listChanged": True}, "experimental": {"x": {}}}
                )
                seen = json.loads(new.text("context"))
                self.assertEqual((seen["protocolVersion"], seen["clientCapabilities"]), (MODERN, {"sampling": {}}))

    def test_b093_an_id_in_use_is_in_use_in_both_eras(self):
        with PipeServer(*ALL) as server:
            server.greet(NEWEST)
            server.send(legacy.call(1, "nap", {"ms": 200, "tag": "old"}))
            server.wait_event("napping old")
            server.send(call(1, "touch"))
            self.assertEqual(server.wait_anonymous(1)[0]["error"]["code"], -32600)
            self.assertEqual(text_of(server.answer(1)), "old")
            self.assertEqual(
                server.ask(request(2, "tools/call", {"name": "count"}, meta()))["result"]["content"][0]["text"], "0"
            )


if __name__ == "__main__":
    unittest.main()
