"""A reader who does what a page says, in a folder of their own: saves its programs, runs its shell commands in their order,
and compares what they print with what the page shows.

A block in `c`, `python`, `js` or `ts` that begins with a comment of its file's name is a program, and saved. A block in `sh`
is run; one that begins with `make` in the source tree, the others in the folder. A JSON-RPC message in a `json` block is the
last line that the commands before it print, as is a `text` block that begins with `{`.
"""

import json
import os
import pathlib
import re
import signal
import socket
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PATIENCE = 1200  # seconds, for one block: the first `make` builds the library
PROGRAMS = {"c": r"/\* ([\w.-]+\.[ch])\b", "python": r'(?:# |""")([\w.-]+\.py)\b', "js": r"// ([\w.-]+\.[mc]?js)\b",
            "ts": r"// ([\w.-]+\.[mc]?ts)\b"}


def blocks(text):
    """The fenced blocks of a Markdown text: (line, language, content)."""
    for found in re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        yield text.count("\n", 0, found.start()) + 1, found[1], found[2]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Reader:
    """`report(name, fault)` is told of each block; `stand_ins` are texts of the page and what they mean here, `env` is added
    to the environment of the commands."""

    def __init__(self, folder, report, stand_ins=(), env=()):
        self.folder = folder
        self.report = report
        self.bin = folder / "bin"
        self.bin.mkdir()
        self.state = folder / "environment"
        self.state.touch()
        # What a test must not do as written: install into the reader's home, count on a port.
        self.stand_ins = {"$HOME/.local": str(folder / "prefix"), "8080": str(free_port()), **dict(stand_ins)}
        self.env = {**os.environ, **dict(env), "PATH": f"{self.bin}:{os.environ['PATH']}"}
        self.env.pop("MAKEFLAGS", None)

    def command(self, name, script):
        """Gives the reader a command of that name, which is a shell script."""
        (self.bin / name).write_text(f"#!/bin/sh\n{script}")
        (self.bin / name).chmod(0o755)

    def follow(self, text, where=""):
        """Does all that a page says."""
        printed = ""
        for line, language, content in blocks(text):
            name = f"{where}line {line}, {language}"
            try:
                if language in PROGRAMS:
                    self.save(language, content)
                elif language == "sh":
                    printed = self.run(content)
                elif language == "json" or language == "text" and content.startswith("{"):
                    self.compare(content, printed)
                else:
                    raise AssertionError("a block of this kind is not tested")
            except (AssertionError, ValueError, IndexError, subprocess.TimeoutExpired) as reason:
                self.report(name, reason)
            else:
                self.report(name)

    def save(self, language, source):
        name = re.match(PROGRAMS[language], source)
        if name is None:
            raise AssertionError("the program does not begin with a comment that names its file")
        (self.folder / name[1]).write_text(source)

    def run(self, commands):
        """Runs a block as one shell would that stays open; what it prints."""
        for written, meant in self.stand_ins.items():
            commands = commands.replace(written, meant)
        script = f"set -euo pipefail\n. '{self.state}'\n{commands}\nexport -p > '{self.state}'\n"
        child = subprocess.Popen(["bash", "-c", script], cwd=ROOT if commands.startswith("make") else self.folder,
                                 env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 text=True, start_new_session=True)
        try:
            out, err = child.communicate(timeout=PATIENCE)
        finally:
            try:
                os.killpg(child.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        if child.returncode != 0:
            raise AssertionError(f"exit code {child.returncode}\n{out}{err}")
        return out

    def compare(self, shown, printed):
        shown = json.loads(shown)
        if "jsonrpc" in shown:
            said = json.loads(printed.strip().splitlines()[-1])
            if said != shown:
                raise AssertionError(f"the commands before it print {json.dumps(said)}")
