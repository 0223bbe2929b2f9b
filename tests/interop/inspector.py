"""The MCP Inspector's command line (package `@modelcontextprotocol/inspector`) against the weather example:
inspector.py NODE INSPECTOR WEATHER URL. Every call of it connects, does one thing and goes."""

import json
import os
import subprocess
import sys
import tempfile

from checks import TOOLS, Checks, expect, is_forecast, names_both_problems

PATIENCE = 60  # seconds, for one run of the Inspector


def inspect(*arguments):
    """The result that the Inspector prints for one method, and its exit code."""
    era = ["--cli", "--protocol-era", "modern", "--format", "json", "--quiet"]
    with tempfile.TemporaryDirectory() as home:  # it keeps a catalogue of servers there
        done = subprocess.run([*INSPECTOR, *era, *arguments], capture_output=True, text=True, timeout=PATIENCE,
                              env={**os.environ, "HOME": home})
    try:
        return json.loads(done.stdout)["result"], done.returncode
    except (ValueError, KeyError):
        raise AssertionError(f"exit code {done.returncode}: {done.stdout}{done.stderr}") from None


def use(server, transport, checks):
    def call(tool, arguments):
        method = ["--method", "tools/call", "--tool-name", tool, "--tool-args-json", json.dumps(arguments)]
        return inspect(*server, *method)

    with checks.check(f"{transport}: lists the tools"):
        result, code = inspect(*server, "--method", "tools/list", "--strict")
        expect(code == 0, f"exit code {code}, a schema is not portable: {result}")
        expect([tool["name"] for tool in result["tools"]] == TOOLS, result)
    with checks.check(f"{transport}: a good call has structured content"):
        result, code = call("forecast", {"city": "Kraków", "days": 2})
        expect(code == 0, f"exit code {code}: {result}")
        is_forecast(result["structuredContent"], result["content"][0]["text"], "Kraków", 2)
    with checks.check(f"{transport}: bad arguments are a tool error that names each problem"):
        result, code = call("forecast", {"days": 12})
        expect(result["isError"] is True, result)
        names_both_problems(result["content"][0]["text"])
    with checks.check(f"{transport}: a call that reports progress"):
        result, code = call("track_storm", {"storm": "Ingunn"})
        expect(code == 0 and "north" in result["content"][0]["text"], f"exit code {code}: {result}")


def main(weather, url):
    checks = Checks()
    use([weather, "stdio"], "stdio", checks)
    use(["--server-url", url, "--transport", "http"], "HTTP", checks)
    checks.end()


INSPECTOR = sys.argv[1:3]
main(*sys.argv[3:])
