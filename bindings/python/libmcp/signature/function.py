"""Reads a function's parameters and annotations, without the weight of inspect."""

from __future__ import annotations

import sys
from types import CodeType, FunctionType
from typing import Any, Callable

MISSING: Any = object()

_VARARGS, _VARKEYWORDS, _GENERATOR, _COROUTINE, _ASYNC_GENERATOR = 0x04, 0x08, 0x20, 0x80, 0x200


class RawParameter:
    """A parameter as it stands in the source."""

    __slots__ = ("annotation", "default", "name")

    def __init__(self, name: str, annotation: Any, default: Any) -> None:
        self.name = name
        self.annotation = annotation
        self.default = default


class Signature:
    """What a function takes and returns, with its annotations resolved."""

    __slots__ = ("doc", "is_async", "name", "parameters", "rest", "returns")

    def __init__(self, function: Callable[..., Any]) -> None:
        found = _Found(function)
        code = found.function.__code__
        self.name: str = found.name
        self.doc: str | None = found.doc
        self.is_async = found.is_async
        if code.co_flags & (_ASYNC_GENERATOR | _GENERATOR):
            raise TypeError(f"{self.name}: a generator cannot be a handler; return the whole result, and use Context.progress")
        self.rest = bool(code.co_flags & _VARKEYWORDS)
        annotations = _annotations(found.function, self.name)
        self.parameters = _parameters(found, annotations)
        self.returns = _resolve(annotations.get("return", MISSING), found.function, self.name, "the result")


class _Found:
    """The plain function behind a callable, and what was bound to it already."""

    def __init__(self, callable_: Any) -> None:
        self.skip = 0
        self.bound: set[str] = set()
        self.is_async = False
        self.name = ""
        self.doc: str | None = None
        function = callable_
        while True:
            if not self.name and isinstance(name := getattr(function, "__name__", None), str):
                self.name = name
            if isinstance(function, FunctionType):
                self.is_async |= bool(function.__code__.co_flags & _COROUTINE)
                self.doc = self.doc or function.__doc__
                wrapped = getattr(function, "__wrapped__", None)
                if wrapped is None:
                    break
                function = wrapped
            elif isinstance(function, (staticmethod, classmethod)):
                self.skip += isinstance(function, classmethod)
                function = function.__func__
            elif hasattr(function, "__func__") and hasattr(function, "__self__"):
                self.skip += 1
                function = function.__func__
            elif hasattr(function, "func") and hasattr(function, "keywords"):  # functools.partial
                self.skip += len(function.args)
                self.bound |= set(function.keywords)
                function = function.func
            elif isinstance(function, type):
                raise TypeError(f"{function.__name__} is a class; register a function, or an object that can be called")
            elif (call := getattr(type(function), "__call__", None)) is not None and isinstance(call, FunctionType):
                self.name = self.name or type(function).__name__
                self.doc = self.doc or type(function).__doc__
                self.skip += 1
                function = call
            else:
                raise TypeError(
                    f"{callable_!r} has no signature that can be read: it is not written in Python. "
                    "Wrap it in a function with annotations"
                )
        self.function: FunctionType = function


def _parameters(found: _Found, annotations: dict[str, Any]) -> list[RawParameter]:
    function, name = found.function, found.name
    code: CodeType = function.__code__
    if code.co_flags & _VARARGS:
        star = code.co_varnames[code.co_argcount + code.co_kwonlyargcount]
        raise TypeError(f"{name}: *{star} takes arguments without a name, and those of clients have names")
    positional = code.co_varnames[: code.co_argcount]
    if code.co_posonlyargcount > found.skip:
        raise TypeError(
            f"{name}: {positional[found.skip]!r} is positional only, and arguments are passed by name; take the / away"
        )
    defaults = dict(zip(reversed(positional), reversed(function.__defaults__ or ())))
    defaults.update(function.__kwdefaults__ or {})
    names = (*positional[found.skip :], *code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount])
    return [
        RawParameter(
            parameter,
            _resolve(annotations.get(parameter, MISSING), function, name, f"the parameter {parameter!r}"),
            defaults.get(parameter, MISSING),
        )
        for parameter in names
        if parameter not in found.bound
    ]


def _annotations(function: FunctionType, name: str) -> dict[str, Any]:
    try:
        return function.__annotations__
    except NameError as error:  # from Python 3.14 on they are evaluated when asked for
        raise TypeError(f"{name}: an annotation cannot be resolved: {error}. {_WAY_OUT}") from error


_WAY_OUT = "Import what it names at run time, outside of `if TYPE_CHECKING`, and not inside another function"


def _resolve(annotation: Any, function: FunctionType, name: str, place: str) -> Any:
    if not isinstance(annotation, str):
        return annotation
    known = dict(zip(function.__code__.co_freevars, (_content(cell) for cell in function.__closure__ or ())))
    try:
        return eval(annotation, function.__globals__, known)
    except Exception as error:
        raise TypeError(
            f"{name}: the annotation {annotation!r} of {place} cannot be resolved: {error}. {_WAY_OUT}"
        ) from error


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return MISSING


def resolve_inner(annotation: Any, function_globals: dict[str, Any]) -> Any:
    """A name that stands in quotes inside another annotation, as in ``list["Tree"]``."""
    name = annotation if isinstance(annotation, str) else getattr(annotation, "__forward_arg__", None)
    return eval(name, function_globals) if isinstance(name, str) else annotation


def typing_name(name: str) -> Any:
    """A name of typing, where that was imported: nobody can have used it in an annotation otherwise."""
    return getattr(sys.modules.get("typing"), name, MISSING)
