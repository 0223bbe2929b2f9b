"""Holds values against shapes."""

import base64
import binascii
import re

SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


def problems(shapes, schema, value, at=""):
    """What is wrong with `value` as an instance of `schema`, whose references lead to `shapes`; empty when nothing is."""
    if schema is True:
        return []
    if schema is False:
        return [f"{at}: not allowed"]
    found = []
    if "$ref" in schema:
        found += problems(shapes, shapes[schema["$ref"].rsplit("/", 1)[1]], value, at)
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(_is(kind, value) for kind in kinds):
        return found + [f"{at}: {value!r:.60} is not {'/'.join(kinds)}"]
    if "const" in schema and not _same(value, schema["const"]):
        found.append(f"{at}: {value!r:.60} is not {schema['const']!r}")
    if "enum" in schema and not any(_same(value, other) for other in schema["enum"]):
        found.append(f"{at}: {value!r:.60} is none of {schema['enum']}")
    if "anyOf" in schema:
        branches = [problems(shapes, branch, value, at) for branch in schema["anyOf"]]
        if all(branches):
            found.append(f"{at}: fits no branch: " + " | ".join(branch[0] for branch in branches))
    if isinstance(value, dict):
        found += _object(shapes, schema, value, at)
    elif isinstance(value, list):
        found += _array(shapes, schema, value, at)
    elif isinstance(value, str):
        found += _text(schema, value, at)
    elif _is("number", value):
        if value < schema.get("minimum", value) or value > schema.get("maximum", value):
            found.append(f"{at}: {value} is out of bounds")
    return found


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


def _same(value, other):
    return type(value) is type(other) and value == other


def _object(shapes, schema, value, at):
    found = [f"{at}: {name} is missing" for name in schema.get("required", []) if name not in value]
    if len(value) < schema.get("minProperties", 0):
        found.append(f"{at}: too few members")
    known = schema.get("properties", {})
    for name, member in value.items():
        branch = known[name] if name in known else schema.get("additionalProperties", True)
        found += problems(shapes, branch, member, f"{at}/{name}")
    return found


def _array(shapes, schema, value, at):
    found = []
    if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
        found.append(f"{at}: {len(value)} items")
    for index, item in enumerate(value):
        found += problems(shapes, schema.get("items", True), item, f"{at}/{index}")
    return found


def _text(schema, value, at):
    if len(value) < schema.get("minLength", 0):
        return [f"{at}: too short"]
    if schema.get("format") == "byte":
        try:
            base64.b64decode(value, validate=True)
        except binascii.Error as error:
            return [f"{at}: {error}"]
    if schema.get("format") == "uri" and not SCHEME.match(value):
        return [f"{at}: {value!r:.60} is no URI"]
    return []
