"""2026-07-28 over HTTP: headers that mirror the body (B042, B043, B045)."""

import base64
import json
import unittest

from wire.http import HttpServer, headers_of
from wire.pipe import PipeServer
from wire.request import call, discover, encode, listing, meta, request, text_of

MISMATCH = (400, -32020)
UNKNOWN_TOOL = (200, -32602)
RAN = (200, None)


def sealed(raw):
    """A value in the Base64 form for headers."""
    raw = raw if isinstance(raw, bytes) else raw.encode("utf-8")
    return f"=?base64?{base64.b64encode(raw).decode()}?="


class Standard(unittest.TestCase):
    def test_b042_headers_that_disagree_with_the_body_stop_the_request(self):
        cases = {
            "no Mcp-Method": {"Mcp-Method": None},
            "method in capitals": {"Mcp-Method": "TOOLS/CALL"},
            "another method": {"Mcp-Method": "tools/list"},
            "empty Mcp-Method": {"Mcp-Method": ""},
            "no Mcp-Name": {"Mcp-Name": None},
            "another name": {"Mcp-Name": "count"},
            "an unknown name": {"Mcp-Name": "sub"},
            "name in capitals": {"Mcp-Name": "TOUCH"},
            "empty name": {"Mcp-Name": ""},
            "no version": {"MCP-Protocol-Version": None},
            "an older version": {"MCP-Protocol-Version": "2025-11-25"},
            "an unknown version": {"MCP-Protocol-Version": "v999.0.0"},
            "a version in two parts": {"MCP-Protocol-Version": "2026-07-28, 2026-07-28"},
        }
        with HttpServer() as server:
            for name, change in cases.items():
                for id in (7, "seven"):
                    with self.subTest(name, id=id):
                        reply = server.post(call(id, "touch"), change=change)
                        self.assertEqual(reply.outcome(), MISMATCH)
                        self.assertEqual(reply.last["id"], id)
            self.assertEqual(server.post(call(1, "count")).text, "0")

    def test_b042_other_methods_are_held_to_their_headers_too(self):
        with HttpServer() as server:
            for message in (discover(3), listing(3)):
                for change in (
                    {"Mcp-Method": None},
                    {"Mcp-Method": "prompts/list"},
                    {"Mcp-Method": message["method"].upper()},
                ):
                    with self.subTest(method=message["method"], change=change):
                        reply = server.post(message, change=change)
                        self.assertEqual(reply.outcome(), MISMATCH)
                        self.assertEqual(reply.last["id"], 3)

    def test_b042_a_header_twice_with_two_values_agrees_with_nothing(self):
        with HttpServer() as server:
            for name, value in (
                ("Mcp-Method", "tools/list"),
                ("Mcp-Name", "count"),
                ("MCP-Protocol-Version", "2025-11-25"),
            ):
                for first in (True, False):
                    with self.subTest(name=name, first=first):
                        headers = headers_of(call(1, "touch"))
                        headers.insert(0 if first else len(headers), (name, value))
                        response, body = server.bare("POST", headers, encode(call(1, "touch")))
                        self.assertEqual((response.status, json.loads(body)["error"]["code"]), MISMATCH)
            self.assertEqual(server.post(call(1, "count")).text, "0")

    def test_b042_every_legal_spelling_is_accepted(self):
        def spelt(name, message):
            return [(name(key), value) for key, value in headers_of(message)]

        with HttpServer() as server:
            touch = call(1, "touch")
            padded = [(key, f"  \t{value} \t " if key.startswith("M") else value) for key, value in headers_of(touch)]
            for headers in (spelt(str.lower, touch), spelt(str.upper, touch), padded):
                response, body = server.bare("POST", headers, encode(touch))
                self.assertEqual(response.status, 200, body)
                self.assertEqual(text_of(json.loads(body)), "touched")
            self.assertEqual(server.post(listing(2), change={"Mcp-Name": "touch"}).outcome(), RAN)
            self.assertEqual(server.post(discover(2), change={"Mcp-Name": "anything"}).outcome(), RAN)
            self.assertEqual(server.post(call(2, "count")).text, "3")

    def test_b042_a_member_twice_is_no_way_around_the_headers(self):
        twice = [
            ('"name":"touch"', '"name":"touch","name":"count"', "touch"),
            ('"name":"touch"', '"name":"touch","name":"count"', "count"),
            ('"method":"tools/call"', '"method":"tools/list","method":"tools/call"', "touch"),
            ('"method":"tools/call"', '"method":"tools/call","method":"tools/list"', "touch"),
            ('"params":', '"params":{},"params":', "touch"),
        ]
        with HttpServer() as server:
            for old, new, name in twice:
                with self.subTest(new=new):
                    message = call(1, "touch")
                    body = encode(message).replace(old.encode(), new.encode())
                    response, answer = server.bare("POST", headers_of(message, {"Mcp-Name": name}), body)
                    self.assertEqual(response.status, 400, answer)
            self.assertEqual(server.post(call(1, "count")).text, "0")

    def test_b042_a_body_without_a_name_is_refused_whatever_the_header_says(self):
        with HttpServer() as server:
            for change in ({}, {"Mcp-Name": "touch"}):
                reply = server.post(request(5, "tools/call", {}), change=change)
                self.assertIn(reply.outcome(), (MISMATCH, UNKNOWN_TOOL, (400, -32602)))
                self.assertEqual(reply.last["id"], 5)
            self.assertEqual(server.post(call(1, "count")).text, "0")


class Sentinel(unittest.TestCase):
    def test_b043_a_name_in_base64_is_decoded_and_then_compared(self):
        literal = "=?base64?eA==?="
        cases = [
            ("touch", sealed("touch"), RAN),
            ("eché", "=?base64?ZWNow6k=?=", UNKNOWN_TOOL),
            ("世界", sealed("世界"), UNKNOWN_TOOL),
            (" touch ", sealed(" touch "), UNKNOWN_TOOL),
            ("touch", sealed("count"), MISMATCH),
            ("touch", sealed("touch "), MISMATCH),
            # The marker has one spelling; any other is a text like others.
            ("touch", "=?BASE64?dG91Y2g=?=", MISMATCH),
            ("touch", "=?Base64?dG91Y2g=?=", MISMATCH),
            ("=?BASE64?dG91Y2g=?=", "=?BASE64?dG91Y2g=?=", UNKNOWN_TOOL),
            ("=?base64?dG91Y2g=", "=?base64?dG91Y2g=", UNKNOWN_TOOL),
            ("dG91Y2g=", "dG91Y2g=", UNKNOWN_TOOL),
            # What is no Base64, or no text.
            ("touch", "=?base64?@@?=", MISMATCH),
            ("touch", "=?base64?dG91Y2g?=", MISMATCH),
            ("touch", "=?base64?dG91!!!Y2g=?=", MISMATCH),
            ("touch", "=?base64?dG91 Y2g=?=", MISMATCH),
            ("a?>", "=?base64?YT8-?=", MISMATCH),
            ("a?>", "=?base64?YT8+?=", UNKNOWN_TOOL),
            ("touch", "=?base64??=", MISMATCH),
            ("touch", "=?base64?=", MISMATCH),
            ("touch", sealed(b"\xff\xfe"), MISMATCH),
            ("touch", sealed(b"touch\xc3"), MISMATCH),
            # A name that looks like the marker goes encoded only.
            (literal, sealed(literal), UNKNOWN_TOOL),
            (literal, literal, MISMATCH),
            ("x", literal, UNKNOWN_TOOL),
        ]
        with HttpServer() as server:
            for name, header, outcome in cases:
                with self.subTest(name=name, header=header):
                    reply = server.post(call(9, name), change={"Mcp-Name": header})
                    self.assertEqual(reply.outcome(), outcome)
                    self.assertEqual(reply.last["id"], 9)
            self.assertEqual(server.post(call(1, "count")).text, "1")

    def test_b043_raw_bytes_outside_ascii_are_invalid(self):
        with HttpServer() as server:
            for name, raw in (("eché", "eché".encode()), ("touch", b"touch\xc3\xa9"), ("touch", b"\xa0touch")):
                with self.subTest(raw=raw):
                    reply = server.post(call(9, name), change={"Mcp-Name": raw})
                    self.assertEqual(reply.outcome(), MISMATCH)
            self.assertEqual(server.post(call(1, "count")).text, "0")


TOOL = {
    "name": "query",
    "description": "Mirrors.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "region": {"type": "string", "x-mcp-header": "Region"},
            "n": {"type": "integer", "x-mcp-header": "N"},
            "on": {"type": "boolean", "x-mcp-header": "On"},
            "opts": {"type": "object", "properties": {"zone": {"type": "string", "x-mcp-header": "Zone"}}},
            "free": {"type": "string"},
        },
    },
}


class Parameters(unittest.TestCase):
    def server(self):
        return HttpServer("--tool", "touch", json.dumps(TOOL))

    def outcomes(self, cases):
        with self.server() as server:
            ran = 0
            for arguments, headers, outcome in cases:
                with self.subTest(arguments=arguments, headers=headers):
                    extra = [(f"Mcp-Param-{name}", value) for name, value in headers]
                    reply = server.post(call(4, "query", arguments), extra=extra)
                    self.assertEqual(reply.outcome(), outcome)
                    self.assertEqual(reply.last["id"], 4)
                ran += outcome == RAN
            self.assertEqual(server.post(call(1, "count")).text, str(ran))

    def test_b045_a_string_must_be_mirrored_exactly(self):
        self.outcomes([
            ({"region": "eu"}, [("Region", "eu")], RAN),
            ({"region": "eu"}, [("REGION", "eu")], RAN),
            ({"region": "eu"}, [("region", "  eu  ")], RAN),
            ({"region": "eu"}, [("Region", "us")], MISMATCH),
            ({"region": "eu"}, [("Region", "EU")], MISMATCH),
            ({"region": "eu"}, [], MISMATCH),
            ({"region": "eu"}, [("Region", "")], MISMATCH),
            ({"region": ""}, [("Region", "")], RAN),
            ({"region": "42"}, [("Region", "42")], RAN),
            ({"region": "42"}, [("Region", "42.0")], MISMATCH),
            ({"region": "日本"}, [("Region", sealed("日本"))], RAN),
            ({"region": " eu "}, [("Region", sealed(" eu "))], RAN),
            ({"region": "a\nb"}, [("Region", sealed("a\nb"))], RAN),
            ({"region": "日本"}, [("Region", "日本".encode())], MISMATCH),
            ({"region": "Hello"}, [("Region", "=?base64?SGVsbG8=?=")], RAN),
            ({"region": "Hello"}, [("Region", "=?base64?SGVsbG8?=")], MISMATCH),
            ({"region": "Hello"}, [("Region", "=?base64?SGVs!!!bG8=?=")], MISMATCH),
            ({"region": "SGVsbG8="}, [("Region", "SGVsbG8=")], RAN),
            ({"region": "=?base64?SGVsbG8="}, [("Region", "=?base64?SGVsbG8=")], RAN),
            ({"region": "=?base64?eA==?="}, [("Region", "=?base64?eA==?=")], MISMATCH),
            ({"region": "=?base64?eA==?="}, [("Region", sealed("=?base64?eA==?="))], RAN),
        ])  # fmt: skip

    def test_b045_an_integer_is_compared_as_a_number(self):
        self.outcomes([
            ({"n": 42}, [("N", "42")], RAN),
            ({"n": 42}, [("N", "42.0")], RAN),
            ({"n": 42.0}, [("N", "42")], RAN),
            ({"n": -7}, [("N", "-7")], RAN),
            ({"n": 0}, [("N", "0")], RAN),
            ({"n": 2**53 - 1}, [("N", str(2**53 - 1))], RAN),
            ({"n": 42}, [("N", sealed("42"))], RAN),
            ({"n": 42}, [("N", "43")], MISMATCH),
            ({"n": 42}, [("N", "42.5")], MISMATCH),
            ({"n": 42}, [("N", "-42")], MISMATCH),
            ({"n": 42}, [("N", "forty-two")], MISMATCH),
            ({"n": 42}, [("N", "")], MISMATCH),
            ({"n": 42}, [("N", "42 43")], MISMATCH),
            ({"n": 42}, [("N", "NaN")], MISMATCH),
            ({"n": 42}, [], MISMATCH),
            # Neighbours that a double cannot tell apart.
            ({"n": 2**53 + 1}, [("N", str(2**53))], MISMATCH),
        ])  # fmt: skip

    def test_b045_a_boolean_has_two_spellings(self):
        self.outcomes([
            ({"on": True}, [("On", "true")], RAN),
            ({"on": False}, [("On", "false")], RAN),
            ({"on": True}, [("On", "True")], MISMATCH),
            ({"on": True}, [("On", "TRUE")], MISMATCH),
            ({"on": True}, [("On", "1")], MISMATCH),
            ({"on": True}, [("On", "false")], MISMATCH),
            ({"on": False}, [], MISMATCH),
        ])  # fmt: skip

    def test_b045_a_nested_property_is_read_at_its_own_place(self):
        self.outcomes([
            ({"opts": {"zone": "a"}}, [("Zone", "a")], RAN),
            ({"opts": {"zone": "a"}}, [("Zone", "b")], MISMATCH),
            ({"opts": {"zone": "a"}}, [], MISMATCH),
            ({"opts": {}}, [], RAN),
            ({"zone": "b"}, [], RAN),
            ({"zone": "a", "opts": {"zone": "b"}}, [("Zone", "a")], MISMATCH),
        ])  # fmt: skip

    def test_b045_what_is_absent_needs_no_header_and_what_is_unknown_is_ignored(self):
        self.outcomes([
            ({}, [], RAN),
            (None, [], RAN),
            ({"free": "x"}, [], RAN),
            ({}, [("Other", "x")], RAN),
            ({"free": "x"}, [("Free", "another")], RAN),
            ({"region": "eu", "n": 1, "on": True, "opts": {"zone": "z"}}, [("Region", "eu"), ("N", "1"), ("On", "true"), ("Zone", "z")], RAN),
            ({"region": "eu", "n": 1, "on": True, "opts": {"zone": "z"}}, [("Region", "eu"), ("N", "1"), ("On", "true")], MISMATCH),
        ])  # fmt: skip

    def test_b045_a_header_whose_value_the_body_does_not_have_is_a_mismatch(self):
        # It would let a router decide on what the server never sees.
        self.outcomes([
            ({}, [("Region", "eu")], MISMATCH),
            (None, [("N", "1")], MISMATCH),
            ({"opts": {}}, [("Zone", "a")], MISMATCH),
        ])  # fmt: skip

    def test_b045_null_needs_no_header_and_is_then_judged_by_the_schema(self):
        with self.server() as server:
            reply = server.post(call(1, "query", {"region": None}))
            self.assertEqual(reply.outcome(), RAN)
            self.assertIs(reply.result["isError"], True)
            self.assertEqual(
                server.post(call(1, "query", {"region": None}), extra=[("Mcp-Param-Region", "eu")]).outcome(), MISMATCH
            )
            self.assertEqual(server.post(call(1, "count")).text, "0")

    def test_b045_a_header_in_two_lines_of_which_one_is_wrong_is_a_mismatch(self):
        self.outcomes([
            ({"region": "eu"}, [("Region", "eu"), ("Region", "us")], MISMATCH),
            ({"region": "eu"}, [("Region", "us"), ("Region", "eu")], MISMATCH),
        ])  # fmt: skip

    def test_b045_an_argument_that_stands_twice_is_refused_whatever_the_header_says(self):
        tool = json.dumps(
            {
                "name": "doubled",
                "inputSchema": {"type": "object", "properties": {"v": {"type": "string", "x-mcp-header": "V"}}},
            }
        )
        with HttpServer("--tool", "typed", tool) as server:
            for header in ("eu", "us"):
                message = call(1, "doubled", {"v": "X"})
                body = encode(message).replace(b'"v":"X"', b'"v":"eu","v":"us"')
                response, answer = server.bare("POST", [*headers_of(message), ("Mcp-Param-V", header)], body)
                result = json.loads(answer)["result"]
                self.assertEqual((response.status, result["isError"]), (200, True))
                self.assertIn("/v: the member stands in its object twice", result["content"][0]["text"])

    def test_b045_the_order_of_faults_puts_these_headers_behind_the_lookup_and_before_the_arguments(self):
        with self.server() as server:
            bad = {"region": "eu", "n": "no number"}
            self.assertEqual(server.post(call(1, "nowhere", bad)).outcome(), UNKNOWN_TOOL)
            self.assertEqual(server.post(call(2, "query", bad)).outcome(), MISMATCH)
            self.assertEqual(server.post(call(3, "query", bad), change={"Mcp-Name": "other"}).outcome(), MISMATCH)

    def test_b045_over_stdio_nothing_is_mirrored(self):
        with PipeServer("--tool", "touch", json.dumps(TOOL)) as server:
            self.assertEqual(text_of(server.ask(call(1, "query", {"region": "eu", "n": 1}))), "touched")

    def test_b045_a_handler_may_read_the_headers_of_its_request(self):
        with HttpServer() as server:
            reply = server.post(call(1, "context", {"header": "X-Trace"}), extra=[("x-trace", "abc")])
            self.assertEqual(json.loads(reply.text)["header"], "abc")
            reply = server.post(call(1, "context", {"header": "x-absent"}))
            self.assertEqual(json.loads(reply.text)["header"], {"status": -5})
        with PipeServer() as server:
            answer = server.ask(call(1, "context", {"header": "x-trace"}))
            self.assertEqual(json.loads(text_of(answer))["header"], {"status": -5})


class Order(unittest.TestCase):
    """Several faults in one request: design.md section 5, first row."""

    def test_the_first_fault_of_the_agreed_order_is_reported(self):
        wrong_version = meta(version="1999-01-01")
        no_capabilities = {key: value for key, value in meta().items() if not key.endswith("clientCapabilities")}
        cases = [
            # JSON, then envelope, then everything else.
            (b'{"jsonrpc":"1.0","id":1,', {"Mcp-Method": "x"}, (400, -32700)),
            (
                {"jsonrpc": "1.0", "id": 1, "method": "tools/list", "params": {"_meta": wrong_version}},
                {},
                (400, -32600),
            ),
            # The header against the body comes before the version, ...
            (request(1, "nowhere", {}, wrong_version), {"MCP-Protocol-Version": "2026-07-28"}, (400, -32020)),
            # ... the version before the rest of _meta, ...
            (
                request(
                    1,
                    "nowhere",
                    {},
                    {**no_capabilities, **{key: "1999-01-01" for key in meta() if key.endswith("Version")}},
                ),
                {},
                (400, -32022),
            ),
            # ... _meta before Mcp-Method, ...
            (request(1, "nowhere", {}, no_capabilities), {"Mcp-Method": "other"}, (400, -32602)),
            # ... Mcp-Method before the method, ...
            (request(1, "nowhere"), {"Mcp-Method": "other"}, (400, -32020)),
            (request(1, "nowhere"), {}, (404, -32601)),
            # ... Mcp-Name before the lookup of the tool.
            (call(1, "nowhere"), {"Mcp-Name": "other"}, (400, -32020)),
            (call(1, "nowhere"), {}, (200, -32602)),
        ]
        with HttpServer() as server:
            for message, change, outcome in cases:
                with self.subTest(message=str(message)[:120], change=change):
                    self.assertEqual(server.post(message, change=change).outcome(), outcome)

    def test_headers_come_before_capabilities_and_capabilities_before_arguments(self):
        with HttpServer("--needs", "asks", "sampling") as server:
            self.assertEqual(server.post(call(1, "asks"), change={"Mcp-Name": "other"}).outcome(), MISMATCH)
            self.assertEqual(
                server.post(request(1, "tools/call", {"name": "asks", "arguments": 5})).outcome(), (400, -32021)
            )


if __name__ == "__main__":
    unittest.main()
