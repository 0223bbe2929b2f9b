"""A session of an older revision over HTTP: its requests, its streams, and the ids of their events."""

from . import legacy
from .frame import Asked
from .http import JSON, SSE, Reply
from .patience import LONG, Deadline
from .request import encode

BOTH = f"{JSON}, {SSE}"
# The revision whose streams begin with an event that has an id and nothing else.
WITH_OPENINGS = "2025-11-25"


class Stream:
    """A response that is a stream of a session. `ids` are those of its events, in order, that of its opening included."""

    def __init__(self, connection, response, seen):
        assert response.media_type() == SSE, f"{response.status} {response.headers} {response.body()[:400]!r}"
        assert response.get("x-accel-buffering") == "no" and response.get("cache-control") == "no-cache"
        self.connection, self.response = connection, response
        self.ids, self.openings, self.retry = [], 0, None
        self._seen = seen
        self._at_beginning = True

    @property
    def last(self):
        return self.ids[-1]

    def event(self, within=LONG, method=None, deadline=None):
        """The message of the next event; None when the stream has ended."""
        deadline = deadline or Deadline(within)
        while (fields := self.response.block(deadline)) is not None:
            found = dict(fields)
            assert len(found) == len(fields) and set(found) <= {"id", "retry", "data"}, fields
            if "retry" in found:
                self.retry = int(found["retry"])
            if "id" in found:
                self._take_id(found["id"].decode("ascii"))
            at_beginning, self._at_beginning = self._at_beginning, False
            if found.get("data"):
                assert "id" in found, f"an event without an id: {fields}"
                return self.response._parse(found["data"], method)
            if "data" in found:
                assert at_beginning and "id" in found, f"an event without a message: {fields}"
                self.openings += 1
        return None

    def _take_id(self, id):
        assert id not in self.ids, f"{id} twice on one stream"
        self.ids.append(id)
        self._seen.append(id)

    def messages(self, within=LONG, method=None):
        """All that comes up to the end."""
        found, deadline = [], Deadline(within)
        while (message := self.event(method=method, deadline=deadline)) is not None:
            found.append(message)
        return found

    def quiet(self, seconds):
        return self.response.quiet(seconds)

    def close(self):
        self.connection.close()

    def reset(self):
        self.connection.reset()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Session:
    """A session that was opened. `seen` are the ids of all events that were seen in it."""

    def __init__(self, server, revision=legacy.NEWEST, capabilities=None, change=None):
        self.server, self.capabilities, self.id = server, capabilities or {}, None
        self.seen = []
        message = legacy.initialize("hello", revision, capabilities)
        connection, response = self.send(message, change=change)
        response.asked = legacy.opened(message)
        assert response.status == 200, response.body()
        self.id = response.get("mcp-session-id")
        assert self.id and all("!" <= letter <= "~" for letter in self.id), self.id
        (answer,) = response.messages()
        connection.close()
        self.hello = answer["result"]
        self.revision = self.hello["protocolVersion"]
        assert self.notify("notifications/initialized") == 202

    def headers(self, change=None):
        headers = {"Accept": BOTH, "Mcp-Session-Id": self.id}
        if self.id and self.revision >= "2025-06-18":
            headers["MCP-Protocol-Version"] = self.revision
        headers.update(change or {})
        return [(name, value) for name, value in headers.items() if value is not None]

    def send(self, message, *, change=None, accept=BOTH, method="POST", within=LONG):
        """Sends a message, or a bare request; the connection and the head of the answer."""
        connection = self.server.connect()
        headers = self.headers({"Accept": accept, **(change or {})})
        if method == "POST":
            headers.append(("Content-Type", JSON))
        connection.request(method, self.server.path, headers, encode(message), within)
        response = connection.response(method, within)
        asks = message.get("method") if isinstance(message, dict) and "id" in message else None
        if response.status >= 400:
            # What the transport refuses has no id in any revision.
            response.asked = Asked(legacy.NEWEST)
        elif self.id:
            response.asked = Asked(self.revision, asks, self.capabilities)
        return connection, response

    def post(self, message, *, within=LONG, **named):
        """Sends a message and reads the answer whole, which must be one JSON object or nothing."""
        connection, response = self.send(message, within=within, **named)
        try:
            assert response.media_type() != SSE, "a stream"
            return Reply(response, within)
        finally:
            connection.close()

    def ask(self, id, method, params=None, **named):
        return self.post(legacy.request(id, method, params), **named)

    def notify(self, method, params=None, **named):
        """The status of a notification, which must be answered without a word."""
        connection, response = self.send(legacy.notification(method, params), **named)
        body = response.body()
        if response.status == 202:
            assert body == b"" and response.get("content-type") is None, response.raw_head
        connection.close()
        return response.status

    def answer(self, asked, result):
        """Answers what the server asked; the status."""
        return self.post(legacy.answer(asked, result)).status

    def cancel(self, id):
        return self.notify("notifications/cancelled", {"requestId": id})

    def stream(self, message, **named):
        """Sends a request whose answer is a stream."""
        return Stream(*self.send(message, **named), self.seen)

    def listen(self, last=None, **named):
        """A stream for what belongs to no request, or the rest of one behind the event `last`."""
        connection, response = self.get(last, **named)
        response.asked = Asked(self.revision, None, self.capabilities)
        return Stream(connection, response, self.seen)

    def resume(self, last, method="tools/call", **named):
        """The rest of the response to a request."""
        stream = self.listen(last, **named)
        stream.response.asked = Asked(self.revision, method, self.capabilities)
        return stream

    def get(self, last=None, change=None, **named):
        change = {**(change or {}), "Last-Event-ID": last}
        return self.send(b"", method="GET", accept=SSE, change=change, **named)

    def status(self, method, last=None, change=None, **named):
        """The status of a bare request that is refused, or has no body."""
        change = {**(change or {}), "Last-Event-ID": last}
        connection, response = self.send(b"", method=method, change=change, **named)
        if response.media_type() != SSE:
            response.body()
        connection.close()
        return response.status

    def end(self):
        assert self.status("DELETE") == 204
