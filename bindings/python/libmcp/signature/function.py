"""Reads a function's parameters and annotations, without the weight of inspect."""

from __future__ import annotations

import sys

from .names import Names, Unresolved, known_under_type_checking
from .type_forms import MISSING, arguments_of, is_class, origin_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType
    from typing import Any

__all__ = ["MISSING", "RawParameter", "Signature"]

_VARARGS, _VARKEYWORDS, _GENERATOR, _COROUTINE, _ITERABLE_COROUTINE, _ASYNC_GENERATOR = 0x04, 0x08, 0x20, 0x80, 0x100, 0x200


class RawParameter:
    """A parameter as it stands in the source, its annotation resolved."""

    __slots__ = ("annotation", "default", "name")

    def __init__(self, name: str, annotation: Any, default: Any) -> None:
        self.name = name
        self.annotation = annotation
        self.default = default


class Signature:
    """What a function takes and returns, with its annotations resolved."""

    __slots__ = ("doc", "is_async", "name", "names", "parameters", "rest", "rest_annotation", "returns", "returns_awaitable")

    def __init__(self, function: Callable[..., Any]) -> None:
        found = _Found(function)
        self.name: str = found.name
        self.doc: str | None = found.doc
        read = _read_by_code(found) if found.code is not None else _read_by_signature(found)
        parameters, rest, annotations = read
        self.names = Names(getattr(found.function, "__globals__", {}), _closure(found.function), found.name_around)

        def resolved(key: str, place: str) -> Any:
            try:
                return self.names.resolve(annotations.get(key, MISSING))
            except Unresolved as error:
                raise TypeError(
                    f"{self.name}: the annotation {error.annotation!r} of {place} cannot be resolved: {error.reason}. "
                    "What it names must be there at run time, not only `if TYPE_CHECKING`, and not only in another function"
                ) from error

        self.parameters = [
            RawParameter(name, resolved(name, f"the parameter {name!r}"), default)
            for name, default in parameters
            if name not in found.bound
        ]
        self.rest = rest is not None
        self.rest_annotation = MISSING if rest is None else resolved(rest, f"the parameter **{rest}")
        self.returns = resolved("return", "the result")
        # Whether calling it makes something to be awaited, though it is no `async def` itself.
        self.returns_awaitable = found.is_async and not found.is_async_itself
        if not found.is_async and (made := _awaited(self.returns)) is not MISSING:
            self.returns = made
            self.returns_awaitable = True
        self.is_async = found.is_async or self.returns_awaitable


class _Found:
    """The plain function behind a callable, and what was bound to it already."""

    def __init__(self, callable_: Any) -> None:
        self.skip = 0
        self.bound: set[str] = set()
        self.is_async = self.is_async_itself = False
        self.name = ""
        self.doc: str | None = None
        self.owner: type | None = None
        self.code: CodeType | None = None
        self.described: Any = None  # an inspect.Signature, where there is no code to read, or the author says one
        self.function = callable_
        self._outermost = True
        while (inner := self._step(self.function)) is not None:
            self.function = inner

    def _step(self, function: Any) -> Any:
        """What is behind `function`; None if that is what was looked for."""
        if is_class(function):
            raise TypeError(f"{function.__name__} is a class; register a function, or an object that can be called")
        if isinstance(function, classmethod):
            name = function.__func__.__name__
            raise TypeError(f"{name} is a class method without its class; register it as Class.{name}, after the class")
        own_name = getattr(function, "__name__", None)
        if not self.name and isinstance(own_name, str):
            self.name = own_name
        self.doc = self.doc or _own_doc(function)
        if isinstance(function, staticmethod):
            return function.__func__
        if hasattr(function, "__func__") and hasattr(function, "__self__"):
            self.skip += 1
            owner = function.__self__
            self.owner = owner if isinstance(owner, type) else type(owner)
            return function.__func__
        functools = sys.modules.get("functools")
        if functools is not None and isinstance(function, functools.partial):
            self.skip += len(function.args)
            self.bound |= set(function.keywords)
            return function.func
        code = getattr(function, "__code__", None)
        self._look_at_colour(function, code)
        if hasattr(signature := getattr(function, "__signature__", None), "parameters"):
            self.described = signature
            return None
        if (wrapped := getattr(function, "__wrapped__", None)) is not None:
            self._outermost = False
            return wrapped
        if code is not None:
            self.code = code
            return None
        call = getattr(type(function), "__call__", None)
        if call is not None and hasattr(call, "__get__") and type(call).__name__ != "wrapper_descriptor":
            self.name = self.name or type(function).__name__
            self.doc = self.doc or type(function).__doc__
            self.owner = type(function)
            self.skip += 1
            return call
        self._ask_inspect(function)
        return None

    def _look_at_colour(self, function: Any, code: CodeType | None) -> None:
        flags = code.co_flags if code is not None else 0
        marked = getattr(function, "_is_coroutine_mark", None) or getattr(function, "_is_coroutine", None)
        if flags & (_COROUTINE | _ITERABLE_COROUTINE) or marked is not None:
            self.is_async = True
            self.is_async_itself |= self._outermost
        elif flags & (_GENERATOR | _ASYNC_GENERATOR) and self._outermost:
            raise TypeError(
                f"{self.name}: a generator cannot be a handler; return the whole result, and tell of progress by a Context"
            )

    def _ask_inspect(self, function: Any) -> None:
        """For what is written in C, some of which says what it takes."""
        from inspect import signature

        try:
            self.described = signature(function)
        except (TypeError, ValueError):
            raise TypeError(
                f"{function!r} has no signature that can be read: it is not written in Python. "
                "Wrap it in a function with annotations"
            ) from None

    def name_around(self, name: str) -> Any:
        """A name that an annotation has from a function around it, which still runs, or from the class of a method."""
        around = getattr(self.function, "__qualname__", "").split(".")[:-1]
        frame = sys._getframe(1) if "<locals>" in around else None
        while frame is not None:
            code = frame.f_code
            if code.co_name in around and frame.f_globals is getattr(self.function, "__globals__", None):
                if name in frame.f_locals:
                    return frame.f_locals[name]
            frame = frame.f_back
        if self.owner is not None and hasattr(self.owner, name):
            return getattr(self.owner, name)
        return known_under_type_checking(name)


def _own_doc(function: Any) -> str | None:
    """The docstring, where it is the object's own and not that of its class, as partial's is."""
    doc = getattr(function, "__doc__", None)
    return doc if isinstance(doc, str) and doc is not getattr(type(function), "__doc__", None) else None


def _read_by_code(found: _Found) -> tuple[list[tuple[str, Any]], str | None, dict[str, Any]]:
    """The parameters with their defaults, the name of the one for all the rest, and the annotations."""
    function, code = found.function, found.code
    assert code is not None
    names = code.co_varnames
    after = code.co_argcount + code.co_kwonlyargcount
    if code.co_flags & _VARARGS:
        raise _nameless(found.name, names[after])
    annotations = _annotations(function, found.name)
    positional = names[: code.co_argcount]
    _refuse_method(found, positional, annotations)
    for name in positional[found.skip : code.co_posonlyargcount]:
        raise _positional_only(found.name, name)
    defaults = dict(zip(reversed(positional), reversed(function.__defaults__ or ())))
    defaults.update(function.__kwdefaults__ or {})
    taken = (*positional[found.skip :], *names[code.co_argcount : after])
    rest = names[after] if code.co_flags & _VARKEYWORDS else None
    return [(name, defaults.get(name, MISSING)) for name in taken], rest, annotations


def _read_by_signature(found: _Found) -> tuple[list[tuple[str, Any]], str | None, dict[str, Any]]:
    signature = found.described
    annotations: dict[str, Any] = {}
    taken: list[tuple[str, Any]] = []
    rest = None
    for at, (name, parameter) in enumerate(signature.parameters.items()):
        if at < found.skip:
            continue
        kind = parameter.kind.name
        if kind == "VAR_POSITIONAL":
            raise _nameless(found.name, name)
        if kind == "POSITIONAL_ONLY":
            raise _positional_only(found.name, name)
        if parameter.annotation is not parameter.empty:
            annotations[name] = parameter.annotation
        if kind == "VAR_KEYWORD":
            rest = name
        else:
            taken.append((name, MISSING if parameter.default is parameter.empty else parameter.default))
    if signature.return_annotation is not signature.empty:
        annotations["return"] = signature.return_annotation
    return taken, rest, annotations


def _nameless(function: str, parameter: str) -> TypeError:
    return TypeError(
        f"{function}: *{parameter} takes arguments without a name, and those of clients have names; name them one by one. "
        "A decorator keeps the signature of its function by functools.wraps"
    )


def _positional_only(function: str, parameter: str) -> TypeError:
    return TypeError(
        f"{function}: {parameter!r} is positional only, and arguments are passed by name; take the / away"
    )


def _refuse_method(found: _Found, positional: tuple[str, ...], annotations: dict[str, Any]) -> None:
    around = getattr(found.function, "__qualname__", "").rpartition(".")[0]
    if found.skip or not around or around.endswith("<locals>") or not positional:
        return
    first = positional[0]
    if first in ("self", "cls") and first not in annotations:
        raise TypeError(
            f"{found.name}: it is a method without its object; register that of an object, as add_tool(object.{found.name})"
        )


def _annotations(function: Any, name: str) -> dict[str, Any]:
    try:
        return dict(getattr(function, "__annotations__", None) or {})
    except NameError as error:
        # From Python 3.14 on they are evaluated when asked for, all at once: as texts they can be had one by one.
        if sys.version_info >= (3, 14):
            import annotationlib

            return dict(annotationlib.get_annotations(function, format=annotationlib.Format.STRING))
        raise TypeError(f"{name}: an annotation cannot be resolved: {error}") from error


def _closure(function: Any) -> dict[str, Any]:
    """The names that a function, or what evaluates its annotations, has from the functions around it."""
    found = {parameter.__name__: parameter for parameter in getattr(function, "__type_params__", ())}
    for one in (function, getattr(function, "__annotate__", None)):
        names = getattr(getattr(one, "__code__", None), "co_freevars", ())
        for name, cell in zip(names, getattr(one, "__closure__", None) or ()):
            try:
                found[name] = cell.cell_contents
            except ValueError:
                pass  # not bound yet
    return found


def _awaited(annotation: Any) -> Any:
    """What comes of awaiting a Coroutine or an Awaitable; MISSING for other types."""
    origin = origin_of(annotation)
    if getattr(origin, "__module__", "") == "collections.abc" and origin.__name__ in ("Awaitable", "Coroutine"):
        arguments = arguments_of(annotation)
        return arguments[-1] if arguments else object
    return MISSING
