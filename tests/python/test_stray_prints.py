"""What handlers and their children print never reaches the client."""

import subprocess
import unittest

from programs import Program, run, text

SERVER = """
import ctypes, os, subprocess, sys
from libmcp import Server

server = Server("prints")
print("before", end="")  # is still in Python's buffer when serving begins

@server.tool
def stray(how: str) -> str:
    if how == "print":
        print("stray print")
    elif how == "write":
        sys.stdout.write("stray write\\n")
    elif how == "original":
        sys.__stdout__.write("stray original\\n")
        sys.__stdout__.flush()
    elif how == "os":
        os.write(1, b"stray os\\n")
    elif how == "child":
        subprocess.run(["echo", "stray child"])
    elif how == "shell":
        os.system("echo stray shell")
    elif how == "c":
        ctypes.CDLL(None).puts(b"stray c")
        ctypes.CDLL(None).fflush(None)
    elif how == "input":
        return sys.stdin.readline() + "end"
    elif how == "half":
        print("half a line, of which the rest stays in the buffer", end="")
    return "ok"

@server.tool
async def later() -> str:
    print("stray later")
    return "ok"

RUN
"""


QUIET = """
import os, sys
from libmcp import Server

server = Server("prints")

@server.tool
def raw() -> str:
    os.write(1, b"stray os\\n")
    return "ok"

@server.tool
def close() -> str:
    sys.stdout.close()
    return "ok"

RUN
"""


class Prints(unittest.TestCase):
    def test_the_stream_is_the_protocols_own(self):
        for serve in ("server.run()", "import asyncio\nasyncio.run(server.serve_stdio())"):
            with self.subTest(serve), Program(SERVER.replace("RUN", serve + "\nprint('after')")) as program:
                ways = ["print", "write", "original", "os", "child", "shell", "c", "half"]
                for how in ways:
                    self.assertEqual(text(program.call("stray", {"how": how})), "ok")
                self.assertEqual(text(program.call("stray", {"how": "input"})), "end")
                self.assertEqual(text(program.call("later")), "ok")
                code, said = program.end()
                self.assertEqual(code, 0)
                for way in [*ways[:-1], "later"]:
                    self.assertIn(f"stray {way}\n", said)
                self.assertIn("half a line", said)
                self.assertTrue(said.startswith("before"), said)
                self.assertEqual(program.messages.get(timeout=1), b"after\n")
                self.assertTrue(program.messages.empty())

    def test_prints_come_out_while_it_serves(self):
        with Program(SERVER.replace("RUN", "server.run()")) as program:
            program.call("stray", {"how": "print"})
            program.call("stray", {"how": "os"})
            # The first came before the second, and so before this answer.
            self.assertLess(said_by(program).index("stray print"), said_by(program).index("stray os"))

    def test_a_program_without_standard_output_serves(self):
        source = SERVER.replace("RUN", "sys.stdout = None\nserver.run()")
        with Program(source) as program:
            self.assertEqual(text(program.call("stray", {"how": "os"})), "ok")
            self.assertEqual(program.end()[0], 0)

    def test_a_standard_output_that_is_closed_or_of_ones_own_make_does_not_matter(self):
        own = "class Own:\n    def flush(self):\n        os.environ['no such name']\n"
        for name, change in {
            "closed": "sys.stdout.close()",
            "without flush": "sys.stdout = object()",
            "failing": f"{own}sys.stdout = Own()",
            "closed by a handler": "",
        }.items():
            with self.subTest(name), Program(QUIET.replace("RUN", f"{change}\nserver.run()\nos._exit(3)")) as program:
                if "handler" in name:
                    program.call("close")
                self.assertEqual(text(program.call("raw")), "ok")
                code, said = program.end()
                self.assertEqual(code, 3, said)
                self.assertNotIn("Traceback", said)

    def test_a_stream_that_was_closed_before_is_said(self):
        for descriptor in (0, 1):
            source = QUIET.replace("RUN", f"os.close({descriptor})\nserver.run()")
            code, _, said = run(source, stdin=subprocess.PIPE)
            self.assertEqual(code, 1)
            self.assertIn("TransportError", said)
            self.assertIn("closed", said)


def said_by(program):
    import time

    until = time.monotonic() + 10
    while "stray os" not in program.said.decode() and time.monotonic() < until:
        time.sleep(0.01)
    return program.said.decode()


if __name__ == "__main__":
    unittest.main()
