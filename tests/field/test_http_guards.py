"""Topic 2, HTTP: which requests get in at all. Origin, Host, media types, verbs, paths, CORS."""

import json
import unittest

from wire.h2 import H2Connection
from wire.http import JSON, SSE, HttpServer, headers_of
from wire.request import call, discover, encode

FOREIGN = (
    "https://evil.example",
    "null",
    "http://localhost.evil.example",
    "http://127.0.0.1.evil.example",
    "http://localhost@evil.example",
    "http://evil.example/http://localhost",
    "http://[::1].evil.example",
    "http://127.0.0.1:1@evil.example:2",
    "https://app.test.evil.example",
    "http://app.test",
    "https://app.test:8443",
    "xhttps://app.test",
    "",
    "localhost",
)


class Origin(unittest.TestCase):
    def test_b021_a_foreign_origin_is_refused_before_anything_is_read(self):
        notification = {"jsonrpc": "2.0", "method": "notifications/x"}
        with HttpServer("--origin", "https://app.test") as server:
            for origin in FOREIGN:
                for method, message in (
                    ("POST", call(1, "touch")), ("POST", discover(1)), ("POST", notification),
                    ("POST", b"not json"), ("OPTIONS", b""), ("GET", b""), ("DELETE", b""),
                ):  # fmt: skip
                    with self.subTest(origin=origin, method=method, message=str(message)[:20]):
                        headers = headers_of(message, {"Origin": origin})
                        response, body = server.bare(method, headers, encode(message))
                        self.assertEqual(response.status, 403)
                        self.assertIsNone(response.get("access-control-allow-origin"))
                        if body:
                            error = json.loads(body)
                            self.assertNotIn("id", error)
                            self.assertIn("error", error)
            self.assertEqual(server.post(call(2, "count")).text, "0")

    def test_b021_two_origins_are_one_too_many(self):
        with HttpServer() as server:
            for first, second in (
                ("http://localhost", "https://evil.example"),
                ("https://evil.example", "http://localhost"),
            ):
                headers = headers_of(call(1, "touch")) + [("Origin", first), ("Origin", second)]
                response, _ = server.bare("POST", headers, encode(call(1, "touch")))
                self.assertEqual(response.status, 403)
            self.assertEqual(server.post(call(2, "count")).text, "0")

    def test_b021_no_origin_a_configured_one_and_on_loopback_a_loopback_one_get_in(self):
        with HttpServer("--origin", "https://app.test") as server:
            for origin in (
                None,
                "https://app.test",
                "http://localhost:6274",
                "http://127.0.0.1:1234",
                "http://[::1]:3000",
                f"http://127.0.0.1:{server.port}",
            ):
                with self.subTest(origin=origin):
                    self.assertIn("supportedVersions", server.post(discover(1), change={"Origin": origin}).result)

    def test_b021_a_loopback_origin_is_foreign_where_all_interfaces_are_bound(self):
        with HttpServer("--bind", "0.0.0.0", "--origin", "https://app.test") as server:
            for origin, status in (
                ("http://localhost:6274", 403),
                ("https://evil.example", 403),
                ("https://app.test", 200),
                (None, 200),
            ):
                with self.subTest(origin=origin):
                    response, _ = server.bare("POST", headers_of(discover(1), {"Origin": origin}), encode(discover(1)))
                    self.assertEqual(response.status, status)

    def test_b021_the_same_name_as_host_is_no_reason_to_trust_an_origin(self):
        with HttpServer("--bind", "0.0.0.0") as server:
            change = {"Host": "rebound.example", "Origin": "http://rebound.example"}
            response, _ = server.bare("POST", headers_of(call(1, "touch"), change), encode(call(1, "touch")))
            self.assertEqual(response.status, 403)
            self.assertEqual(server.post(call(2, "count")).text, "0")


class Host(unittest.TestCase):
    def status(self, server, host, message=None):
        message = message or discover(1)
        response, body = server.bare("POST", headers_of(message, {"Host": host}), encode(message))
        return response.status, body.decode()

    def test_b022_an_allowed_host_gets_in_whatever_its_case_and_port(self):
        with HttpServer("--host", "api.example.test", "--host", "ported.test:8443", "--host", "127.0.0.1") as server:
            for host in (
                "api.example.test",
                "API.example.test:8443",
                "Api.Example.Test:80",
                "ported.test:8443",
                "PORTED.test:8443",
            ):
                with self.subTest(host=host):
                    self.assertEqual(self.status(server, host)[0], 200)
            for host in (
                "other.test",
                "api.example.test.evil.example",
                "xapi.example.test",
                "ported.test:8444",
                "api.example.test@evil.example",
            ):
                with self.subTest(host=host):
                    status, body = self.status(server, host, call(1, "touch"))
                    self.assertIn(status, range(400, 500))
                    self.assertRegex(body, r"(?i)allow(ed)?[_ ]hosts?")
            self.assertEqual(server.post(call(2, "count")).text, "0")

    def test_b022_http2_names_the_host_in_its_authority(self):
        with HttpServer("--host", "api.example.test", "--host", "127.0.0.1") as server:
            connection = H2Connection(server.port)
            headers, body = headers_of(discover(1)), encode(discover(1))
            right = connection.finish(connection.send("api.example.test", headers, body))
            ported = connection.finish(connection.send("API.example.test:8443", headers, body))
            wrong = connection.finish(connection.send("other.test", headers, body))
            connection.close()
            self.assertEqual((right.status, ported.status), (200, 200))
            self.assertIn("supportedVersions", json.loads(right.body)["result"])
            self.assertIn(wrong.status, range(400, 500))

    def test_b022_loopback_names_get_in_on_a_loopback_bind(self):
        with HttpServer() as server:
            for host in ("localhost:9999", "localhost", "127.0.0.1", "[::1]:3000", "[::1]", "LOCALHOST:1"):
                with self.subTest(host=host):
                    self.assertEqual(self.status(server, host)[0], 200)
            for host in (
                "other.test",
                "localhost.evil.example",
                "evil.localhost.example",
                "127.0.0.1.nip.example",
                "169.254.169.254",
            ):
                with self.subTest(host=host):
                    status, body = self.status(server, host, call(1, "touch"))
                    self.assertIn(status, range(400, 500))
                    self.assertRegex(body, r"(?i)allow(ed)?[_ ]hosts?")
            self.assertEqual(server.post(call(2, "count")).text, "0")

    def test_b022_without_a_list_any_host_gets_in_where_all_interfaces_are_bound(self):
        with HttpServer("--bind", "0.0.0.0") as server:
            self.assertEqual(self.status(server, "anything.test")[0], 200)

    def test_b022_a_host_named_twice_or_in_the_target_must_be_allowed_each_time(self):
        with HttpServer() as server:
            here = f"127.0.0.1:{server.port}"
            body = encode(call(1, "touch"))
            head = "".join(f"{name}: {value}\r\n" for name, value in headers_of(call(1, "touch")))
            for target, hosts, allowed in (
                (f"http://{here}/mcp", [here], True),
                ("http://evil.example/mcp", [here], False),
                (f"http://{here}/mcp", ["evil.example"], False),
                ("/mcp", [here, "evil.example"], False),
                ("/mcp", ["evil.example", here], False),
            ):
                with self.subTest(target=target, hosts=hosts):
                    lines = "".join(f"Host: {host}\r\n" for host in hosts)
                    connection = server.connect()
                    connection.write(
                        f"POST {target} HTTP/1.1\r\n{lines}{head}Content-Length: {len(body)}\r\n\r\n".encode() + body
                    )
                    status = connection.response().status
                    self.assertEqual(status == 200, allowed, status)
                    self.assertIn(status, (200, *range(400, 500)))
                    connection.close()
            self.assertEqual(server.post(call(2, "count")).text, "1")

    def test_b022_a_request_without_host_is_no_http_1_1(self):
        with HttpServer() as server:
            connection = server.connect()
            connection.write(b"POST /mcp HTTP/1.1\r\nContent-Length: 0\r\n\r\n")
            self.assertIn(connection.response().status, range(400, 500))
            connection.close()


class MediaTypes(unittest.TestCase):
    def test_b024_json_is_json_with_any_parameter_and_case_and_nothing_else_is(self):
        with HttpServer() as server:
            good = (
                JSON,
                f"{JSON}; charset=utf-8",
                'Application/JSON;charset="UTF-8"',
                f"{JSON} ;charset=UTF-8",
                f"{JSON};",
            )
            for value in good:
                with self.subTest(value=value):
                    self.assertEqual(server.post(call(1, "touch"), change={"Content-Type": value}).text, "touched")
            for value in (
                "text/plain",
                None,
                "application/x-www-form-urlencoded",
                "application/jsonx",
                "application/xjson",
                "text/json",
                "multipart/form-data",
                "application/vnd.api+json",
                "",
            ):
                with self.subTest(value=value):
                    message = call(1, "touch")
                    response, _ = server.bare("POST", headers_of(message, {"Content-Type": value}), encode(message))
                    self.assertEqual(response.status, 415)
            self.assertEqual(server.post(call(2, "count")).text, str(len(good)))

    def test_b026_an_answer_comes_in_any_type_that_is_acceptable(self):
        cases = [
            (None, {JSON, SSE}),
            ("*/*", {JSON, SSE}),
            ("application/*, text/event-stream;q=0.5", {JSON, SSE}),
            ("APPLICATION/JSON, text/event-stream", {JSON, SSE}),
            ("text/event-stream, application/json", {JSON, SSE}),
            (JSON, {JSON}),
            (f"{JSON};q=1.0, text/html", {JSON}),
            (f"{SSE};q=0, {JSON}", {JSON}),
            (SSE, {SSE}),
            ("text/*", {SSE}),
            (f"{JSON};q=0, {SSE}", {SSE}),
        ]
        token = "t"
        with HttpServer() as server:
            for accept, types in cases:
                for message in (discover(1), call(2, "progress", {"values": [1, 2]}, token=token)):
                    with self.subTest(accept=accept, method=message["method"]):
                        reply = server.post(message, change={"Accept": accept})
                        self.assertEqual(reply.status, 200)
                        self.assertIn(reply.media_type, types)
                        self.assertIn("result", reply.last)
                        if reply.media_type == JSON:
                            self.assertEqual(len(reply.messages), 1)
                        elif message["method"] == "tools/call":
                            self.assertEqual(
                                [frame.get("method") for frame in reply.messages],
                                ["notifications/progress"] * 2 + [None],
                            )

    def test_b026_only_what_can_never_be_acceptable_is_refused(self):
        with HttpServer() as server:
            for accept in ("text/html", "image/*", f"{JSON};q=0, {SSE};q=0", "*/*;q=0"):
                with self.subTest(accept=accept):
                    message = call(1, "touch")
                    response, _ = server.bare("POST", headers_of(message, {"Accept": accept}), encode(message))
                    self.assertEqual(response.status, 406)
            self.assertEqual(server.post(call(2, "count")).text, "0")

    def test_b026_several_accept_lines_are_one_list(self):
        with HttpServer() as server:
            headers = headers_of(discover(1), {"Accept": None}) + [("Accept", JSON), ("Accept", SSE)]
            response, body = server.bare("POST", headers, encode(discover(1)))
            self.assertEqual(response.status, 200)
            self.assertIn("result", json.loads(body))


class Endpoint(unittest.TestCase):
    def test_b027_a_slash_at_the_end_changes_nothing_and_nothing_redirects(self):
        for configured in ("/mcp", "/deep/er"):
            with HttpServer("--path", configured) as server:
                server.path = configured
                bodies = set()
                for path in (configured, configured + "/"):
                    response, body = server.bare("POST", headers_of(discover(1)), encode(discover(1)), path=path)
                    self.assertEqual(response.status, 200)
                    self.assertIsNone(response.get("location"))
                    bodies.add(body)
                self.assertEqual(len(bodies), 1)
                for path in ("/", "/other", configured + "x", configured + "//", configured + "/x"):
                    response, _ = server.bare("POST", headers_of(call(1, "touch")), encode(call(1, "touch")), path=path)
                    self.assertEqual(response.status, 404, path)
                self.assertEqual(server.post(call(2, "count")).text, "0")

    def test_b027_a_query_is_no_part_of_the_path(self):
        with HttpServer() as server:
            response, _ = server.bare("POST", headers_of(discover(1)), encode(discover(1)), path="/mcp?key=1")
            self.assertEqual(response.status, 200)

    def test_b038_other_verbs_are_refused_with_those_that_are_allowed(self):
        old = [("Accept", SSE), ("Mcp-Session-Id", "x")]
        modern = [("Accept", SSE), ("MCP-Protocol-Version", "2026-07-28")]
        with HttpServer("--option", "legacy=false") as alone, HttpServer() as both:
            cases = [(alone, old), (alone, modern), (both, modern), (both, [("Accept", SSE)])]
            for method in ("GET", "DELETE", "HEAD", "PUT", "PATCH", "PROPFIND"):
                for server, headers in cases:
                    if (method, headers) == ("DELETE", cases[3][1]):
                        continue  # of the older revisions, without a session: test_legacy_sessions
                    with self.subTest(method=method, headers=headers):
                        self.refuses(server, method, headers)

    def refuses(self, server, method, headers):
        response, _ = server.bare(method, headers)
        self.assertEqual(response.status, 405)
        allowed = {verb.strip() for verb in response.get("allow").split(",")}
        self.assertIn("POST", allowed)
        self.assertLessEqual(allowed, {"POST", "OPTIONS"})
        self.assertIsNone(response.get("mcp-session-id"))

    def test_b038_a_get_does_not_hold_up_a_post(self):
        with HttpServer() as server:
            connection = server.connect()
            connection.write(b"GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n")
            self.assertEqual(server.post(call(1, "touch")).text, "touched")
            self.assertEqual(connection.response("GET").status, 405)
            connection.close()

    def test_b038_the_headers_of_older_revisions_are_ignored(self):
        old = {"Mcp-Session-Id": "x", "Last-Event-ID": "5"}
        with HttpServer() as server:
            for message in (discover(1), call(2, "progress", {"values": [1, 2, 3]}, token=1)):
                # The reader of streams refuses any `id:` line, and Reply any session id.
                reply = server.post(message, change=old)
                self.assertIn("result", reply.last)
                self.assertFalse({name for name, _ in reply.headers} & {"mcp-session-id", "last-event-id"})


class Cors(unittest.TestCase):
    ORIGIN = "https://app.test"
    WANTED = ["authorization", "content-type", "mcp-protocol-version", "mcp-method", "mcp-name", "mcp-param-region"]

    def listed(self, response, name):
        return {word.strip().lower() for word in (response.get(name) or "").split(",")}

    def preflight(self, server, origin, path="/mcp"):
        headers = [
            ("Origin", origin),
            ("Access-Control-Request-Method", "POST"),
            ("Access-Control-Request-Headers", ",".join(self.WANTED)),
        ]
        return server.bare("OPTIONS", headers, path=path)[0]

    def test_b036_a_preflight_of_a_configured_origin_is_granted(self):
        with HttpServer("--origin", self.ORIGIN) as server:
            response = self.preflight(server, self.ORIGIN)
            self.assertIn(response.status, (200, 204))
            self.assertEqual(response.get("access-control-allow-origin"), self.ORIGIN)
            self.assertIn("post", self.listed(response, "access-control-allow-methods"))
            self.assertLessEqual(set(self.WANTED), self.listed(response, "access-control-allow-headers"))
            self.assertIn("origin", self.listed(response, "vary"))

    def test_b036_the_request_after_the_preflight_is_readable_too(self):
        with HttpServer("--origin", self.ORIGIN) as server:
            for message in (call(1, "touch"), call(2, "progress", {"values": [1]}, token=1)):
                reply = server.post(message, change={"Origin": self.ORIGIN})
                self.assertIn("result", reply.last)
                self.assertEqual(reply.get("access-control-allow-origin"), self.ORIGIN)
                self.assertIn("origin", reply.get("vary").lower())

    def test_b036_errors_are_readable_too(self):
        with HttpServer("--origin", self.ORIGIN, "--option", "max_message_bytes=10000") as server:
            origin = {"Origin": self.ORIGIN}
            unknown = {**discover(1), "method": "nonexistent"}
            asked = [
                (400, "POST", headers_of(b"x", origin), b"not json", "/mcp"),
                (404, "POST", headers_of(unknown, origin), encode(unknown), "/mcp"),
                (405, "GET", list(origin.items()), b"", "/mcp"),
                (406, "POST", headers_of(discover(1), {**origin, "Accept": "text/html"}), encode(discover(1)), "/mcp"),
                (413, "POST", headers_of(b"x", origin), b" " * 10001, "/mcp"),
                (
                    415,
                    "POST",
                    headers_of(discover(1), {**origin, "Content-Type": "text/plain"}),
                    encode(discover(1)),
                    "/mcp",
                ),
            ]
            for status, method, headers, body, path in asked:
                with self.subTest(status=status):
                    response, _ = server.bare(method, headers, body, path)
                    self.assertEqual(response.status, status)
                    self.assertEqual(response.get("access-control-allow-origin"), self.ORIGIN)
                    self.assertIn("origin", self.listed(response, "vary"))

    def test_b036_a_foreign_origin_gets_no_grant(self):
        with HttpServer("--origin", self.ORIGIN) as server:
            for origin in ("https://evil.example", "https://app.test.evil.example", "null"):
                response = self.preflight(server, origin)
                self.assertEqual(response.status, 403)
                self.assertIsNone(response.get("access-control-allow-origin"))

    def test_b036_one_list_serves_both_so_that_a_loopback_page_may_read(self):
        with HttpServer() as server:
            origin = "http://localhost:6274"
            self.assertEqual(self.preflight(server, origin).get("access-control-allow-origin"), origin)
            self.assertEqual(
                server.post(discover(1), change={"Origin": origin}).get("access-control-allow-origin"), origin
            )

    def test_b036_never_a_wildcard_with_credentials(self):
        with HttpServer("--origin", self.ORIGIN) as server:
            response = self.preflight(server, self.ORIGIN)
            if response.get("access-control-allow-credentials") == "true":
                for name in (
                    "access-control-allow-origin",
                    "access-control-allow-headers",
                    "access-control-allow-methods",
                ):
                    self.assertNotIn("*", response.get(name))


class Notifications(unittest.TestCase):
    def test_b041_a_notification_is_accepted_without_a_body(self):
        with HttpServer() as server:
            meta = discover(1)["params"]["_meta"]
            for method in ("notifications/unknown", "notifications/cancelled", "notifications/initialized"):
                for named in (True, False):
                    with self.subTest(method=method, named=named):
                        message = {"jsonrpc": "2.0", "method": method, "params": {"_meta": meta, "requestId": 77}}
                        change = {} if named else {"Mcp-Method": None}
                        response, body = server.bare("POST", headers_of(message, change), encode(message))
                        self.assertEqual((response.status, body), (202, b""), response.raw_head)
                        self.assertEqual(response.get("content-length"), "0", response.raw_head)
                        self.assertIsNone(response.get("content-type"), response.raw_head)

    def test_b041_a_notification_named_like_a_request_is_not_executed(self):
        with HttpServer() as server:
            message = call(1, "touch")
            del message["id"]
            response, _ = server.bare("POST", headers_of(message), encode(message))
            self.assertIn(response.status, (202, 400))
            self.assertEqual(server.post(call(2, "count")).text, "0")


if __name__ == "__main__":
    unittest.main()
