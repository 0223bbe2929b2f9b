"""A server: what it offers, and how it is served."""

from __future__ import annotations

import sys
from _contextvars import copy_context
from _weakref import ref

from ._libmcp import Engine, Function, to_json
from .context import is_coroutine_function
from .errors import ServerClosed
from .option_names import check

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import TracebackType
    from typing import Any, Literal, TypeVar, overload

    from ._libmcp import Ending, LoopQueue
    from .asgi import ASGIApp, Principal
    from .in_process import Provider
    from .listener import Listener
    from .session import Session
    from .signature import Shape

    F = TypeVar("F", bound=Callable[..., Any])
    Handler = Callable[..., Any]
    Json = Mapping[str, Any]
else:

    def overload(function: Any) -> Any:
        return function


TOOL_OPTIONS = (
    "name",
    "title",
    "description",
    "input_schema",
    "output_schema",
    "annotations",
    "icons",
    "meta",
    "requires",
    "ui_resource_uri",
    "visibility",
)
RESOURCE_OPTIONS = (
    "name",
    "title",
    "description",
    "mime_type",
    "size",
    "annotations",
    "icons",
    "meta",
    "requires",
    "ui",
    "allow_traversal",
)
PROMPT_OPTIONS = ("name", "title", "description", "icons", "meta", "requires")


class Server:
    """A server of the Model Context Protocol: tools, resources and prompts for language models.

    Its name and version are told to clients, the other texts too. ``options`` are those of docs/limits.md, as
    ``handler_timeout_ms=30_000``. All methods may be called from any thread, also while it serves: clients are told what
    changed.
    """

    def __init__(
        self,
        name: str,
        version: str = "0",
        *,
        title: str | None = None,
        description: str | None = None,
        instructions: str | None = None,
        website_url: str | None = None,
        icons: Sequence[Json] | None = None,
        **options: Any,
    ) -> None:
        self.name = name
        self.version = version
        self.title = title
        self.instructions = instructions
        self._options: dict[str, str] = {
            key: _option(value)
            for key, value in {
                **options,
                "description": description,
                "website_url": website_url,
                "icons": None if icons is None else list(icons),
            }.items()
            if value is not None
        }
        # What was registered, so that a process that was forked can make its own engine of it.
        self._offered: dict[tuple[str, str], tuple[Any, ...]] = {}
        self._coroutines = False
        self._serving = 0
        self._closed = False
        # A port is open for as long as somebody holds it.
        self._listeners: set[Listener] = set()
        self._current: Engine | None = None
        self._engine()

    def __repr__(self) -> str:
        return f"Server({self.name!r}, {self.version!r})"

    # ---- what is offered ----

    @overload
    def tool(self, function: F, /) -> F: ...

    @overload
    def tool(
        self,
        function: None = None,
        /,
        *,
        name: str | None = None,
        title: str | None = None,
        description: str | None = None,
        input_schema: Json | None = None,
        output_schema: Json | None = None,
        annotations: Json | None = None,
        icons: Sequence[Json] | None = None,
        meta: Json | None = None,
        requires: Sequence[str] = (),
        ui_resource_uri: str | None = None,
        visibility: Sequence[Literal["model", "app"]] | None = None,
    ) -> Callable[[F], F]: ...

    def tool(self, function: Any = None, /, **options: Any) -> Any:
        """Offers a function as a tool. Its name, docstring and annotations say what clients see; ``add_tool`` has the
        options."""
        return self._decorated(self.add_tool, function, options)

    def add_tool(self, function: Handler, /, **options: Any) -> None:
        """Offers a function, a method or any other callable as a tool, in place of one of the same name.

        ``name``, ``title``, ``description``, ``input_schema`` and ``output_schema`` (JSON Schemas, published as they
        are), ``annotations`` (hints, as ``{"readOnlyHint": True}``), ``icons``, ``meta``, ``requires`` (capabilities that
        a client must have declared, as ``"elicitation"``); for user interfaces ``ui_resource_uri`` and ``visibility``.
        """
        check("a tool", options, TOOL_OPTIONS)
        from .signature import describe_tool

        shape = describe_tool(
            function, input_schema=options.get("input_schema"), output_schema=options.get("output_schema")
        )
        name = options.get("name") or shape.name
        definition = {
            "name": name,
            "title": options.get("title"),
            "description": _chosen(options, shape),
            "inputSchema": shape.input_schema,
            "outputSchema": shape.output_schema,
            "annotations": options.get("annotations"),
            "icons": options.get("icons"),
            "_meta": _tool_meta(options),
        }
        self._add("tool", name, definition, shape, options)

    @overload
    def prompt(self, function: F, /) -> F: ...

    @overload
    def prompt(
        self,
        function: None = None,
        /,
        *,
        name: str | None = None,
        title: str | None = None,
        description: str | None = None,
        icons: Sequence[Json] | None = None,
        meta: Json | None = None,
        requires: Sequence[str] = (),
    ) -> Callable[[F], F]: ...

    def prompt(self, function: Any = None, /, **options: Any) -> Any:
        """Offers a function as a prompt. It returns a text, a ``Message``, or a list of them."""
        return self._decorated(self.add_prompt, function, options)

    def add_prompt(self, function: Handler, /, **options: Any) -> None:
        """Offers a function as a prompt, in place of one of the same name: ``name``, ``title``, ``description``,
        ``icons``, ``meta``, ``requires``."""
        check("a prompt", options, PROMPT_OPTIONS)
        from .signature import describe_prompt

        shape = describe_prompt(function)
        name = options.get("name") or shape.name
        arguments = [
            {"name": argument.name, "description": argument.description, "required": argument.required}
            for argument in shape.arguments
        ]
        definition = {
            "name": name,
            "title": options.get("title"),
            "description": _chosen(options, shape),
            "arguments": [_without_none(argument) for argument in arguments] or None,
            "icons": options.get("icons"),
            "_meta": options.get("meta"),
        }
        self._add("prompt", name, definition, shape, options)

    def resource(
        self,
        uri: str,
        /,
        *,
        name: str | None = None,
        title: str | None = None,
        description: str | None = None,
        mime_type: str | None = None,
        size: int | None = None,
        annotations: Json | None = None,
        icons: Sequence[Json] | None = None,
        meta: Json | None = None,
        requires: Sequence[str] = (),
        ui: Json | None = None,
        allow_traversal: Sequence[str] = (),
        **unknown: Any,
    ) -> Callable[[F], F]:
        """Offers a function as the resource of a URI; or, where the URI has variables, as in ``notes://{name}``, as all
        that match, with the variables as its arguments."""
        check("a resource", unknown, RESOURCE_OPTIONS)
        if not isinstance(uri, str):
            raise TypeError('a resource needs its URI: @server.resource("notes://today")')
        options = {
            "name": name,
            "title": title,
            "description": description,
            "mime_type": mime_type,
            "size": size,
            "annotations": annotations,
            "icons": icons,
            "meta": meta,
            "requires": requires,
            "ui": ui,
            "allow_traversal": allow_traversal,
        }

        def decorate(function: F) -> F:
            self.add_resource(uri, function, **options)
            return function

        return decorate

    def add_resource(self, uri: str, contents: Handler | str | bytes, /, **options: Any) -> None:
        """Offers what a function returns, or a text or bytes that never change, as the resource of a URI.

        ``name``, ``title``, ``description``, ``mime_type``, ``size``, ``annotations``, ``icons``, ``meta``, ``requires``;
        ``ui`` makes it a user interface. Of a template the variables in ``allow_traversal`` may have values that lead out
        of their place, as ``../x`` does.
        """
        check("a resource", options, RESOURCE_OPTIONS)
        from .signature import describe_template

        variables = template_variables(uri)
        if isinstance(contents, (str, bytes)):
            if options.get("size") is None:
                options["size"] = len(contents.encode() if isinstance(contents, str) else contents)
            if not options.get("name"):
                options["name"] = uri
            contents = constant(contents)
        shape = describe_template(contents, variables)
        definition = {
            "uriTemplate" if variables else "uri": uri,
            "name": options.get("name") or shape.name,
            "title": options.get("title"),
            "description": _chosen(options, shape),
            "mimeType": options.get("mime_type"),
            "size": options.get("size"),
            "annotations": options.get("annotations"),
            "icons": options.get("icons"),
            "_meta": options.get("meta"),
        }
        self._add("resource_template" if variables else "resource", uri, definition, shape, options)

    def completion(self, function: F, /) -> F:
        """Has a function complete the arguments of prompts and the variables of templates: it returns a list of texts.

        It takes any of ``ref`` (with ``type``, and ``name`` or ``uri``), ``argument`` (with ``name`` and ``value``) and
        ``context`` (with ``arguments``, those that are known so far), by these names, and a ``Context``.
        """
        from .completions import handler_of

        self._register("completion", "", (handler_of(function),), is_coroutine_function(function))
        return function

    def remove_tool(self, name: str) -> None:
        """Offers the tool no more. Its calls in flight go on."""
        self._remove("tool", name)

    def remove_prompt(self, name: str) -> None:
        """Offers the prompt no more."""
        self._remove("prompt", name)

    def remove_resource(self, uri: str) -> None:
        """Offers the resource, or the template, no more."""
        self._remove("resource_template" if template_variables(uri) else "resource", uri)

    # ---- serving ----

    def run(self, transport: Literal["stdio", "http", "streamable-http"] = "stdio", **options: Any) -> None:
        """Serves until the client has gone, or until Ctrl-C: then it raises ``SystemExit(130)``, and there is no traceback.

        ``"http"`` serves ``http://127.0.0.1:8000/mcp``; its options are those of ``start_http``. asyncio is used only
        where there are coroutines.
        """
        if transport == "streamable-http":
            transport = "http"
        if transport not in ("stdio", "http"):
            raise ValueError(f'there is no transport {transport!r}: "stdio" or "http"')
        if transport == "stdio":
            if options:
                raise TypeError(f'stdio has no options, and {", ".join(options)} was given; is run("http", ...) meant?')
        else:
            options.setdefault("port", 8000)
        try:
            if self._coroutines:
                import asyncio

                asyncio.run(self.serve_stdio() if transport == "stdio" else self._serve_announced(options))
            elif transport == "stdio":
                self._serve_stdio_without_loop()
            else:
                self._serve_http_without_loop(options)
        except KeyboardInterrupt:
            try:
                self._stop(0)
            except KeyboardInterrupt:
                pass  # pressed twice
            raise SystemExit(130) from None

    async def serve_stdio(self) -> None:
        """Serves the standard streams until the client has gone. Coroutines run on this loop."""
        from .standard_streams import Stdout

        queue = self._use_running_loop()
        with Stdout() as stdout:
            self._serving += 1
            try:
                await self._end_of(self._engine().begin_stdio(stdout.flush), queue)
            finally:
                self._serving -= 1

    async def serve_http(self, **options: Any) -> None:
        """Serves HTTP until it is cancelled, or the server is closed. Coroutines run on this loop."""
        queue = self._use_running_loop()
        listener = self.start_http(**options)
        try:
            await self._end_of(listener._listener.ending, queue)
        except BaseException:
            await self._off_loop(listener.close, 0)
            raise

    def start_http(self, **options: Any) -> Listener:
        """Begins to serve HTTP, and returns at once. Coroutines run on the running loop, or on one of the server's own.

        ``host`` (127.0.0.1), ``port`` (0 takes any that is free), ``path`` (/mcp), ``allowed_origins``,
        ``allowed_hosts``, ``certificate_file`` and ``key_file`` for HTTPS, and the options of HTTP in docs/limits.md.
        """
        from .listener import Listener

        self._use_context()
        engine = self._engine()
        native = engine.start_http(options)
        self._serving += 1
        self._ensure_loop()
        listener = Listener(self, native, options)
        self._listeners.add(listener)
        return listener

    def asgi(self, *, path: str | None = None, principal: Principal | None = None, **options: Any) -> ASGIApp:
        """The server as an ASGI application, to be mounted in FastAPI or Starlette, or run by uvicorn.

        Mounted, it answers at its mount; with ``path`` at that path alone. ``principal`` says on whose behalf a request
        comes, from its scope. The other options are those of ``start_http``.
        """
        from .asgi import ASGIApp

        return ASGIApp(self, path=path, principal=principal, options=options)

    def session(self, send: Callable[[bytes], object]) -> Session:
        """Serves one client over a transport of the program's own: ``send`` takes each message to it, and
        ``Session.receive`` takes what it sends. Where a loop runs, ``send`` is called on it."""
        from .session import Session

        self._use_context()
        self._serving += 1
        queue: LoopQueue | None = None
        if "asyncio" in sys.modules:
            from .event_loop import queue_of_running_loop

            queue = queue_of_running_loop()
        if queue is not None:
            self._engine().add_loop(queue)
        self._ensure_loop()
        return Session(self._engine(), send, queue)

    def close(self, drain: float | None = None) -> None:
        """Ends everything that serves, and waits for that. Calls in flight get ``drain`` seconds, or as the option
        ``drain_ms`` says."""
        self._closed = True
        self._stop(None if drain is None else int(drain * 1000))
        # Functions that know the server are a circle that the garbage collector does not see.
        self._offered.clear()

    async def shutdown(self, drain: float | None = None) -> None:
        """The same, without blocking the loop, on which coroutines may end meanwhile."""
        await self._off_loop(self.close, drain)

    def __enter__(self) -> Server:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    async def __aenter__(self) -> Server:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.shutdown()

    # ---- in process ----

    async def call_tool(self, name: str, arguments: Json | None = None) -> dict[str, Any]:
        """Calls a tool, by its name or by that under which it was exported: its result, as the protocol has it."""
        from .in_process import ask

        return await ask(self, None, "tool", name, arguments or {})

    async def get_prompt(self, name: str, arguments: Mapping[str, str] | None = None) -> dict[str, Any]:
        """Gets a prompt: its result, as the protocol has it."""
        from .in_process import ask

        return await ask(self, None, "prompt", name, arguments or {})

    async def read_resource(self, uri: str) -> dict[str, Any]:
        """Reads a resource: its result, as the protocol has it."""
        from .in_process import ask

        return await ask(self, None, "resource", uri, {})

    def tools(self) -> list[dict[str, Any]]:
        """The definitions of the tools."""
        return self._engine().list("tools")

    def prompts(self) -> list[dict[str, Any]]:
        """The definitions of the prompts."""
        return self._engine().list("prompts")

    def resources(self) -> list[dict[str, Any]]:
        """The definitions of the resources."""
        return self._engine().list("resources")

    def resource_templates(self) -> list[dict[str, Any]]:
        """The definitions of the resource templates."""
        return self._engine().list("resource_templates")

    def find_tool(self, name: str) -> dict[str, Any] | None:
        """The definition of a tool, if there is one."""
        return self._engine().find_tool(name)

    def export_tools(self, provider: Provider) -> list[dict[str, Any]]:
        """The tools in the shape that a model provider's API takes: "openai-chat", "openai-responses", "anthropic" or
        "gemini". Names may differ from the tools' own; ``call_tool`` takes either."""
        return self._engine().export_tools(provider)

    def resource_updated(self, uri: str, principal: str | None = None) -> None:
        """Tells those who subscribed to the resource that it changed; with a principal, its own clients alone."""
        self._engine().resource_updated(uri, principal)

    def complete_elicitation(self, id: str) -> None:
        """Tells the client that the user is done at the page of ``Context.elicit_url``."""
        self._engine().complete_elicitation(id)

    @property
    def max_message_bytes(self) -> int:
        """The longest message that is taken."""
        return self._engine().max_message_bytes

    # ---- inside ----

    def _engine(self) -> Engine:
        """The engine of this process. After a fork, and after serving was broken off, that is a new one."""
        engine = self._current
        if engine is not None and not engine.forked:
            return engine
        if self._closed:
            raise ServerClosed("the server was closed")
        engine = Engine(self.name, self.version, ref(self), copy_context())
        if self.title is not None:
            engine.set_title(self.title)
        if self.instructions is not None:
            engine.set_instructions(self.instructions)
        for key, value in self._options.items():
            engine.set_option(key, value)
        for (kind, _), recipe in list(self._offered.items()):
            _tell(engine, kind, recipe)
        self._serving = 0
        self._listeners.clear()
        self._current = engine
        return engine

    def _decorated(self, add: Callable[..., None], function: Any, options: dict[str, Any]) -> Any:
        if function is not None:
            if not callable(function):
                raise TypeError(f"{function!r} is no function: a name is given by name=")
            add(function, **options)
            return function

        def decorate(function: Any) -> Any:
            add(function, **options)
            return function

        return decorate

    def _add(self, kind: str, key: str, definition: dict[str, Any], shape: Shape, options: dict[str, Any]) -> None:
        result = shape.result
        function = Function(
            shape.function,
            [(part.name, part.argument, part.kind, part.convert) for part in shape.parameters],
            result.kind,
            result.dump,
            shape.is_async,
        )
        recipe: tuple[Any, ...] = (to_json(_without_none(definition)), function, list(options.get("requires") or ()))
        if kind == "resource":
            ui = options.get("ui")
            recipe += (None if ui is None else to_json(ui),)
        elif kind == "resource_template":
            recipe += (list(options.get("allow_traversal") or ()),)
        self._register(kind, key, recipe, shape.is_async)

    def _register(self, kind: str, key: str, recipe: tuple[Any, ...], is_async: bool) -> None:
        _tell(self._engine(), kind, recipe)
        self._offered[kind, key] = recipe
        if is_async:
            self._coroutines = True
            if self._serving:
                self._ensure_loop()

    def _remove(self, kind: str, key: str) -> None:
        getattr(self._engine(), f"remove_{kind}")(key)
        self._offered.pop((kind, key), None)

    def _use_context(self) -> None:
        """Handlers run in copies of the caller's context from now on."""
        self._engine().set_context(copy_context())

    def _use_running_loop(self) -> LoopQueue:
        from .event_loop import running_queue

        self._use_context()
        queue = running_queue()
        self._engine().add_loop(queue)
        return queue

    def _ensure_loop(self) -> None:
        """Coroutines need a loop: the running one, or else one on a thread of its own."""
        if not self._coroutines:
            return
        from .event_loop import queue_of_own_thread, queue_of_running_loop

        engine = self._engine()
        queue = queue_of_running_loop()
        if queue is None and not engine.has_loop:
            queue = queue_of_own_thread()
        if queue is not None:
            engine.add_loop(queue)

    async def _end_of(self, ending: Ending, queue: LoopQueue) -> None:
        """Waits for the end of something that serves. Whoever gives the wait up ends it."""
        import asyncio

        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        ending.watch(queue, future)
        try:
            await future
        except asyncio.CancelledError:
            if not ending.done:
                await self._off_loop(self._stop, 0)
            raise

    async def _off_loop(self, function: Callable[..., object], *arguments: object) -> None:
        import asyncio

        await asyncio.get_running_loop().run_in_executor(None, function, *arguments)

    async def _serve_announced(self, options: dict[str, Any]) -> None:
        queue = self._use_running_loop()
        listener = self.start_http(**options)
        _announce(listener)
        await self._end_of(listener._listener.ending, queue)

    def _serve_stdio_without_loop(self) -> None:
        from .standard_streams import Stdout

        self._use_context()
        with Stdout() as stdout:
            self._serving += 1
            try:
                self._engine().begin_stdio(stdout.flush).wait()
            finally:
                self._serving -= 1

    def _serve_http_without_loop(self, options: dict[str, Any]) -> None:
        listener = self.start_http(**options)
        _announce(listener)
        listener._listener.ending.wait()

    def _stop(self, drain_ms: int | None) -> None:
        engine = self._current
        if engine is not None and not engine.forked:
            engine.close(drain_ms)
            self._current = None
            self._listeners.clear()


def template_variables(uri: str) -> tuple[str, ...]:
    """The names of the variables of a URI template; none of a plain URI."""
    names: list[str] = []
    for part in uri.split("{")[1:]:
        expression = part.partition("}")[0].lstrip("+#./;?&")
        for variable in expression.split(","):
            name = variable.partition(":")[0].removesuffix("*").strip()
            if name and name not in names:
                names.append(name)
    return tuple(names)


def constant(contents: str | bytes) -> Callable[[], str | bytes]:
    def read() -> str | bytes:
        return contents

    return read


def _announce(listener: Listener) -> None:
    print(f"Serving {listener.url}", file=sys.stderr, flush=True)


def _tell(engine: Engine, kind: str, recipe: tuple[Any, ...]) -> None:
    if kind == "completion":
        engine.set_completion(*recipe)
    else:
        getattr(engine, f"add_{kind}")(*recipe)


def _option(value: Any) -> str:
    """An option as the core takes it."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple, dict)):
        return to_json(value).decode()
    return str(value)


def _chosen(options: dict[str, Any], shape: Shape) -> str | None:
    description = options.get("description")
    return shape.description if description is None else description


def _tool_meta(options: dict[str, Any]) -> dict[str, Any] | None:
    meta, uri, visibility = options.get("meta"), options.get("ui_resource_uri"), options.get("visibility")
    if uri is None and visibility is None:
        return meta
    ui = {**((meta or {}).get("ui") or {})}
    if uri is not None:
        ui["resourceUri"] = uri
    if visibility is not None:
        ui["visibility"] = list(visibility)
    return {**(meta or {}), "ui": ui}


def _without_none(definition: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in definition.items() if value is not None}
