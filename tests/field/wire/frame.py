"""One message from the server: parsed strictly and held against everything that is true of each message in this suite."""

import json
import re
import typing

from . import question
from .shapes import MODERN, SHAPES
from .spec import problems

# What belongs to an implementation and not in front of a peer (B009, B094).
LEAKS = re.compile(
    r"serde|untagged|jsonschema|\bat line \d|line \d+ column|panicked|Traceback|\.rs:\d|/home/|/usr/|core::|std::"
)

# The codes that JSON-RPC reserves for protocols that are built on it; those that MCP uses are in the shapes.
RESERVED = range(-32099, -31999)

# Where null is somebody's data: at these members, and below these, null is not a mistake (B080).
DATA = {"structuredContent", "data"}
BELOW_DATA = DATA | {"inputSchema", "outputSchema", "_meta"}


class BadFrame(AssertionError):
    """The server sent something that no server may send."""


class Asked(typing.NamedTuple):
    """What an answer answers, as far as it is known."""

    revision: str = MODERN
    method: typing.Optional[str] = None
    # The capabilities that the client declared; None where they are not known.
    capabilities: typing.Optional[dict] = None


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


def read(raw):
    """The JSON value in `raw` bytes."""
    try:
        return strict(raw.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise BadFrame(f"not UTF-8: {raw[:200]!r}") from error


def parse(raw, asked=Asked()):
    """The message in `raw` bytes, of a conversation in which `asked` was asked."""
    message = read(raw)
    check(message, asked)
    return message


def check(message, asked):
    """Fails when `message` is none that a server may send."""
    found = _shape(message, asked)
    if found:
        raise BadFrame("; ".join(found[:5]) + f" ({asked.revision}): {str(message)[:400]}")


def _shape(message, asked):
    if not isinstance(message, dict):
        return ["no JSON object"]
    if message.get("jsonrpc") != "2.0":
        return ["jsonrpc is not 2.0"]
    shapes = SHAPES[asked.revision]
    found = [f"null at {path}" for path in _nulls(message, "")]
    if "method" in message:
        return found + (_request(message, shapes, asked) if "id" in message else _notification(message, shapes))
    if "result" in message:
        return found + _result(message, shapes, asked)
    return found + _error(message, shapes)


def _notification(message, shapes):
    found = _only(message, {"jsonrpc", "method", "params"})
    if message["method"] not in shapes.notifications:
        return found + [f"{message['method']} is no notification of a server"]
    schema = shapes.notifications[message["method"]]
    return found + problems(shapes.definitions, schema, message.get("params", {}), "params")


def _request(message, shapes, asked):
    if shapes.modern:
        return ["a request from the server"]
    found = _only(message, {"jsonrpc", "id", "method", "params"})
    found += problems(shapes.definitions, shapes.definitions["RequestId"], message["id"], "id")
    return found + _question(message, shapes, asked)


def _question(message, shapes, asked):
    """What is wrong with what is asked of the client, by itself or inside of a result."""
    schema = shapes.questions.get(message["method"])
    if schema is None:
        return [f"{message['method']} is nothing that a client can be asked"]
    found = problems(shapes.definitions, schema, message.get("params", {}), "params")
    missing = question.undeclared(message, asked.capabilities) if asked.capabilities is not None else None
    return found + ([f"asks for {missing}, which the client did not declare"] if missing else [])


def _result(message, shapes, asked):
    found = _only(message, {"jsonrpc", "id", "result"})
    found += problems(shapes.definitions, shapes.definitions["RequestId"], message.get("id"), "id")
    result = message["result"]
    if not isinstance(result, dict):
        return found + ["the result is no object"]
    if asked.method is not None:
        if asked.method not in shapes.results:
            return found + [f"a result of {asked.method}"]
        found += problems(shapes.definitions, shapes.results[asked.method], result, "result")
    elif shapes.modern and not isinstance(result.get("resultType"), str):
        found.append("resultType is missing")
    if not found and result.get("resultType") == "input_required":
        if not {"inputRequests", "requestState"} & set(result):
            found.append("input is required, and none is named")
        for asking in result.get("inputRequests", {}).values():
            found += _question(asking, shapes, asked)
    return found


def _error(message, shapes):
    found = _only(message, {"jsonrpc", "id", "error"})
    found += problems(shapes.definitions, shapes.error(), message)
    if found:
        return found
    error = message["error"]
    code = error["code"]
    if not isinstance(code, int):
        found.append(f"code {code!r} is no integer")
    if code in shapes.errors:
        if shapes.errors[code] is not None:
            found += problems(shapes.definitions, shapes.errors[code], error.get("data"), "data")
    elif code in RESERVED:
        found.append(f"code {code} is not for a server of this revision")
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
