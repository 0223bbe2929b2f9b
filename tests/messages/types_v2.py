"""Parses recorded messages with the types of the Python package `mcp` 2.x: types_v2.py FOLDER."""

import pathlib
import sys

import conversations
import mcp_types._v2025_11_25 as v2025
import mcp_types._v2026_07_28 as v2026
import newcomers
import tally
from mcp_types import methods
from pydantic import TypeAdapter, ValidationError

# What each error of the newest revision has to carry.
ERRORS = {
    -32020: v2026.HeaderMismatchError,
    -32021: v2026.MissingRequiredClientCapabilityError,
    -32022: v2026.UnsupportedProtocolVersionError,
}


def type_of(sent):
    """The type that the package has for a message, and the part of the message that is of this type. KeyError where the
    revision has no such message."""
    modern = sent.revision == conversations.MODERN
    if sent.kind == "error":
        typed = ERRORS.get(sent.message["error"].get("code")) if modern else None
        types = v2026 if modern else v2025
        return typed or types.JSONRPCErrorResponse, sent.message
    table = {
        "result": methods.SERVER_RESULTS,
        "notification": methods.SERVER_NOTIFICATIONS,
        "request": methods.SERVER_REQUESTS,
    }[sent.kind]
    return table[(sent.method, sent.revision)], sent.message["result"] if sent.kind == "result" else sent.message


def wrong_with(sent):
    try:
        target, part = type_of(sent)
    except KeyError:
        return ["the revision knows no such message"]
    adapter = TypeAdapter(target)
    try:
        parsed = adapter.validate_python(part, by_name=False)
    except ValidationError as error:
        return [f"{'/'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in error.errors()]
    kept = adapter.dump_python(parsed, by_alias=True, mode="json", exclude_unset=True)
    unknown = [f"{path} is no member that the revision knows" for path in strays(part, kept, "")]
    return unknown + list(newcomers.too_new(sent.revision, sent.message))


def strays(given, kept, path):
    """Where the type has dropped a member."""
    if isinstance(given, dict) and isinstance(kept, dict):
        for name, value in given.items():
            if name not in kept:
                yield f"{path}/{name}"
            else:
                yield from strays(value, kept[name], f"{path}/{name}")
    elif isinstance(given, list) and isinstance(kept, list):
        for one, other in zip(given, kept):
            yield from strays(one, other, f"{path}/*")


tally.judge_all("mcp 2", conversations.read(pathlib.Path(sys.argv[1])), wrong_with)
