"""The MCP Inspector's command line (package `@modelcontextprotocol/inspector`), in each of its eras:
inspector.py NODE INSPECTOR LABEL URL [COMMAND...]. Every call of it connects, does one thing and goes; it cannot answer
questions, complete, subscribe or show progress."""

import base64
import json
import os
import subprocess
import sys
import tempfile

from checks import LEGACY, MODERN, TOOLS, Checks, equal, own_tools, true

PATIENCE = 60  # seconds, for one run of the Inspector
ERAS = {"auto": MODERN, "legacy": LEGACY, "modern": MODERN}


class Inspector:
    """One server, in one era."""

    def __init__(self, program, server, era, home):
        self.command = [*program, "--cli", "--protocol-era", era, "--format", "json", "--quiet", *server]
        self.environment = {**os.environ, "HOME": home}  # it keeps a catalogue of servers there

    def run(self, *arguments):
        """The result that the Inspector prints for one method, and its exit code."""
        done = subprocess.run([*self.command, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=PATIENCE, env=self.environment)  # fmt: skip
        try:
            return json.loads(done.stdout)["result"], done.returncode
        except (ValueError, KeyError):
            raise AssertionError(f"exit code {done.returncode}: {done.stdout}{done.stderr}") from None

    def ask(self, method, *arguments):
        result, code = self.run("--method", method, *arguments)
        equal(code, 0)
        return result

    def call(self, tool, arguments):
        return self.run("--method", "tools/call", "--tool-name", tool, "--tool-args-json", json.dumps(arguments))


def use(inspector, label, revision, checks, thorough):
    with checks.check(f"{label}: connects at {revision}"):
        begun = inspector.ask("initialize")
        equal((begun["protocolVersion"], begun["serverInfo"]["name"]), (revision, "interop"))
    with checks.check(f"{label}: lists the tools, whose schemas are portable"):
        equal(own_tools(tool["name"] for tool in inspector.ask("tools/list", "--strict")["tools"]), TOOLS)
    with checks.check(f"{label}: a good call has structured content"):
        result, code = inspector.call("add", {"a": 2, "b": 40})
        equal((code, result["structuredContent"]), (0, {"sum": 42}))
    if not thorough:
        return
    with checks.check(f"{label}: bad arguments are a tool error that names each problem"):
        result, code = inspector.call("add", {"a": 2000})
        equal(result["isError"], True)
        text = result["content"][0]["text"]
        true("/a" in text and "b" in text, text)
    with checks.check(f"{label}: a call that reports progress"):
        result, code = inspector.call("count", {})
        equal((code, result["content"][0]["text"]), (0, "counted to 5"))
    with checks.check(f"{label}: lists resources, templates and prompts"):
        equal([one["uri"] for one in inspector.ask("resources/list")["resources"]], ["note://bytes", "note://welcome"])
        templates = inspector.ask("resources/templates/list")["resourceTemplates"]
        equal([one["uriTemplate"] for one in templates], ["note://of/{name}"])
        equal([one["name"] for one in inspector.ask("prompts/list")["prompts"]], ["greet"])
    with checks.check(f"{label}: reads bytes, and by a template"):
        content = inspector.ask("resources/read", "--uri", "note://bytes")["contents"][0]
        equal(base64.b64decode(content["blob"]), b"\0\xff\1")
        content = inspector.ask("resources/read", "--uri", "note://of/J%C3%BCrgen")["contents"][0]
        equal(content["text"], "A note of Jürgen.")
    with checks.check(f"{label}: gets a prompt"):
        messages = inspector.ask("prompts/get", "--prompt-name", "greet", "--prompt-args", "name=Zoë")["messages"]
        equal(messages[1]["content"]["text"], "Greet Zoë in a friendly tone.")
    if revision == LEGACY:
        with checks.check(f"{label}: sets the level of logs"):
            equal(inspector.ask("logging/setLevel", "--log-level", "info"), {})


def main(node, inspector, label, url, *command):
    checks = Checks()  # fewer of them among all clients, as it takes a second for each
    with tempfile.TemporaryDirectory() as home:
        for era, revision in ERAS.items():
            http = Inspector([node, inspector], ["--server-url", url, "--transport", "http"], era, home)
            use(http, f"{label} HTTP {era}", revision, checks, thorough=bool(command) and era != "auto")
            if command:
                stdio = Inspector([node, inspector], command, era, home)
                use(stdio, f"{label} stdio {era}", revision, checks, thorough=False)
    checks.end()


main(*sys.argv[1:])
