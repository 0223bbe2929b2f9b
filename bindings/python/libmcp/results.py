"""What handlers return, as results of the protocol. Plain values do not come here: the extension writes them itself."""

from __future__ import annotations

from .content import ContentBlock, File, Message, ToolResult, base64

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def tool_result(value: Any) -> dict[str, Any]:
    """A CallToolResult of whatever a tool returned."""
    if value is None:
        return {"content": []}
    if isinstance(value, ToolResult):
        result: dict[str, Any] = {"isError": value.is_error}
        if value.content is not None or value.structured is None:
            result["content"] = _blocks(value.content)
        if value.structured is not None:
            result["structuredContent"] = value.structured
        if value.meta is not None:
            result["_meta"] = value.meta
        return result
    if _is_block(value) or isinstance(value, (list, tuple)) and any(_is_block(item) for item in value):
        return {"content": _blocks(value)}
    if isinstance(value, (bytes, bytearray, memoryview)):
        raise TypeError("a tool returned bytes: say what they are by Image, Audio or File")
    return {"structuredContent": value}


def prompt_result(value: Any) -> dict[str, Any]:
    """A GetPromptResult of whatever a prompt returned."""
    if isinstance(value, dict) and "messages" in value:
        return {**value, "messages": [_message(item) for item in value["messages"]]}
    items = value if isinstance(value, (list, tuple)) else [value]
    return {"messages": [_message(item) for item in items]}


def read_result(value: Any, uri: str, mime_type: str | None) -> dict[str, Any]:
    """A ReadResourceResult of whatever a resource returned."""
    if isinstance(value, dict) and isinstance(value.get("contents"), list):
        return value
    if isinstance(value, (list, tuple)) and value and all(isinstance(item, (str, bytes, File)) for item in value):
        return {"contents": [_contents(item, uri, mime_type) for item in value]}
    return {"contents": [_contents(value, uri, mime_type)]}


def completion_result(value: Any) -> dict[str, Any]:
    """A CompleteResult of whatever a completion returned."""
    if value is None:
        return {"completion": {"values": []}}
    if isinstance(value, dict):
        return value if "completion" in value else {"completion": value}
    if isinstance(value, str):
        raise TypeError("a completion returned a text; it returns a list of them")
    values = getattr(value, "values", value)
    if callable(values):
        values = value
    return {"completion": {"values": [str(item) for item in values]}}


def simpler(value: Any) -> Any:
    """Something that JSON has, in place of a value that it does not have."""
    kind = type(value)
    if hasattr(kind, "__pydantic_serializer__"):
        return value.model_dump(mode="json", by_alias=True) if hasattr(value, "model_dump") else _fields(value)
    if hasattr(kind, "__dataclass_fields__"):
        return _fields(value)
    if isinstance(value, (set, frozenset)):
        return list(value)
    if isinstance(value, ContentBlock):
        return value.block()
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if hasattr(kind, "__members__"):
        return value.value
    if kind.__module__ in ("uuid", "decimal", "pathlib", "pathlib._local", "fractions", "ipaddress"):
        return str(value)
    if hasattr(value, "keys") and hasattr(value, "__getitem__"):
        return {key: value[key] for key in value.keys()}
    if hasattr(value, "__iter__") and not isinstance(value, (bytes, bytearray, memoryview)):
        return list(value)
    raise TypeError(f"a {kind.__qualname__} is no value of JSON: {value!r:.80}")


def _fields(value: Any) -> dict[str, Any]:
    return {name: getattr(value, name) for name in type(value).__dataclass_fields__}


def _is_block(value: Any) -> bool:
    # The content classes of the package `mcp` are taken too: a handler that was written for its SDK need not change.
    return isinstance(value, ContentBlock) or type(value).__module__ in ("mcp.types", "mcp.types._types")


def _block(value: Any) -> Any:
    if isinstance(value, str):
        return {"type": "text", "text": value}
    if isinstance(value, ContentBlock):
        return value.block()
    if isinstance(value, dict) and isinstance(value.get("type"), str):
        return value
    foreign: Any = value
    if type(foreign).__module__.startswith("mcp.types"):
        return foreign.model_dump(mode="json", by_alias=True, exclude_none=True)
    from ._libmcp import to_json

    return {"type": "text", "text": to_json(value).decode()}


def _blocks(value: Any) -> list[Any]:
    if value is None:
        return []
    return [_block(item) for item in value] if isinstance(value, (list, tuple)) else [_block(value)]


def _message(value: Any) -> Any:
    if isinstance(value, Message):
        return {"role": value.role, "content": _block(value.content)}
    if isinstance(value, dict) and "role" in value:
        return {**value, "content": _block(value["content"])}
    foreign: Any = value
    if type(foreign).__module__.startswith("mcp.") and hasattr(foreign, "role"):
        return {"role": foreign.role, "content": _block(foreign.content)}
    return {"role": "user", "content": _block(value)}


def _contents(value: Any, uri: str, mime_type: str | None) -> dict[str, Any]:
    if isinstance(value, File):
        return value.contents(uri, mime_type)
    contents: dict[str, Any] = {"uri": uri}
    if isinstance(value, str):
        contents.update(mimeType=mime_type, text=value)
    elif isinstance(value, (bytes, bytearray, memoryview)):
        contents.update(mimeType=mime_type, blob=base64(bytes(value)))
    elif hasattr(value, "data") and hasattr(value, "mime_type"):
        contents.update(mimeType=value.mime_type, blob=base64(value.data))
    else:
        from ._libmcp import to_json

        contents.update(mimeType=mime_type or "application/json", text=to_json(value).decode())
    return {key: part for key, part in contents.items() if part is not None}


MAKERS = {
    "tool_result": tool_result,
    "prompt_result": prompt_result,
    "read_result": read_result,
    "completion_result": completion_result,
}
