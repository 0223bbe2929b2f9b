"""What an application of a server does with the messages of ASGI, without a web server around it."""

import asyncio
import json
import unittest

from libmcp import Context, Server, ServerClosed
from libmcp.asgi import principal_of_user
from libmcp.uvicorn_exit import is_exiting

PATIENCE = 30  # seconds
PREFIX = "io.modelcontextprotocol/"


class Conversation:
    """One request: what the application is told, and what it says."""

    def __init__(self, app, *told, **scope):
        self.told = asyncio.Queue()
        for message in told:
            self.told.put_nowait(message)
        self.said = asyncio.Queue()
        self.task = asyncio.ensure_future(app(scope, self.told.get, self.say))

    async def say(self, message):
        self.said.put_nowait(message)

    async def hear(self):
        return await asyncio.wait_for(self.said.get(), PATIENCE)

    async def end(self):
        """What it says until it has ended."""
        await asyncio.wait_for(self.task, PATIENCE)
        return [self.said.get_nowait() for _ in range(self.said.qsize())]


class Unheard(Conversation):
    """A web server that cannot send any more."""

    async def say(self, message):
        raise OSError("the client has gone")


class Slow(Conversation):
    """A web server whose client reads nothing."""

    async def say(self, message):
        await asyncio.Event().wait()


def call(app, name, *pieces, conversation=Conversation, **more):
    meta = {f"{PREFIX}protocolVersion": "2026-07-28", f"{PREFIX}clientInfo": {"name": "t", "version": "1"},
            f"{PREFIX}clientCapabilities": {}, f"{PREFIX}logLevel": "info", "progressToken": "t"}  # fmt: skip
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "_meta": meta}})
    headers = [
        (b"host", b"localhost"), (b"content-type", b"application/json"), (b"mcp-method", b"tools/call"),
        (b"accept", b"application/json, text/event-stream"), (b"mcp-protocol-version", b"2026-07-28"),
        (b"mcp-name", name.encode()),
    ]  # fmt: skip
    scope = {"type": "http", "method": "POST", "path": "/", "query_string": b"", "headers": headers,
             "server": ("127.0.0.1", 80)}  # fmt: skip
    told = pieces or ({"type": "http.request", "body": body.encode()},)
    return conversation(app, *told, **(scope | more))


class Messages(unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        self.server = server = Server("messages", max_message_bytes=10_000, drain_ms=50, logs_per_second=1_000_000)
        self.addCleanup(server.close)
        self.begun, self.ended = asyncio.Event(), asyncio.Event()

        @server.tool
        def add() -> int:
            return 3

        @server.tool
        async def wait(ctx: Context) -> None:
            ctx.progress(1)
            self.begun.set()
            try:
                await asyncio.Event().wait()
            finally:
                self.ended.set()

        @server.tool
        async def talk(ctx: Context) -> None:
            try:
                while True:
                    ctx.info("x" * 1_000_000)
                    await asyncio.sleep(0)
            finally:
                self.ended.set()

        @server.tool
        async def write(ctx: Context) -> str:
            ctx.progress(1)
            self.ended.set()
            return "x" * 30_000_000

        self.app = server.asgi()

    async def test_a_short_answer_is_two_messages(self):
        start, body = await call(self.app, "add").end()
        self.assertEqual((start["type"], start["status"]), ("http.response.start", 200))
        self.assertIn((b"content-length", str(len(body["body"])).encode()), start["headers"])
        self.assertEqual((body["type"], body["more_body"]), ("http.response.body", False))
        self.assertEqual(json.loads(body["body"])["result"]["structuredContent"], 3)

    async def test_a_client_that_goes_away_in_its_body_is_not_answered(self):
        gone = call(self.app, "add", {"type": "http.request", "body": b"{", "more_body": True}, {"type": "http.disconnect"})
        self.assertEqual(await gone.end(), [])

    async def test_no_more_of_a_body_is_read_than_shows_that_it_is_too_large(self):
        piece = {"type": "http.request", "body": b"x" * 4_000, "more_body": True}
        large = call(self.app, "add", *[piece] * 10)
        self.assertEqual((await large.end())[0]["status"], 413)
        self.assertEqual(large.told.qsize(), 7)

    async def test_a_client_that_goes_away_cancels_its_call(self):
        waiting = call(self.app, "wait")
        await asyncio.wait_for(self.begun.wait(), PATIENCE)
        waiting.told.put_nowait({"type": "http.disconnect"})
        await asyncio.wait_for(self.ended.wait(), PATIENCE)
        await waiting.end()

    async def test_a_web_server_that_gives_a_request_up_cancels_its_call(self):
        waiting = call(self.app, "wait")
        await asyncio.wait_for(self.begun.wait(), PATIENCE)
        waiting.task.cancel()
        await asyncio.wait_for(self.ended.wait(), PATIENCE)
        with self.assertRaises(asyncio.CancelledError):
            await waiting.end()

    async def test_a_client_to_which_nothing_can_be_sent_cancels_its_call(self):
        waiting = call(self.app, "wait", conversation=Unheard)
        await asyncio.wait_for(self.ended.wait(), PATIENCE)
        await waiting.end()

    async def test_a_client_that_reads_nothing_is_given_up_before_its_stream_fills_the_memory(self):
        talking = call(self.app, "talk", conversation=Slow)
        await asyncio.wait_for(self.ended.wait(), PATIENCE)
        talking.task.cancel()

    async def test_an_answer_is_not_given_up_for_its_own_size(self):
        said = await call(self.app, "write").end()
        self.assertIn(b"x" * 30_000_000, b"".join(message.get("body", b"") for message in said))

    async def test_a_websocket_is_closed_before_it_is_open(self):
        told = {"type": "websocket.connect"}
        self.assertEqual(await Conversation(self.app, told, type="websocket").end(), [{"type": "websocket.close"}])

    async def test_another_kind_of_scope_is_refused(self):
        with self.assertRaisesRegex(ValueError, "not 'mail'"):
            await Conversation(self.app, type="mail").end()

    async def test_a_lifespan_ends_what_is_open_and_another_may_begin(self):
        for _ in range(2):
            self.begun.clear()
            self.ended.clear()
            life = Conversation(self.app, {"type": "lifespan.startup"}, type="lifespan")
            self.assertEqual(await life.hear(), {"type": "lifespan.startup.complete"})
            listening = call(self.app, "wait")
            await asyncio.wait_for(self.begun.wait(), PATIENCE)
            life.told.put_nowait({"type": "lifespan.shutdown"})
            self.assertEqual(await life.hear(), {"type": "lifespan.shutdown.complete"})
            self.assertTrue(self.ended.is_set())
            await listening.end()

    async def test_a_server_that_was_closed_answers_503(self):
        self.server.close()
        start, body = await call(self.app, "add").end()
        self.assertEqual((start["status"], b"closed" in body["body"]), (503, True))

    async def test_what_is_no_request_is_answered_400(self):
        self.assertEqual((await call(self.app, "add", headers=[(b"a b", b"c")]).end())[0]["status"], 400)

    async def test_only_this_machine_is_asked_for_its_names(self):
        for address, kept_out in (("127.0.0.1", True), ("::1", True), ("10.0.0.7", False), ("/run/app.sock", False)):
            with self.subTest(address):
                start, _ = await call(self.app, "add", headers=[(b"host", b"a.example.com")], server=(address, 80)).end()
                self.assertEqual(start["status"] == 403, kept_out)

    async def test_a_principal_may_not_be_guessed(self):
        class User:
            is_authenticated = True

        with self.assertRaisesRegex(TypeError, "principal="):
            await call(self.app, "add", user=User()).end()


class Options(unittest.TestCase):
    def test_what_is_wrong_with_the_options_is_said_at_once(self):
        server = Server("options")
        self.addCleanup(server.close)
        for options, wanted in (
            ({"port": 1}, "port: that is the affair of the web server"),
            ({"allowed_host": "a"}, 'did you mean "allowed_hosts"'),
            ({"allowed_hosts": "a"}, r"allowed_hosts: give a list of texts, as \['a'\]"),
            ({"keep_alive_ms": 0}, "keep_alive_ms"),
            ({"path": "mcp"}, "path"),
        ):
            with self.subTest(options), self.assertRaisesRegex((TypeError, ValueError), wanted):
                server.asgi(**options)
        server.close()
        with self.assertRaises(ServerClosed):
            server.asgi()

    def test_users_of_starlette_are_principals(self):
        class Simple:
            is_authenticated = True
            display_name = "ann"

            @property
            def identity(self):
                raise NotImplementedError

        class Nobody:
            is_authenticated = False
            display_name = ""

        self.assertEqual(principal_of_user({"user": Simple()}), "ann")
        self.assertIsNone(principal_of_user({"user": Nobody()}))
        self.assertIsNone(principal_of_user({}))

    def test_without_uvicorn_nothing_exits(self):
        self.assertFalse(is_exiting())


if __name__ == "__main__":
    unittest.main()
