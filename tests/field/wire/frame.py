"""One message from the server: parsed strictly and held against everything that is true of each message in this suite."""

import json
import re

from . import spec

# What belongs to an implementation and not in front of a peer (B009, B094).
LEAKS = re.compile(
    r"serde|untagged|jsonschema|\bat line \d|line \d+ column|panicked|Traceback|\.rs:\d|/home/|/usr/|core::|std::"
)

# Codes a server of this revision never sends: the legacy range, and what the specification did not define.
FORBIDDEN = set(range(-32019, -31999)) | (set(range(-32099, -32019)) - set(spec.ERRORS))

# Where null is somebody's data: at these members, and below these, null is not a mistake (B080).
DATA = {"structuredContent", "data"}
BELOW_DATA = DATA | {"inputSchema", "outputSchema", "_meta"}


class BadFrame(AssertionError):
    """The server sent something that no server may send."""


def strict(text):
    """Parses JSON as RFC 8259 has it: no NaN, no key twice."""

    def no_constant(name):
        raise BadFrame(f"{name} is not JSON")

    def unique(pairs):
        members = dict(pairs)
        if len(members) != len(pairs):
            raise BadFrame(f"a key appears twice: {[key for key, _ in pairs]}")
        return members

    try:
        return json.loads(text, parse_constant=no_constant, object_pairs_hook=unique)
    except ValueError as error:
        raise BadFrame(f"not JSON: {error}: {text[:200]!r}") from error


def parse(raw, method_of=lambda _id: None):
    """The message in `raw` bytes. `method_of` names the method of the request with an id, where the test knows it."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadFrame(f"not UTF-8: {raw[:200]!r}") from error
    message = strict(text)
    found = _shape(message, method_of)
    if found:
        raise BadFrame("; ".join(found[:5]) + f": {text[:400]}")
    return message


def _shape(message, method_of):
    if not isinstance(message, dict):
        return ["no JSON object"]
    if message.get("jsonrpc") != "2.0":
        return ["jsonrpc is not 2.0"]
    found = [f"null at {path}" for path in _nulls(message, "")]
    if "method" in message:
        return found + _notification(message)
    if "result" in message:
        return found + _result(message, method_of)
    return found + _error(message)


def _notification(message):
    if "id" in message:
        return ["a request from the server"]
    found = _only(message, {"jsonrpc", "method", "params"})
    kind = spec.NOTIFICATIONS.get(message["method"])
    if kind is None:
        return found + [f"{message['method']} is no notification of a server"]
    return found + spec.problems(kind, message)


def _result(message, method_of):
    found = _only(message, {"jsonrpc", "id", "result"}) + spec.problems("JSONRPCResultResponse", message)
    method = method_of(message.get("id"))
    if method in spec.RESPONSES:
        found += spec.problems(spec.RESPONSES[method], message)
    result = message["result"]
    cacheable = method in ("server/discover", "tools/list")
    if method and not cacheable and ("ttlMs" in result or "cacheScope" in result):
        found.append(f"cache hints on {method}")
    return found


def _error(message):
    found = _only(message, {"jsonrpc", "id", "error"}) + spec.problems("JSONRPCErrorResponse", message)
    error = message.get("error")
    if not isinstance(error, dict):
        return found + ["neither result nor error"]
    if found:
        return found
    found += _only(error, {"code", "message", "data"})
    code = error["code"]
    if not isinstance(code, int):
        found.append(f"code {code!r} is no integer")
    if code in FORBIDDEN:
        found.append(f"code {code} is not for a server of this revision")
    if code in spec.ERRORS:
        found += spec.problems(spec.ERRORS[code], message)
    if LEAKS.search(error["message"]):
        found.append(f"the message speaks of the implementation: {error['message']!r}")
    return found


def _only(members, allowed):
    return [f"{name} does not belong here" for name in members if name not in allowed]


def _nulls(value, path):
    if value is None:
        yield path
    elif isinstance(value, dict):
        for name, member in value.items():
            if name not in (DATA if member is None else BELOW_DATA):
                yield from _nulls(member, f"{path}/{name}")
    elif isinstance(value, list):
        for index, member in enumerate(value):
            yield from _nulls(member, f"{path}/{index}")
