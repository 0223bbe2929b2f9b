"""Requests of revision 2026-07-28, as a client writes them."""

import json

from .frame import Asked
from .shapes import MODERN

VERSION = "2026-07-28"
PREFIX = "io.modelcontextprotocol/"


def meta(*, capabilities=None, version=VERSION, log=None, token=None, **extra):
    """The `_meta` of a request; `token` is the progress token, `log` the log level, `extra` more members."""
    members = {
        PREFIX + "protocolVersion": version,
        PREFIX + "clientCapabilities": {} if capabilities is None else capabilities,
    }
    if log is not None:
        members[PREFIX + "logLevel"] = log
    if token is not None:
        members["progressToken"] = token
    members.update(extra)
    return members


def request(id, method, params=None, _meta=None):
    """A request with its `_meta` in place."""
    return {
        "jsonrpc": "2.0",
        "id": id,
        "method": method,
        "params": {**(params or {}), "_meta": meta() if _meta is None else _meta},
    }


def discover(id=1, **named):
    return request(id, "server/discover", _meta=meta(**named))


def call(id, name, arguments=None, **named):
    """A tools/call; `named` goes to `meta`."""
    params = {"name": name}
    if arguments is not None:
        params["arguments"] = arguments
    return request(id, "tools/call", params, meta(**named))


def listing(id=1, **params):
    return request(id, "tools/list", params)


def listen(id, notifications, **named):
    return request(id, "subscriptions/listen", {"notifications": notifications}, meta(**named))


def cancelled(id):
    return {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id, "reason": "the test"}}


def asked(message):
    """What an answer to `message` has to be like, if it is a request of this revision."""
    if not isinstance(message, dict) or not isinstance(message.get("method"), str):
        return Asked()
    params = message.get("params")
    members = params.get("_meta") if isinstance(params, dict) else None
    capabilities = members.get(PREFIX + "clientCapabilities") if isinstance(members, dict) else None
    return Asked(MODERN, message["method"], capabilities if isinstance(capabilities, dict) else None)


def encode(message):
    """The bytes of a message: a text or bytes as they are, anything else as compact JSON."""
    if isinstance(message, bytes):
        return message
    if isinstance(message, str):
        return message.encode("utf-8")
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode("utf-8")


def text_of(message):
    """The text of the only block of a tool's answer."""
    blocks = message["result"]["content"]
    assert len(blocks) == 1 and blocks[0]["type"] == "text", blocks
    return blocks[0]["text"]


def key(id):
    """A name for an id that keeps 1 and "1" apart."""
    return (type(id).__name__, id)
