"""Holds messages against the shapes that the specification gives them."""

import base64
import binascii

from .shapes import DEFINITIONS

# Which definition the answer to a method must satisfy.
RESPONSES = {
    "server/discover": "DiscoverResultResponse",
    "tools/list": "ListToolsResultResponse",
    "tools/call": "CallToolResultResponse",
    "subscriptions/listen": "SubscriptionsListenResultResponse",
}

ERRORS = {
    -32020: "HeaderMismatchError",
    -32021: "MissingRequiredClientCapabilityError",
    -32022: "UnsupportedProtocolVersionError",
}

NOTIFICATIONS = {
    definition["properties"]["method"]["const"]: name
    for name, definition in DEFINITIONS.items()
    if "method" in definition.get("properties", {})
}


def problems(name, value):
    """What is wrong with `value` as an instance of the definition `name`; empty when nothing is."""
    return _check({"$ref": "#/$defs/" + name}, value, "")


def _is(kind, value):
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return {
        "object": isinstance(value, dict),
        "array": isinstance(value, list),
        "string": isinstance(value, str),
        "boolean": isinstance(value, bool),
        "null": value is None,
        "number": number,
        "integer": number and (isinstance(value, int) or value.is_integer()),
    }[kind]


def _check(schema, value, at):
    if schema is True:
        return []
    if schema is False:
        return [f"{at}: not allowed"]
    found = []
    if "$ref" in schema:
        found += _check(DEFINITIONS[schema["$ref"].rsplit("/", 1)[1]], value, at)
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(_is(kind, value) for kind in kinds):
        return found + [f"{at}: {value!r:.60} is not {'/'.join(kinds)}"]
    if "const" in schema and value != schema["const"]:
        found.append(f"{at}: {value!r:.60} is not {schema['const']!r}")
    if "enum" in schema and value not in schema["enum"]:
        found.append(f"{at}: {value!r:.60} is none of {schema['enum']}")
    for branch in schema.get("allOf", []):
        found += _check(branch, value, at)
    if "anyOf" in schema:
        branches = [_check(branch, value, at) for branch in schema["anyOf"]]
        if all(branches):
            found.append(f"{at}: fits no branch: " + " | ".join(branch[0] for branch in branches))
    if isinstance(value, dict):
        found += _check_object(schema, value, at)
    elif isinstance(value, list):
        if len(value) > schema.get("maxItems", len(value)):
            found.append(f"{at}: too many items")
        for index, item in enumerate(value):
            found += _check(schema.get("items", True), item, f"{at}/{index}")
    elif _is("number", value):
        if value < schema.get("minimum", value) or value > schema.get("maximum", value):
            found.append(f"{at}: {value} is out of bounds")
    elif isinstance(value, str) and schema.get("format") == "byte":
        try:
            base64.b64decode(value, validate=True)
        except binascii.Error as error:
            found.append(f"{at}: {error}")
    return found


def _check_object(schema, value, at):
    found = [f"{at}: {name} is missing" for name in schema.get("required", []) if name not in value]
    known = schema.get("properties", {})
    for name, member in value.items():
        branch = known[name] if name in known else schema.get("additionalProperties", True)
        found += _check(branch, member, f"{at}/{name}")
    return found
