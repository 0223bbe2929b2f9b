"""What results and prompts are made of, besides plain values: content blocks, messages and whole results."""

from __future__ import annotations

from binascii import b2a_base64
from os import fspath
from os.path import abspath, basename, splitext

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike
    from typing import Any, Literal

    Role = Literal["user", "assistant"]


class ContentBlock:
    """What may stand in a result, or in a message of a prompt."""

    __slots__ = ("annotations", "meta")
    __libmcp_result__ = True

    annotations: Mapping[str, Any] | None
    meta: Mapping[str, Any] | None

    def block(self) -> dict[str, Any]:
        """The block as the protocol has it."""
        block = self._block()
        if self.annotations is not None:
            block["annotations"] = self.annotations
        if self.meta is not None:
            block["_meta"] = self.meta
        return block

    def _block(self) -> dict[str, Any]:
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.block()!r})"


class Text(ContentBlock):
    """A text. A plain ``str`` does as well, but has no annotations."""

    __slots__ = ("text",)

    def __init__(
        self, text: str, *, annotations: Mapping[str, Any] | None = None, meta: Mapping[str, Any] | None = None
    ) -> None:
        self.text = text
        self.annotations = annotations
        self.meta = meta

    def _block(self) -> dict[str, Any]:
        return {"type": "text", "text": self.text}


class _Media(ContentBlock):
    __slots__ = ("data", "mime_type")

    _kind = ""
    _types: dict[str, str] = {}

    def __init__(
        self,
        source: bytes | str | PathLike[str] | None = None,
        *,
        data: bytes | None = None,
        path: str | PathLike[str] | None = None,
        format: str | None = None,
        mime_type: str | None = None,
        annotations: Mapping[str, Any] | None = None,
        meta: Mapping[str, Any] | None = None,
    ) -> None:
        if sum(given is not None for given in (source, data, path)) != 1:
            raise TypeError(f"{type(self).__name__}: give one of them: the path of a file, or its data")
        if isinstance(source, (bytes, bytearray, memoryview)):
            data = source
        elif source is not None:
            path = source
        if isinstance(data, str):
            raise TypeError(f"{type(self).__name__}: data must be bytes; for the name of a file there is path=")
        if mime_type is None:
            ending = format or (splitext(fspath(path))[1].removeprefix(".") if path is not None else "")
            mime_type = self._types.get(ending.lower()) or (f"{self._kind}/{ending.lower()}" if format else None)
        if mime_type is None:
            known = ", ".join(self._types)
            raise ValueError(f"{type(self).__name__}: what format is it? Give format (one of {known}) or mime_type")
        if path is not None:
            with open(path, "rb") as file:
                data = file.read()
        assert data is not None
        self.data = bytes(data)
        self.mime_type = mime_type
        self.annotations = annotations
        self.meta = meta

    def _block(self) -> dict[str, Any]:
        return {"type": self._kind, "data": base64(self.data), "mimeType": self.mime_type}


class Image(_Media):
    """An image: the bytes of its file, or its path. The format is known by the ending of the path, or is given."""

    __slots__ = ()
    _kind = "image"
    _types = {
        "png": "image/png",
        "jpg": "image/jpeg",
        "jpeg": "image/jpeg",
        "gif": "image/gif",
        "webp": "image/webp",
        "svg": "image/svg+xml",
        "bmp": "image/bmp",
    }


class Audio(_Media):
    """A sound: the bytes of its file, or its path. The format is known by the ending of the path, or is given."""

    __slots__ = ()
    _kind = "audio"
    _types = {
        "wav": "audio/wav",
        "mp3": "audio/mpeg",
        "ogg": "audio/ogg",
        "flac": "audio/flac",
        "m4a": "audio/mp4",
        "aac": "audio/aac",
    }


class File(ContentBlock):
    """A resource that stands in the result itself: a text or bytes under a URI, or a file."""

    __slots__ = ("data", "mime_type", "text", "uri")

    def __init__(
        self,
        uri: str | None = None,
        *,
        text: str | None = None,
        data: bytes | None = None,
        path: str | PathLike[str] | None = None,
        mime_type: str | None = None,
        annotations: Mapping[str, Any] | None = None,
        meta: Mapping[str, Any] | None = None,
    ) -> None:
        if [text, data, path].count(None) != 2:
            raise TypeError("File: give one of text, data and path")
        if path is not None:
            if uri is None:
                uri = "file://" + _quoted(abspath(fspath(path)))
            with open(path, "rb") as file:
                data = file.read()
        self.uri = uri
        self.text = text
        self.data = data
        self.mime_type = mime_type
        self.annotations = annotations
        self.meta = meta

    def contents(self, uri: str | None = None, mime_type: str | None = None) -> dict[str, Any]:
        """An item of the contents of a resource."""
        uri = self.uri or uri
        if uri is None:
            raise ValueError("File: in the result of a tool or a prompt it needs a URI")
        contents: dict[str, Any] = {"uri": uri}
        if self.mime_type or mime_type:
            contents["mimeType"] = self.mime_type or mime_type
        if self.data is not None:
            contents["blob"] = base64(self.data)
        else:
            contents["text"] = self.text
        return contents

    def _block(self) -> dict[str, Any]:
        return {"type": "resource", "resource": self.contents()}


class ResourceLink(ContentBlock):
    """A link to a resource that the client may fetch."""

    __slots__ = ("description", "mime_type", "name", "size", "title", "uri")

    def __init__(
        self,
        uri: str,
        name: str | None = None,
        *,
        title: str | None = None,
        description: str | None = None,
        mime_type: str | None = None,
        size: int | None = None,
        annotations: Mapping[str, Any] | None = None,
        meta: Mapping[str, Any] | None = None,
    ) -> None:
        self.uri = uri
        self.name = name or basename(uri) or uri
        self.title = title
        self.description = description
        self.mime_type = mime_type
        self.size = size
        self.annotations = annotations
        self.meta = meta

    def _block(self) -> dict[str, Any]:
        block = {
            "type": "resource_link",
            "uri": self.uri,
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "mimeType": self.mime_type,
            "size": self.size,
        }
        return {key: value for key, value in block.items() if value is not None}


class Message:
    """A message of a prompt: a text or a content block, and who says it."""

    __slots__ = ("content", "role")
    __libmcp_result__ = True

    def __init__(self, content: str | ContentBlock | Mapping[str, Any], role: Role = "user") -> None:
        if role not in ("user", "assistant"):
            raise ValueError(f'Message: the role is {role!r}; it must be "user" or "assistant"')
        self.content = content
        self.role = role

    def __repr__(self) -> str:
        return f"Message({self.content!r}, {self.role!r})"


class ToolResult:
    """The whole result of a tool, where one value is not enough."""

    __slots__ = ("content", "is_error", "meta", "structured")
    __libmcp_result__ = True

    def __init__(
        self,
        content: str | ContentBlock | Mapping[str, Any] | Sequence[str | ContentBlock | Mapping[str, Any]] | None = None,
        *,
        structured: Any = None,
        is_error: bool = False,
        meta: Mapping[str, Any] | None = None,
    ) -> None:
        self.content = content
        self.structured = structured
        self.is_error = is_error
        self.meta = meta

    def __repr__(self) -> str:
        return f"ToolResult({self.content!r}, structured={self.structured!r}, is_error={self.is_error})"


def base64(data: bytes) -> str:
    return b2a_base64(data, newline=False).decode("ascii")


def _quoted(path: str) -> str:
    from urllib.parse import quote

    return quote(path)
