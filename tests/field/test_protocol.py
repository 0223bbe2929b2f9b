"""2026-07-28: versions, `_meta`, result fields, statuses (B008, B009, B020, B039, B053, B054, B056)."""

import json
import unittest

from wire import legacy
from wire.http import HttpServer, headers_of
from wire.patience import bound
from wire.pipe import PipeServer
from wire.request import PREFIX, VERSION, call, discover, encode, listing, meta, request, text_of

UNSUPPORTED = (
    "1999-01-01",
    "2025-11-25",
    "2026-07-27",
    "2026-07-29",
    "9999-12-31",
    "2026-7-28",
    "2026-07-28 ",
    "v999.0.0",
    "2026-07-28\u0000",
    "２026-07-28",
)


class Versions(unittest.TestCase):
    def assert_unsupported(self, message, requested, supported):
        error = message["error"]
        self.assertEqual(error["code"], -32022)
        self.assertEqual(error["data"]["requested"], requested)
        self.assertEqual(error["data"]["supported"], supported)

    def test_b053_a_version_is_supported_or_refused_with_the_list_over_stdio(self):
        with PipeServer() as server:
            supported = server.ask(discover(0))["result"]["supportedVersions"]
            self.assertEqual(supported, [VERSION])
            for id, version in enumerate((*UNSUPPORTED, " 2026-07-28", ""), 1):
                for method in ("tools/list", "server/discover", "tools/call", "subscriptions/listen", "nonexistent"):
                    with self.subTest(version=version, method=method):
                        answer = server.ask(request(f"{method} {id}", method, {"name": "touch"}, meta(version=version)))
                        self.assert_unsupported(answer, version, supported)
            self.assertEqual(text_of(server.ask(call("c", "count"))), "0")

    def test_b053_a_version_is_supported_or_refused_with_the_list_over_http(self):
        with HttpServer() as server:
            for version in (
                "1999-01-01",
                "2025-11-25",
                "2026-07-27",
                "2026-07-29",
                "9999-12-31",
                "2026-7-28",
                "v999.0.0",
            ):
                with self.subTest(version=version):
                    reply = server.post(call(3, "touch", version=version))
                    self.assertEqual(reply.status, 400)
                    self.assert_unsupported(reply.last, version, [VERSION])
                    self.assertEqual(reply.last["id"], 3)
            # White space around a header is no part of it and an empty one is as good as none, so these cannot agree.
            for version in (" 2026-07-28", ""):
                reply = server.post(call(3, "touch", version=version))
                self.assertEqual(reply.status, 400)
                self.assertIn(reply.error["code"], (-32022, -32020))
            self.assertEqual(server.post(call(1, "count")).text, "0")

    def test_b053_no_method_of_an_earlier_revision_is_left(self):
        gone = (
            "initialize",
            "ping",
            "logging/setLevel",
            "resources/subscribe",
            "resources/unsubscribe",
            "tasks/get",
            "roots/list",
            "sampling/createMessage",
        )
        with PipeServer() as server:
            for method in gone:
                self.assertEqual(server.ask(request(method, method))["error"]["code"], -32601, method)
        with HttpServer() as server:
            for method in gone:
                self.assertEqual(server.post(request(1, method)).outcome(), (404, -32601), method)

    def test_b053_where_only_the_modern_era_is_served_a_legacy_client_is_told_so(self):
        hello = legacy.initialize(1)
        with PipeServer("--option", "legacy=false") as server:
            answer = server.ask(hello)
            self.assertIn(VERSION, json.dumps(answer["error"]))
        with HttpServer("--option", "legacy=false") as server:
            for version in (None, "2025-11-25"):
                reply = server.post(hello, change={"MCP-Protocol-Version": version, "Mcp-Method": None})
                self.assertEqual(reply.status, 400)
                self.assertIn(VERSION, json.dumps(reply.error))


def bad_metas():
    """What is wrong, and a `_meta` (or no params at all) that has it."""
    version, capabilities = PREFIX + "protocolVersion", PREFIX + "clientCapabilities"
    yield "no version", {capabilities: {}}
    yield "no capabilities", {version: VERSION}
    yield "nothing", {}
    yield "null", None
    yield "list", []
    yield "string", "x"
    for value in (None, [], "x", 1, True):
        yield f"capabilities {value!r}", {version: VERSION, capabilities: value}
    for value in (5, None, {}, ["2026-07-28"]):
        yield f"version {value!r}", {version: value, capabilities: {}}


class Meta(unittest.TestCase):
    METHODS = ("server/discover", "tools/list", "tools/call", "subscriptions/listen", "resources/list", "resources/templates/list",
               "resources/read", "prompts/list", "prompts/get", "completion/complete")  # fmt: skip

    def test_b054_the_required_members_are_required_over_stdio(self):
        with PipeServer("--everything", "1") as server:
            for method in self.METHODS:
                for name, value in bad_metas():
                    with self.subTest(method=method, meta=name):
                        params = {"name": "touch", "uri": "test://text", "notifications": {}, "_meta": value}
                        answer = server.ask(
                            {"jsonrpc": "2.0", "id": f"{method} {name}", "method": method, "params": params}
                        )
                        self.assertEqual(answer["error"]["code"], -32602)
                answer = server.ask({"jsonrpc": "2.0", "id": f"{method} bare", "method": method})
                self.assertEqual(answer["error"]["code"], -32602)
            self.assertEqual(text_of(server.ask(call("c", "count"))), "0")

    def test_b054_the_required_members_are_required_over_http(self):
        with HttpServer("--everything", "1") as server:
            for method in self.METHODS:
                for name, value in bad_metas():
                    with self.subTest(method=method, meta=name):
                        message = {
                            "jsonrpc": "2.0",
                            "id": 6,
                            "method": method,
                            "params": {"name": "touch", "uri": "test://text", "notifications": {}, "_meta": value},
                        }
                        reply = server.post(message)
                        self.assertEqual(reply.status, 400)
                        # A version that is no text does not agree with the header either.
                        codes = (-32602, -32020) if name.startswith("version") else (-32602,)
                        self.assertIn(reply.error["code"], codes)
                        self.assertEqual(reply.last["id"], 6)
                for params in ({}, None):
                    message = {"jsonrpc": "2.0", "id": 6, "method": method}
                    if params is not None:
                        message["params"] = params
                    change = {"Mcp-Name": "touch"} if method == "tools/call" else {}
                    self.assertEqual(server.post(message, change=change).outcome(), (400, -32602))
            self.assertEqual(server.post(call(1, "count")).text, "0")

    def good_metas(self):
        yield meta()
        yield meta(**{PREFIX + "clientInfo": {"name": "field", "version": "1"}})
        yield meta(
            **{
                "com.x/y": {"a": [1, None]},
                "traceparent": "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01",
                "baggage": "a=b",
            }
        )
        yield meta(token="t")
        yield meta(capabilities={"experimental": {"x": {}}, "extensions": {"com.example/x": {}}, "unknown": {}})

    def test_b054_everything_else_is_optional_and_the_unknown_is_ignored(self):
        with PipeServer() as server, HttpServer() as web:
            for number, members in enumerate(self.good_metas()):
                for method in ("server/discover", "tools/list", "tools/call"):
                    with self.subTest(method=method, meta=members):
                        message = request(f"{method} {number}", method, {"name": "touch"}, members)
                        self.assertIn("result", server.ask(message))
                        self.assertIn("result", web.post(message).last)

    def test_b054_a_client_that_describes_itself_badly_is_no_server_fault(self):
        with PipeServer() as server, HttpServer() as web:
            for number, info in enumerate(({}, {"name": 5}, "x", None)):
                with self.subTest(info=info):
                    message = request(number, "tools/call", {"name": "touch"}, meta(**{PREFIX + "clientInfo": info}))
                    answer, reply = server.ask(message), web.post(message)
                    for outcome in (answer, reply.last):
                        self.assertIn(outcome.get("error", {}).get("code"), (None, -32602))
                    self.assertEqual("error" in answer, "error" in reply.last, "the two transports differ")
                    self.assertEqual(reply.status, 400 if "error" in answer else 200)

    def test_b054_each_request_stands_alone(self):
        with PipeServer("--needs", "asks", "sampling") as server:
            self.assertIn("result", server.ask(call(1, "asks", capabilities={"sampling": {}})))
            self.assertEqual(server.ask(call(2, "asks"))["error"]["code"], -32021)
            self.assertEqual(server.ask(request(3, "tools/call", {"name": "touch"}, {}))["error"]["code"], -32602)

    def test_b054_a_handler_sees_the_meta_of_its_own_request(self):
        with HttpServer() as server:
            sent = meta(capabilities={"roots": {}}, token=3, **{"com.x/y": 1.50})
            seen = json.loads(server.post(request(1, "tools/call", {"name": "context"}, sent)).text)
            self.assertEqual(seen["meta"], sent)
            self.assertEqual(seen["clientCapabilities"], {"roots": {}})
            self.assertEqual((seen["protocolVersion"], seen["name"]), (VERSION, "context"))


class Capabilities(unittest.TestCase):
    NEEDS = (
        ("sampling", {}, {"sampling": {}}, False),
        ("sampling", {"sampling": {}}, None, True),
        ("sampling.tools", {"sampling": {}}, {"sampling": {"tools": {}}}, False),
        ("sampling.tools", {"sampling": {"tools": {}}}, None, True),
        ("roots", {"sampling": {}, "elicitation": {}}, {"roots": {}}, False),
        ("elicitation", {"elicitation": {}}, None, True),
        ("elicitation.url", {"elicitation": {}}, {"elicitation": {"url": {}}}, False),
        ("elicitation.url", {"elicitation": {"form": {}}}, {"elicitation": {"url": {}}}, False),
        ("elicitation.url", {"elicitation": {"url": {}}}, None, True),
        ("extensions.com.example/x", {}, {"extensions": {"com.example/x": {}}}, False),
        ("extensions.com.example/x", {"extensions": {"com.example/x": {"a": 1}}}, None, True),
    )

    def test_a_tool_that_needs_a_capability_is_not_run_without_it(self):
        options, ran = [], 0
        for number, (need, *_) in enumerate(self.NEEDS):
            options += ["--needs", f"n{number}", need]
        with PipeServer(*options) as server, HttpServer(*options) as web:
            for number, (need, capabilities, required, runs) in enumerate(self.NEEDS):
                with self.subTest(need=need, capabilities=capabilities):
                    message = call(number, f"n{number}", capabilities=capabilities)
                    answer, reply = server.ask(message), web.post(message)
                    if runs:
                        ran += 1
                        self.assertIn("result", answer)
                        self.assertEqual(reply.text, "touched")
                    else:
                        self.assertEqual(reply.outcome(), (400, -32021))
                        for outcome in (answer, reply.last):
                            self.assertEqual(outcome["error"]["data"]["requiredCapabilities"], required)
            self.assertEqual(text_of(server.ask(call("c", "count"))), str(ran))
            self.assertEqual(web.post(call("c", "count")).text, str(ran))


class Results(unittest.TestCase):
    def cache(self, result):
        return result["ttlMs"], result["cacheScope"]

    def test_b056_every_result_has_its_fields_by_default(self):
        # Each frame is held against the schema of the specification on its way in.
        with PipeServer() as server, HttpServer() as web:
            for message in (
                discover(1),
                listing(2),
                call(3, "touch"),
                call(4, "content"),
                call(5, "tool_error"),
                call(6, "structured", {"value": [1]}),
                call(7, "echo", {"x": "y"}),
            ):
                for result in (server.ask(message)["result"], web.post(message).result):
                    self.assertEqual(result["resultType"], "complete")
                    self.assertEqual(result["_meta"][PREFIX + "serverInfo"], {"name": "field", "version": "1.0.0"})
                    if message["method"] == "tools/call":
                        self.assertFalse({"ttlMs", "cacheScope", "nextCursor"} & set(result))
                    else:
                        self.assertIs(type(result["ttlMs"]), int)
                        self.assertEqual(self.cache(result), (0, "public"))

    def test_b056_a_result_written_by_the_handler_gets_them_too(self):
        with PipeServer() as server:
            text = [{"type": "text", "text": "x"}]
            for id, result in enumerate(
                (
                    {"content": text},
                    {"content": []},
                    {"content": text, "isError": False, "_meta": {"com.x/y": 1}},
                    {"content": text, "isError": True},
                )
            ):
                answer = server.ask(call(id, "result", {"result": result}))["result"]
                self.assertEqual(answer["resultType"], "complete")
                self.assertEqual(answer["content"], result["content"])
                self.assertEqual(answer["_meta"][PREFIX + "serverInfo"]["name"], "field")
                self.assertEqual(answer["_meta"].get("com.x/y"), result.get("_meta", {}).get("com.x/y"))
                self.assertEqual(answer.get("isError", False), result.get("isError", False))

    def test_b056_the_cache_hints_are_settings_and_the_same_on_all_pages(self):
        options = (
            "--option",
            "cache_ttl_ms=1000",
            "--option",
            "cache_scope=private",
            "--option",
            "tools_cache_ttl_ms=60000",
            "--option",
            "page_size=4",
        )
        with PipeServer(*options) as server:
            self.assertEqual(self.cache(server.ask(discover(1))["result"]), (1000, "private"))
            cursor, pages = None, 0
            while pages == 0 or cursor is not None:
                pages += 1
                result = server.ask(listing(f"p{pages}", **({"cursor": cursor} if cursor else {})))["result"]
                self.assertEqual(self.cache(result), (60000, "private"))
                cursor = result.get("nextCursor")
            self.assertGreater(pages, 3)
        with PipeServer(
            "--option",
            "discover_cache_ttl_ms=5",
            "--option",
            "discover_cache_scope=private",
            "--option",
            "tools_cache_scope=private",
        ) as server:
            self.assertEqual(self.cache(server.ask(discover(1))["result"]), (5, "private"))
            self.assertEqual(self.cache(server.ask(listing(2))["result"]), (0, "private"))

    def test_b056_the_name_of_the_server_can_be_left_out(self):
        with PipeServer("--option", "server_info_in_results=false") as server:
            for message in (listing(1), call(2, "touch")):
                self.assertNotIn(PREFIX + "serverInfo", server.ask(message)["result"].get("_meta", {}))

    def test_b056_discovery_says_what_there_is(self):
        with PipeServer("--title", "Field", "--instructions", "Use « well ».") as server:
            result = server.ask(discover(1))["result"]
            self.assertEqual(result["supportedVersions"], [VERSION])
            self.assertEqual(result["instructions"], "Use « well ».")
            self.assertEqual(
                result["_meta"][PREFIX + "serverInfo"], {"name": "field", "version": "1.0.0", "title": "Field"}
            )
            self.assertIs(result["capabilities"]["tools"]["listChanged"], True)
            self.assertEqual(result["capabilities"]["logging"], {})
            self.assertLessEqual(set(result["capabilities"]), {"tools", "logging"})
        with PipeServer("--option", "logging=false") as server:
            self.assertNotIn("logging", server.ask(discover(1))["result"]["capabilities"])

    def test_b056_what_is_not_declared_is_not_there(self):
        with PipeServer("--bare", "1") as server:
            self.assertNotIn("tools", server.ask(discover(1))["result"]["capabilities"])
            for id, method in ((2, "tools/list"), (3, "tools/call")):
                self.assertEqual(server.ask(request(id, method, {"name": "x"}))["error"]["code"], -32601)
            for id, method in enumerate(
                (
                    "prompts/list",
                    "prompts/get",
                    "resources/list",
                    "resources/read",
                    "resources/templates/list",
                    "completion/complete",
                ),
                10,
            ):
                self.assertEqual(server.ask(request(id, method))["error"]["code"], -32601, method)
        with PipeServer("--bare", "1", "--option", "tools=true") as server:
            self.assertIn("tools", server.ask(discover(1))["result"]["capabilities"])
            self.assertEqual(server.ask(listing(2))["result"]["tools"], [])
            self.assertEqual(server.ask(call(3, "x"))["error"]["code"], -32602)


class Statuses(unittest.TestCase):
    def test_b039_an_unknown_method_is_404_with_the_error_and_its_id(self):
        with HttpServer() as server:
            for method in ("foo/bar", "tools", "tools/lis", "Tools/list", "notifications/x", "resources/list"):
                for id in (1, "a"):
                    reply = server.post(request(id, method))
                    self.assertEqual(reply.outcome(), (404, -32601), method)
                    self.assertEqual(reply.last["id"], id)

    def test_b008_b009_what_is_no_request_is_400_with_the_error(self):
        cases = [
            ('{"id":99,"method":"tools/list"}', -32600, 99),
            ('{"jsonrpc":"2.0","id":7,"method_":"x"}', -32600, 7),
            ('{"jsonrpc":"2.0","id":8,"method":42}', -32600, 8),
            ('{"jsonrpc":"1.0","id":9,"method":"tools/list"}', -32600, 9),
            ('{"jsonrpc":"2.0","id":true,"method":"tools/list"}', -32600, None),
            ('{"jsonrpc":"2.0","id":1.5,"method":"tools/list"}', -32600, None),
            ('{"jsonrpc":"2.0","id":null,"method":"tools/list"}', -32600, None),
            (json.dumps([discover(1), listing(2)]), -32600, None),
            ("[]", -32600, None),
            ("42", -32600, None),
            ("not json", -32700, None),
            ('{"jsonrpc":"2.0",', -32700, None),
            ("", -32700, None),
            (b"\xff\xfe", -32700, None),
            (encode(call(2, "touch", {"v": "X"})).replace(b'"X"', b'"\xc3\x28"'), -32700, None),
            ('{"jsonrpc":"2.0","id":3,"method":"tools/list","params":["a"]}', -32602, 3),
        ]
        with HttpServer() as server:
            for body, code, id in cases:
                with self.subTest(body=body[:60]):
                    headers = headers_of(b"x", {"Mcp-Method": "tools/list"})
                    response, answer = server.bare("POST", headers, encode(body))
                    message = json.loads(answer)
                    self.assertEqual(response.status, 400)
                    self.assertEqual(message["error"]["code"], code)
                    self.assertEqual(message.get("id"), id)
            self.assertEqual(server.post(call(1, "count")).text, "0")

    def test_b008_a_notification_that_cannot_be_accepted_is_400_without_an_id(self):
        with HttpServer() as server:
            for body in ('{"jsonrpc":"2.0","method":42}', '{"jsonrpc":"1.0","method":"notifications/x"}'):
                response, answer = server.bare("POST", headers_of(b"x"), encode(body))
                self.assertEqual(response.status, 400)
                if answer:
                    self.assertNotIn("id", json.loads(answer))

    def test_b008_a_response_is_no_request(self):
        with HttpServer() as server:
            for body in (
                '{"jsonrpc":"2.0","id":5,"result":{}}',
                '{"jsonrpc":"2.0","id":5,"error":{"code":1,"message":"x"}}',
            ):
                response, _ = server.bare("POST", headers_of(b"x"), encode(body))
                self.assertEqual(response.status, 400)

    def test_b020_depth_and_giant_numbers_over_http(self):
        with HttpServer() as server:
            reply = server.post("[" * 100_000, within=bound(1))
            self.assertEqual(reply.status, 400)
            self.assertIn(reply.error["code"], (-32700, -32600))
            for opening, closing in (('{"a":', "}"), ("[", "]")):
                message = call(5, "touch", {"value": "X"})
                body = encode(message).replace(b'"X"', (opening * 10_000 + "1" + closing * 10_000).encode())
                reply_status, answer = self.raw(server, message, body)
                self.assertEqual(reply_status, 400 if "id" not in answer or answer["error"]["code"] != -32602 else 200)
                self.assertEqual(answer.get("id", 5), 5)
                self.assertIn("error", answer)
            for value in (b"7" * 5000, b'"\\ud800"', b"1e400"):
                message = call(6, "echo", {"value": "X"})
                _, answer = self.raw(server, message, encode(message).replace(b'"X"', value))
                self.assertIn(answer.get("id", 6), (6,))
            self.assertEqual(server.post(call(1, "count")).text, "0")

    def raw(self, server, message, body):
        response, answer = server.bare("POST", headers_of(message), body, within=bound(1))
        return response.status, json.loads(answer)

    def test_b059_b091_a_bad_value_in_meta_is_400(self):
        with HttpServer() as server:
            for members in (meta(log="bogus"), meta(log=3), meta(log="WARNING"), meta(log=[])):
                self.assertEqual(
                    server.post(request(1, "tools/call", {"name": "touch"}, members)).outcome(), (400, -32602)
                )
            for token in (1.5, {}, [], True):
                reply = server.post(request(1, "tools/call", {"name": "touch"}, meta(token=token)))
                self.assertIn(reply.outcome(), ((400, -32602), (200, None)))
            filters = (
                {},
                {"notifications": None},
                {"notifications": []},
                {"notifications": {"toolsListChanged": "yes"}},
            )
            for params in filters:
                reply = server.post(request(1, "subscriptions/listen", params))
                self.assertEqual(reply.outcome(), (200, -32602), params)


if __name__ == "__main__":
    unittest.main()
