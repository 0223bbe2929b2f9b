"""What a docstring says of a function, and of each of its arguments: in Google's, NumPy's or reST's style."""

from __future__ import annotations

_SECTIONS = ("args:", "arguments:", "parameters:", "params:")


def parse(doc: str | None) -> tuple[str | None, dict[str, str]]:
    """The text without what it says of arguments, and that by their names."""
    if not doc:
        return None, {}
    lines = _dedent(doc)
    arguments: dict[str, str] = {}
    kept: list[str] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        word = line.strip().lower()
        if word in _SECTIONS and not line[:1].isspace():
            at = _google(lines, at + 1, arguments)
        elif word in ("parameters", "other parameters") and _is_rule(lines, at + 1):
            at = _numpy(lines, at + 2, arguments)
        elif line.startswith((":param ", ":parameter ", ":arg ", ":argument ")):
            at = _rest(lines, at, arguments)
        elif line.startswith(":type "):
            at += 1
        else:
            kept.append(line)
            at += 1
    text = "\n".join(kept).strip()
    while "\n\n\n" in text:
        text = text.replace("\n\n\n", "\n\n")
    return text or None, arguments


def _dedent(doc: str) -> list[str]:
    lines = doc.expandtabs().split("\n")
    margin = min((_indent(line) for line in lines[1:] if line.strip()), default=0)
    return [lines[0].strip(), *(line[margin:].rstrip() for line in lines[1:])]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _is_rule(lines: list[str], at: int) -> bool:
    return at < len(lines) and len(lines[at]) >= 3 and not lines[at].strip("-")


def _google(lines: list[str], at: int, arguments: dict[str, str]) -> int:
    """Indented lines ``name (type): text``, and deeper ones that go on with it."""
    first = next((_indent(line) for line in lines[at:] if line.strip()), 0)
    name = None
    while at < len(lines) and (not lines[at].strip() or _indent(lines[at]) >= max(first, 1)):
        line = lines[at]
        if line.strip() and _indent(line) == first and ":" in line:
            head, text = line.split(":", 1) if "(" not in line.split(":", 1)[0] else _past_type(line)
            name = head.split("(")[0].strip().lstrip("*")
            arguments[name] = text.strip()
        elif line.strip() and name is not None:
            arguments[name] = f"{arguments[name]} {line.strip()}".strip()
        at += 1
    return at


def _past_type(line: str) -> tuple[str, str]:
    """``name (Dict[str: int]): text``: the colon behind the parenthesis counts."""
    head, found, text = line.partition("):")
    return (head, text) if found else (line.split(":", 1)[0], line.split(":", 1)[1])


def _numpy(lines: list[str], at: int, arguments: dict[str, str]) -> int:
    """Lines ``name : type``, with indented ones that describe it."""
    names: list[str] = []
    while at < len(lines) and not _is_rule(lines, at + 1):
        line = lines[at]
        if line.strip() and not line[0].isspace():
            names = [name.strip().lstrip("*") for name in line.split(":")[0].split(",")]
            arguments.update((name, "") for name in names)
        elif line.strip():
            for name in names:
                arguments[name] = f"{arguments[name]} {line.strip()}".strip()
        at += 1
    return at


def _rest(lines: list[str], at: int, arguments: dict[str, str]) -> int:
    """``:param type name: text``, and indented lines that go on with it."""
    head, _, text = lines[at][1:].partition(":")
    name = head.split()[-1].lstrip("*")
    arguments[name] = text.strip()
    at += 1
    while at < len(lines) and lines[at][:1].isspace() and lines[at].strip():
        arguments[name] = f"{arguments[name]} {lines[at].strip()}".strip()
        at += 1
    return at
