"""HTTP/2, as little as a few requests need: literal headers, no priorities, no push."""

import socket
import struct

from .patience import LONG, Deadline

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE = 0, 1, 3, 4, 6, 7, 8
END_STREAM, ACK, END_HEADERS = 1, 1, 4
WINDOW = (1 << 31) - 1

# Statuses that have an entry of their own in the static table of RFC 7541.
STATIC_STATUS = {8: "200", 9: "204", 10: "206", 11: "304", 12: "400", 13: "404", 14: "500"}
# The Huffman codes of the digits, RFC 7541 appendix B.
DIGITS = {
    "00000": "0",
    "00001": "1",
    "00010": "2",
    "011001": "3",
    "011010": "4",
    "011011": "5",
    "011100": "6",
    "011101": "7",
    "011110": "8",
    "011111": "9",
}


def _integer(value, bits, first):
    limit = (1 << bits) - 1
    if value < limit:
        return bytes([first | value])
    out = bytearray([first | limit])
    value -= limit
    while value >= 128:
        out.append(value % 128 + 128)
        value //= 128
    out.append(value)
    return bytes(out)


def _literal(name, value):
    """A header field without indexing and without Huffman coding."""
    name, value = name.encode("ascii"), value.encode("latin-1")
    return b"\x00" + _integer(len(name), 7, 0) + name + _integer(len(value), 7, 0) + value


def _status(block):
    """The :status of a header block, which comes first in it."""
    first = block[0]
    while 0x20 <= first < 0x40:
        assert first != 0x3F, "a table size of several bytes"
        block = block[1:]
        first = block[0]
    if first & 0x80:
        return int(STATIC_STATUS[first & 0x7F])
    index = first & (0x3F if first & 0x40 else 0x0F)
    assert 8 <= index <= 14, f"the first field of the block is no :status: {block[:16].hex()}"
    length, coded = block[1] & 0x7F, block[1] & 0x80
    value = block[2 : 2 + length]
    if not coded:
        return int(value)
    bits = "".join(f"{byte:08b}" for byte in value)
    text = ""
    while len(text) < 3:
        code = next(code for code in DIGITS if bits.startswith(code))
        text += DIGITS[code]
        bits = bits[len(code) :]
    return int(text)


class Stream:
    """What has come for one request."""

    def __init__(self, window):
        self.status = None
        self.body = bytearray()
        self.over = False
        self.reset = None
        self.window = window


class H2Connection:
    """One connection; requests are sent at once and collected as they come. `secure` makes TLS of a socket; without,
    the server must know HTTP/2 by what comes."""

    def __init__(self, port, host="127.0.0.1", secure=None):
        self._socket = socket.create_connection((host, port), LONG)
        self._scheme = "https" if secure else "http"
        if secure:
            self._socket = secure(self._socket)
        self.settings = {}
        self._buffer = bytearray()
        self._next = 1
        self._window, self._initial = 65535, 65535
        self.streams = {}
        self.goaway = False
        initial = struct.pack(">HI", 4, WINDOW)
        self._socket.sendall(
            PREFACE
            + self._frame(SETTINGS, 0, 0, initial)
            + self._frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", WINDOW - 65535))
        )

    @staticmethod
    def _frame(kind, flags, stream, payload):
        return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload

    def send(self, authority, headers=(), body=b"", method="POST", path="/mcp"):
        """Sends a request, the body as the server's windows allow and until it answers; the stream's number."""
        number = self._next
        self._next += 2
        stream = self.streams[number] = Stream(self._initial)
        fields = [(":method", method), (":scheme", self._scheme), (":authority", authority), (":path", path)]
        fields += [(name.lower(), value) for name, value in headers]
        block = b"".join(_literal(name, value) for name, value in fields)
        self._socket.sendall(self._frame(HEADERS, END_HEADERS | (0 if body else END_STREAM), number, block))
        deadline, rest = Deadline(LONG), memoryview(body)
        while rest and not stream.over and stream.status is None:
            size = min(len(rest), 16384, self._window, stream.window)
            if size <= 0:
                self.step(deadline)
                continue
            part, rest = rest[:size], rest[size:]
            self._window -= size
            stream.window -= size
            self._socket.sendall(self._frame(DATA, 0 if rest else END_STREAM, number, bytes(part)))
        return number

    def cancel(self, number):
        """Gives up a request."""
        self._socket.sendall(self._frame(RST_STREAM, 0, number, struct.pack(">I", 8)))

    def _read_frame(self, deadline):
        while len(self._buffer) < 9 or len(self._buffer) < 9 + int.from_bytes(self._buffer[:3], "big"):
            self._socket.settimeout(max(0.001, deadline.left()))
            data = self._socket.recv(1 << 16)
            assert data, "the connection ended"
            self._buffer += data
        length = int.from_bytes(self._buffer[:3], "big")
        kind, flags = self._buffer[3], self._buffer[4]
        number = int.from_bytes(self._buffer[5:9], "big") & WINDOW
        payload = bytes(self._buffer[9 : 9 + length])
        del self._buffer[: 9 + length]
        return kind, flags, number, payload

    def step(self, deadline):
        """Takes one frame."""
        kind, flags, number, payload = self._read_frame(deadline)
        stream = self.streams.get(number)
        if kind == SETTINGS and not flags & ACK:
            self._settle(payload)
        elif kind == PING and not flags & ACK:
            self._socket.sendall(self._frame(PING, ACK, 0, payload))
        elif kind == GOAWAY:
            self.goaway = True
        elif kind == WINDOW_UPDATE and number == 0:
            self._window += int.from_bytes(payload, "big")
        elif kind == WINDOW_UPDATE and stream is not None:
            stream.window += int.from_bytes(payload, "big")
        elif kind == HEADERS:
            assert flags & END_HEADERS, "a header block in several frames"
            if stream.status is None:
                stream.status = _status(payload)
            stream.over = bool(flags & END_STREAM)
        elif kind == DATA:
            stream.body += payload
            stream.over = bool(flags & END_STREAM)
        elif kind == RST_STREAM:
            stream.reset, stream.over = int.from_bytes(payload, "big"), True

    def _settle(self, payload):
        for start in range(0, len(payload), 6):
            setting, value = struct.unpack(">HI", payload[start : start + 6])
            self.settings[setting] = value
            if setting == 4:
                for stream in self.streams.values():
                    stream.window += value - self._initial
                self._initial = value
        self._socket.sendall(self._frame(SETTINGS, ACK, 0, b""))

    def wait(self, condition, within=LONG):
        """Takes frames until `condition` holds."""
        deadline = Deadline(within)
        while not condition():
            self.step(deadline)

    def finish(self, number, within=LONG):
        """Reads until this request is answered whole."""
        self.wait(lambda: self.streams[number].over, within)
        return self.streams[number]

    def close(self):
        self._socket.close()
