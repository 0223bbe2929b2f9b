"""Finds the messages of a server in what `tap.py` has recorded, each with the revision in which it was said."""

import base64
import json
from collections import defaultdict
from dataclasses import dataclass

import http_stream

META = "io.modelcontextprotocol/"
REVISIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]
MODERN = REVISIONS[-1]


@dataclass
class Sent:
    """A message of the server. `method` is its own, or that of the request it answers; None if nobody knows."""

    revision: str
    kind: str  # result, error, notification or request
    method: str | None
    message: dict
    file: str


def read(folder):
    """Everything that servers have sent in the recordings of a folder."""
    sent = []
    for file in sorted(folder.glob("*.jsonl")):
        connections = defaultdict(list)
        for line in file.read_text().splitlines():
            record = json.loads(line)
            data = base64.b64decode(record["data"])
            connections[record["connection"]].append((record["from"], data))
        http = [one for one in connections.values() if is_http(one)]
        sent += Http(file.name).read(http)
        for one in connections.values():
            if not is_http(one):
                sent += Stdio(file.name).read(one)
    return sent


def is_http(connection):
    first = next((data for speaker, data in connection if speaker == "client"), b"{")
    return first.split(b" ")[0] in (b"POST", b"GET", b"DELETE", b"OPTIONS", b"HEAD", b"PUT")


def each(text):
    """The messages of a JSON text, of which 2025-03-26 may have several."""
    if not text.strip():
        return []
    value = json.loads(text)
    return value if isinstance(value, list) else [value]


def named_revision(message):
    """What the message itself says; None if it is of the older era."""
    meta = (message.get("params") or {}).get("_meta") or {}
    version = meta.get(META + "protocolVersion")
    return MODERN if version is not None else None  # a version that we refuse is refused in our newest one


def sort_out(message, revision, methods, file):
    """A `Sent`, by the shape of the message; `methods` has the method of each request that may be answered."""
    if "method" in message:
        kind, method = "request" if "id" in message else "notification", message["method"]
    else:
        kind, method = "result" if "result" in message else "error", methods.get(key(message.get("id")))
    return Sent(revision, kind, method, message, file)


def key(request_id):
    """1 and "1" are two ids."""
    return json.dumps(request_id)


class Stdio:
    """One process."""

    def __init__(self, file):
        self.file = file
        self.methods = {}
        self.revisions = {}
        self.revision = MODERN  # of what belongs to no request

    def read(self, records):
        sent, rest = [], {"client": b"", "server": b""}
        for speaker, data in records:
            *lines, rest[speaker] = (rest[speaker] + data).split(b"\n")
            for line in lines:
                for message in each(line):
                    if speaker == "client":
                        self.hear(message)
                    else:
                        sent.append(self.say(message))
        return sent

    def hear(self, message):
        if "method" in message and "id" in message:
            self.methods[key(message["id"])] = message["method"]
            self.revisions[key(message["id"])] = named_revision(message)

    def say(self, message):
        asked = key(message.get("id"))
        if self.methods.get(asked) == "initialize" and "result" in message:
            self.revision = message["result"]["protocolVersion"]
        revision = self.revision if "method" in message else self.revisions.get(asked) or self.revision
        return sort_out(message, revision, self.methods, self.file)


class Http:
    """All connections to one server: a session goes over several."""

    def __init__(self, file):
        self.file = file
        self.revisions = {}  # of sessions
        self.methods = defaultdict(dict)  # of the requests of sessions

    def read(self, connections):
        exchanges = []
        for connection in connections:
            client, server = (b"".join(data for who, data in connection if who == one) for one in ("client", "server"))
            exchanges += http_stream.exchanges(client, server)
        parts = [self.take_apart(*exchange) for exchange in exchanges]
        for session, asked, answered in parts:
            self.learn(session, asked, answered)
        return [self.sort(message, session, asked) for session, asked, answered in parts for message in answered]

    def take_apart(self, request, response):
        """The session, the messages of the client, and those of the server."""
        session = response.headers.get("mcp-session-id") or request.headers.get("mcp-session-id")
        try:
            asked = [one for one in each(request.body) if isinstance(one, dict)]
        except ValueError:
            asked = []  # not JSON, as some tests have it
        kind = response.headers.get("content-type", "").partition(";")[0]
        if kind == "text/event-stream":
            answered = [message for data in http_stream.events(response.body) for message in each(data)]
        else:
            answered = each(response.body) if kind == "application/json" else []
        return session, asked, answered

    def learn(self, session, asked, answered):
        self.methods[session].update(methods_of(asked))
        if asked and asked[0].get("method") == "initialize" and session:
            for message in answered:
                self.revisions[session] = message["result"]["protocolVersion"]

    def sort(self, message, session, asked):
        named = next((named for one in asked if (named := named_revision(one))), None)
        begun = (message.get("result") or {}).get("protocolVersion")  # of an `initialize` without a session
        revision = self.revisions.get(session) or begun or named or MODERN
        methods = methods_of(asked) or self.methods[session]
        return sort_out(message, revision, methods, self.file)


def methods_of(messages):
    return {key(one["id"]): one["method"] for one in messages if "method" in one and "id" in one}
