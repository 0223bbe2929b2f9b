"""The names that a file of TypeScript declarations exports, read off its text: `Name`, and the members of classes and
interfaces as `Name.member`, with those that they inherit. It is written by hand, a member a line, four spaces in.
"""

import re

BLOCK = re.compile(
    r"^(export )?(class|interface) (\w+)(?:<.*?>)?(?: extends ([\w, <>]+?))? \{\n(.*?)^\}", re.MULTILINE | re.DOTALL
)
ALONE = re.compile(r"^export (type|function|const) (\w+)", re.MULTILINE)
MEMBER = re.compile(r"^    (?:readonly )?(\w+)\??([(<:])", re.MULTILINE)


class Declarations:
    def __init__(self, text):
        self.bases, self.own, self.kinds = {}, {}, {}
        for exported, kind, name, extends, body in BLOCK.findall(text):
            self.kinds[name] = kind if exported else None
            self.bases[name] = re.findall(r"\w+", re.sub(r"<.*?>", "", extends))
            self.own[name] = {member: end != ":" for member, end in MEMBER.findall(body) if member != "constructor"}
        # A class without members of its own stands on one line.
        for name in re.findall(r"^export class (\w+).*\{\}$", text, re.MULTILINE):
            self.kinds[name], self.bases[name], self.own[name] = "class", [], {}
        self.alone = {name: kind for kind, name in ALONE.findall(text)}

    def members(self, name):
        inherited = (member for base in self.bases.get(name, []) for member in self.members(base))
        return {*self.own.get(name, []), *inherited}

    def methods(self, name):
        """The members of a class of its own that are functions."""
        return {member for member, called in self.own[name].items() if called}

    def functions(self):
        return {name for name, kind in self.alone.items() if kind != "type"}

    def classes(self):
        return {name for name, kind in self.kinds.items() if kind == "class"}

    def names(self):
        exported = [name for name, kind in self.kinds.items() if kind]
        return {*exported, *self.alone, *(f"{name}.{member}" for name in exported for member in self.members(name))}
