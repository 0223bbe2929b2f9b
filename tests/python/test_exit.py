"""The end of the interpreter, whatever serves: the exit code is the program's, and nothing is said that was not asked for."""

import json
import os
import socket
import subprocess
import sys
import textwrap
import unittest

from programs import PATIENCE, Program, line_of, meta, run, start

TIMES = int(os.environ.get("EXITS", "5"))

COMMON = """
import asyncio, atexit, os, sys, threading, time
from libmcp import Context, Server

server = Server("exit")
began = threading.Event()

@server.tool
def nap() -> str:
    began.set()
    time.sleep(30)
    return "woke"

@server.tool
def spin() -> str:
    began.set()
    while True:
        pass

@server.tool
async def wait(ctx: Context) -> str:
    began.set()
    await asyncio.sleep(30)
    return "woke"

def call_many(name):
    async def many():
        await asyncio.gather(*(server.call_tool(name) for _ in range(8)), return_exceptions=True)
    threading.Thread(target=lambda: asyncio.run(many()), daemon=True).start()
    began.wait()

def call(name):
    threading.Thread(target=lambda: asyncio.run(server.call_tool(name)), daemon=True).start()
    began.wait()
"""


class Exit(unittest.TestCase):
    def ends(self, body, code=0, said="", times=TIMES):
        for _ in range(times):
            result = run(COMMON + textwrap.dedent(body))
            lines = [line for line in result[2].splitlines() if not line.startswith("libmcp: warning: ")]
            self.assertEqual((result[0], "\n".join(lines)), (code, said), result)

    def test_with_a_server_that_was_never_served(self):
        self.ends("")

    def test_with_a_port_open(self):
        self.ends("server.start_http(); sys.exit(5)", 5)

    def test_with_a_daemon_thread_that_serves(self):
        self.ends("""
            read, write = os.pipe()
            os.dup2(read, 0)
            threading.Thread(target=server.run, daemon=True).start()
            time.sleep(0.05)
            sys.exit(3)
        """, 3)  # fmt: skip

    def test_with_a_function_amid_its_work(self):
        for tool in ("nap", "spin"):
            with self.subTest(tool):
                self.ends(f"server.start_http(); call({tool!r}); sys.exit(4)", 4)

    def test_with_a_coroutine_amid_its_work(self):
        self.ends("server.start_http(); call('wait'); sys.exit(4)", 4)

    def test_with_many_functions_that_end_at_that_moment(self):
        self.ends("""
            @server.tool
            def short() -> str:
                time.sleep(0.001)
                return "s"
            async def many():
                await asyncio.gather(*(server.call_tool("short") for _ in range(10000)))
            threading.Thread(target=lambda: asyncio.run(many()), daemon=True).start()
            time.sleep(0.1)
            sys.exit(6)
        """, 6, times=3 * TIMES)  # fmt: skip

    def test_with_a_finalizer_amid_its_work(self):
        for what, end in {"a result": "return Own(a=1)", "a local": "own = Own(); raise ValueError('x')"}.items():
            with self.subTest(what):
                self.ends(f"""
                    import logging
                    logging.disable()
                    class Own(dict):
                        def __del__(self):
                            began.set()
                            time.sleep(0.2)
                    @server.tool
                    def short():
                        {end}
                    call_many("short")
                    sys.exit(4)
                """, 4)  # fmt: skip

    def test_with_an_attribute_of_an_exception_amid_its_work(self):
        self.ends("""
            from libmcp import ProtocolError
            class Own(ProtocolError):
                @property
                def data(self):
                    began.set()
                    time.sleep(0.2)
                @data.setter
                def data(self, value):
                    pass
            @server.tool
            def short():
                raise Own(5, "x")
            call_many("short")
            sys.exit(4)
        """, 4)  # fmt: skip

    def test_with_an_exception_of_the_program(self):
        code, _, said = run(COMMON + "server.start_http()\nraise RuntimeError('of the program')\n")
        self.assertEqual(code, 1)
        self.assertTrue(said.rstrip().endswith("RuntimeError: of the program"), said)
        self.assertNotIn("panick", said)

    def test_with_a_child_of_multiprocessing(self):
        with open_program("""
            import multiprocessing
            from libmcp import Server
            def work(n):
                server = Server("child")
                server.start_http()
                return n + 1
            if __name__ == "__main__":
                server = Server("parent")
                server.start_http()
                with multiprocessing.get_context("spawn").Pool(2) as pool:
                    print(pool.map(work, range(4)))
                with multiprocessing.get_context("fork").Pool(2) as pool:
                    print(pool.map(work, range(4)))
        """) as file:  # fmt: skip
            done = subprocess.run([sys.executable, file], capture_output=True, timeout=2 * PATIENCE)
            self.assertEqual((done.returncode, done.stderr.decode()), (0, ""))
            self.assertEqual(done.stdout.decode(), "[1, 2, 3, 4]\n" * 2)

    def test_with_subscriptions_open_that_are_told_of_changes(self):
        source = COMMON + textwrap.dedent("""
            listener = server.start_http()
            print(listener.port, flush=True)
            def change():
                while True:
                    server.add_tool(lambda: "x", name="changing")
            threading.Thread(target=change, daemon=True).start()
            sys.stdin.readline()
            sys.exit(8)
        """)
        for _ in range(TIMES):
            child = start(source)
            try:
                port = int(line_of(child.stdout))
                body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": {
                    "notifications": {"toolsListChanged": True}, "_meta": meta()}})  # fmt: skip
                head = (
                    "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                    "Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n"
                    f"Mcp-Method: subscriptions/listen\r\nContent-Length: {len(body)}\r\n\r\n"
                )
                with socket.create_connection(("127.0.0.1", port), PATIENCE) as connection:
                    connection.sendall((head + body).encode())
                    heard = b""
                    while b"list_changed" not in heard:
                        more = connection.recv(65536)
                        self.assertTrue(more, heard)
                        heard += more
                    child.stdin.write(b"\n")
                    self.assertEqual(child.wait(PATIENCE), 8)
                self.assertEqual(child.stderr.read().decode(), "")
            finally:
                if child.poll() is None:
                    child.kill()
                    child.wait()
                for stream in (child.stdin, child.stdout, child.stderr):
                    stream.close()

    def test_with_sys_exit_in_a_handler(self):
        with Program(COMMON + textwrap.dedent("""
            @server.tool
            def leave() -> str:
                sys.exit(9)
            server.run()
        """)) as program:  # fmt: skip
            self.assertTrue(program.call("leave")["isError"])
            self.assertTrue(program.call("leave")["isError"])
            self.assertEqual(program.end()[0], 0)

    def test_in_a_second_interpreter_it_says_what_it_cannot(self):
        code, out, said = run("""
            try:
                import _xxsubinterpreters as interpreters
            except ImportError:
                import _interpreters as interpreters
            inner = interpreters.create()
            try:
                failed = interpreters.run_string(inner, "import libmcp")
            except Exception as error:
                failed = error
            print("refused" if failed is not None else "imported")
        """)
        self.assertEqual((code, said), (0, ""))
        self.assertEqual(out, "refused\n")


class Fork(unittest.TestCase):
    """A process that was forked makes its own engine; what served before is its parent's."""

    def test_a_child_serves_anew_and_the_parent_goes_on(self):
        code, out, said = run("""
            import asyncio, os, signal, sys, threading
            from libmcp import Server
            server = Server("fork", instructions="Both.")
            @server.tool
            def pid() -> int:
                return os.getpid()
            @server.tool
            async def later() -> int:
                await asyncio.sleep(0.001)
                return os.getpid()
            @server.resource("x://{a}")
            def r(a): return a
            @server.prompt
            def p(): return "p"
            @server.completion
            def complete(argument): return []
            def ask(name):
                return asyncio.run(server.call_tool(name))["structuredContent"]
            listener = server.start_http()
            assert ask("pid") == ask("later") == os.getpid()
            sys.stdout.flush()
            child = os.fork()
            if child == 0:
                signal.alarm(10)
                assert ask("pid") == ask("later") == os.getpid()
                assert len(server.tools()) == 2 and len(server.prompts()) == len(server.resource_templates()) == 1
                inner = server.start_http()
                assert inner.port != listener.port
                print("child", flush=True)
                inner.close()
                sys.exit(7)
            _, status = os.waitpid(child, 0)
            assert ask("pid") == ask("later") == os.getpid()
            print("parent", os.waitstatus_to_exitcode(status), len(os.listdir("/proc/self/task")) > 1)
            listener.close()
        """)
        self.assertEqual((code, out, said), (0, "child\nparent 7 True\n", ""))

    def test_a_function_may_fork(self):
        with Program("""
            import multiprocessing, os, subprocess
            from libmcp import Server
            server = Server("fork")
            def work(n):
                return n + 1
            @server.tool
            def pool() -> list:
                with multiprocessing.get_context("fork").Pool(2) as workers:
                    return workers.map(work, range(3))
            @server.tool
            def child() -> str:
                return subprocess.run(["echo", "hi"], capture_output=True, text=True).stdout
            @server.tool
            def bare() -> int:
                pid = os.fork()
                if pid == 0:
                    os._exit(5)
                return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
            server.run()
        """) as program:  # fmt: skip
            self.assertEqual(program.call("pool")["structuredContent"], [1, 2, 3])
            self.assertEqual(program.call("child")["content"][0]["text"], "hi\n")
            self.assertEqual(program.call("bare")["structuredContent"], 5)
            self.assertEqual(program.end(), (0, ""))

    def test_a_child_that_comes_back_from_its_function_ends(self):
        with Program("""
            import asyncio, os
            from libmcp import Server
            server = Server("fork")
            @server.tool
            def fork(fails: bool = False) -> int:
                pid = os.fork()
                if pid == 0 and fails:
                    raise RuntimeError("in the child")
                return pid
            @server.tool
            async def fork_later(fails: bool = False) -> int:
                return fork(fails)
            @server.tool
            def status(pid: int) -> int:
                return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
            server.run()
        """) as program:  # fmt: skip
            for tool in ("fork", "fork_later"):
                for fails in (False, True):
                    with self.subTest(tool, fails=fails):
                        child = program.call(tool, {"fails": fails})["structuredContent"]
                        self.assertGreater(child, 0)
                        self.assertEqual(program.call("status", {"pid": child})["structuredContent"], int(fails))
            self.assertEqual(program.end()[0], 0)

    def test_importing_and_registering_start_no_thread(self):
        code, out, _ = run("""
            import os
            from libmcp import Server
            server = Server("s")
            @server.tool
            def a(): pass
            print(len(os.listdir("/proc/self/task")))
        """)
        self.assertEqual((code, out), (0, "1\n"))


class Import(unittest.TestCase):
    def test_it_imports_nothing_dear(self):
        code, out, _ = run("""
            import sys
            before = set(sys.modules)
            import libmcp
            server = libmcp.Server("s")
            @server.tool
            def add(a: int, b: int = 1) -> int:
                "Adds."
                return a + b
            @server.tool
            def echo(text: str, ctx: libmcp.Context) -> str:
                return text
            @server.resource("x://{a}")
            def read(a: str) -> str: return a
            @server.prompt
            def ask(a: str) -> str: return a
            dear = {"asyncio", "pydantic", "inspect", "dataclasses", "logging", "json", "socket", "ssl", "ast", "dis"}
            print(sorted(dear & (set(sys.modules) - before)))
        """)
        self.assertEqual((code, out), (0, "[]\n"))


class open_program:
    """A program in a file, as a start of multiprocessing needs it."""

    def __init__(self, source):
        import tempfile

        self.folder = tempfile.TemporaryDirectory()
        self.file = os.path.join(self.folder.name, "program.py")
        with open(self.file, "w") as file:
            file.write(textwrap.dedent(source))

    def __enter__(self):
        return self.file

    def __exit__(self, *_):
        self.folder.cleanup()


if __name__ == "__main__":
    unittest.main()
