"""Holds recorded messages against the types of the official Python package, each with those of its revision."""

import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import provision  # noqa: E402


def judge(folder):
    """Says what is wrong with the messages in a folder of recordings; (passed, failed), counted by kinds of messages.

    The package's version 2 has types for the newest two revisions, the older of them for all that went before, and
    version 1 knows the older era alone."""
    print(f"--- every message that was sent ({folder.name}), by the types of the Python package", flush=True)
    passed = failed = 0
    for python, judge in (
        (provision.python_with("mcp", "mcp==2.3.0"), "types_v2.py"),
        (provision.python_with("mcp1", "mcp==1.30.0"), "types_v1.py"),
    ):
        command = [python, HERE / judge, folder]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        count = re.search(r"^(\d+) passed, (\d+) failed\n\Z", done.stdout, re.MULTILINE)
        print(done.stdout[: count.start()] if count else done.stdout, end="", flush=True)
        if count is None:
            print(f"  FAILED  {judge} ended with exit code {done.returncode}")
        passed, failed = passed + int(count[1]) if count else passed, failed + (int(count[2]) if count else 1)
    return passed, failed
