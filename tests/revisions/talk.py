"""Carries a conversation to a server: `Stdio` and `Http` do each step, and give what the server sent for it."""

import http.client
import json
import re
import subprocess
import sys
import threading

import conversation as script

PATIENCE = 20  # seconds, for any one message


class Talk:
    """What both have in common: ids, and what a request looks like."""

    def __init__(self, revision):
        self.revision = revision
        self.last_id = 0

    def request(self, step, **more):
        self.last_id += 1
        params = {**step.params, **more}
        meta = {**step.meta, **(script.envelope(self.revision) if self.revision == script.MODERN else {})}
        if meta:
            params["_meta"] = meta
        message = {"jsonrpc": "2.0", "id": self.last_id, "method": step.method}
        return {**message, "params": params} if params else message

    def do(self, step):
        """Everything that the server sends for a step, the answer last. A modern server asks by its answer: the client
        asks again then, with what it wants to know."""
        received = self.ask(step)
        result = received[-1].get("result", {})
        if result.get("resultType") == "input_required":
            more = {key: script.answer_to(asked) for key, asked in result["inputRequests"].items()}
            state = {"requestState": result["requestState"]} if "requestState" in result else {}
            received += self.ask(step, inputResponses=more, **state)
        return received

    def ask(self, step, **more):
        """What comes for one request, without its ids: they say how many requests there were before."""
        request = self.request(step, **more)
        received = self.exchange(step, request)
        for message in received:
            if "method" not in message and message.get("id") != request["id"]:
                raise AssertionError(f"request {request['id']} was answered by {message}")
            message.pop("id", None)
        return received

    def answer_to(self, message):
        return {"jsonrpc": "2.0", "id": message["id"], "result": script.answer_to(message)}


class Stdio(Talk):
    """A process of the server."""

    def __init__(self, command, revision):
        super().__init__(revision)
        self.child = subprocess.Popen([*command, "stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.late = threading.Timer(3 * PATIENCE, self.child.kill)  # ends every wait for a message
        self.late.start()

    def exchange(self, step, request):
        self.send(request)
        before, answer, wanted = [], None, step.also
        while wanted or not (answer or step.stream):
            message = self.receive()
            if "method" not in message:
                answer = message
                continue
            before.append(message)
            if message["method"] == wanted:
                wanted = None
            if "id" in message:
                self.send(self.answer_to(message))
        if step.method == "initialize":
            self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return before + ([answer] if answer else [])

    def send(self, message):
        self.child.stdin.write(json.dumps(message).encode() + b"\n")
        self.child.stdin.flush()

    def receive(self):
        line = self.child.stdout.readline()
        if not line:
            raise EOFError(f"the server ended, with exit code {self.child.wait()}, or took too long")
        return json.loads(line)

    def end(self):
        """Ends the input; what the server says then."""
        self.child.stdin.close()
        rest = [json.loads(line) for line in self.child.stdout]
        code = self.child.wait(PATIENCE)
        self.late.cancel()
        if code:
            raise AssertionError(f"the server ended with exit code {code}")
        return [{name: value for name, value in message.items() if name != "id"} for message in rest]


class Http(Talk):
    """A connection to a server of HTTP."""

    def __init__(self, port, revision):
        super().__init__(revision)
        self.port = port
        self.session = None

    def exchange(self, step, request):
        received = []
        response = self.post(request, step)
        self.session = response.getheader("Mcp-Session-Id") or self.session
        for message in messages_of(response):
            received.append(message)
            if "method" in message and "id" in message:
                self.post(self.answer_to(message)).read()
        if step.method == "initialize":
            self.post({"jsonrpc": "2.0", "method": "notifications/initialized"}).read()
        return received

    def post(self, message, step=None):
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        if step is None or step.method != "initialize":
            headers["MCP-Protocol-Version"] = self.revision
        if self.session:
            headers["Mcp-Session-Id"] = self.session
        if self.revision == script.MODERN:
            headers["Mcp-Method"] = message["method"]
            name = message["params"].get("uri" if message["method"] == "resources/read" else "name")
            if name:
                headers["Mcp-Name"] = name
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        connection.request("POST", "/mcp", json.dumps(message), headers)
        return connection.getresponse()

    def end(self):
        """Ends the session, if there is one."""
        if self.session:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
            headers = {"Mcp-Session-Id": self.session, "MCP-Protocol-Version": self.revision}
            connection.request("DELETE", "/mcp", headers=headers)
            status = connection.getresponse().status
            if status >= 300:
                raise AssertionError(f"the end of the session was answered with HTTP {status}")
        return []


def messages_of(response):
    """The messages of a response, as they come."""
    if response.getheader("Content-Type", "").startswith("text/event-stream"):
        for line in response:
            if line.startswith(b"data:") and line[5:].strip():  # the first event of a stream may be empty
                yield json.loads(line[5:])
    elif body := response.read():
        yield json.loads(body)


class HttpServer:
    """The server over HTTP as long as the `with` lasts; its value is the port."""

    def __init__(self, command):
        self.child = subprocess.Popen([*command, "http", "0"], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        line = self.child.stderr.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/", line)
        if found is None:
            self.child.kill()
            sys.exit(f"the server does not say where it listens; it said {line!r}")
        self.port = int(found[1])

    def __enter__(self):
        return self.port

    def __exit__(self, *_):
        self.child.terminate()
        self.child.wait(PATIENCE)
        print(self.child.stderr.read(), end="", file=sys.stderr)
