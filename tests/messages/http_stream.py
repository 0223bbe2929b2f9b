"""Reads the recorded bytes of an HTTP/1.1 connection: requests and the responses to them."""

import re
from dataclasses import dataclass


@dataclass
class Head:
    """A request or a response: its first line, its headers in lower case, and as much of its body as was recorded."""

    first: str
    headers: dict
    body: bytes = b""


def exchanges(client, server):
    """(request, response) for each request that was answered, however far."""
    requests = list(heads(client, lambda head: 0))
    asked = iter(requests)
    responses = [one for one in heads(server, length_of_response) if not one.first.startswith("HTTP/1.1 1")]
    return list(zip(asked, responses))


def heads(data, length_without_header):
    """The messages of one direction; `length_without_header` is the length of a body that no header tells."""
    while b"\r\n\r\n" in data:
        block, _, data = data.partition(b"\r\n\r\n")
        first, *lines = block.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        head = Head(first, headers)
        if headers.get("transfer-encoding", "").lower() == "chunked":
            head.body, data = chunks(data)
        else:
            length = int(headers.get("content-length", length_without_header(head)))
            head.body, data = data[:length], data[length:]
        yield head


def length_of_response(head):
    """Without a header, a body goes on to the end of the connection, unless the status has none."""
    status = int(head.first.split()[1])
    return 0 if status < 200 or status in (204, 304) else 1 << 60


def chunks(data):
    """A body in chunks, perhaps broken off, and what comes after it."""
    body = b""
    while found := re.match(rb"([0-9A-Fa-f]+)[^\r\n]*\r\n", data):
        length = int(found[1], 16)
        data = data[found.end() :]
        if length == 0:
            return body, data.partition(b"\r\n")[2]
        body += data[:length]
        data = data[length + 2 :]
    return body, b""


def events(body):
    """The data of each whole event of a stream of them."""
    for block in re.split(rb"\r\n\r\n|\n\n|\r\r", body)[:-1]:
        lines = [line[5:].removeprefix(b" ") for line in block.splitlines() if line.startswith(b"data:")]
        if data := b"\n".join(lines):
            yield data
