"""Programs that serve, and clients of them over real pipes and sockets."""

import contextlib
import http.client
import json
import os
import queue
import select
import subprocess
import sys
import textwrap
import threading
import time

PATIENCE = 30  # seconds
REVISION = "2026-07-28"
PREFIX = "io.modelcontextprotocol/"


def meta(capabilities=None, **more):
    return {
        f"{PREFIX}protocolVersion": REVISION,
        f"{PREFIX}clientInfo": {"name": "test", "version": "1"},
        f"{PREFIX}clientCapabilities": capabilities or {},
        **more,
    }


def start(source, *arguments, **options):
    """A program whose text is `source`."""
    pipe = subprocess.PIPE
    # Its standard output has a buffer, as that of most programs.
    env = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    options = {"stdin": pipe, "stdout": pipe, "stderr": pipe, "bufsize": 0, "env": env, **options}
    # A fork with threads around is a warning of newer Pythons, and what some of the tests are about.
    quiet = ["-W", "ignore:This process"]
    return subprocess.Popen([sys.executable, *quiet, "-c", textwrap.dedent(source), *arguments], **options)


class Program:
    """A client of a program that serves stdio."""

    def __init__(self, source, *arguments, capabilities=None, **options):
        self.child = start(source, *arguments, **options)
        self.capabilities = capabilities
        self.number = 0
        self.said = b""
        self.messages = queue.Queue()
        self.threads = [threading.Thread(target=self._read, daemon=True), threading.Thread(target=self._hear, daemon=True)]
        for thread in self.threads:
            thread.start()

    def _read(self):
        with contextlib.suppress(OSError, ValueError):  # closed, at the end of the test
            for line in self.child.stdout:
                self.messages.put(line)

    def _hear(self):
        with contextlib.suppress(OSError, ValueError):
            for line in self.child.stderr:
                self.said += line

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.child.poll() is None:
            self.child.kill()
        self.child.wait()
        for stream in (self.child.stdin, self.child.stdout, self.child.stderr):
            with contextlib.suppress(OSError):
                stream.close()

    def send(self, message):
        self.child.stdin.write(json.dumps(message).encode() + b"\n")
        self.child.stdin.flush()

    def begin(self, method, params=None, **more):
        """Sends a request, and returns its id."""
        self.number += 1
        params = {**(params or {}), "_meta": meta(self.capabilities, **more)}
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        return self.number

    def receive(self):
        """The next message."""
        try:
            line = self.messages.get(timeout=PATIENCE)
        except queue.Empty:
            raise AssertionError(f"nothing came; the program said {self.said.decode()}") from None
        return json.loads(line)

    def answer(self, number, seen=None):
        """The answer to the request of that id; other messages go to `seen`."""
        while True:
            message = self.receive()
            if message.get("id") == number and "method" not in message:
                return message
            if seen is not None:
                seen.append(message)

    def ask(self, method, params=None, seen=None, **more):
        return self.answer(self.begin(method, params, **more), seen)

    def call(self, name, arguments=None, seen=None, **more):
        """The result of a tool."""
        answer = self.ask("tools/call", {"name": name, "arguments": arguments or {}}, seen, **more)
        assert "result" in answer, answer
        return answer["result"]

    def end(self):
        """Closes its input; its exit code and what it said on stderr."""
        self.child.stdin.close()
        return self.wait()

    def wait(self):
        code = self.child.wait(PATIENCE)
        for thread in self.threads:
            thread.join(PATIENCE)
        return code, self.said.decode()


def text(result):
    """The text of a result with one block."""
    [block] = result["content"]
    return block["text"]


class Web:
    """A client of a program that serves HTTP and prints its port."""

    def __init__(self, port, path="/mcp"):
        self.port = port
        self.path = path
        self.number = 0

    def post(self, method, params, headers=(), capabilities=None, path=None):
        self.number += 1
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            body = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": {**params, "_meta": meta(capabilities)}}
            name = params.get("name") or params.get("uri")
            given = {
                "Content-Type": "application/json",
                "Accept": "application/json, text/event-stream",
                "MCP-Protocol-Version": REVISION,
                "Mcp-Method": method,
                **({"Mcp-Name": name} if name else {}),
                **dict(headers),
            }
            connection.request("POST", path or self.path, json.dumps(body), given)
            response = connection.getresponse()
            return response.status, response.read().decode()
        finally:
            connection.close()

    def ask(self, method, params=None, **more):
        status, body = self.post(method, params or {}, **more)
        assert status == 200, (status, body)
        if body.startswith("{"):
            return json.loads(body)
        events = [line.removeprefix("data: ") for line in body.splitlines() if line.startswith("data: ")]
        return json.loads(events[-1])

    def call(self, name, arguments=None, **more):
        answer = self.ask("tools/call", {"name": name, "arguments": arguments or {}}, **more)
        assert "result" in answer, answer
        return answer["result"]


def line_of(stream):
    """A line that a program prints, in time."""
    ready, _, _ = select.select([stream], [], [], PATIENCE)
    assert ready, "the program printed nothing"
    return stream.readline().decode().strip()


def run(source, *arguments, **options):
    """Runs a program to its end: its exit code, and what it said on stdout and stderr."""
    child = start(source, *arguments, **{"stdin": subprocess.DEVNULL, **options})
    try:
        out, said = child.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        child.kill()
        out, said = child.communicate()
        raise AssertionError(f"the program did not end; it said {said.decode()}") from None
    return child.returncode, out.decode(), said.decode()


def elapsed(function):
    begun = time.monotonic()
    value = function()
    return value, time.monotonic() - begun


def processes_threads(pid):
    return os.listdir(f"/proc/{pid}/task")
