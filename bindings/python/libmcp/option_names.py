"""Keyword options that nobody knows are errors which name the nearest one."""

from __future__ import annotations

from typing import Iterable


def check(where: str, given: Iterable[str], known: Iterable[str]) -> None:
    """Raises a TypeError for the first of `given` that is not `known`."""
    names = list(known)
    for option in given:
        if option not in names:
            from difflib import get_close_matches

            nearest = get_close_matches(option, names, 1, 0.5)
            hint = f"did you mean {nearest[0]!r}?" if nearest else f"there are {', '.join(names)}"
            raise TypeError(f"{where} has no option {option!r}; {hint}")
