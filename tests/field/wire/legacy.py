"""Messages of the revisions before 2026-07-28, as a client writes them that opens a session with `initialize`."""

from .frame import Asked
from .shapes import LEGACY

NEWEST = LEGACY[-1]
WITH_BATCHES = "2025-03-26"


def request(id, method, params=None, token=None):
    """A request; `token` is the progress token."""
    message = {"jsonrpc": "2.0", "id": id, "method": method}
    if token is not None:
        params = {**(params or {}), "_meta": {"progressToken": token}}
    if params is not None:
        message["params"] = params
    return message


def notification(method, params=None):
    message = {"jsonrpc": "2.0", "method": method}
    if params is not None:
        message["params"] = params
    return message


def initialize(id=0, version=NEWEST, capabilities=None):
    hello = {"capabilities": capabilities or {}, "clientInfo": {"name": "field", "version": "1"}}
    return request(id, "initialize", {"protocolVersion": version, **hello})


def call(id, name, arguments=None, **named):
    params = {"name": name}
    if arguments is not None:
        params["arguments"] = arguments
    return request(id, "tools/call", params, **named)


def answer(asked, result):
    """The answer to a request of the server's."""
    return {"jsonrpc": "2.0", "id": asked["id"], "result": result}


def refusal(asked, code=-1, message="the user has gone home"):
    """An error in place of that answer."""
    return {"jsonrpc": "2.0", "id": asked["id"], "error": {"code": code, "message": message}}


def opened(message):
    """What the answer to an `initialize` has to be like, and the session after it."""
    params = message.get("params")
    params = params if isinstance(params, dict) else {}
    version, capabilities = params.get("protocolVersion"), params.get("capabilities")
    revision = version if version in LEGACY else NEWEST
    return Asked(revision, "initialize", capabilities if isinstance(capabilities, dict) else {})
