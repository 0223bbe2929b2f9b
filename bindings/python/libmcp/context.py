"""What a handler knows of its call, and may ask of its client and its server."""

from __future__ import annotations

from .errors import ServerClosed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence
    from typing import Any, Generic, Literal, TypeVar, overload

    from ._libmcp import Call
    from .content import ContentBlock
    from .in_process import ServerOfCall

    T = TypeVar("T")
    Level = Literal["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]
else:
    # `Generic` is for those who check types; importing it costs more than this module.
    T = None

    class _Generic:
        def __class_getitem__(cls, of: Any) -> Any:
            return cls

    Generic = {T: _Generic}

    def overload(function: Any) -> Any:
        return function


class Done:
    """The result of a method that has done its work already: ``await`` returns at once, and may be left out."""

    __slots__ = ()

    def __await__(self) -> Generator[Any, None, None]:
        return
        yield


DONE = Done()


class Answer(dict, Generic[T]):  # type: ignore[type-arg]
    """What the client answered: the result of the protocol as a dict, and its parts as attributes.

    It may be awaited or not, as it is there already.
    """

    data: T

    def __init__(self, result: Mapping[str, Any], data: Any = None) -> None:
        super().__init__(result)
        self.data = data

    def __await__(self) -> Generator[Any, None, Answer[T]]:
        return self
        yield

    @property
    def action(self) -> Literal["accept", "decline", "cancel"]:
        """What the user did with a question."""
        action: Literal["accept", "decline", "cancel"] = self.get("action", "accept")
        return action

    @property
    def accepted(self) -> bool:
        return self.action == "accept"

    @property
    def content(self) -> Any:
        """The content of a form, or of a message that the client's model wrote."""
        return self.get("content")

    @property
    def text(self) -> str:
        """The text of a message that the client's model wrote."""
        content = self.get("content")
        blocks = content if isinstance(content, list) else [content]
        return "".join(block["text"] for block in blocks if isinstance(block, dict) and block.get("type") == "text")

    @property
    def roots(self) -> list[dict[str, Any]]:
        """The roots of a client that was asked for them."""
        roots: list[dict[str, Any]] = self.get("roots", [])
        return roots


class Headers(dict):  # type: ignore[type-arg]
    """The headers of an HTTP request. Their names are found in any case; lines of one name are joined by commas."""

    def __init__(self, lines: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        for name, value in lines:
            before = self.get(name)
            dict.__setitem__(self, name, value if before is None else f"{before}, {value}")

    def __getitem__(self, name: str) -> str:
        value: str = super().__getitem__(name.lower())
        return value

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and super().__contains__(name.lower())

    def get(self, name: str, default: Any = None) -> Any:
        return super().get(name.lower(), default)


class Context:
    """A call, for as long as its handler runs. A parameter with this annotation gets it.

    Its methods may be called from any thread, and awaited or not: none of them waits.
    """

    __slots__ = ("_call", "_headers")

    def __init__(self, call: Call) -> None:
        self._call = call
        self._headers: Headers | None = None

    # What the request says

    @property
    def name(self) -> str:
        """The name of the tool or prompt that is called, or the URI of the resource."""
        return self._call.name

    @property
    def arguments_json(self) -> bytes:
        """The client's own text of the arguments."""
        return self._call.arguments_json

    @property
    def headers(self) -> Headers:
        """The headers of the HTTP request; none over stdio."""
        if self._headers is None:
            self._headers = Headers(self._call.headers())
        return self._headers

    @property
    def principal(self) -> str | None:
        """On whose behalf the request comes, as the program that mounts the server says."""
        return self._call.principal

    @property
    def meta(self) -> dict[str, Any]:
        """The ``_meta`` of the request."""
        meta: dict[str, Any] = self._call.meta
        return meta

    @property
    def revision(self) -> str:
        """The revision of the protocol that the client speaks, as ``2026-07-28``."""
        return self._call.revision

    @property
    def client_info(self) -> dict[str, Any] | None:
        """The name and version of the client, where it says so: with the request, or when its session began."""
        info: dict[str, Any] | None = self._call.client_info
        return info

    @property
    def client_capabilities(self) -> dict[str, Any]:
        """What the client declared."""
        capabilities: dict[str, Any] = self._call.client_capabilities
        return capabilities

    @property
    def request(self) -> Any:
        """What the ASGI application got for this call, its scope; None elsewhere."""
        return self._call.request

    @property
    def server(self) -> ServerOfCall:
        """The server, to be called on behalf of this call: its principal goes along, and so does its cancellation."""
        server = self._call.owner()
        if server is None:
            raise ServerClosed("the server is gone")
        from .in_process import ServerOfCall

        return ServerOfCall(server, self._call)

    # What the client is told

    def progress(self, value: float, total: float | None = None, message: str | None = None) -> Done:
        """Tells the client how far the work is. ``value`` must grow from one time to the next."""
        self._call.progress(value, total, message)
        return DONE

    report_progress = progress

    def log(self, level: Level, data: Any, logger: str | None = None) -> Done:
        """Sends a log message to the client, where it asked for this level."""
        self._call.log(level, data, logger)
        return DONE

    def debug(self, data: Any, logger: str | None = None) -> Done:
        return self.log("debug", data, logger)

    def info(self, data: Any, logger: str | None = None) -> Done:
        return self.log("info", data, logger)

    def warning(self, data: Any, logger: str | None = None) -> Done:
        return self.log("warning", data, logger)

    def error(self, data: Any, logger: str | None = None) -> Done:
        return self.log("error", data, logger)

    def close_stream(self, retry: float | None = None) -> Done:
        """Ends the stream of the response now, for a call that takes long: a client of an older revision over HTTP comes
        back for the rest, after ``retry`` seconds. Elsewhere nothing happens."""
        self._call.close_stream(None if retry is None else int(retry * 1000))
        return DONE

    def set_cache(self, ttl_ms: int, scope: Literal["public", "private"] = "private") -> Done:
        """Says how long clients may keep what is read from the resource, and whether a cache may serve it to other users.
        Without it the options ``resource_read_cache_ttl_ms`` and ``resource_read_cache_scope`` of the server hold."""
        self._call.set_cache(ttl_ms, scope)
        return DONE

    # What the client wants no more

    @property
    def cancelled(self) -> bool:
        """Whether the answer is wanted no more. A coroutine is cancelled besides; any other function should look."""
        return self._call.cancelled

    def on_cancel(self, callback: Callable[[], object]) -> None:
        """Calls ``callback`` when the call is cancelled, on a thread of its own; at once if it was already."""
        self._call.on_cancel(callback)

    # What the client is asked

    @overload
    def elicit(self, message: str, schema: type[T], *, key: str | None = None) -> Answer[T]: ...

    @overload
    def elicit(
        self, message: str, schema: Mapping[str, Any] | None = None, *, key: str | None = None
    ) -> Answer[dict[str, Any]]: ...

    def elicit(self, message: str, schema: Any = None, *, key: str | None = None) -> Answer[Any]:
        """Asks the user to fill in a form; without a schema, to agree.

        The handler does not wait: where there is no answer yet it ends by ``InputRequired``, the client is asked, and it
        runs again from its beginning, with the answer. ``key`` names the question; without one its text does. ``schema``
        is a JSON Schema, or a dataclass, TypedDict or pydantic model, of which ``data`` of the answer is one then.
        """
        if schema is None:
            form: Any = {"type": "object", "properties": {}}
            typed = None
        elif isinstance(schema, dict):
            form, typed = schema, None
        else:
            from .forms import form_of

            form, typed = form_of(schema)
        params = {"message": message, "requestedSchema": form}
        result = self._call.request_input(key, {"method": "elicitation/create", "params": params})
        content = result.get("content") if result.get("action") == "accept" else None
        if content is None or typed is None:
            return Answer(result, content)
        return Answer(result, typed(content))

    def elicit_url(self, message: str, url: str, *, key: str | None = None) -> Answer[None]:
        """Asks the user to visit a page, as to pay or to sign in. As ``elicit`` otherwise.

        The client is told that the user is done there by ``Server.complete_elicitation``, with ``elicitation_id``.
        """
        params: dict[str, Any] = {"mode": "url", "message": message, "url": url}
        if key is not None and self.revision == "2025-11-25":
            params["elicitationId"] = self._call.elicitation_id(key)
        return Answer(self._call.request_input(key, {"method": "elicitation/create", "params": params}))

    def elicitation_id(self, key: str) -> str:
        """The id of the question that ``elicit_url`` asks under ``key``: the same in every round."""
        return self._call.elicitation_id(key)

    def sample(
        self,
        messages: str | Sequence[str | ContentBlock | Mapping[str, Any]],
        *,
        max_tokens: int = 1024,
        system_prompt: str | None = None,
        temperature: float | None = None,
        model_preferences: Mapping[str, Any] | None = None,
        stop_sequences: Sequence[str] | None = None,
        include_context: Literal["none", "thisServer", "allServers"] | None = None,
        metadata: Mapping[str, Any] | None = None,
        tools: Sequence[Mapping[str, Any]] | None = None,
        tool_choice: Mapping[str, Any] | None = None,
        key: str | None = None,
    ) -> Answer[None]:
        """Asks the client's model. ``text`` of the answer is what it wrote. As ``elicit`` otherwise."""
        from .results import prompt_result

        params = {
            "messages": prompt_result(messages)["messages"],
            "maxTokens": max_tokens,
            "systemPrompt": system_prompt,
            "temperature": temperature,
            "modelPreferences": model_preferences,
            "stopSequences": stop_sequences,
            "includeContext": include_context,
            "metadata": metadata,
            "tools": tools,
            "toolChoice": tool_choice,
        }
        given = {name: value for name, value in params.items() if value is not None}
        return Answer(self._call.request_input(key, {"method": "sampling/createMessage", "params": given}))

    def roots(self, *, key: str | None = None) -> Answer[None]:
        """Asks the client for its roots. As ``elicit`` otherwise."""
        return Answer(self._call.request_input(key, {"method": "roots/list"}))

    # What is kept from round to round

    def memo(self, key: str, compute: Callable[[], T]) -> T:
        """What ``compute`` returned in the first round that came here: a value of JSON, which is carried along.

        ``compute`` may be an ``async def``: then the memo is to be awaited.
        """
        kept = self._call.memo(key)
        value: Any = compute() if kept is None else kept[0]
        if kept is None and hasattr(value, "__await__"):
            value = self._memo_of(key, value)
        elif kept is None:
            self._call.set_memo(key, value)
        elif is_coroutine_function(compute):
            value = _at_once(value)
        made: T = value
        return made

    async def _memo_of(self, key: str, computing: Any) -> Any:
        value = await computing
        self._call.set_memo(key, value)
        return value

    def once(self, key: str) -> bool:
        """True the first time that ``key`` is asked for in the rounds of this call: for an effect that must not be had
        twice."""
        return self._call.once(key)


async def _at_once(value: Any) -> Any:
    return value


def is_coroutine_function(function: Any) -> bool:
    """Whether calling it makes a coroutine; as inspect says, which is not imported for it."""
    function = getattr(function, "__func__", function)
    while hasattr(function, "func") and hasattr(function, "keywords"):  # functools.partial
        function = function.func
    code = getattr(function, "__code__", None)
    if code is None:
        call = getattr(type(function), "__call__", None)
        code = getattr(call, "__code__", None)
    return code is not None and bool(code.co_flags & 0x80)
