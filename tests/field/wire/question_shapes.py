"""What a server may ask of a client in each revision: elicitation, sampling, roots."""

from .definition_shapes import ROLE, block
from .shape import ANY, BASE64, COUNT, NUMBER, OPEN, TEXT, TRUTH, URI, any_of, array, each, one_of, ref, shape, where


def definitions(since):
    """The parameters of each question, for one revision."""
    found = {
        "RootsParams": shape({}, {"_meta": OPEN}),
        "SamplingParams": _sampling(since),
        "SamplingMessage": _message(since),
    }
    if since("2025-06-18"):
        found["FormParams"] = _form(since)
    if since("2025-11-25"):
        found["UrlParams"] = shape(
            {"mode": {"const": "url"}, "message": TEXT, "url": URI,
             **where(not since("2026-07-28"), elicitationId=TEXT)}
        )  # fmt: skip
    return found


def _form(since):
    form = shape(
        {"type": {"const": "object"}, "properties": each(any_of(*_fields(since)))},
        {"required": array(TEXT), **where(since("2025-11-25"), **{"$schema": TEXT})},
    )
    return shape({"message": TEXT, "requestedSchema": form}, where(since("2025-11-25"), mode={"const": "form"}))


def _fields(since):
    newer = since("2025-11-25")
    named = {"title": TEXT, "description": TEXT}

    def field(kind, optional, default, required=None):
        # Before 2025-11-25 only truths have a default; to a client that knows no other it is an annotation.
        return shape({"type": kind, **(required or {})}, {**named, **optional, "default": default})

    formats = one_of("email", "uri", "date", "date-time")
    yield field(STRING, {"minLength": COUNT, "maxLength": COUNT, "format": formats}, TEXT)
    yield field(one_of("number", "integer"), {"minimum": NUMBER, "maximum": NUMBER}, NUMBER)
    yield field(BOOLEAN, {}, TRUTH)
    yield field(STRING, {"enumNames": array(TEXT)}, TEXT, {"enum": array(TEXT)})
    if newer:
        titled = array(shape({"const": TEXT, "title": TEXT}))
        bounds = {"minItems": COUNT, "maxItems": COUNT}
        untitled_items = shape({"type": STRING, "enum": array(TEXT)})
        yield field(STRING, {}, TEXT, {"oneOf": titled})
        yield field({"const": "array"}, bounds, array(TEXT), {"items": untitled_items})
        yield field({"const": "array"}, bounds, array(TEXT), {"items": shape({"anyOf": titled})})


STRING = {"const": "string"}
BOOLEAN = {"const": "boolean"}


def _sampling(since):
    part = {"type": "number", "minimum": 0, "maximum": 1}
    hints = array(shape({}, {"name": TEXT}))
    preferences = {"hints": hints, "costPriority": part, "speedPriority": part, "intelligencePriority": part}
    tools = {
        "tools": array(ref("Tool")),
        "toolChoice": shape({}, {"mode": one_of("auto", "required", "none")}),
    }
    return shape(
        {"messages": array(ref("SamplingMessage")), "maxTokens": {"type": "integer", "minimum": 1}},
        {
            "modelPreferences": shape({}, preferences),
            "systemPrompt": TEXT,
            "includeContext": one_of("none", "thisServer", "allServers"),
            "temperature": NUMBER,
            "stopSequences": array(TEXT),
            "metadata": OPEN,
            **where(since("2025-11-25"), **tools),
        },
    )


def _message(since):
    meta = where(since("2025-06-18"), _meta=OPEN)
    annotated = {"annotations": ref("Annotations"), **meta}
    blocks = [
        block("text", {"text": TEXT}, annotated),
        block("image", {"data": BASE64, "mimeType": TEXT}, annotated),
    ]
    if since("2025-03-26"):
        blocks.append(block("audio", {"data": BASE64, "mimeType": TEXT}, annotated))
    if not since("2025-11-25"):
        return shape({"role": ROLE, "content": any_of(*blocks)})
    blocks.append(block("tool_use", {"id": TEXT, "name": TEXT, "input": OPEN}, meta))
    result = {"structuredContent": ANY if since("2026-07-28") else OPEN, "isError": TRUTH, **meta}
    blocks.append(block("tool_result", {"toolUseId": TEXT, "content": array(ref("ContentBlock"))}, result))
    content = any_of(*blocks)
    return shape({"role": ROLE, "content": any_of(content, array(content))}, meta)
