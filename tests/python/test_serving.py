"""The ways to serve: run, serve_stdio, serve_http, start_http, sessions of one's own; several at once; and Ctrl-C."""

import json
import os
import pty
import signal
import subprocess
import sys
import textwrap
import time
import unittest

from programs import PATIENCE, Program, Web, elapsed, line_of, run, start, text

TOOLS = """
import asyncio, os, sys, threading, time
from libmcp import Context, Server

def add_tools(server):
    @server.tool
    def add(a: int, b: int) -> int:
        return a + b

    @server.tool
    def who() -> str:
        return server.name

    @server.tool
    def long() -> str:
        print("begun", file=sys.stderr, flush=True)
        time.sleep(60)
        return "woke"
    return server

def add_coroutines(server):
    @server.tool
    async def later(ctx: Context) -> str:
        await asyncio.sleep(0.01)
        return f"{threading.current_thread() is threading.main_thread()} {ctx.headers.get('X-Own')}"
    return server
"""


def program(body):
    return TOOLS + textwrap.dedent(body)


class Stdio(unittest.TestCase):
    def test_run_serves_to_the_end_of_the_input(self):
        for serve in ("server.run()", "asyncio.run(server.serve_stdio())"):
            for tools in ("add_tools(server)", "add_coroutines(add_tools(server))"):
                with self.subTest(serve=serve, tools=tools):
                    source = program(f"server = Server('s')\n{tools}\n{serve}\nprint('after', flush=True)")
                    with Program(source) as served:
                        self.assertEqual(served.call("add", {"a": 1, "b": 2})["structuredContent"], 3)
                        code, said = served.end()
                        self.assertEqual((code, said), (0, ""))
                        self.assertEqual(served.messages.get(timeout=PATIENCE), b"after\n")

    def test_asyncio_is_not_imported_without_coroutines(self):
        source = program("""
            del sys.modules["asyncio"], asyncio
            for name in [name for name in sys.modules if name.startswith("asyncio")]:
                del sys.modules[name]
            server = add_tools(Server("s"))
            @server.tool
            def loaded() -> bool:
                return "asyncio" in sys.modules
            server.run()
        """)
        with Program(source) as served:
            self.assertIs(served.call("loaded")["structuredContent"], False)

    def test_a_coroutine_that_is_added_while_it_serves_finds_a_loop(self):
        source = program("""
            server = add_tools(Server("s"))
            @server.tool
            def more() -> str:
                add_coroutines(server)
                return "added"
            server.run()
        """)
        with Program(source) as served:
            self.assertEqual(text(served.call("more")), "added")
            self.assertEqual(text(served.call("later")), "False None")
            self.assertEqual(served.end()[0], 0)

    def test_serving_can_be_given_up_and_begun_anew(self):
        source = program("""
            server = add_coroutines(add_tools(Server("s")))
            async def main():
                task = asyncio.create_task(server.serve_stdio())
                await asyncio.sleep(0.1)
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
                result = await server.call_tool("add", {"a": 1, "b": 2})
                print(result["structuredContent"], flush=True)
                await server.serve_stdio()
            asyncio.run(main())
        """)
        with Program(source) as served:
            self.assertEqual(served.messages.get(timeout=PATIENCE), b"3\n")
            self.assertEqual(served.call("add", {"a": 1, "b": 2})["structuredContent"], 3)
            self.assertEqual(served.end()[0], 0)

    def test_the_streams_have_one_server(self):
        source = program("""
            from libmcp import Busy
            server = add_tools(Server("s"))
            @server.tool
            def second() -> str:
                refused = []
                def serve():
                    try:
                        Server("t").run()
                    except Busy as fault:
                        refused.append(str(fault))
                thread = threading.Thread(target=serve)
                thread.start()
                thread.join()
                return refused[0]
            server.run()
        """)
        with Program(source) as served:
            self.assertIn("already", text(served.call("second")))


class Http(unittest.TestCase):
    def test_every_way_serves(self):
        for name, body in {
            "run": "server.run('http', port=PORT)",
            "serve": "asyncio.run(server.serve_http(port=PORT))",
            "start": "listener = server.start_http(port=PORT)\nsys.stdin.read()\nlistener.close()",
            "start in a loop": """
async def main():
    with server.start_http(port=PORT):
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
asyncio.run(main())""",
        }.items():
            with self.subTest(name):
                port = free_port()
                source = program(f"server = add_coroutines(add_tools(Server('s')))\n{body.replace('PORT', str(port))}")
                child = start(source)
                try:
                    web = Web(port)
                    until_it_listens(port)
                    self.assertEqual(web.call("add", {"a": 1, "b": 2})["structuredContent"], 3)
                    on_main = str(name != "start")
                    self.assertEqual(text(web.call("later", headers={"x-own": "y"})), f"{on_main} y")
                    if "start" in name:
                        child.stdin.close()
                        child.stdin = None
                        self.assertEqual(child.wait(PATIENCE), 0)
                    else:
                        child.send_signal(signal.SIGINT)
                        # asyncio.run, called by the program itself, ends by the signal.
                        self.assertIn(child.wait(PATIENCE), (130, -signal.SIGINT))
                    if name == "run":
                        said = child.stderr.read().decode()
                        self.assertEqual(said, f"Serving http://127.0.0.1:{port}/mcp\n")
                finally:
                    finish(child)

    def test_the_options_of_http_are_heeded(self):
        source = program("""
            server = add_tools(Server("s"))
            listener = server.start_http(path="/own", allowed_origins=["https://a.test"], allowed_hosts=["b.test"],
                                         host="localhost", keep_alive_ms=5000)
            print(listener.port, listener.url, flush=True)
            listener.wait()
        """)
        child = start(source)
        try:
            port, url = line_of(child.stdout).split()
            self.assertEqual(url, f"http://127.0.0.1:{port}/own")
            web = Web(int(port), "/own")
            call = ("tools/call", {"name": "add", "arguments": {"a": 1, "b": 1}})
            self.assertEqual(web.post(*call)[0], 200)
            self.assertEqual(web.post(*call, path="/mcp")[0], 404)
            self.assertEqual(web.post(*call, headers={"Origin": "https://a.test"})[0], 200)
            self.assertEqual(web.post(*call, headers={"Origin": "https://c.test"})[0], 403)
            self.assertEqual(web.post(*call, headers={"Host": "b.test"})[0], 200)
            self.assertEqual(web.post(*call, headers={"Host": "c.test"})[0], 403)
        finally:
            finish(child)

    def test_what_is_wrong_with_an_option_is_said(self):
        import libmcp

        with libmcp.Server("s") as server:
            for options, error, words in [
                ({"host": "nowhere"}, libmcp.InvalidArgument, "nowhere"),
                ({"prot": 1}, TypeError, "port"),
                ({"keep_alive_ms": 0}, libmcp.InvalidArgument, "keep_alive_ms"),
                ({"certificate_file": "/no/such", "key_file": "/no/such"}, libmcp.McpError, "/no/such"),
            ]:
                with self.subTest(words), self.assertRaisesRegex(error, words):
                    server.start_http(**options)
            with self.assertRaisesRegex(ValueError, "stdio"):
                server.run("websocket")

    def test_several_servers_and_transports_do_not_meet(self):
        source = program("""
            first, second = Server("first"), Server("second")
            add_coroutines(add_tools(first))
            @second.tool
            def who() -> str:
                return "second"
            ports = [server.start_http().port for server in (first, first, second)]
            print(*ports, file=sys.stderr, flush=True)
            first.run()
        """)
        with Program(source) as served:
            while b"\n" not in served.said:
                time.sleep(0.01)
            ports = [int(port) for port in served.said.split()]
            clients = [Web(port) for port in ports]
            for _ in range(10):
                names = [text(client.call("who")) for client in clients]
                self.assertEqual(names, ["first", "first", "second"])
            self.assertEqual(text(served.call("who")), "first")
            self.assertEqual(len(clients[2].ask("tools/list")["result"]["tools"]), 1)
            self.assertEqual(served.end()[0], 0)


class Sessions(unittest.TestCase):
    def test_a_transport_of_ones_own(self):
        out = run(
            program("""
            import json, queue
            server = add_coroutines(add_tools(Server("s")))
            META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                    "io.modelcontextprotocol/clientInfo": {"name": "c", "version": "1"},
                    "io.modelcontextprotocol/clientCapabilities": {}}
            def request(number, name, arguments):
                params = {"name": name, "arguments": arguments, "_meta": META}
                return json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})
            sent = queue.Queue()
            with server.session(sent.put) as session:
                session.receive(request(1, "add", {"a": 1, "b": 2}))
                print(json.loads(sent.get(timeout=10))["result"]["structuredContent"])
                session.receive(request(2, "later", {}).encode())
                print(json.loads(sent.get(timeout=10))["result"]["content"][0]["text"])
                session.receive("no json")
                print(json.loads(sent.get(timeout=10))["error"]["code"])
            async def main():
                sent, thread = asyncio.Queue(), []
                def send(message):
                    thread.append(threading.current_thread() is threading.main_thread())
                    sent.put_nowait(message)
                session = server.session(send)
                session.set_principal("ann")
                session.receive(request(1, "add", {"a": 1, "b": 2}))
                print(json.loads(await asyncio.wait_for(sent.get(), 10))["result"]["structuredContent"], thread)
                session.receive(request(2, "later", {}))
                print(json.loads(await asyncio.wait_for(sent.get(), 10))["result"]["content"][0]["text"])
                session.close()
            asyncio.run(main())
            server.close()
        """)
        )
        self.assertEqual(out, (0, "3\nFalse None\n-32700\n3 [True]\nTrue None\n", ""))


class InProcess(unittest.TestCase):
    def test_the_program_calls_its_own_server(self):
        out = run(
            program("""
            from libmcp import CallFailed, NotFound, ServerClosed
            server = add_coroutines(add_tools(Server("s")))
            async def main():
                results = await asyncio.gather(*(server.call_tool("add", {"a": n, "b": 1}) for n in range(20)))
                print([r["structuredContent"] for r in results] == list(range(1, 21)))
                print((await server.call_tool("later"))["content"][0]["text"])
                print((await server.call_tool("add", {"a": "x"}))["isError"])
                for call in (server.call_tool("none"), server.read_resource("x://none"), server.get_prompt("none")):
                    try:
                        await call
                    except NotFound as fault:
                        print("none" in str(fault))
                try:
                    await asyncio.wait_for(server.call_tool("long"), 0.1)
                except (TimeoutError, asyncio.TimeoutError):
                    print("gave up")
                await server.shutdown(0)
                try:
                    server.tools()
                except ServerClosed:
                    print("closed")
            for _ in range(2):
                asyncio.run(main()) if _ == 0 else None
        """)
        )
        self.assertEqual(out[0], 0, out)
        self.assertEqual(out[1].split("\n")[:-1], ["True", "True None", "True", "True", "True", "True", "gave up", "closed"])

    def test_one_loop_after_the_other(self):
        out = run(
            program("""
            server = add_coroutines(Server("s"))
            for _ in range(3):
                print(asyncio.run(server.call_tool("later"))["content"][0]["text"])
        """)
        )
        self.assertEqual(out, (0, "True None\n" * 3, ""))


class Closed(unittest.TestCase):
    def test_a_server_that_was_closed_leaves_nothing(self):
        import gc
        import weakref

        import libmcp

        def life():
            server = libmcp.Server("s")

            @server.tool
            def who() -> str:
                return server.name

            server.close()
            return weakref.ref(server)

        left = life()
        gc.collect()
        self.assertIsNone(left())


class ClosedLoops(unittest.TestCase):
    def test_calls_end_with_a_loop_that_is_closed_under_them(self):
        out = run(
            program("""
            import queue
            server = add_tools(Server("s"))
            began = threading.Event()
            @server.tool
            async def wait() -> str:
                began.set()
                await asyncio.sleep(60)
                return "woke"
            sent = queue.Queue()
            loop = asyncio.new_event_loop()
            async def main():
                listener = server.start_http()
            loop.run_until_complete(main())
            session = server.session(sent.put)
            session.receive(REQUEST)
            async def begin():
                while not began.is_set():
                    await asyncio.sleep(0.001)
            loop.run_until_complete(begin())
            loop.close()
            print(b"failed" in sent.get(timeout=10))
            server.close()
        """).replace("REQUEST", repr(json.dumps(request("wait"))))
        )
        self.assertEqual(out[:2], (0, "True\n"), out)


class Signals(unittest.TestCase):
    """One Ctrl-C on a terminal ends it, at once, without a traceback; so does SIGTERM."""

    def test_one_signal_ends_it(self):
        for transport in ("", "'http', port=0"):
            for tools in ("add_tools(server)", "add_coroutines(add_tools(server))"):
                for busy in (False, True):
                    if busy and transport:
                        continue
                    for number, codes in [(signal.SIGINT, {130}), (signal.SIGTERM, {-signal.SIGTERM})]:
                        with self.subTest(transport=transport, tools=tools, busy=busy, signal=number):
                            self.ends(transport, tools, busy, number, codes)

    def ends(self, transport, tools, busy, number, codes):
        master, slave = pty.openpty()
        source = program(f"""
server = Server("s")
{tools}
@server.tool
def ready() -> str:
    print("ready", file=sys.stderr, flush=True)
    return "r"
if {bool(transport)}:
    print("begun", file=sys.stderr, flush=True)
server.run({transport})
""")
        child = subprocess.Popen(
            [sys.executable, "-c", source], stdin=slave, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0,
            start_new_session=True,
        )  # fmt: skip
        try:
            if transport:
                self.assertEqual(line_of(child.stderr), "begun")
                self.assertIn("Serving", line_of(child.stderr))
            else:
                name = "long" if busy else "ready"
                os.write(master, json.dumps(request(name)).encode() + b"\n")
                self.assertIn(line_of(child.stderr), ("begun", "ready"))
            child.send_signal(number)
            code, took = elapsed(lambda: child.wait(PATIENCE))
            self.assertIn(code, codes)
            self.assertLess(took, 1.5)
            said = child.stderr.read().decode().splitlines()
            # A function that does not return is left behind, and said so.
            self.assertEqual([line for line in said if not line.startswith("libmcp: warning: ")], [])
            self.assertEqual(bool(said), busy and number == signal.SIGINT)
        finally:
            os.close(master)
            os.close(slave)
            finish(child)

    def test_the_programs_own_handlers_are_left_alone(self):
        source = program("""
            import signal
            before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(7)), signal.getsignal(signal.SIGINT)
            server = add_tools(Server("s"))
            @server.tool
            def handlers() -> bool:
                return signal.getsignal(signal.SIGINT) is before[1]
            server.run()
        """)
        with Program(source) as served:
            self.assertIs(served.call("handlers")["structuredContent"], True)
            served.child.send_signal(signal.SIGTERM)
            self.assertEqual(served.wait()[0], 7)

    def test_a_signal_that_another_thread_took_is_handled_too(self):
        out = run(
            program("""
            import signal
            signal.signal(signal.SIGUSR1, lambda *_: sys.exit(7))
            server = add_tools(Server("s"))
            def kill():
                while sys._current_frames()[threading.main_thread().ident].f_code.co_name != "_serve_http_without_loop":
                    time.sleep(0.001)
                time.sleep(0.1)  # until it waits
                signal.pthread_kill(threading.get_ident(), signal.SIGUSR1)
            threading.Thread(target=kill, daemon=True).start()
            server.run("http", port=0)
        """)
        )
        self.assertEqual(out[0], 7, out)

    def test_a_second_interrupt_while_it_ends_is_no_other_end(self):
        out = run(
            program("""
            import signal
            server = add_tools(Server("s"))
            stop = server._stop
            def stop_slowly(drain):
                stop(drain)
                signal.raise_signal(signal.SIGINT)
            server._stop = stop_slowly
            threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
            server.run("http", port=0)
        """)
        )
        self.assertEqual(out[0], 130, out)
        self.assertNotIn("Traceback", out[2])

    def test_an_interrupt_can_be_caught(self):
        source = program("""
            server = add_tools(Server("s"))
            try:
                print("begun", file=sys.stderr, flush=True)
                server.run("http", port=0)
            except SystemExit as end:
                sys.exit(9 if end.code == 130 else 1)
        """)
        child = start(source)
        try:
            self.assertEqual(line_of(child.stderr), "begun")
            self.assertIn("Serving", line_of(child.stderr))
            child.send_signal(signal.SIGINT)
            self.assertEqual(child.wait(PATIENCE), 9)
        finally:
            finish(child)


def request(name):
    from programs import meta

    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": {}, "_meta": meta()}}


def free_port():
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def until_it_listens(port):
    import socket

    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.02)
    raise AssertionError("nothing listens")


def finish(child):
    if child.poll() is None:
        child.kill()
    child.wait()
    for stream in (child.stdin, child.stdout, child.stderr):
        if stream is not None:
            stream.close()


if __name__ == "__main__":
    unittest.main()
