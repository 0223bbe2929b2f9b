"""Annotations that are texts, or have names in quotes within, as the objects that they name."""

from __future__ import annotations

import sys
from types import GenericAlias

from .type_forms import MISSING, is_class, is_literal, is_union

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

# An annotation that is nested deeper contains itself, by a name in quotes.
_DEEPEST = 50


class Unresolved(Exception):
    """An annotation that cannot be resolved, and why."""

    def __init__(self, annotation: str, reason: str) -> None:
        super().__init__(annotation, reason)
        self.annotation = annotation
        self.reason = reason


class Names:
    """Where the names in annotations are looked up: among `local` names, then in `globals_`, then by `fallback`, which
    returns MISSING for a name that it does not know either."""

    __slots__ = ("_fallback", "_globals", "_local")

    def __init__(
        self,
        globals_: dict[str, Any],
        local: Mapping[str, Any] | None = None,
        fallback: Callable[[str], Any] | None = None,
    ) -> None:
        self._globals = globals_
        self._local = dict(local or {})
        self._fallback = fallback

    @classmethod
    def of_module(cls, name: str) -> Names:
        """The names of a module, for a class that was defined there."""
        return cls(vars(sys.modules[name]) if name in sys.modules else {}, None, known_under_type_checking)

    def resolve(self, annotation: Any) -> Any:
        """The annotation without texts in it. Raises Unresolved."""
        return self._resolve(annotation, 0)

    def _resolve(self, annotation: Any, depth: int) -> Any:
        text = annotation if isinstance(annotation, str) else getattr(annotation, "__forward_arg__", None)
        if isinstance(text, str) and not is_class(annotation):
            if depth > _DEEPEST:
                raise Unresolved(text, "it contains itself; make it a pydantic model, or a `type` alias of Python 3.12")
            return self._resolve(self._evaluate(text), depth + 1)
        arguments = getattr(annotation, "__args__", None)
        if is_class(annotation) or not isinstance(arguments, tuple) or is_literal(annotation):
            return annotation
        resolved = tuple(self._resolve(argument, depth + 1) for argument in arguments)
        if all(new is old for new, old in zip(resolved, arguments)):
            return annotation
        if is_union(annotation):
            from typing import Union

            return Union[resolved]  # noqa: UP007
        if isinstance(annotation, GenericAlias):
            origin: Any = annotation.__origin__
            return GenericAlias(origin, resolved)
        copy_with = getattr(annotation, "copy_with", None)
        return annotation if copy_with is None else copy_with(resolved)

    def _evaluate(self, text: str) -> Any:
        while True:
            try:
                return eval(text.strip(), self._globals, self._local)
            except NameError as error:
                name = error.name or ""
                found = MISSING
                if self._fallback is not None and name not in self._local:
                    found = self._fallback(name)
                if found is MISSING:
                    raise Unresolved(text, f"{name!r} is not defined there") from error
                self._local[name] = found
            except Exception as error:
                raise Unresolved(text, str(error)) from error


def known_under_type_checking(name: str) -> Any:
    """What a name means that is imported for type checkers alone: those of this package and of typing are known anyway."""
    package = sys.modules.get("libmcp")
    if name == "libmcp":
        return package or MISSING
    if name in getattr(package, "__all__", ()):
        return getattr(package, name)
    import typing

    return getattr(typing, name) if name in typing.__all__ else MISSING
