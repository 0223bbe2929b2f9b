"""What the specification asks of a server and no field case covers.

Every frame of every test in this folder is held against the shapes of `wire/shapes.py`, so that
required members, types and the `data` of errors need no tests of their own; see `wire/frame.py` and `wire/spec.py`.

| specification | asks | test |
|---|---|---|
| basic: requests | a batch is no message | test_stdio_frames test_b009, test_protocol test_b008_b009 |
| basic: error responses | the id of the request, none where it could not be read | test_stdio_frames test_b008 |
| basic: error codes | none of the range that is not the revision's, none undefined | every frame (wire/frame.py) |
| basic: notifications | MUST NOT be answered | test_stdio_frames test_b008_a_malformed_notification, test_http_guards test_b041 |
| basic: statelessness | nothing carried from one request to the next | test_protocol test_b054_each_request_stands_alone, here |
| basic: schema dialect | unsupported ones refused gracefully | test_schema_inputs test_b071 |
| basic: $ref | never fetched, and rejected | test_schema_inputs test_b069 |
| basic: composition keywords | bounded | test_outputs test_a_schema_without_bounds, here |
| basic: _meta | -32021 with `requiredCapabilities`, 400 | test_protocol Capabilities |
| basic: _meta | serverInfo in every result, unless switched off | test_protocol test_b056 |
| versioning | a modern-only server names its versions to `initialize` | test_protocol test_b053_where_only |
| transports: messages | no requests from the server in the modern era | every frame |
| stdio: messages | one line each, nothing else on stdout | every line (wire/pipe.py), test_stdio_guest |
| stdio: shutdown | exits at end of input | test_stdio_life |
| stdio: cancellation | nothing further for a cancelled request | test_calls_at_once test_b088 |
| http: security | binds to loopback by default | here |
| http: sending | a notification that cannot be accepted is an HTTP error | test_protocol test_b008_a_notification |
| http: receiving | only notifications of the same request before its answer, which ends the stream | test_http_streams, here |
| http: receiving | X-Accel-Buffering on streams, no `id:` | every stream (wire/http.py) |
| http: cancellation | a closed stream cancels its request | test_http_streams test_b028 |
| http: earlier revisions | 405, no session ids, Last-Event-ID ignored | test_http_guards test_b038 |
| cancellation | no `notifications/cancelled` but for a subscription | here |
| cancellation: errors | unknown, late and malformed ones ignored | test_calls_at_once test_b088_a_cancel_of_nothing |
| progress | increases, stops with the answer, is limited in rate | test_progress_and_logs test_b091, here |
| subscriptions | acknowledged first, ended with a result | test_subscriptions, test_http_streams Ending |
| subscriptions | only what was asked for, from the acknowledgement on | test_subscriptions, test_resource_subscriptions |
| mrtr | state sealed and bound, expiring, good for replicas; rounds that come twice | test_asking_state |
| mrtr | only what the request declares is asked; wrong answers are asked again | test_asking, every frame |
| elicitation, sampling, roots | questions as the revision has them | every frame (wire/question_shapes.py) |
| resources: templates | decoded once, no traversal, the closest first | test_resources test_b101 |
| resources: errors | -32602 with the URI; -32002 in older revisions | test_resources test_b096 |
| prompts | required arguments, -32602 | test_prompts test_b096 |
| completion | 100 values at most, `total`, `hasMore`, context | test_prompts Completion |
| tools: capabilities | declared, `listChanged`, list independent of the connection and in a fixed order | test_protocol test_b056, test_lists, here |
| tools: names | recommended rules; case matters | test_outputs test_a_name_keeps, here |
| tools: x-mcp-header | constraints hold at registration | test_outputs test_a_header_annotation |
| tools: result | five kinds of content, structured content with its text twin | test_outputs |
| tools: security | all inputs validated | test_schema_inputs |
| discover | answers to anyone, with versions, capabilities, identity | test_protocol test_b056_discovery |
| pagination | stable cursors, -32602 for others | test_lists test_b098 |
| logging | only on demand, invalid levels -32602 | test_progress_and_logs test_b059 |
| caching | hints on the cacheable results alone, one scope for all pages | test_protocol, test_lists, test_resources test_b056, every frame |
| revisions before: lifecycle | versions negotiated, capabilities of the revision | test_legacy_sessions, test_sessions test_b052 |
| revisions before: batching | 2025-03-26 alone | test_legacy_frames Batches, test_sessions |
| revisions before: requests of the server | declared ones, on the stream of their request, withdrawn with it | test_legacy_asking, test_session_topics |
| revisions before: results | nothing that the revision does not know | test_revisions, every frame |

Besides, from RFC 9110 and 9112: bytes that are no HTTP cost their own connection only (here).
"""

import json
import random
import socket
import time
import unittest

from wire.http import SSE, HttpServer, headers_of
from wire.mutation import mutated
from wire.patience import bound
from wire.pipe import PipeServer, register
from wire.request import call, cancelled, discover, encode, listen, listing, request, text_of


class Scope(unittest.TestCase):
    def test_the_default_is_loopback_alone(self):
        with HttpServer() as server, open("/proc/net/tcp", encoding="ascii") as table:
            wanted = f"{server.port:04X}"
            rows = [line.split() for line in table.read().splitlines()[1:]]
            listening = [row[1] for row in rows if row[3] == "0A" and row[1].endswith(":" + wanted)]
            self.assertEqual(listening, [f"0100007F:{wanted}"])

    def test_ipv6_loopback_can_be_asked_for(self):
        if not socket.has_ipv6:
            self.skipTest("no IPv6 here")
        try:
            socket.create_server(("::1", 0), family=socket.AF_INET6).close()
        except OSError:
            self.skipTest("no IPv6 loopback here")
        with HttpServer("--bind", "::1") as server:
            server.still_serves = False
            with socket.create_connection(("::1", server.port)) as connection:
                body = encode(discover(1))
                head = "".join(f"{name}: {value}\r\n" for name, value in headers_of(discover(1)))
                connection.sendall(
                    f"POST /mcp HTTP/1.1\r\nHost: [::1]:{server.port}\r\nConnection: close\r\n{head}Content-Length: {len(body)}\r\n\r\n".encode()
                    + body
                )
                self.assertTrue(connection.makefile("rb").read().startswith(b"HTTP/1.1 200"))

    def test_the_list_is_the_same_on_every_connection_and_over_both_transports(self):
        with HttpServer() as web, PipeServer() as server:
            lists = [json.dumps(web.post(listing(1)).result["tools"]) for _ in range(3)]
            lists.append(json.dumps(server.ask(listing(1))["result"]["tools"]))
            web.post(call(2, "touch"))
            lists.append(json.dumps(web.post(listing(1)).result["tools"]))
            self.assertEqual(len(set(lists)), 1)

    def test_names_of_tools_keep_their_case(self):
        definitions = [json.dumps({"name": name, "inputSchema": {"type": "object"}}) for name in ("Case", "case")]
        with PipeServer("--tool", "echo", definitions[0], "--tool", "touch", definitions[1]) as server:
            self.assertEqual(text_of(server.ask(call(1, "Case"))), "{}")
            self.assertEqual(text_of(server.ask(call(2, "case"))), "touched")
            self.assertEqual(server.ask(call(3, "CASE"))["error"]["code"], -32602)

    def test_a_tool_of_the_same_name_replaces_the_first(self):
        first, second = (
            {"name": "same", "title": title, "inputSchema": {"type": "object"}} for title in ("First", "Second")
        )
        with PipeServer(
            "--bare", "1", "--tool", "echo", json.dumps(first), "--tool", "touch", json.dumps(second)
        ) as server:
            self.assertEqual(server.ask(listing(1))["result"]["tools"], [second])
            self.assertEqual(text_of(server.ask(call(2, "same"))), "touched")

    def test_parameters_that_a_method_does_not_know_are_ignored(self):
        with PipeServer() as server:
            for id, message in enumerate((
                request("a", "server/discover", {"extra": 1}), request("b", "tools/list", {"extra": {}}),
                request("c", "tools/call", {"name": "touch", "arguments": {}, "task": {"ttl": 1}, "extra": None}),
            )):  # fmt: skip
                self.assertIn("result", server.ask(message), id)


class Notifications(unittest.TestCase):
    def test_a_handler_that_talks_on_after_its_answer_is_not_heard(self):
        with PipeServer() as server, HttpServer() as web:
            message = call(1, "chatter", token="t", log="debug")
            server.ask(message)
            server.wait_event("chatted")
            server.fence()
            self.assertEqual([frame.get("method") for frame in server.frames[:2]], ["notifications/progress", None])
            self.assertEqual(len(server.frames), 3)
            self.assertEqual(
                [frame.get("method") for frame in web.post(message).messages], ["notifications/progress", None]
            )
            web.wait_event("chatted")

    def test_a_server_cancels_nothing_but_subscriptions(self):
        with PipeServer("--option", "drain_ms=300") as server:
            server.send(call(1, "beat", {"ms": 20000, "tag": "a"}), call(2, "beat", {"ms": 20000, "tag": "b"}))
            server.wait_event("beat b")
            server.send(cancelled(1))
            server.fence()
            server.end(bound(3))
            self.assertEqual(server.notifications("notifications/cancelled"), [])

    def test_notifications_of_one_request_never_reach_another_stream(self):
        with HttpServer() as server:
            with server.listening(listen(1, {"toolsListChanged": True}, token="l")) as stream:
                stream.event()
                message = call(2, "progress", {"values": [1, 2, 3], "ms": 30}, token="t")
                other = call(2, "nap", {"ms": 100, "tag": "o"}, token="o")
                connection = server.connect()
                connection.request("POST", "/mcp", headers_of(other), encode(other))
                frames = server.post(message).messages
                self.assertEqual({frame["params"]["progressToken"] for frame in frames[:-1]}, {"t"})
                self.assertEqual(len(connection.response().messages(method="tools/call")), 1)
                connection.close()
                self.assertTrue(stream.quiet(0.1))


class Bounds(unittest.TestCase):
    def test_composition_that_multiplies_is_bounded_at_registration_or_in_time(self):
        branch = {"type": "object", "properties": {"v": {"type": "integer"}}}
        for _ in range(40):
            branch = {"anyOf": [branch, branch]} if len(json.dumps(branch)) < 1 << 20 else branch
        answer = register({"name": "wide", "inputSchema": {"type": "object", "allOf": [branch]}})[0]
        self.assertLess(answer["status"], 0)
        doubling = {
            f"d{n}": {"anyOf": [{"$ref": f"#/$defs/d{n + 1}"}, {"$ref": f"#/$defs/d{n + 1}"}]} for n in range(18)
        }
        doubling["d18"] = {"type": "integer"}
        schema = {"type": "object", "$defs": doubling, "properties": {"v": {"$ref": "#/$defs/d0"}}}
        if register({"name": "doubling", "inputSchema": schema})[0]["status"] == 0:
            with PipeServer("--tool", "touch", json.dumps({"name": "doubling", "inputSchema": schema})) as server:
                server.send(call(1, "doubling", {"v": "no"}))
                self.assertIn("result", server.ask(discover(2), bound(5)))
                server.answer(1, bound(10))

    def test_a_pattern_that_backtracks_for_ever_does_not(self):
        schema = {"type": "object", "properties": {"v": {"type": "string", "pattern": "^(a+)+$"}}}
        with PipeServer("--tool", "touch", json.dumps({"name": "evil", "inputSchema": schema})) as server:
            self.assertIs(server.ask(call(1, "evil", {"v": "a" * 40 + "!"}), bound(2))["result"]["isError"], True)
            self.assertEqual(text_of(server.ask(call(2, "evil", {"v": "a" * 40}), bound(2))), "touched")


class Garbage(unittest.TestCase):
    def test_bytes_that_are_no_http_cost_their_own_connection_only(self):
        noise = random.Random(64)
        with HttpServer() as server:
            for data in (
                b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(64),
                b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(200),
                b"GET / HTTP/9.9\r\n\r\n",
                b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n",
                b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
                b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
                b"POST /mcp HTTP/1.1\r\nHost: localhost\r\n" + b"X-Long: " + b"a" * 2_000_000 + b"\r\n\r\n",
                b"POST /mcp HTTP/1.1\r\nHost: localhost\r\n"
                + b"".join(b"X-%d: y\r\n" % number for number in range(2000))
                + b"\r\n",
                b'{"jsonrpc":"2.0","id":1,"method":"server/discover"}\n',
                *(noise.randbytes(300) for _ in range(20)),
            ):
                connection = server.connect()
                try:
                    connection.write(data)
                    connection.socket.shutdown(socket.SHUT_WR)
                    connection.socket.settimeout(bound(5))
                    head = connection.socket.recv(64)
                    self.assertFalse(head.startswith(b"HTTP/1.1 2"), data[:60])
                except OSError:
                    pass
                connection.close()
            self.assertIn("result", server.post(discover(1), within=bound(1)).last)

    def test_half_a_request_holds_up_nobody(self):
        with HttpServer() as server:
            slow = [server.connect() for _ in range(20)]
            for connection in slow:
                connection.write(b"POST /mcp HTTP/1.1\r\nHost: local")
            self.assertIn("result", server.post(discover(1), within=bound(1)).last)
            for connection in slow:
                connection.close()

    SEEDS = (
        discover(1),
        listing("x"),
        call(2, "echo", {"a": [1, {"b": "c"}]}, token="t", log="debug"),
        call(3, "typed", {"v": 1.5}),
        request(4, "resources/read", {"uri": "file:///docs/a%20b"}),
        request(5, "prompts/get", {"name": "greet", "arguments": {"who": "x"}}),
        request(
            6,
            "completion/complete",
            {"ref": {"type": "ref/prompt", "name": "greet"}, "argument": {"name": "who", "value": "b"}},
        ),
        request(
            7,
            "tools/call",
            {
                "name": "name",
                "inputResponses": {"name": {"action": "accept", "content": {"name": "x"}}},
                "requestState": "AX",
            },
        ),
        listen(8, {"resourceSubscriptions": ["x:1"], "toolsListChanged": True}),
        cancelled(8),
        cancelled(9),
    )

    def test_mutated_messages_over_stdio_never_break_the_conversation(self):
        noise = random.Random(2026)
        with PipeServer("--everything", "1") as server:
            began = time.monotonic()
            for _ in range(40):
                server.write(b"".join(mutated(noise, encode(noise.choice(self.SEEDS))) + b"\n" for _ in range(50)))
                self.assertIn("result", server.fence())
            self.assertLess(time.monotonic() - began, bound(20))

    def test_mutated_messages_over_http_always_get_a_proper_answer(self):
        noise = random.Random(728)
        with HttpServer("--everything", "1") as server:
            for _ in range(400):
                message = noise.choice(self.SEEDS)
                body = mutated(noise, encode(message))
                connection = server.connect()
                connection.request("POST", "/mcp", headers_of(message), body)
                response = connection.response()
                self.assertIn(response.status, (200, 202, 400, 404), body)
                if response.media_type() == SSE:
                    # It may be a subscription, which has no end.
                    self.assertTrue(response.event(bound(5)), body)
                elif response.status != 202:
                    self.assertTrue(response.messages(bound(5)), body)
                connection.close()


if __name__ == "__main__":
    unittest.main()
