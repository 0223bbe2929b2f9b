"""The older revisions over HTTP: what is true of messages, headers and handlers whatever the session does (B001, B020, B022,
B024, B026, B027, B035, B062, B088, B094 to B096)."""

import json
import unittest

from wire import legacy
from wire.client import Client
from wire.http import JSON, SSE, HttpServer
from wire.patience import bound
from wire.questions import EVERYTHING, ROOTS, answer, form, questions, sampling, url
from wire.request import encode, text_of
from wire.session import BOTH, Session
from wire.shapes import LEGACY

ALL = ("--everything", "1")
NEWEST = LEGACY[-1]
MIB = 1 << 20


class Transport(unittest.TestCase):
    def test_b024_json_is_json_with_any_parameter_and_nothing_else_is(self):
        with HttpServer() as server:
            for revision in LEGACY:
                session = Session(server, revision)
                for media, status in (("application/json; charset=utf-8", 200), ('Application/JSON;charset="UTF-8"', 200), ("text/plain", 415),
                                      ("application/x-www-form-urlencoded", 415), ("", 415)):  # fmt: skip
                    connection = server.connect()
                    headers = [*session.headers(), ("Content-Type", media)]
                    connection.request("POST", "/mcp", headers, encode(legacy.call(1, "touch")))
                    self.assertEqual(connection.response().status, status, media)
                    connection.close()
                self.assertEqual(session.post(legacy.call(2, "count")).text, str(2 * (LEGACY.index(revision) + 1)))

    def test_b026_an_answer_comes_in_any_type_that_is_acceptable(self):
        with HttpServer() as server:
            session = Session(server)
            quiet = legacy.call(1, "touch")
            for accept in (
                None,
                "*/*",
                "application/*, text/event-stream;q=0.5",
                BOTH,
                "APPLICATION/JSON, text/event-stream",
                JSON,
            ):
                # A connection that closes does not end its request, so that each has an id of its own.
                for message in (
                    legacy.call(f"q{accept}", "touch"),
                    legacy.call(f"t{accept}", "progress", {"values": [1]}, token="t"),
                ):
                    connection, response = session.send(message, accept=accept)
                    self.assertEqual(response.status, 200, accept)
                    self.assertIn(response.media_type(), (JSON,) if accept == JSON else (JSON, SSE))
                    connection.close()
            connection, response = session.send(quiet, accept="text/html")
            self.assertEqual(response.status, 406)
            connection.close()

    def test_b027_a_slash_at_the_end_changes_nothing(self):
        with HttpServer() as server:
            session = Session(server)
            for path in ("/mcp", "/mcp/", "/mcp?x=1"):
                server.path = path
                self.assertEqual(session.post(legacy.call(1, "touch")).text, "touched")
                with session.listen() as stream:
                    self.assertEqual(stream.response.status, 200)
            server.path = "/elsewhere"
            self.assertEqual((session.status("POST"), session.status("GET")), (404, 404))
            server.path = "/mcp"

    def test_b022_an_allowed_host_gets_in(self):
        with HttpServer("--host", "api.example.test") as server:
            session = Session(server)
            for host, status in (
                ("api.example.test", 200),
                ("API.example.test:8443", 200),
                ("127.0.0.1", 200),
                ("other.test", 403),
            ):
                self.assertEqual(session.post(legacy.call(1, "touch"), change={"Host": host}).status, status)

    def test_b035_bodies_within_the_limit_are_served_and_larger_ones_are_413(self):
        with HttpServer("--option", f"max_message_bytes={4 * MIB}") as server:
            session = Session(server)
            reply = session.post(legacy.call(1, "say", {"value": "x" * (3 * MIB)}))
            self.assertEqual(len(reply.text), 3 * MIB)
            for chunked in (False, True):
                connection = server.connect()
                body = encode(legacy.call(1, "say", {"value": "x" * (5 * MIB)}))
                headers = [*session.headers(), ("Content-Type", JSON)]
                if chunked:
                    headers.append(("Transfer-Encoding", "chunked"))
                    body = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
                try:
                    connection.request("POST", "/mcp", headers, body)
                except (BrokenPipeError, ConnectionResetError):
                    pass
                self.assertEqual(connection.response().status, 413)
                connection.close()
            self.assertEqual(session.post(legacy.call(2, "touch")).text, "touched")
            self.assertEqual(len(session.post(legacy.call(3, "big", {"bytes": 12 * MIB})).text), 12 * MIB)

    def test_b001_b020_bytes_that_are_no_message_cost_their_request_only(self):
        with HttpServer() as server:
            session = Session(server)
            call = encode(legacy.call(1, "touch", {"v": "X"}))
            for body in (
                b"\xff\xfe",
                call.replace(b'"X"', b'"\xc3\x28"'),
                b"[" * 100_000,
                call.replace(b'"X"', b'{"a":' * 10_000 + b"1" + b"}" * 10_000),
            ):
                self.assertEqual(session.post(body).status, 400)
            for value in (b"7" * 5000, b'"\\ud800"', b"1e400"):
                connection, response = session.send(call.replace(b'"X"', value))
                self.assertIn(response.status, (200, 400))
                connection.close()
            # A mark in front of a message is no part of it.
            self.assertEqual(session.post(b"\xef\xbb\xbf" + encode(legacy.call(1, "echo", {"a": 1}))).last["id"], 1)


class Handlers(unittest.TestCase):
    def test_b094_b095_b096_failures_are_told_in_the_way_of_the_revision(self):
        schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
        with HttpServer(*ALL, "--tool", "touch", json.dumps({"name": "strict", "inputSchema": schema})) as server:
            for revision in LEGACY:
                session = Session(server, revision)
                outcomes = {}
                for number, (method, params) in enumerate((
                    ("tools/call", {"name": "nobody"}), ("tools/call", {}), ("tools/call", {"name": "strict", "arguments": {}}),
                    ("tools/call", {"name": "unfinished"}), ("tools/call", {"name": "fault", "arguments": {"code": 77}}),
                    ("prompts/get", {"name": "nobody"}), ("prompts/get", {"name": "greet"}),
                    ("resources/read", {"uri": "x:nowhere"}), ("resources/read", {}),
                )):  # fmt: skip
                    outcomes[number] = session.ask(number, method, params).outcome()
                codes = [
                    -32602,
                    -32602,
                    None if revision == NEWEST else -32602,
                    -32603,
                    77,
                    -32602,
                    -32602,
                    -32002,
                    -32602,
                ]
                self.assertEqual(list(outcomes.values()), [(200, code) for code in codes], revision)

    def test_b062_what_was_not_declared_is_not_asked(self):
        with HttpServer(*ALL) as server:
            for question, capabilities, named in (
                (ROOTS, {}, "roots"), (sampling(), {"roots": {}}, "sampling"), (form(), {}, "elicitation"),
                (url(), {"elicitation": {}}, "elicitation"),
            ):  # fmt: skip
                client = Client(server, NEWEST, capabilities)
                result = client.call("ask", questions(k=question))["result"]
                self.assertIs(result["isError"], True)
                self.assertIn(named, result["content"][0]["text"])

    def test_questions_come_before_the_answer_on_its_own_stream(self):
        with HttpServer(*ALL) as server:
            for revision in ("2025-06-18", NEWEST):
                client = Client(server, revision, EVERYTHING, answer)
                self.assertEqual(client.text("rounds", {"rounds": 10}), "11")
                self.assertEqual(client.rounds, 10)
                self.assertEqual(client.text("name"), "yes please")
                self.assertEqual(
                    text_of(client.call("ask", {**questions(a=form(), b=ROOTS), "early": True}))[:5], '{"a":'
                )

    def test_b088_a_call_that_is_cancelled_while_it_asks_takes_its_question_back(self):
        with HttpServer(*ALL) as server:
            session = Session(server, NEWEST, EVERYTHING)
            with session.listen() as heard:
                stream = session.stream(legacy.call(1, "ask", questions(k=ROOTS)))
                asked = stream.event(bound(2))
                self.assertEqual(asked["method"], "roots/list")
                self.assertEqual(session.cancel(1), 202)
                told = heard.event(bound(2))
                self.assertEqual(
                    (told["method"], told["params"]["requestId"]), ("notifications/cancelled", asked["id"])
                )
                self.assertEqual(session.answer(asked, {"roots": []}), 202)
                self.assertEqual([one for one in stream.messages(bound(2)) if "id" in one], [])
                stream.close()
            self.assertEqual(session.ask(1, "ping").result, {})

    def test_b096_lists_reads_prompts_and_completions_are_those_of_the_pipe(self):
        # The differences between revisions are tried in test_revisions.py, over both transports.
        with HttpServer(*ALL, "--option", "page_size=3") as server:
            for revision in LEGACY:
                client = Client(server, revision)
                for method, member in (("tools/list", "tools"), ("resources/list", "resources"), ("prompts/list", "prompts"),
                                       ("resources/templates/list", "resourceTemplates")):  # fmt: skip
                    names = [item["name"] for item in client.listed(method, member)]
                    self.assertGreater(len(names), 5)
                    self.assertEqual(client.ask(method, {"cursor": "bogus"})["error"]["code"], -32602)
                self.assertEqual(client.read("file:///docs/a%2Fb")["error"]["code"], -32002)
                self.assertEqual(
                    client.complete("greet", "style", "b")["result"]["completion"]["values"], ["black", "blue"]
                )


if __name__ == "__main__":
    unittest.main()
