"""examples/c/embedded_http.c: the endpoint in a web server that is not the library's."""

import concurrent.futures
import http.client
import json
import os
import re
import signal
import subprocess
import time
import unittest

PATIENCE = 30  # seconds
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}


class Server:
    """The example on a free port, as long as the `with` lasts. It must end well."""

    def __enter__(self):
        command = [os.environ["EMBEDDED_HTTP"], "0"]
        self.child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        line = self.child.stderr.readline()
        self.port = int(re.search(r":(\d+)/mcp", line)[1])
        return self

    def __exit__(self, kind, *_):
        self.end()
        said = self.child.stderr.read()
        self.child.stderr.close()
        code = self.child.wait(PATIENCE)
        if kind is None and (code != 0 or "ERROR" in said):
            raise AssertionError(f"it ended with {code} and said {said}")

    def end(self):
        self.child.send_signal(signal.SIGTERM)

    def connection(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)

    def post(self, method, params=None, meta=None, number=1, path="/mcp", headers=None, connection=None):
        params = {**(params or {}), "_meta": {**META, **(meta or {})}}
        body = json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        usual = {
            "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method,
            **({"Mcp-Name": params["name"]} if "name" in params else {}),
        }
        connection = connection or self.connection()
        connection.request("POST", path, body, {**usual, **(headers or {})})
        return connection.getresponse()

    def count(self, to, **more):
        return self.post("tools/call", {"name": "count", "arguments": {"to": to}}, **more)


def events(response):
    """The messages of a stream, as they come. Events without data, with which streams that can be resumed begin, are
    passed over."""
    while line := response.readline():
        if data := line.removeprefix(b"data:").strip() if line.startswith(b"data:") else b"":
            yield json.loads(data)


class EmbeddedHttp(unittest.TestCase):
    def test_an_answer_is_one_json_object_of_known_length(self):
        with Server() as server:
            connection = server.connection()
            for number in (1, 2):
                response = server.post("tools/list", number=number, connection=connection)
                self.assertEqual((response.status, response.headers["content-type"]), (200, "application/json"))
                self.assertIsNotNone(response.headers["content-length"])
                answer = json.loads(response.read())
                self.assertEqual((answer["id"], answer["result"]["tools"][0]["name"]), (number, "count"))

    def test_the_pages_of_the_web_server_stand_beside_the_endpoint(self):
        with Server() as server:
            for path, status in [("/", 200), ("/elsewhere", 404), ("/mcp/more", 404)]:
                connection = server.connection()
                connection.request("GET", path)
                self.assertEqual(connection.getresponse().status, status, path)

    def test_progress_comes_as_it_is_made(self):
        with Server() as server:
            came = []
            for message in events(server.count(3, meta={"progressToken": "p"})):
                came.append((time.monotonic(), message))
            methods = [message.get("method", "answer") for _, message in came]
            self.assertEqual(methods, ["notifications/progress"] * 3 + ["answer"])
            self.assertGreater(came[-1][0] - came[0][0], 0.3)

    def test_what_a_listener_refuses_is_refused_here(self):
        with Server() as server:
            for headers, status in [
                ({"Origin": "https://evil.example"}, 403),
                ({"Host": "evil.example"}, 403),
                ({"Content-Type": "text/plain"}, 415),
                ({"Accept": "text/plain"}, 406),
                ({"Mcp-Method": "tools/call"}, 400),
            ]:
                response = server.post("tools/list", headers=headers)
                self.assertEqual(response.status, status, headers)
                response.read()
            connection = server.connection()
            connection.request("PUT", "/mcp")
            response = connection.getresponse()
            self.assertEqual(response.status, 405)
            self.assertIsNotNone(response.headers["allow"])

    def test_a_client_of_an_older_revision_has_its_session(self):
        with Server() as server:
            def send(method, message, session=None, connection=None):
                headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
                if session is not None:
                    headers |= {"Mcp-Session-Id": session, "MCP-Protocol-Version": "2025-11-25"}
                connection = connection or server.connection()
                connection.request(method, "/mcp", None if message is None else json.dumps(message), headers)
                return connection.getresponse()

            hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}
            answer = send("POST", {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello})
            session = answer.headers["mcp-session-id"]
            self.assertEqual(json.loads(answer.read())["result"]["protocolVersion"], "2025-11-25")
            ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
            taken = send("POST", ready, session)
            self.assertEqual((taken.status, taken.read()), (202, b""))
            call = {"name": "count", "arguments": {"to": 1}, "_meta": {"progressToken": "p"}}
            response = send("POST", {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call}, session)
            said = [message.get("method", message.get("id")) for message in events(response)]
            self.assertEqual(said, ["notifications/progress", 2])
            listening = send("GET", None, session)
            self.assertEqual((listening.status, listening.headers["content-type"]), (200, "text/event-stream"))
            self.assertEqual(send("DELETE", None, session).status, 204)
            self.assertEqual(list(events(listening)), [])
            self.assertEqual(send("POST", ready, session).status, 404)

    def test_many_clients_at_once_get_their_own_answers(self):
        with Server() as server:
            def one(number):
                return [message.get("id") for message in events(server.count(2, meta={"progressToken": number},
                                                                              number=number))]
            with concurrent.futures.ThreadPoolExecutor(20) as clients:
                for number, ids in enumerate(clients.map(one, range(40))):
                    self.assertEqual(ids, [None, None, number])

    def test_a_client_that_goes_away_cancels_its_call(self):
        with Server() as server:
            connection = server.connection()
            stream = server.count(10_000, meta={"progressToken": "p"}, connection=connection)
            next(events(stream))
            stream.close()
            connection.close()
            # Its progress finds the connection closed. A call that went on would hold the end up for five seconds.
            began = time.monotonic()
            server.end()
            server.child.wait(PATIENCE)
            self.assertLess(time.monotonic() - began, 4)

    def test_the_end_of_the_server_ends_a_subscription_with_its_result(self):
        with Server() as server:
            listening = server.post("subscriptions/listen", {"notifications": {"toolsListChanged": True}}, number=7)
            messages = events(listening)
            self.assertEqual(next(messages)["method"], "notifications/subscriptions/acknowledged")
            server.end()
            self.assertEqual(next(messages)["id"], 7)
            self.assertIsNone(next(messages, None))
