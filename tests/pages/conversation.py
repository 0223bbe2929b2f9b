"""A conversation as a page shows it, held with the program that it is about.

    -> {"method": "tools/list"}             the client says this
    <- {"result": {"tools": [...]}}         and the program this
       (lines that begin with a space go on with the message before them)

What every message has is left out on the page, and put in or looked over here: `jsonrpc`, the ids of the client's requests
and their answers, the `_meta` of requests, the server's name in the `_meta` of results, and `"resultType": "complete"`. A
client that begins with `initialize` sends no `_meta`. "…" as a value is any value; in what the client says, it is the last
one that came under the same key.
"""

import json
import os
import select
import subprocess
import tempfile
import time

PATIENCE = 60  # seconds, for one message
ANYTHING = "…"
PREFIX = "io.modelcontextprotocol/"
META = {
    f"{PREFIX}protocolVersion": "2026-07-28",
    f"{PREFIX}clientInfo": {"name": "reader", "version": "1.0.0"},
    f"{PREFIX}clientCapabilities": {"elicitation": {"form": {}, "url": {}}},
}


def hold(command, text, **options):
    """Why the conversation with the program that `command` starts goes otherwise than shown; None if it does not."""
    with (tempfile.TemporaryFile() as log,
          subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, **options) as child):
        try:
            client = Client(child)
            for line in messages(text):
                client.take(line)
            return client.end()
        except (AssertionError, ValueError, KeyError, OSError, subprocess.TimeoutExpired) as fault:
            log.seek(0)
            return f"{fault}\n{log.read().decode(errors='replace')}"
        finally:
            child.kill()


def messages(text):
    joined = []
    for line in text.splitlines():
        if line.startswith(" "):
            joined[-1] += line.strip()
        elif line:
            joined.append(line)
    return joined


class Client:
    def __init__(self, child):
        self.child = child
        self.came = {}
        self.requests = 0
        self.legacy = False
        self.unread = b""

    def take(self, line):
        """Says a line, or hears it."""
        arrow, _, shown = line.partition(" ")
        if arrow == "->":
            self.say(json.loads(shown))
        elif arrow == "<-":
            self.hear(json.loads(shown))
        else:
            raise AssertionError(f"neither -> nor <-: {line}")

    def say(self, message):
        message = self.filled(message)
        if "method" in message and not message["method"].startswith("notifications/"):
            self.requests += 1
            self.legacy |= message["method"] == "initialize"
            message.setdefault("id", self.requests)
            if not self.legacy:
                params = message.setdefault("params", {})
                params["_meta"] = META | params.get("_meta", {})
        self.child.stdin.write(json.dumps({"jsonrpc": "2.0"} | message).encode() + b"\n")
        self.child.stdin.flush()

    def hear(self, shown):
        said = self.next_message()
        self.remember(said)
        if not fits(bare(said, shown), shown):
            raise AssertionError(f"shown: {json.dumps(shown, ensure_ascii=False)}\n"
                                 f"said:  {json.dumps(said, ensure_ascii=False)}")

    def end(self):
        self.child.stdin.close()
        if line := self.next_line():
            return f"it says more than is shown: {line.decode()}"
        code = self.child.wait(PATIENCE)
        return None if code == 0 else f"it ends with exit code {code}"

    def next_message(self):
        line = self.next_line()
        assert line, "it says no more"
        return json.loads(line)

    def next_line(self):
        """The next line; empty where there is none."""
        late = time.monotonic() + PATIENCE
        out = self.child.stdout.fileno()
        while b"\n" not in self.unread:
            ready, _, _ = select.select([out], [], [], max(0, late - time.monotonic()))
            assert ready, f"nothing came within {PATIENCE} seconds"
            piece = os.read(out, 1 << 16)
            if not piece:
                return self.unread
            self.unread += piece
        line, _, self.unread = self.unread.partition(b"\n")
        return line

    def remember(self, value):
        for key, inner in pairs(value):
            self.came[key] = inner
            self.remember(inner)

    def filled(self, value, key=None):
        if value == ANYTHING:
            return self.came[key]
        if isinstance(value, dict):
            return {name: self.filled(inner, name) for name, inner in value.items()}
        return [self.filled(inner) for inner in value] if isinstance(value, list) else value


def pairs(value):
    if isinstance(value, dict):
        return value.items()
    return enumerate(value) if isinstance(value, list) else ()


def bare(said, shown):
    """What was said without what pages leave out, unless this one shows it."""
    said = {name: value for name, value in said.items() if name != "jsonrpc"}
    if "method" not in said and "id" not in shown:
        said.pop("id", None)
    result = said.get("result")
    if isinstance(result, dict):
        said["result"] = result = dict(result)
        if result.get("resultType") == "complete":
            del result["resultType"]
        meta = {key: value for key, value in result.pop("_meta", {}).items() if key != f"{PREFIX}serverInfo"}
        if meta:
            result["_meta"] = meta
    return said


def fits(said, shown):
    if shown == ANYTHING:
        return True
    if isinstance(shown, dict) and isinstance(said, dict):
        return said.keys() == shown.keys() and all(fits(said[key], shown[key]) for key in shown)
    if isinstance(shown, list) and isinstance(said, list):
        return len(said) == len(shown) and all(map(fits, said, shown))
    return type(said) is type(shown) and said == shown
