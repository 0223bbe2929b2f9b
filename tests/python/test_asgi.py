"""A server mounted in FastAPI, run by real ASGI servers, over real sockets."""

import contextlib
import http.client
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = HERE.parent.parent / "examples/python"
PATIENCE = 60  # seconds
REVISION = "2026-07-28"
PREFIX = "io.modelcontextprotocol/"
UVICORN = ["-m", "uvicorn", "--log-level", "warning"]


class Running:
    """An ASGI server with a program of asgi_apps.py, on a socket that listens before it is started."""

    def __init__(self, *command, folder=HERE):
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=100)
        self.port = self.socket.getsockname()[1]
        self.log = tempfile.TemporaryFile()
        fd = str(self.socket.fileno())
        self.child = subprocess.Popen(
            [sys.executable, *(part.replace("FD", fd) for part in command)], cwd=folder, pass_fds=[int(fd)],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
        )  # fmt: skip

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.child.terminate()
        try:
            self.child.wait(PATIENCE)
        finally:
            self.child.kill()
            self.child.wait()
            print(self.said(), end="")
            self.socket.close()
            self.log.close()

    def said(self):
        self.log.seek(0)
        return self.log.read().decode(errors="replace")

    def request(self, method, path, body=None, headers=()):
        """The whole response: status, headers, body."""
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)) as connection:
            connection.request(method, path, body, dict(headers))
            response = connection.getresponse()
            return response.status, response.headers, response.read()

    def rpc(self, path, method, params=None, headers=()):
        """The answer to a request, wherever it stands in the response."""
        status, got, body = self.request("POST", path, *message(method, params, headers))
        return answer_of(status, got, body)

    def call(self, path, name, arguments=None, headers=()):
        result = self.rpc(path, "tools/call", {"name": name, "arguments": arguments or {}}, headers)
        return result["result"].get("structuredContent") or result["result"]["content"][0]["text"]

    def open(self, path, name, arguments=None, headers=()):
        """A call whose response is read event by event."""
        params = {"name": name, "arguments": arguments or {}, "_meta": {"progressToken": "t"}}
        return Stream(self.port, path, *message("tools/call", params, headers))


def message(method, params=None, headers=()):
    params = dict(params or {})
    params["_meta"] = {
        f"{PREFIX}protocolVersion": REVISION,
        f"{PREFIX}clientInfo": {"name": "test", "version": "1"},
        f"{PREFIX}clientCapabilities": {},
        **params.get("_meta", {}),
    }
    named = {"Mcp-Name": params["name"]} if "name" in params else {}
    all_headers = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": REVISION,
        "Mcp-Method": method,
        **named,
        **dict(headers),
    }
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}), all_headers


def answer_of(status, headers, body):
    if headers.get_content_type() != "text/event-stream":
        return {"status": status, **json.loads(body)}
    events = [json.loads(line[6:]) for line in body.decode().splitlines() if line.startswith("data: ")]
    return {"status": status, **events[-1]}


class Stream:
    def __init__(self, port, path, body, headers, method="POST"):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        self.connection.request(method, path, body, headers)
        self.response = self.connection.getresponse()

    def event(self):
        """The next event that has data; None at the end."""
        while line := self.response.readline():
            if line.startswith(b"data: {"):
                return json.loads(line[6:])
        return None

    def close(self):
        self.response.close()
        self.connection.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class MountedInFastAPI(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = cls.enterClassContext(Running(*UVICORN, "--fd", "FD", "asgi_apps:app"))

    def test_the_application_goes_on_beside_it(self):
        status, _, body = self.server.request("GET", "/page")
        self.assertEqual((status, list(json.loads(body))), (200, ["loop"]))

    def test_it_is_where_it_was_mounted(self):
        for path in ("/mcp", "/below/tools", "/below/tools/", "/users/", "/older/"):
            with self.subTest(path):
                result = self.server.rpc(path, "server/discover")["result"]
                self.assertEqual(result["_meta"][f"{PREFIX}serverInfo"]["name"], "mounted")

    def test_another_path_is_not_found_and_the_answer_names_the_right_one(self):
        status, _, body = self.server.request("POST", "/below/elsewhere", *message("server/discover"))
        self.assertEqual((status, b"/tools" in body), (404, True), body)
        status, _, body = self.server.request("POST", "/below/%C3%A9", *message("server/discover"))
        self.assertEqual(status, 404, body)

    def test_two_servers_do_not_meet(self):
        def names(path):
            return {tool["name"] for tool in self.server.rpc(path, "tools/list")["result"]["tools"]}

        self.assertEqual(names("/other/"), {"only_here"})
        self.assertNotIn("only_here", names("/mcp"))

    def test_a_function_sees_the_request(self):
        seen = self.server.call("/mcp", "seen_by_function", headers={"X-Who": "ann"})
        self.assertEqual(seen, {"who": "ann", "principal": None, "path": "/mcp", "main": False})

    def test_a_coroutine_runs_on_the_loop_of_the_application(self):
        loop = json.loads(self.server.request("GET", "/page")[2])["loop"]
        seen = self.server.call("/mcp", "seen_by_coroutine", headers={"X-Who": "bob", "X-Own": "mine"})
        self.assertEqual(
            seen, {"who": "bob", "principal": None, "path": "/mcp", "main": True, "loop": loop, "header": "mine"}
        )

    def test_the_user_of_the_scope_is_the_principal(self):
        for name, principal in (("ann", "ann"), ("", None)):
            seen = self.server.call("/users/", "seen_by_function", headers={"X-User": name})
            self.assertEqual(seen["principal"], principal)

    def test_a_coroutine_may_find_out_who_it_is(self):
        self.assertEqual(self.server.call("/keys/", "seen_by_function", headers={"X-Key": "k1"})["principal"], "k1")

    def test_what_a_call_says_comes_before_its_end(self):
        for kind in ("coroutine", "function"):
            with self.subTest(kind), self.server.open("/mcp", f"step_{kind}") as stream:
                self.assertEqual(stream.response.headers.get_content_type(), "text/event-stream")
                self.assertEqual(stream.event()["params"]["message"], "begun")
                self.assertEqual(self.server.request("GET", f"/go-on?what={kind}")[0], 200)
                self.assertEqual(stream.event()["result"]["content"][0]["text"], "gone on")
                self.assertIsNone(stream.event())

    def test_a_client_that_goes_away_cancels_its_call(self):
        with self.server.open("/mcp", "wait_for_ever") as stream:
            self.assertEqual(stream.event()["params"]["message"], "begun")
        self.assertEqual(self.server.request("GET", "/ended")[0], 200)

    def test_a_body_is_bounded(self):
        body, headers = message("tools/call", {"name": "length_of", "arguments": {"text": "x" * 100_000}})
        for shape, sent, more in (("with its length", body, {}), ("in pieces", iter([body.encode()] * 3), {})):
            with self.subTest(shape):
                status, _, said = self.server.request("POST", "/mcp", sent, {**headers, **more})
                self.assertEqual((status, b"max_message_bytes" in said), (413, True), said)
        self.assertEqual(self.server.call("/mcp", "length_of", {"text": "x" * 90_000}), 90_000)

    def test_a_body_may_come_in_pieces(self):
        body, headers = message("tools/call", {"name": "length_of", "arguments": {"text": "x" * 5000}})
        pieces = (body[at : at + 100].encode() for at in range(0, len(body), 100))
        answer = answer_of(*self.server.request("POST", "/mcp", pieces, headers))
        self.assertEqual(answer["result"]["structuredContent"], 5000)

    def test_a_large_answer_comes_whole(self):
        self.assertEqual(len(self.server.call("/mcp", "letters", {"count": 3_000_000})), 3_000_000)

    def test_names_and_pages_of_other_sites_are_kept_out(self):
        for path, headers, status in (
            ("/mcp", {"Host": "evil.example.com"}, 403),
            ("/mcp", {"Origin": "http://evil.example.com"}, 403),
            ("/mcp", {"Origin": "http://localhost:3000"}, 200),
            ("/known/", {"Host": "api.example.com"}, 200),
            ("/known/", {"Host": "evil.example.com"}, 403),
            ("/known/", {"Host": "api.example.com", "Origin": "https://app.example.com"}, 200),
        ):
            with self.subTest(path=path, **headers):
                self.assertEqual(self.server.request("POST", path, *message("server/discover", None, headers))[0], status)

    def test_what_is_no_request_of_the_protocol_is_answered_by_it(self):
        for method in ("GET", "PUT"):
            self.assertEqual(self.server.request(method, "/mcp")[0], 405)
        status, headers, _ = self.server.request(
            "OPTIONS", "/known/", headers={"Host": "api.example.com", "Origin": "https://app.example.com",
                                           "Access-Control-Request-Method": "POST"}
        )  # fmt: skip
        self.assertEqual((status, headers["access-control-allow-origin"]), (204, "https://app.example.com"))

    def test_a_session_of_an_older_client(self):
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        status, got, body = self.server.request("POST", "/mcp", rpc(1, "initialize", params), headers)
        self.assertEqual(status, 200, body)
        headers |= {"Mcp-Session-Id": got["mcp-session-id"], "MCP-Protocol-Version": "2025-06-18"}
        self.assertEqual(self.server.request("POST", "/mcp", rpc(None, "notifications/initialized"), headers)[0], 202)
        with Stream(self.server.port, "/mcp", None, {**headers, "Accept": "text/event-stream"}, "GET") as listening:
            self.assertEqual(listening.response.status, 200)
            call = rpc(2, "tools/call", {"name": "letters", "arguments": {"count": 2}})
            answer = answer_of(*self.server.request("POST", "/mcp", call, headers))
            self.assertEqual(answer["result"]["content"][0]["text"], "xx")
            self.assertIn(self.server.request("DELETE", "/mcp", headers=headers)[0], (200, 204))
            self.assertIsNone(listening.event(), "the stream ends with its session")

    def test_the_oldest_transport_tells_the_address_below_the_mount(self):
        with Stream(self.server.port, "/older/sse", None, {"Accept": "text/event-stream"}, "GET") as stream:
            lines = [stream.response.readline() for _ in range(2)]
            self.assertEqual(lines[0], b"event: endpoint\n")
            address = lines[1].decode().removeprefix("data: ").strip()
            self.assertTrue(address.startswith("/older/sse?sessionId="), address)
            params = {"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
            json_type = {"Content-Type": "application/json"}
            self.assertEqual(self.server.request("POST", address, rpc(1, "initialize", params), json_type)[0], 202)
            self.assertEqual(stream.event()["result"]["serverInfo"]["name"], "mounted")

    def test_many_calls_at_once(self):
        streams = [Stream(self.server.port, "/mcp", *message("tools/call", {"name": name, "arguments": {"count": 9}}))
                   for name in ("letters", "process_of_loop") * 32]  # fmt: skip
        for stream, expected in zip(streams, (200, 200) * 32):
            with stream:
                self.assertEqual(stream.response.status, expected)
                self.assertIn("result", json.loads(stream.response.read()))


def rpc(id, method, params=None):
    numbered = {} if id is None else {"id": id}
    return json.dumps({"jsonrpc": "2.0", **numbered, "method": method, **({} if params is None else {"params": params})})


class ServersAndWorkers(unittest.TestCase):
    def test_it_may_be_the_whole_application(self):
        for loop in ("asyncio", "uvloop"):
            for http_parser in ("h11", "httptools"):
                command = [*UVICORN, "--loop", loop, "--http", http_parser, "--lifespan", "on", "--fd", "FD", "asgi_apps:root"]
                with self.subTest(loop=loop, http=http_parser), Running(*command) as server:
                    self.assertEqual(server.call("/mcp", "process"), server.child.pid)
                    self.assertEqual(server.call("/mcp", "process_of_loop"), server.child.pid)
                    self.assertEqual(server.request("POST", "/elsewhere", *message("server/discover"))[0], 404)
                    server.child.terminate()
                    self.assertEqual(server.child.wait(PATIENCE), -signal.SIGTERM)
                    self.assertEqual(server.said(), "")

    def test_forked_workers_answer_each_for_itself(self):
        gunicorn = ["-m", "gunicorn", "--preload", "-k", "asgi", "-w", "2", "-b", "fd://FD", "--log-level", "warning",
                    "--no-control-socket"]
        for command in ([*gunicorn, "asgi_apps:app"], [*UVICORN, "--workers", "2", "--fd", "FD", "asgi_apps:app"]):
            with self.subTest(command[1]), Running(*command) as server:
                one = server.call("/mcp", "process")
                os.kill(one, signal.SIGSTOP)  # so that the other one must answer
                try:
                    other = server.call("/mcp", "process_of_loop")
                finally:
                    os.kill(one, signal.SIGCONT)
                self.assertEqual(len({one, other, server.child.pid}), 3)

    def test_open_streams_do_not_keep_the_server_from_ending(self):
        with Running(*UVICORN, "--fd", "FD", "asgi_apps:app") as server:
            listen = message("subscriptions/listen", {"notifications": {"toolsListChanged": True}})
            with Stream(server.port, "/mcp", *listen) as stream:
                self.assertEqual(stream.event()["method"], "notifications/subscriptions/acknowledged")
                server.child.terminate()
                self.assertIn("result", stream.event(), "a subscription ends with its result")
                self.assertEqual(server.child.wait(PATIENCE), -signal.SIGTERM)


class TheExample(unittest.TestCase):
    def test_the_pages_and_the_tool_of_a_shop(self):
        with Running(*UVICORN, "--fd", "FD", "fastapi_app:app", folder=EXAMPLES) as server:
            self.assertEqual(json.loads(server.request("GET", "/orders/1")[2]), {"state": "on its way"})
            self.assertEqual(server.request("GET", "/orders/7")[0], 404)
            self.assertEqual(server.call("/mcp", "order_state", {"number": 2}), "delivered")
            result = server.rpc("/mcp", "tools/call", {"name": "order_state", "arguments": {"number": 7}})["result"]
            self.assertEqual((result["isError"], result["content"][0]["text"]), (True, "There is no order 7."))


if __name__ == "__main__":
    unittest.main()
