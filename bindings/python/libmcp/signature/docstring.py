"""What a docstring says of a function, and of each of its arguments: in Google's, NumPy's or reST's style."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

_GOOGLE = ("args:", "arguments:", "parameters:", "params:", "keyword args:", "keyword arguments:", "other parameters:")
_NUMPY = ("parameters", "other parameters")
_REST = (":param ", ":parameter ", ":arg ", ":argument ", ":key ", ":keyword ")


def parse(doc: str | None, known: Collection[str]) -> tuple[str | None, dict[str, str]]:
    """The text, and what it says of arguments, by their names.

    What is said of arguments is taken out of the text, but for what is said of names that are not `known`: that stays
    where it is, since it would be lost.
    """
    if not doc:
        return None, {}
    lines = dedented(doc).split("\n")
    arguments: dict[str, str] = {}
    kept: list[str] = []
    at = 0
    while at < len(lines):
        end, found = _section(lines, at)
        if end > at and all(name in known for name in found):
            arguments.update((name, text) for name, text in found.items() if text)
        else:
            arguments.update((name, text) for name, text in found.items() if text and name in known)
            end = max(end, at + 1)
            kept += lines[at:end]
        at = end
    return _without_gaps(kept, lines) or None, arguments


def dedented(doc: str) -> str:
    """The text of a docstring without the indentation of the code around it, as inspect.cleandoc has it."""
    lines = doc.expandtabs().split("\n")
    margin = min((_indent(line) for line in lines[1:] if line.strip()), default=0)
    return "\n".join([lines[0].lstrip(), *(line[margin:] for line in lines[1:])]).strip("\n").rstrip()


def _without_gaps(kept: list[str], lines: list[str]) -> str:
    """The lines that were kept; where one was taken out, its gap has one empty line and not two."""
    if len(kept) == len(lines):
        return "\n".join(kept).strip("\n")
    out: list[str] = []
    for line in kept:
        if line.strip() or out and out[-1].strip():
            out.append(line)
    return "\n".join(out).strip("\n").rstrip()


def _section(lines: list[str], at: int) -> tuple[int, dict[str, str]]:
    """Where the part about arguments that begins at this line ends, and what it says; where there is none, `at` itself."""
    line = lines[at]
    word = line.strip().lower()
    if word in _GOOGLE:
        return _google(lines, at)
    if word in _NUMPY and at + 1 < len(lines) and _is_rule(lines[at + 1]):
        return _numpy(lines, at)
    if line.lstrip().startswith(_REST):
        return _rest(lines, at)
    if line.lstrip().startswith(":type "):
        return at + 1, {}
    return at, {}


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _is_rule(line: str) -> bool:
    rule = line.strip()
    return len(rule) >= 3 and not rule.strip("-")


def _google(lines: list[str], start: int) -> tuple[int, dict[str, str]]:
    """Lines ``name (type): text`` that are indented more than the heading; deeper ones go on with the text."""
    # The indentation of a docstring's first line is not known.
    heading = _indent(lines[start]) if start > 0 else -1
    end = _end_of_block(lines, start + 1, heading)
    block = lines[start + 1 : end]
    first = next((_indent(line) for line in block if line.strip()), 0)
    entries: list[tuple[list[str], list[str]]] = []
    for line in block:
        if line.strip() and _indent(line) <= first:
            head, colon, text = _past_type(line.strip())
            name = head.split("(")[0].strip().strip("*`")
            if not colon or not name.isidentifier():
                return start, {}  # prose, whatever its heading says
            entries.append(([name], [text.strip()]))
        elif entries:
            entries[-1][1].append(line)
    return (end, _texts(entries)) if entries else (start, {})


def _past_type(line: str) -> tuple[str, str, str]:
    """``name (Dict[str, int]): text`` in two: the colon is the first one that stands in no bracket."""
    depth = 0
    for at, letter in enumerate(line):
        if letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth -= 1
        elif letter == ":" and depth <= 0:
            return line[:at], ":", line[at + 1 :]
    return line, "", ""


def _numpy(lines: list[str], start: int) -> tuple[int, dict[str, str]]:
    """Lines ``name : type`` under the heading, with indented ones that describe it."""
    heading = _indent(lines[start])
    entries: list[tuple[list[str], list[str]]] = []
    at = start + 2
    while at < len(lines):
        line = lines[at]
        if at + 1 < len(lines) and line.strip() and _is_rule(lines[at + 1]):
            break  # the next heading
        if line.strip() and _indent(line) <= heading:
            names = [name.strip().strip("*`") for name in line.partition(":")[0].split(",")]
            if not all(name.isidentifier() for name in names):
                break  # prose again
            entries.append((names, []))
        elif entries:
            entries[-1][1].append(line)
        at += 1
    return (at, _texts(entries)) if entries else (start, {})


def _rest(lines: list[str], start: int) -> tuple[int, dict[str, str]]:
    """``:param type name: text``, and indented lines that go on with it."""
    indent = _indent(lines[start])
    head, colon, text = lines[start].strip()[1:].partition(":")
    name = head.split()[-1].strip("*`\\")
    if not colon or not name.isidentifier():
        return start, {}
    end = _end_of_block(lines, start + 1, indent)
    return end, _texts([([name], [text.strip(), *lines[start + 1 : end]])])


def _end_of_block(lines: list[str], at: int, indent: int) -> int:
    """Behind the last line that is indented more."""
    end = at
    while at < len(lines) and (not lines[at].strip() or _indent(lines[at]) > indent):
        at += 1
        if lines[at - 1].strip():
            end = at
    return end


def _texts(entries: list[tuple[list[str], list[str]]]) -> dict[str, str]:
    """The texts of arguments by their names, each without its indentation."""
    found: dict[str, str] = {}
    for names, lines in entries:
        text = dedented("\n".join(lines if lines and lines[0] else ["", *lines]))
        found.update((name, text) for name in names)
    return found
