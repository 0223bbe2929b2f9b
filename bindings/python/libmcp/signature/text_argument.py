"""Arguments that are texts on the wire, those of prompts and the variables of URI templates, as what is annotated."""

from __future__ import annotations

import types
from typing import Any, Callable

from .function import MISSING, typing_name
from .plain_type import NotPlain, plain_type


def from_text(annotation: Any, name: str, parameter: str) -> Callable[[str], Any] | None:
    """What makes the value of a text; None where the text is it."""
    if annotation in (MISSING, str, object) or annotation is typing_name("Any"):
        return None
    if hasattr(annotation, "__metadata__"):
        return from_text(annotation.__origin__, name, parameter)
    union = isinstance(annotation, types.UnionType) or (
        (origin := getattr(annotation, "__origin__", None)) is not None and origin is typing_name("Union")
    )
    if union:
        members = [member for member in annotation.__args__ if member is not type(None)]
        if str in members:
            return None
        if len(members) == 1:
            return from_text(members[0], name, parameter)
    elif make := _MAKERS.get(annotation):
        return _or_error(make, parameter, annotation.__name__)
    elif isinstance(annotation, type) or hasattr(annotation, "__args__"):
        try:
            choices = plain_type(annotation, {}).schema.get("enum")
        except NotPlain:
            choices = None
        if choices is not None:
            return _choice(annotation, choices, parameter)
        if annotation in (list, list[str]) or getattr(annotation, "__origin__", None) is list:
            return None  # the variable of an exploded expression
    raise TypeError(
        f"{name}: the parameter {parameter!r} is made of a text, and {annotation!r} is not; "
        "annotate it as str, int, float, bool, a Literal or an Enum"
    )


_MAKERS: dict[Any, Callable[[str], Any]] = {int: int, float: float}


def _truth(text: str) -> bool:
    known = {"true": True, "false": False, "1": True, "0": False}
    if text.lower() not in known:
        raise ValueError
    return known[text.lower()]


_MAKERS[bool] = _truth


def _choice(annotation: Any, choices: list[Any], parameter: str) -> Callable[[str], Any]:
    by_text = {str(choice): choice for choice in choices}

    def choose(text: str) -> Any:
        if text not in by_text:
            from libmcp.errors import ProtocolError

            raise ProtocolError(-32602, f"{parameter}: {text!r} is none of {', '.join(map(repr, by_text))}")
        return annotation(by_text[text]) if isinstance(annotation, type) else by_text[text]

    return choose


def _or_error(make: Callable[[str], Any], parameter: str, kind: str) -> Callable[[str], Any]:
    def convert(text: str) -> Any:
        try:
            return make(text)
        except ValueError:
            from libmcp.errors import ProtocolError

            raise ProtocolError(-32602, f"{parameter}: {text!r} is no {kind}") from None

    return convert
