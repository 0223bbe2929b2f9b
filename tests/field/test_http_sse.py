"""The transport of revision 2024-11-05: a stream for all that the server says, and an address for all that the client does."""

import json
import threading
import unittest

from wire import frame, legacy
from wire.frame import Asked
from wire.http import JSON, SSE, HttpServer
from wire.patience import LONG, Deadline, bound
from wire.request import encode, text_of

OPTIONS = ("--http", "sse_path=/sse")
OLDEST = "2024-11-05"


class Old:
    """A client of that transport."""

    def __init__(self, server, revision=OLDEST):
        self.server, self.revision = server, revision
        self.connection = server.connect()
        self.connection.request("GET", "/sse", [("Accept", SSE)])
        self.stream = self.connection.response("GET")
        assert self.stream.status == 200, self.stream.body()
        fields = dict(self.stream.block(Deadline(LONG)))
        assert fields["event"] == b"endpoint", fields
        self.address = fields["data"].decode("ascii")
        answer = self.ask(legacy.initialize("hello", revision))
        assert answer["result"]["protocolVersion"] == revision
        self.send(legacy.notification("notifications/initialized"))

    def send(self, message, address=None, **headers):
        """Posts a message; the status."""
        headers = {"Content-Type": JSON, **headers}
        response, body = self.server.bare("POST", headers.items(), encode(message), path=address or self.address)
        assert response.status != 202 or body == b"", body
        return response.status

    def hear(self, method=None, within=LONG):
        """The next message on the stream; None at its end."""
        fields = self.stream.block(Deadline(within))
        if fields is None:
            return None
        assert [name for name, _ in fields] == ["event", "data"] and fields[0][1] == b"message", fields
        return frame.parse(fields[1][1], Asked(self.revision, method, {}))

    def ask(self, message):
        assert self.send(message) == 202
        return self.hear(message["method"])

    def close(self):
        self.connection.close()


class OldTransport(unittest.TestCase):
    def test_a_client_is_answered_on_its_stream(self):
        with HttpServer(*OPTIONS) as server:
            for revision in (OLDEST, legacy.WITH_BATCHES, legacy.NEWEST):
                client = Old(server, revision)
                self.assertTrue(client.address.startswith("/sse?"), client.address)
                self.assertEqual(client.ask(legacy.request(1, "ping"))["result"], {})
                self.assertEqual(text_of(client.ask(legacy.call(2, "touch"))), "touched")
                client.send(legacy.call(3, "progress", {"values": [1, 2]}, token="p"))
                found = [client.hear("tools/call") for _ in range(3)]
                self.assertEqual([m["params"]["progress"] for m in found[:2]], [1, 2])
                tool = {"name": revision, "inputSchema": {"type": "object"}}
                client.send(legacy.call(4, "change", {"add": [tool]}))
                heard = {m.get("method", m.get("id")) for m in (client.hear("tools/call"), client.hear("tools/call"))}
                self.assertEqual(heard, {4, "notifications/tools/list_changed"})
                client.close()

    def test_several_clients_do_not_hear_one_another(self):
        with HttpServer(*OPTIONS) as server:
            clients = [Old(server) for _ in range(5)]
            threads = [
                threading.Thread(target=client.send, args=(legacy.call(1, "nap", {"ms": 50, "tag": str(index)}),))
                for index, client in enumerate(clients)
            ]
            for thread in threads:
                thread.start()
            for index, client in enumerate(clients):
                self.assertEqual(text_of(client.hear("tools/call")), str(index))
                client.close()

    def test_the_end_of_the_stream_ends_the_session(self):
        with HttpServer(*OPTIONS) as server:
            client = Old(server)
            client.send(legacy.call(1, "beat", {"tag": "old", "ms": 30_000}))
            server.wait_event("beat old")
            client.connection.reset()
            server.wait_event("cancelled old", bound(1))
            self.assertEqual(client.send(legacy.request(2, "ping")), 404)

    def test_messages_are_taken_where_they_belong(self):
        with HttpServer(*OPTIONS) as server:
            client = Old(server)
            ping = legacy.request(1, "ping")
            self.assertEqual(client.send(ping, address="/sse"), 400)
            self.assertEqual(client.send(ping, address="/sse?sessionId=x"), 404)
            self.assertEqual(client.send(ping, **{"Content-Type": "text/plain"}), 415)
            self.assertEqual(client.send(ping, Origin="https://evil.example"), 403)
            self.assertEqual(client.send(ping, Host="evil.example"), 403)
            self.assertEqual(client.send(ping), 202)
            client.hear("ping")
            for headers, status in (([("Accept", JSON)], 406), ([("Origin", "null")], 403)):
                self.assertEqual(server.bare("GET", headers, path="/sse")[0].status, status)
            self.assertEqual(server.bare("DELETE", path="/sse")[0].status, 405)
            client.close()

    def test_it_is_there_only_where_it_is_asked_for(self):
        with HttpServer() as plain, HttpServer(*OPTIONS, "--option", "legacy=false") as modern:
            for server in (plain, modern):
                self.assertEqual(server.bare("GET", [("Accept", SSE)], path="/sse")[0].status, 404)

    def test_a_listener_that_stops_ends_the_streams(self):
        with HttpServer(*OPTIONS) as server:
            server.still_serves = False
            idle, working = Old(server), Old(server)
            working.send(legacy.call(1, "nap", {"ms": 500, "tag": "last"}))
            server.wait_event("napping last")
            server.tell(f"shutdown {int(bound(5) * 1000)}")
            self.assertIsNone(idle.hear(within=bound(2)))
            self.assertEqual(text_of(working.hear("tools/call")), "last")
            self.assertIsNone(working.hear(within=bound(2)))
            self.assertEqual(json.loads(server.command(None)[5:]), 0)
            for client in (idle, working):
                client.close()
