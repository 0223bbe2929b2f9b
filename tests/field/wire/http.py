"""HTTP written by hand on a socket, and a fixture server that listens."""

import contextlib
import os
import select
import socket
import struct

from . import frame
from .patience import LONG, Deadline, bound
from .process import Process
from .request import PREFIX, asked, discover, encode

JSON = "application/json"
SSE = "text/event-stream"
LISTS = {
    "vary",
    "allow",
    "access-control-allow-methods",
    "access-control-allow-headers",
    "access-control-expose-headers",
}
NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}


class Closed(AssertionError):
    """The server closed the connection where more was to come."""


class Response:
    """The head of an answer; the body is read as asked for."""

    def __init__(self, connection, method, deadline):
        self._connection = connection
        head = connection.until(b"\r\n\r\n", deadline)
        lines = head.split(b"\r\n")
        self.version, status, *_ = lines[0].decode("latin-1").split(" ")
        self.status = int(status)
        self.headers = []
        for line in lines[1:]:
            name, value = line.split(b":", 1)
            self.headers.append((name.decode("ascii").lower(), value.strip(b" \t").decode("latin-1")))
        self.raw_head = bytes(head)
        self._head_only = method == "HEAD" or self.status in (204, 304) or 100 <= self.status < 200
        self._chunked = "chunked" in self.get("transfer-encoding", "").lower()
        self._lines = bytearray()
        self._over = False
        self.comments = 0
        # What the messages are held against.
        self.asked = frame.Asked()

    def get(self, name, otherwise=None):
        """The value of a header; only a list may come in several lines."""
        values = [value for key, value in self.headers if key == name]
        assert len(values) < 2 or name in LISTS, f"{name} twice: {values}"
        return ", ".join(values) if values else otherwise

    def media_type(self):
        return (self.get("content-type") or "").split(";")[0].strip().lower()

    def body(self, within=LONG):
        """The whole body."""
        deadline = Deadline(within)
        if self._head_only:
            return b""
        if self._chunked:
            body = bytearray()
            while chunk := self._chunk(deadline):
                body += chunk
            return bytes(body)
        length = self.get("content-length")
        if length is None:
            return self._connection.rest(deadline)
        return self._connection.exactly(int(length), deadline)

    def _chunk(self, deadline):
        if self._over:
            return b""
        size = int(self._connection.until(b"\r\n", deadline).split(b";")[0], 16)
        data = self._connection.exactly(size, deadline)
        if size == 0:
            self._over = True
            while self._connection.until(b"\r\n", deadline):
                pass
        else:
            assert self._connection.exactly(2, deadline) == b"\r\n"
        return data

    def _line(self, deadline):
        """One line of the stream without its end; None at the end of the stream."""
        while (end := self._lines.find(b"\n")) < 0:
            chunk = self._chunk(deadline) if self._chunked else self._connection.some(deadline)
            if not chunk:
                assert not self._lines, f"the stream ends inside a line: {bytes(self._lines)!r}"
                return None
            self._lines += chunk
        line = bytes(self._lines[:end])
        del self._lines[: end + 1]
        return line[:-1] if line.endswith(b"\r") else line

    def _parse(self, raw, method):
        return frame.parse(raw, self.asked if method is None else self.asked._replace(method=method))

    def block(self, deadline):
        """The lines of the next event as (name, value); None when the stream has ended. Comments are counted in
        `comments`."""
        assert self.media_type() == SSE, f"{self.status} {self.headers}"
        fields = []
        while (line := self._line(deadline)) is not None:
            if line.startswith(b":"):
                self.comments += 1
            elif line:
                name, _, value = line.partition(b":")
                fields.append((name.decode("ascii"), value.removeprefix(b" ")))
            elif fields:
                return fields
        assert not fields, "the stream ends inside an event"
        return None

    def event(self, within=LONG, method=None, deadline=None):
        """The message of the next event; None when the stream has ended."""
        fields = self.block(deadline or Deadline(within))
        if fields is None:
            return None
        others = [field for field in fields if field[0] != "data" and field != ("event", b"message")]
        assert not others, f"lines of no use here: {others}"
        (data,) = [value for name, value in fields if name == "data"]
        return self._parse(data, method)

    def quiet(self, seconds):
        """Whether nothing more comes on the stream for so long."""
        return not self._lines and self._connection.silent(seconds)

    def messages(self, within=LONG, method=None):
        """All messages of the answer, up to its end."""
        if self.media_type() == SSE:
            assert self.get("x-accel-buffering") == "no", f"no X-Accel-Buffering on a stream: {self.headers}"
            found, deadline = [], Deadline(within)
            while (message := self.event(method=method, deadline=deadline)) is not None:
                found.append(message)
            return found
        body = self.body(within)
        if not body:
            return []
        assert self.media_type() == JSON, f"{self.headers}: {body[:200]!r}"
        assert b"\n" not in body, "a JSON body of several lines"
        return [self._parse(body, method)]


class Connection:
    """One TCP connection."""

    def __init__(self, port, host="127.0.0.1"):
        self.host, self.port = host, port
        self.socket = socket.create_connection((host, port), LONG)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._buffer = bytearray()

    def write(self, data, within=LONG):
        self.socket.settimeout(within)
        self.socket.sendall(data)

    def some(self, deadline):
        """Bytes that are there; empty at the end of the connection."""
        if self._buffer:
            data, self._buffer = bytes(self._buffer), bytearray()
            return data
        return self._receive(deadline)

    def _receive(self, deadline):
        self.socket.settimeout(max(0.001, deadline.left()))
        try:
            return self.socket.recv(1 << 18)
        except socket.timeout:  # TimeoutError itself, from Python 3.10 on
            raise AssertionError(f"nothing came in time; so far: {bytes(self._buffer[:300])!r}") from None
        except ConnectionResetError:
            return b""

    def until(self, mark, deadline):
        """What comes before `mark`, which is taken too."""
        start = 0
        while (end := self._buffer.find(mark, start)) < 0:
            start = max(0, len(self._buffer) - len(mark))
            data = self._receive(deadline)
            if not data:
                raise Closed(f"the connection ended; before that: {bytes(self._buffer[:300])!r}")
            self._buffer += data
        found = bytes(self._buffer[:end])
        del self._buffer[: end + len(mark)]
        return found

    def exactly(self, count, deadline):
        while len(self._buffer) < count:
            data = self._receive(deadline)
            if not data:
                raise Closed(f"the connection ended {count - len(self._buffer)} bytes too early")
            self._buffer += data
        found = bytes(self._buffer[:count])
        del self._buffer[:count]
        return found

    def rest(self, deadline):
        """All up to the end of the connection."""
        while data := self._receive(deadline):
            self._buffer += data
        found, self._buffer = bytes(self._buffer), bytearray()
        return found

    def silent(self, seconds):
        """Whether nothing, not even an end, comes for so long."""
        return not self._buffer and not select.select([self.socket], [], [], seconds)[0]

    def response(self, method="POST", within=LONG):
        return Response(self, method, Deadline(within))

    def request(self, method="POST", path="/mcp", headers=(), body=b"", within=LONG, length=True):
        """Sends a request with these header lines; Host and Content-Length are added where they are missing."""
        names = {name.lower() for name, _ in headers}
        lines = [f"{method} {path} HTTP/1.1".encode()]
        if "host" not in names:
            lines.append(f"Host: {self.host}:{self.port}".encode())
        for name, value in headers:
            lines.append(
                name.encode("ascii") + b": " + (value if isinstance(value, bytes) else value.encode("latin-1"))
            )
        if length and (body or method == "POST") and "content-length" not in names and "transfer-encoding" not in names:
            lines.append(f"Content-Length: {len(body)}".encode())
        self.write(b"\r\n".join(lines) + b"\r\n\r\n" + body, within)
        return self

    def close(self):
        """An orderly end (FIN, where all was read)."""
        self.socket.close()

    def reset(self):
        """An end by RST."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()


def headers_of(message, change=None, accept=f"{JSON}, {SSE}"):
    """The headers that a client sends with `message`; `change` replaces by name, None takes one away."""
    headers = {"Content-Type": JSON, "Accept": accept}
    if isinstance(message, dict):
        params = message.get("params")
        params = params if isinstance(params, dict) else {}
        meta = params.get("_meta")
        version = meta.get(PREFIX + "protocolVersion") if isinstance(meta, dict) else None
        headers["MCP-Protocol-Version"] = version if isinstance(version, str) else "2026-07-28"
        if isinstance(message.get("method"), str):
            headers["Mcp-Method"] = message["method"]
            name = params.get(NAMED.get(message["method"]))
            if isinstance(name, str):
                headers["Mcp-Name"] = name
    else:
        headers["MCP-Protocol-Version"] = "2026-07-28"
    headers.update(change or {})
    return [(name, value) for name, value in headers.items() if value is not None]


class Reply:
    """A whole answer to a POST."""

    def __init__(self, response, within):
        self.status = response.status
        self.headers = response.headers
        self.get = response.get
        self.media_type = response.media_type()
        assert response.get("mcp-session-id") is None, "a session id in the modern era"
        assert response.get("location") is None, "a redirect"
        self.messages = response.messages(within)

    @property
    def last(self):
        assert self.messages, f"{self.status} without a message"
        return self.messages[-1]

    @property
    def result(self):
        assert self.status == 200 and "result" in self.last, f"{self.status} {str(self.last)[:400]}"
        return self.last["result"]

    @property
    def error(self):
        assert self.messages and "error" in self.last, f"{self.status} {str(self.messages)[:400]}"
        return self.last["error"]

    @property
    def text(self):
        blocks = self.result["content"]
        assert len(blocks) == 1 and blocks[0]["type"] == "text", blocks
        return blocks[0]["text"]

    def outcome(self):
        """(status, code), the code None for a result."""
        return (self.status, self.last.get("error", {}).get("code") if self.messages else None)


class HttpServer(Process):
    """Use as a context manager: at the end the server must still serve, and exit with 0 when told to."""

    path = "/mcp"
    ended = False

    def __init__(self, *arguments, **popen):
        super().__init__([*arguments, "http"], **popen)
        line = self.command(None)
        assert line.startswith("port "), f"{line!r}; stderr:\n{self.stderr[-2000:]}"
        self.port = int(line[5:])

    def tell(self, text):
        """Gives a command to the fixture itself."""
        self.popen.stdin.write(text.encode() + b"\n")

    def command(self, text, within=LONG):
        """Gives a command, unless None, and reads the next line that the fixture prints."""
        if text is not None:
            self.tell(text)
        line, deadline = b"", Deadline(within)
        while not line.endswith(b"\n"):
            ready = select.select([self.popen.stdout], [], [], deadline.left())[0]
            assert ready, f"no answer to {text!r}; stderr:\n{self.stderr[-2000:]}"
            byte = os.read(self.popen.stdout.fileno(), 1)
            if not byte:
                break
            line += byte
        return line.decode().strip()

    def connect(self):
        return Connection(self.port)

    def open(self, message, *, change=None, accept=f"{JSON}, {SSE}", connection=None, within=LONG, extra=()):
        """Sends a POST; the connection and the head of the answer."""
        connection = connection or self.connect()
        connection.request(
            "POST", self.path, headers_of(message, change, accept) + list(extra), encode(message), within
        )
        response = connection.response("POST", within)
        response.asked = asked(message)
        return connection, response

    def post(self, message, *, within=LONG, connection=None, **named):
        """Sends a POST and reads the answer whole."""
        opened, response = self.open(message, connection=connection, within=within, **named)
        try:
            return Reply(response, within)
        finally:
            if connection is None:
                opened.close()

    @contextlib.contextmanager
    def listening(self, message, **named):
        """An open answer stream, closed at the end of the block."""
        connection, response = self.open(message, **named)
        try:
            assert response.status == 200, f"{response.status} {response.body()[:400]!r}"
            yield response
        finally:
            connection.close()

    def bare(self, method, headers=(), body=b"", path=None, within=LONG):
        """Any request at all; the response and its body."""
        connection = self.connect()
        try:
            connection.request(method, path or self.path, list(headers), body, within)
            response = connection.response(method, within)
            return response, response.body(within)
        finally:
            connection.close()

    def end(self, within=None):
        """Ends the fixture; the exit code."""
        self.popen.stdin.close()
        self.ended = True
        return self.wait_exit(bound(8) if within is None else within)

    # What the last check goes to; None where the listener was shut down by the test.
    still_serves = True

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        try:
            if kind is None:
                if not self.ended:
                    if self.still_serves:
                        assert "supportedVersions" in self.post(discover()).result, "the server no longer serves"
                    code = self.end()
                    assert code == 0, f"exit code {code}; stderr:\n{self.stderr[-2000:]}"
                self.check_calm()
        finally:
            self.kill()
