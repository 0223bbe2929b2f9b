"""What is raised by handlers, and by the library."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class McpError(Exception):
    """The base of what the library raises."""


class ToolError(McpError):
    """Raised by a handler: its message goes to the model, which can mend what it says.

    What any other exception says goes to the log alone.
    """


class ProtocolError(McpError):
    """Raised by a handler: a JSON-RPC error, for what a model cannot mend.

    Codes that JSON-RPC and MCP reserve are refused, but for -32602 and -32603.
    """

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(code, message, data)
        self.code = code
        self.message = message
        self.data = data

    def __str__(self) -> str:
        return f"{self.message} ({self.code})"


class InvalidArgument(McpError, ValueError):
    """An argument is not what the function takes."""


class InvalidSchema(McpError, ValueError):
    """A JSON Schema cannot be used."""


class InvalidResult(McpError, ValueError):
    """A result is none, or breaks the output schema of its tool."""


class NotFound(McpError, LookupError):
    """There is no such thing. Raised by the handler of a resource, it tells the client so."""


class CallEnded(McpError):
    """The call was cancelled, ran out of time or was answered already: its work is in vain."""


class Busy(McpError):
    """Something of which there is one only is in use, as the standard streams."""


class TransportError(McpError, OSError):
    """The operating system refused."""


class Deadlock(McpError, RuntimeError):
    """The call would wait for itself."""


class ServerClosed(McpError):
    """The server was closed, or belongs to the process from which this one was forked."""


class MissingCapability(McpError):
    """The client did not declare what this needs. A handler that lets it pass answers with the error that says so."""


class CallFailed(McpError):
    """A call in process ended with an error."""


class InputRequired(BaseException):
    """The client must be asked first. Let it pass: the handler runs again, from its beginning, with the answer.

    No ``Exception``, so that a handler's ``except Exception`` does not catch it.
    """
