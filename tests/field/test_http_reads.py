"""2026-07-28: headers and statuses of requests for resources, prompts and completions over HTTP (B039, B042, B043)."""

import base64
import json
import unittest

from wire.client import Client
from wire.http import HttpServer
from wire.request import request

OPTIONS = (
    "--resource", "touch", json.dumps({"uri": "x:read", "name": "read"}),
    "--template", "touch", json.dumps({"uriTemplate": "x:t/{v}", "name": "t"}),
    "--prompt", "touch", json.dumps({"name": "ask", "arguments": [{"name": "a"}]}),
    "--prompt", "touch", json.dumps({"name": "frägen"}),
)  # fmt: skip


def read(uri="x:read"):
    return request(7, "resources/read", {"uri": uri})


def get(name="ask"):
    return request(7, "prompts/get", {"name": name})


def encoded(text):
    return "=?base64?" + base64.b64encode(text.encode()).decode() + "?="


class Names(unittest.TestCase):
    def touched(self, server):
        return int(Client(server).text("count"))

    def test_b042_a_name_that_is_not_that_of_the_body_stops_the_request(self):
        with HttpServer(*OPTIONS) as server:
            for message, name in ((read(), "x:read"), (get(), "ask")):
                for change in (
                    {"Mcp-Name": None},
                    {"Mcp-Name": ""},
                    {"Mcp-Name": name + "x"},
                    {"Mcp-Name": name.upper()},
                    {"Mcp-Name": "touch"},
                    {"Mcp-Name": f"{name},{name}"},
                    {"Mcp-Method": None},
                    {"Mcp-Method": "tools/call"},
                    {"Mcp-Method": message["method"].upper()},
                    {"MCP-Protocol-Version": None},
                ):
                    with self.subTest(method=message["method"], change=change):
                        reply = server.post(message, change=change)
                        self.assertEqual(reply.outcome(), (400, -32020))
                        self.assertEqual(reply.last["id"], 7)
            self.assertEqual(self.touched(server), 0)

    def test_b042_every_legal_spelling_is_accepted(self):
        with HttpServer(*OPTIONS) as server:
            ran = 0
            for message, name in ((read(), "x:read"), (get(), "ask"), (read("x:t/1"), "x:t/1")):
                for change in (
                    {},
                    {"Mcp-Name": None, "MCP-NAME": name},
                    {"Mcp-Name": f"  {name}\t "},
                    {"Mcp-Name": encoded(name)},
                    {"mcp-param-other": "x"},
                ):
                    with self.subTest(method=message["method"], change=change):
                        self.assertIn("result", server.post(message, change=change).last)
                        ran += 1
            self.assertEqual(self.touched(server), ran)

    def test_b042_methods_without_a_name_need_none_and_ignore_one(self):
        with HttpServer(*OPTIONS) as server:
            client = Client(server)
            for method in ("resources/list", "resources/templates/list", "prompts/list"):
                for change in ({}, {"Mcp-Name": "anything"}):
                    self.assertEqual(server.post(client.message(method), change=change).status, 200)

    def test_b043_names_outside_of_ascii_are_decoded_and_then_compared(self):
        with HttpServer(*OPTIONS) as server:
            for message, name in ((read("x:t/é"), "x:t/é"), (get("frägen"), "frägen")):
                for header, status in (
                    (encoded(name), 200),
                    (encoded(name + "x"), 400),
                    (name.encode(), 400),
                    ("=?base64?@@?=", 400),
                    ("=?BASE64?" + encoded(name)[9:], 400),
                ):
                    with self.subTest(header=header):
                        reply = server.post(message, change={"Mcp-Name": header})
                        self.assertEqual(reply.status, status)
                        if status == 400:
                            self.assertEqual(reply.error["code"], -32020)
            # A URI is not escaped by half: what the body has is what the header has.
            self.assertEqual(
                server.post(read("x:t/%C3%A9"), change={"Mcp-Name": encoded("x:t/é")}).outcome(), (400, -32020)
            )
            self.assertEqual(server.post(read("x:t/%C3%A9"), change={"Mcp-Name": "x:t/%C3%A9"}).status, 200)
            self.assertEqual(self.touched(server), 3)


class Statuses(unittest.TestCase):
    def test_b039_what_is_wrong_with_a_request_of_a_known_method_is_no_fault_of_http(self):
        with HttpServer(*OPTIONS) as server:
            for message in (
                read("x:nothing"),
                get("nobody"),
                request(1, "prompts/get", {"name": "ask", "arguments": {"a": 5}}),
            ):
                self.assertEqual(server.post(message).outcome(), (200, -32602))

    def test_b039_a_method_whose_capability_is_not_declared_is_404(self):
        with HttpServer() as server:
            for method in ("resources/read", "resources/list", "resources/templates/list", "prompts/get", "prompts/list",
                           "completion/complete"):  # fmt: skip
                message = request(1, method, {"uri": "x:read", "name": "ask"})
                self.assertEqual(server.post(message).outcome(), (404, -32601), method)

    def test_the_methods_of_older_sessions_do_not_exist_here(self):
        with HttpServer("--everything", "1") as server:
            for method in ("resources/subscribe", "resources/unsubscribe", "logging/setLevel", "initialize", "ping"):
                self.assertEqual(
                    server.post(request(1, method, {"uri": "test://text"})).outcome(), (404, -32601), method
                )


if __name__ == "__main__":
    unittest.main()
