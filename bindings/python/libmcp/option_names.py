"""Keyword options that nobody knows are errors which name the nearest one."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def check(where: str, given: Iterable[str], known: Iterable[str]) -> None:
    """Raises a TypeError for the first of `given` that is not `known`. `where` is what has the options, as "a tool"."""
    names = list(known)
    for option in given:
        if option not in names:
            nearest = _nearest(option, names)
            hint = f"did you mean {nearest!r}?" if nearest else f"there are {', '.join(names)}"
            raise TypeError(f"{where} has no option {option!r}; {hint}")


def _nearest(written: str, names: list[str]) -> str | None:
    from difflib import get_close_matches

    # So that those who know the protocol's own names find these.
    by_letters = {_letters(name): name for name in names}
    found = get_close_matches(_letters(written), by_letters, 1, 0.6)
    return by_letters[found[0]] if found else None


def _letters(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())
