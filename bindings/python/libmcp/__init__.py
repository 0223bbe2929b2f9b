"""The Model Context Protocol for Python: tools, resources and prompts for language models.

    from libmcp import Server

    server = Server("weather")

    @server.tool
    def forecast(city: str, days: int = 1) -> str:
        "The weather in a city."
        return f"{city}: {days} days of sun"

    server.run()
"""

import atexit

from ._libmcp import VERSION as __version__
from ._libmcp import close_all, set_log_handler
from .content import Audio, ContentBlock, File, Image, Message, ResourceLink, Text, ToolResult
from .context import Answer, Context
from .errors import (
    Busy,
    CallEnded,
    CallFailed,
    Deadlock,
    InputRequired,
    InvalidArgument,
    InvalidResult,
    InvalidSchema,
    McpError,
    MissingCapability,
    NotFound,
    ProtocolError,
    ServerClosed,
    ToolError,
    TransportError,
)
from .listener import Listener
from .server import Server
from .session import Session

__all__ = [
    "Answer",
    "Audio",
    "Busy",
    "CallEnded",
    "CallFailed",
    "ContentBlock",
    "Context",
    "Deadlock",
    "File",
    "Image",
    "InputRequired",
    "InvalidArgument",
    "InvalidResult",
    "InvalidSchema",
    "Listener",
    "McpError",
    "Message",
    "MissingCapability",
    "NotFound",
    "ProtocolError",
    "ResourceLink",
    "Server",
    "ServerClosed",
    "Session",
    "Text",
    "ToolError",
    "ToolResult",
    "TransportError",
    "__version__",
    "set_log_handler",
]

# At the end of the interpreter nothing of the library may run Python any more.
atexit.register(close_all)
