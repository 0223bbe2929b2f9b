#!/usr/bin/env python3
"""Talks to the weather example as a client would, over stdio and over HTTP, and shows what is said.

    examples/demo.py PATH/TO/weather

Every step checks what it got. The first one that is not as it should be ends the demo with exit code 1,
its name and the reason. Nothing but Python's standard library is used: the protocol is plain JSON.
"""

import http.client
import itertools
import json
import queue
import re
import socket
import subprocess
import sys
import threading
import urllib.parse

REVISION = "2026-07-28"
META = "io.modelcontextprotocol/"
PATIENCE = 10  # seconds that any one message may take


class Failure(Exception):
    """What a step found to be wrong."""


class Exchange:
    """One request and everything that the server says to it: notifications first, the answer last."""

    def __init__(self, request):
        self.request = request
        self.inbox = queue.Queue()

    def next(self):
        try:
            message = self.inbox.get(timeout=PATIENCE)
        except queue.Empty:
            raise Failure(f"no message within {PATIENCE} seconds") from None
        if isinstance(message, Failure):
            raise message
        return message

    def answer(self):
        """The result, and the notifications that came before it."""
        notifications = []
        while "id" not in (message := self.next()):
            notifications.append(message)
        if "error" in message:
            raise Failure(f"the server answered with error {message['error']['code']}: {message['error']['message']}")
        return message["result"], notifications


def request(id, method, params, progress=False):
    meta = {
        META + "protocolVersion": REVISION,
        META + "clientInfo": {"name": "libmcp-demo", "version": "1.0.0"},
        META + "clientCapabilities": {},
    }
    if progress:
        meta["progressToken"] = id
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": {**params, "_meta": meta}}


class Stdio:
    """The server is our child; one JSON message is one line."""

    title = "stdio"

    def __init__(self, weather):
        self.child = subprocess.Popen([weather, "stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.ids = itertools.count(1)
        self.open = {}
        threading.Thread(target=self.read, daemon=True).start()

    def send(self, method, params=None, name=None, progress=False):
        exchange = Exchange(request(next(self.ids), method, params or {}, progress))
        self.open[exchange.request["id"]] = exchange
        self.write(exchange.request)
        return exchange

    def write(self, message):
        try:
            self.child.stdin.write(json.dumps(message, ensure_ascii=False).encode() + b"\n")
            self.child.stdin.flush()
        except OSError as broken:
            raise Failure(f"the server does not read its input any more ({broken})") from None

    def read(self):
        for line in self.child.stdout:
            try:
                message = json.loads(line)
                self.open[self.owner(message)].inbox.put(message)
            except (ValueError, KeyError):
                self.fail(f"the server wrote a line that belongs to no request: {line.decode(errors='replace')}")
        self.fail("the server has closed its output")

    @staticmethod
    def owner(message):
        """The id of the request that a message belongs to: all of them share one pipe."""
        if "id" in message:
            return message["id"]
        params = message["params"]
        return params["progressToken"] if "progressToken" in params else params["_meta"][META + "subscriptionId"]

    def fail(self, reason):
        for exchange in self.open.values():
            exchange.inbox.put(Failure(reason))

    def stop_listening(self, exchange):
        self.write({"jsonrpc": "2.0", "method": "notifications/cancelled",
                    "params": {"requestId": exchange.request["id"]}})

    def close(self):
        """A client says goodbye by closing the pipe; the server then ends by itself."""
        self.child.stdin.close()
        try:
            code = self.child.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.kill()
            raise Failure(f"the server still runs {PATIENCE} seconds after its input was closed") from None
        if code != 0:
            raise Failure(f"the server ended with exit code {code}")
        return "our end of the pipe is closed, and the server has ended with exit code 0"

    def kill(self):
        self.child.kill()
        self.child.wait()


class Http:
    """The server listens; each request is a POST, answered by JSON or by a stream of events."""

    title = "Streamable HTTP"

    def __init__(self, weather):
        self.child = subprocess.Popen([weather, "http", "0"], stderr=subprocess.PIPE)
        self.ids = itertools.count(1)
        self.sockets = {}
        line = self.child.stderr.readline().decode()
        found = re.search(r"http://\S+", line)
        if found is None:
            raise Failure(f"the server did not say where it listens; it said: {line!r}")
        self.url = urllib.parse.urlsplit(found.group())
        threading.Thread(target=self.pass_on_stderr, daemon=True).start()

    def pass_on_stderr(self):
        for line in self.child.stderr:
            sys.stderr.buffer.write(line)
            sys.stderr.flush()

    def send(self, method, params=None, name=None, progress=False):
        exchange = Exchange(request(next(self.ids), method, params or {}, progress))
        threading.Thread(target=self.post, args=(exchange, name), daemon=True).start()
        return exchange

    def post(self, exchange, name):
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": REVISION,
            "Mcp-Method": exchange.request["method"],
        }
        if name is not None:
            headers["Mcp-Name"] = name
        try:
            connection = http.client.HTTPConnection(self.url.hostname, self.url.port)
            connection.connect()
            self.sockets[exchange.request["id"]] = connection.sock
            connection.request("POST", self.url.path, json.dumps(exchange.request, ensure_ascii=False).encode(), headers)
            for message in messages_of(connection.getresponse()):
                exchange.inbox.put(message)
            exchange.inbox.put(Failure("the response has ended without an answer"))
        except Exception as broken:  # shown by the step that waits for the message
            exchange.inbox.put(Failure(f"the POST failed: {broken!r}"))

    def stop_listening(self, exchange):
        """Over HTTP a client that wants no more closes the connection."""
        self.sockets[exchange.request["id"]].shutdown(socket.SHUT_RDWR)

    def close(self):
        self.child.terminate()
        self.child.wait(PATIENCE)
        return "the server has been told to end, and has"

    kill = close


def messages_of(response):
    if response.headers.get_content_type() == "text/event-stream":
        for line in response:
            if line.startswith(b"data:"):
                yield json.loads(line[5:])
    else:
        yield json.loads(response.read())


# ---- the steps ----


def show(text):
    print("      " + str(text).replace("\n", "\n      "))


def expect(condition, otherwise):
    if not condition:
        raise Failure(otherwise)


def call(server, tool, arguments, progress=False):
    show(f"we call      {tool} {json.dumps(arguments, ensure_ascii=False)}")
    return server.send("tools/call", {"name": tool, "arguments": arguments}, tool, progress)


def text_of(result):
    return " ".join(block["text"] for block in result["content"] if block["type"] == "text")


def discovery(server):
    result, _ = server.send("server/discover").answer()
    info = result["_meta"][META + "serverInfo"]
    show(f"server       {info['name']} {info['version']}")
    show(f"revisions    {', '.join(result['supportedVersions'])}")
    show(f"capabilities {json.dumps(result['capabilities'])}")
    show(f"instructions {result.get('instructions', '(none)')}")
    expect(REVISION in result["supportedVersions"], f"the server does not speak {REVISION}")
    expect("tools" in result["capabilities"], "the server offers no tools")


def tool_list(server):
    result, _ = server.send("tools/list").answer()
    for tool in result["tools"]:
        arguments = ", ".join(
            f"{name}: {schema['type']}" + ("" if name in tool["inputSchema"].get("required", []) else " (optional)")
            for name, schema in tool["inputSchema"].get("properties", {}).items()
        )
        show(f"{tool['name'] + ' (' + arguments + ')':45} {tool['description']}")
    names = [tool["name"] for tool in result["tools"]]
    expect(names == ["forecast", "switch_radar", "track_storm"], f"other tools than the three expected: {names}")
    return names


def good_call(server):
    result, _ = call(server, "forecast", {"city": "Reykjavík", "days": 2}).answer()
    show("structured   " + json.dumps(result.get("structuredContent"), ensure_ascii=False))
    show("as text      " + text_of(result))
    expect(not result.get("isError"), "the call failed")
    structured = result.get("structuredContent")
    expect(isinstance(structured, dict), "there is no structured content")
    expect(structured["city"] == "Reykjavík" and len(structured["days"]) == 2, "it is not what we asked for")
    expect(json.loads(text_of(result)) == structured, "the text is not the same JSON")


def bad_call(server):
    result, _ = call(server, "forecast", {"days": 12}).answer()
    show("tool error   " + text_of(result))
    expect(result.get("isError") is True, "the call should have failed")
    expect("city" in text_of(result) and "days" in text_of(result), "the error does not name both problems")


def error_of_the_library(server):
    """The handler hands on what mcp_last_error() says."""
    result, _ = call(server, "switch_radar", {"on": False}).answer()
    show("tool error   " + text_of(result))
    expect(result.get("isError") is True, "the call should have failed")
    expect(text_of(result) == 'there is no tool "radar"', "these are not the library's words")


def call_with_progress(server):
    exchange = call(server, "track_storm", {"storm": "Ingunn"}, progress=True)
    seen = []
    while "id" not in (message := exchange.next()):
        params = message["params"]
        show(f"progress     {params['progress']:g} of {params['total']:g}, {params['message']}")
        seen.append(params["progress"])
    result = message.get("result")
    expect(result is not None, f"the call ended with an error: {message.get('error')}")
    show("answer       " + text_of(result))
    expect(len(seen) >= 2, f"only {len(seen)} progress message arrived before the answer")
    expect(seen == sorted(set(seen)), f"progress did not increase: {seen}")


def list_change(server):
    subscription = server.send("subscriptions/listen", {"notifications": {"toolsListChanged": True}})
    first = subscription.next()
    expect(first.get("method") == "notifications/subscriptions/acknowledged", f"no acknowledgement, but {first}")
    show(f"subscribed   to {json.dumps(first['params']['notifications'])}")
    call(server, "switch_radar", {"on": True}).answer()
    change = subscription.next()
    expect(change.get("method") == "notifications/tools/list_changed", f"no list change, but {change}")
    show(f"arrived      {change['method']}")
    result, _ = server.send("tools/list").answer()
    names = [tool["name"] for tool in result["tools"]]
    show(f"tools now    {', '.join(names)}")
    expect("radar" in names, "the new tool is not in the list")
    server.stop_listening(subscription)


STEPS = [
    ("A discovery: who are you?", discovery),
    ("A tool list: what can you do?", tool_list),
    ("A good call with structured content", good_call),
    ("A call with bad arguments: the tool error that a model gets", bad_call),
    ("A call that fails inside the server: the library's own words", error_of_the_library),
    ("A call with progress", call_with_progress),
    ("A list change arrives on a subscription", list_change),
]


def goodbye(server):
    show(server.close())


def run(transport, weather):
    print(f"\n=== {transport.title} " + "=" * (70 - len(transport.title)))
    step = "start the server"
    server = None
    try:
        server = transport(weather)
        for number, (step, do) in enumerate([*STEPS, ("Goodbye", goodbye)], 1):
            print(f"\n  {number}. {step}")
            do(server)
    except Exception as reason:  # whatever it is, the reader wants the step and the reason
        if server is not None:
            server.kill()
        said = reason if isinstance(reason, Failure) else f"unexpected {reason!r}"
        sys.exit(f"\nFAILED over {transport.title}, step \"{step}\": {said}")


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: demo.py PATH/TO/weather")
    sys.stdout.reconfigure(line_buffering=True)
    for transport in (Stdio, Http):
        run(transport, sys.argv[1])
    print("\nAll steps were as they should be, over both transports.")


if __name__ == "__main__":
    main()
