#!/usr/bin/env python3
"""Many subscriptions on one server, one change of the list of tools: what each costs, and when the last one is told.

    measure.py SERVER [COUNT]

SERVER is the program made of server.c. Prints, for HTTP (a connection for each subscription) and for stdio (all on one
pipe): bytes of the server's memory for each idle subscription, and the time from the call that changes the list to the
first and to the last notification. The change itself is announced 10 ms late, so that several are told as one.
"""
import json
import os
import selectors
import socket
import subprocess
import sys
import time

META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
PATIENCE = 120


def message(number, method, **params):
    body = {"jsonrpc": "2.0", "id": number, "method": method, "params": {**params, "_meta": META}}
    return json.dumps(body).encode()


def listen(number):
    return message(number, "subscriptions/listen", notifications={"toolsListChanged": True})


def post(method, body, name=None):
    head = [
        "POST /mcp HTTP/1.1", "Host: 127.0.0.1", "Content-Type: application/json",
        "Accept: application/json, text/event-stream", "MCP-Protocol-Version: 2026-07-28",
        f"Mcp-Method: {method}", f"Content-Length: {len(body)}",
    ]
    head += [f"Mcp-Name: {name}"] if name else []
    return "\r\n".join(head).encode() + b"\r\n\r\n" + body


def memory(process):
    with open(f"/proc/{process.pid}/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmRSS"))


def wait_for(selector, connections, text):
    """The times at which the first and the last connection have received `text`."""
    waiting = set(connections)
    seen = {connection: b"" for connection in connections}
    first = None
    deadline = time.monotonic() + PATIENCE
    while waiting:
        for key, _ in selector.select(timeout=1):
            connection = key.fileobj
            seen[connection] = seen[connection][-200:] + connection.recv(65536)
            if connection in waiting and text in seen[connection]:
                first = first or time.monotonic()
                waiting.discard(connection)
        if time.monotonic() > deadline:
            sys.exit(f"{len(waiting)} connections have not received {text!r}")
    return first, time.monotonic()


def over_http(program, count):
    process = subprocess.Popen([program, "http"], stdout=subprocess.PIPE)
    try:
        port = int(process.stdout.readline())
        caller = socket.create_connection(("127.0.0.1", port))
        caller.sendall(post("tools/call", message(0, "tools/call", name="change"), "change"))
        caller.recv(65536)
        before = memory(process)
        selector = selectors.DefaultSelector()
        connections = []
        for number in range(1, count + 1):
            connection = socket.create_connection(("127.0.0.1", port))
            connection.sendall(post("subscriptions/listen", listen(number)))
            selector.register(connection, selectors.EVENT_READ)
            connections.append(connection)
        wait_for(selector, connections, b"subscriptions/acknowledged")
        time.sleep(0.5)
        each = (memory(process) - before) / count
        start = time.monotonic()
        caller.sendall(post("tools/call", message(0, "tools/call", name="change"), "change"))
        first, last = wait_for(selector, connections, b"tools/list_changed")
        return each, first - start, last - start
    finally:
        process.kill()


def over_stdio(program, count):
    process = subprocess.Popen([program, "stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        lines = process.stdout

        def say(text):
            process.stdin.write(text + b"\n")
            process.stdin.flush()

        say(message(0, "tools/call", name="change"))
        lines.readline()
        before = memory(process)
        for number in range(1, count + 1):
            say(listen(number))
            assert b"acknowledged" in lines.readline()
        each = (memory(process) - before) / count
        start = time.monotonic()
        say(message(0, "tools/call", name="change"))
        first, told = None, 0
        while told < count:
            if b"list_changed" in lines.readline():
                first = first or time.monotonic()
                told += 1
        return each, first - start, time.monotonic() - start
    finally:
        process.kill()


def main():
    program = os.path.abspath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 10_000
    for name, run in [("HTTP", over_http), ("stdio", over_stdio)]:
        each, first, last = run(program, count)
        print(
            f"{name}: {count} subscriptions, {each / 1024:.1f} KiB each; "
            f"told of a change after {first * 1000:.0f} ms (the first) to {last * 1000:.0f} ms (the last)"
        )


if __name__ == "__main__":
    main()
