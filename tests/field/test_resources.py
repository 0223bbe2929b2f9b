"""Topic 7: resources and their templates, what a URI means and what is read there (B056, B080, B094, B095, B101)."""

import base64
import json
import os
import subprocess
import time
import unittest
import urllib.parse

from wire.client import Client
from wire.http import HttpServer
from wire.patience import LONG, bound
from wire.pipe import PipeServer, register
from wire.request import PREFIX, cancelled
from wire.shapes import LEGACY, MODERN, REVISIONS

ALL = ("--everything", "1")
OLD = LEGACY[0]
TEXT = 'tab\there, quote", café 世\n'


def clients(*options, revisions=(MODERN, OLD)):
    """A client of each of these revisions, each with a server of its own, over pipes."""
    for revision in revisions:
        with PipeServer(*ALL, *options) as server:
            yield Client(server, revision)


def contents(answer):
    assert "result" in answer, answer
    return answer["result"]["contents"]


def template(pattern, name="t"):
    return json.dumps({"uriTemplate": pattern, "name": name})


class Templates(unittest.TestCase):
    def variables(self, client, uri):
        """What reached the handler; None where there was no such resource."""
        answer = client.read(uri)
        if "error" in answer:
            self.assertEqual(answer["error"]["code"], -32602 if client.modern else -32002, answer)
            self.assertEqual(answer["error"]["data"], {"uri": uri})
            return None
        (content,) = contents(answer)
        self.assertEqual(content["uri"], uri)
        seen = json.loads(content["text"])
        self.assertEqual((seen["uri"], seen["kind"]), (uri, 2))
        return seen["variables"]

    def table(self, cases, *options):
        for client in clients(*options):
            for uri, wanted in cases:
                with self.subTest(uri=uri, revision=client.revision):
                    self.assertEqual(self.variables(client, uri), wanted)

    def test_b101_values_are_decoded_exactly_once(self):
        self.table((
            ("file:///docs/a.txt", {"name": "a.txt"}),
            ("file:///docs/%C2%A7%20141", {"name": "§ 141"}),
            ("file:///docs/§ 141", {"name": "§ 141"}),
            ("file:///docs/a%252Fb", {"name": "a%2Fb"}),
            ("file:///docs/%252e%252e", {"name": "%2e%2e"}),
            ("file:///docs/%25", {"name": "%"}),
            ("file:///docs/a+b", {"name": "a+b"}),
            ("file:///docs/%22%5Cu0041", None),  # a backslash makes a path of it
            ("file:///docs/%22", {"name": '"'}),
            ("file:///docs/%F0%9F%A6%80", {"name": "🦀"}),
            ("x://p/a/b%20c/d.txt", {"path": "a/b c/d.txt"}),
            ("x://i?q=a%26b%3Dc", {"q": "a&b=c"}),
            ("x://i?r=2&q=1", {"q": "1", "r": "2"}),
            ("x://i", {}),
            ("x://two/a%2Cb/c", {"a": "a,b", "b": "c"}),
        ))  # fmt: skip

    def test_b101_no_value_leads_out_of_its_place(self):
        self.table((
            ("file:///docs/..%2F..%2Fetc%2Fpasswd", None),
            ("file:///docs/%2e%2e%2F%2e%2e%2Fetc%2Fpasswd", None),
            ("file:///docs/../../etc/passwd", None),
            ("file:///docs/%2e%2e", None),
            ("file:///docs/..", None),
            ("file:///docs/.", None),
            ("file:///docs/a%2Fb", None),
            ("file:///docs/a%5Cb", None),
            ("file:///docs/%5C%5Chost%5Cshare", None),
            ("file:///docs/a%00b", None),
            ("x://p/a/../b", None),
            ("x://p/a/%2E%2E/b", None),
            ("x://p/%2Fetc/passwd", None),
            ("x://p//etc/passwd", None),
            ("x://p/C:/Windows", None),
            ("x://p/..%5C..%5Ca", None),
            ("x://i?q=..%2Fa", None),
            # What only looks like it.
            ("file:///docs/...", {"name": "..."}),
            ("file:///docs/..a", {"name": "..a"}),
            ("x://p/a..b/c", {"path": "a..b/c"}),
        ))  # fmt: skip

    def test_b101_broken_escapes_match_nothing(self):
        cases = [f"file:///docs/{bad}" for bad in ("%", "%ZZ", "a%2", "%FF", "%C3", "%C0%AF", "%ED%A0%80", "%u0041")]
        self.table([(uri, None) for uri in cases] + [("x://i?q=%", None)])

    def test_b101_literals_are_themselves_in_any_spelling(self):
        self.table((
            ("x://a.b/p", {"c": "p"}),
            ("x://aXb/p", None),
            ("x://a%2Eb/p", {"c": "p"}),
            ("file:///café/1", {"n": "1"}),
            ("file:///caf%C3%A9/1", {"n": "1"}),
            ("file:///caf%c3%a9/1", {"n": "1"}),
            ("file:///cafe/1", None),
            ("X://a.b/p", None),
            ("x://A.b/p", None),
            ("x://a.b/p/", None),
            ("x://a.b/", None),
            ("x://a.b", None),
            (" x://a.b/p", None),
            ("x://a.b/p?x=1", None),
        ))  # fmt: skip

    def test_b101_a_listed_resource_comes_first_and_then_the_closest_template(self):
        options = (
            "--template", "where", template("file:///{+any}", "all"), "--template", "where", template("file:///docs/{first}.md"),
        )  # fmt: skip
        self.table((
            ("file:///docs/listed", {}),
            ("file:///docs/%6Cisted", {"name": "listed"}),
            ("file:///docs/a.md", {"first": "a"}),
            ("file:///docs/a.txt", {"name": "a.txt"}),
            ("file:///other/a/b", {"any": "other/a/b"}),
            # No template makes up for what another refused.
            ("file:///docs/..%2F..%2Fetc", None),
        ), *options)  # fmt: skip

    def test_b101_a_variable_may_be_allowed_to_lead_anywhere(self):
        options = ("--path-template", "where", template("roam://{+path}"), "path")
        self.table((
            ("roam://../../etc/passwd", {"path": "../../etc/passwd"}),
            ("roam:///etc/passwd", {"path": "/etc/passwd"}),
            ("roam://%2e%2e%2Fa", {"path": "../a"}),
            ("roam://a%00b", None),
        ), *options)  # fmt: skip

    def test_b101_what_was_matched_makes_the_same_uri_again(self):
        values = ("a", "a b", "100%", "é/", "%2F", "a+b&c=d", "世界", "~._-", "!*'();:@,$[]")
        for client in clients(revisions=(MODERN,)):
            for value in values:
                escaped = urllib.parse.quote(value, safe="")
                with self.subTest(value=value):
                    found = self.variables(client, f"x://two/{escaped}/z")
                    if "/" in value:
                        self.assertIsNone(found)
                    else:
                        self.assertEqual(found, {"a": value, "b": "z"})
                    self.assertEqual(self.variables(client, f"x://i?q={escaped}")["q"], value)

    def test_b101_a_uri_longer_than_any_is_no_resource(self):
        for client in clients():
            for length in (60_000, 70_000, 1 << 20):
                answer = client.read("file:///docs/" + "a" * length)
                self.assertEqual("result" in answer, length == 60_000)
                if length != 60_000:
                    self.assertLess(len(answer["error"]["message"]), 1000)

    def test_b101_a_uri_that_could_be_cut_in_many_ways_is_cut_in_time(self):
        patterns = (
            "y://{a}-{b}-{c}-{d}-{e}-{f}",
            "z://{+a}/{+b}/{+c}/{+d}",
            "w://i{?a,b,c,d}",
            "v://{a,b,c,d,e}",
            "u://{a}{.b,c,d}",
        )
        options = [
            word
            for number, pattern in enumerate(patterns)
            for word in ("--template", "where", template(pattern, f"n{number}"))
        ]
        uris = ("y://" + "-" * 60_000, "y://" + "-a" * 30_000 + "/", "z://" + "a/" * 30_000, "z://" + "/" * 60_000,
                "w://i?" + "a=1&" * 15_000, "v://" + "," * 60_000, "u://" + "." * 60_000)  # fmt: skip
        for client in clients(*options, revisions=(MODERN,)):
            for uri in uris:
                began = time.monotonic()
                client.read(uri)
                self.assertLess(time.monotonic() - began, bound(1), uri[:10])

    def test_b101_a_template_that_cannot_be_told_apart_is_refused_by_its_reason(self):
        bad = ("", "no scheme", "{a", "a}b", "x://{}", "x://{a b}", "x://{a}{b}", "x://{a*}", "x://{a:3}", "x://{!a}", "x://{a}/{a}",
               "x://" + "a" * 3000, "/a/{b}")  # fmt: skip
        definitions = [template(pattern) for pattern in bad]
        for definition, said in zip(bad, register(*definitions, kind="template")):
            with self.subTest(template=definition[:40]):
                self.assertEqual(said["status"], -2, said)
                self.assertGreater(len(said["error"]), 20)
        good = [
            template(pattern)
            for pattern in ("x://{a}", "{+all}", "x://a/{b}{?c,d}", "x://{a.b}", "x://é/{n}", "x:{+a}")
        ]
        self.assertEqual([said["status"] for said in register(*good, kind="template")], [0] * len(good))

    def test_a_variable_that_a_template_lacks_cannot_be_allowed(self):
        command = [os.environ["FIELD_SERVER"], "--path-template", "where", template("x://{a}"), "other", "stdio"]
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LONG, check=False
        )
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r'-2 .*"?other')


class Contents(unittest.TestCase):
    def test_texts_bytes_and_several_contents_arrive_whole(self):
        for client in clients(revisions=REVISIONS):
            (text,) = contents(client.read("test://text"))
            self.assertEqual(text, {"uri": "test://text", "mimeType": "text/plain", "text": TEXT})
            (blob,) = contents(client.read("test://bytes"))
            self.assertEqual(base64.b64decode(blob.pop("blob"), validate=True), bytes(range(256)))
            self.assertEqual(blob, {"uri": "test://bytes", "mimeType": "application/octet-stream"})
            self.assertEqual(contents(client.read("test://nothing")), [])
            answer = client.read("test://folder")
            found = contents(answer)
            self.assertEqual(
                [one["uri"] for one in found],
                ["test://folder", *(f"test://folder/{x}" for x in ("a.txt", "b.bin", "c.md"))],
            )
            self.assertEqual(found[0], {"uri": "test://folder", "text": "index\n"})
            self.assertEqual(found[2], {"uri": "test://folder/b.bin", "blob": "AP8="})
            self.assertEqual(found[3].get("_meta"), {"com.example/a": 1} if client.revision >= "2025-06-18" else None)
            self.assertEqual(answer["result"]["_meta"]["com.example/b"], 2)

    def test_b014_contents_of_every_size_arrive_whole(self):
        sizes = (0, 1, 4095, 4096, 65535, 65536, 65537, 1 << 20, 12 << 20)
        with PipeServer(*ALL) as server, HttpServer(*ALL) as web:
            for client in (Client(server), Client(web), Client(server, OLD)):
                for size in sizes:
                    (text,) = contents(client.read(f"large://text/{size}"))
                    self.assertEqual(text["text"], "x" * size)
                    (blob,) = contents(client.read(f"large://blob/{size}"))
                    self.assertEqual(len(base64.b64decode(blob["blob"])), size)

    def test_a_whole_result_is_checked_where_it_is_made(self):
        good = (
            {"contents": []},
            {"contents": [{"uri": "a:b", "text": ""}]},
            {
                "contents": [
                    {"uri": "a:b", "blob": "", "mimeType": "text"},
                    {"uri": "a:c", "text": "x", "_meta": {"a": 1}},
                ]
            },
        )
        bad = (
            {},
            {"contents": {}},
            {"contents": [{"text": "x"}]},
            {"contents": [{"uri": "a:b"}]},
            {"contents": [{"uri": "a:b", "text": 5}]},
            {"contents": [{"uri": "a:b", "blob": "not base64!"}]},
            {"contents": [{"uri": "a:b", "text": "x", "size": 5}]},
            {"contents": [], "isError": True},
        )
        for client in clients(revisions=(MODERN, "2025-06-18")):
            for result in (*good, *bad):
                with self.subTest(result=result):
                    answer = client.read("whole://" + urllib.parse.quote(json.dumps(result), safe=""))
                    if result in good:
                        self.assertEqual(contents(answer), result["contents"])
                    else:
                        self.assertEqual((answer["error"]["code"], answer["error"]["message"]), (4242, "refused"))

    def test_b094_b095_errors_of_a_handler_are_what_their_author_said_and_no_more(self):
        for client in clients():
            wanted = {"test://fault": (4242, "custom fault"), "test://error": (-32603, "the city is unknown")}
            for uri, (code, message) in wanted.items():
                error = client.read(uri)["error"]
                self.assertEqual((error["code"], error["message"]), (code, message))
            error = client.read("test://unfinished")["error"]
            self.assertEqual(error["code"], -32603)
            client.server.wait_stderr("test://unfinished")

    def test_b096_what_does_not_exist_is_the_same_whoever_found_out(self):
        for client in clients():
            code = -32602 if client.modern else -32002
            for uri in ("test://nowhere", "test://gone", "nowhere", "", "\x00", "é"):
                error = client.read(uri)["error"]
                self.assertEqual((error["code"], error["data"]), (code, {"uri": uri}), uri)
            handler, library = (client.read(uri)["error"]["message"] for uri in ("test://gone", "test://away"))
            self.assertEqual(handler.replace("gone", "away"), library)

    def test_b096_a_request_without_a_uri_is_malformed(self):
        for client in clients():
            for params in ({}, {"uri": None}, {"uri": 5}, {"uri": ["test://text"]}, {"uri": {}}):
                self.assertEqual(client.ask("resources/read", params)["error"]["code"], -32602, params)

    def test_progress_and_logs_come_before_what_is_read(self):
        for client in clients():
            named = {"token": "t"}
            if client.modern:
                named[PREFIX + "logLevel"] = "warning"
            client.read("test://steps", **named)
            told = [frame.get("method", "answer") for frame in client.server.frames if frame.get("id") != "hello"]
            self.assertEqual(told, ["notifications/progress", "notifications/message"] * 3 + ["answer"])

    def test_b088_a_cancelled_read_is_never_answered(self):
        for client in clients():
            message = client.message("resources/read", {"uri": "slow://r/30000"})
            client.server.send(message)
            client.server.wait_event("reading r")
            client.server.send(cancelled(message["id"]))
            client.server.wait_event("read r -12", bound(2))
            client.server.fence()
            self.assertEqual(client.server.answers(message["id"]), [])


class Listed(unittest.TestCase):
    def test_a_definition_is_listed_as_far_as_the_revision_knows_it(self):
        full = {
            "uri": "test://text", "name": "text", "title": "A text", "description": "Café.", "mimeType": "text/plain", "size": 33,
            "icons": [{"src": "https://example.com/i.png", "sizes": ["48x48"]}],
            "annotations": {"audience": ["user"], "priority": 0.5, "lastModified": "2026-01-02T03:04:05Z"},
            "_meta": {"com.example/a": 1},
        }  # fmt: skip
        for client in clients(revisions=REVISIONS):
            wanted = json.loads(json.dumps(full))
            if client.revision < "2025-11-25":
                del wanted["icons"]
            if client.revision < "2025-06-18":
                del wanted["title"], wanted["_meta"], wanted["annotations"]["lastModified"]
            listed = client.listed("resources/list", "resources")
            self.assertEqual([one for one in listed if one["name"] == "text"], [wanted])
            templates = client.listed("resources/templates/list", "resourceTemplates")
            (docs,) = [one for one in templates if one["name"] == "docs"]
            self.assertEqual(docs["uriTemplate"], "file:///docs/{name}")
            self.assertEqual("icons" in docs, client.revision >= "2025-11-25")
            self.assertEqual("title" in docs, client.revision >= "2025-06-18")

    def test_b080_a_null_for_an_optional_field_is_absent_or_refused_but_never_published(self):
        fields = ("title", "description", "mimeType", "size", "icons", "annotations", "_meta")
        definitions = [{"uri": f"a:{field}", "name": field, field: None} for field in fields]
        options = []
        for definition, said in zip(definitions, register(*definitions, kind="resource")):
            self.assertIn(said["status"], (0, -2), said)
            if said["status"] == 0:
                options += ["--resource", "nothing", json.dumps(definition)]
        for client in clients(*options):
            # Each frame is looked through for nulls on its way in.
            self.assertEqual(len(client.listed("resources/list", "resources")), 12 + len(options) // 3)

    def test_a_definition_that_is_none_is_refused_by_its_place(self):
        cases = (
            ("resource", {"name": "a"}, "uri"),
            ("resource", {"uri": "a:b"}, "name"),
            ("resource", {"uri": "no scheme", "name": "a"}, "scheme"),
            ("resource", {"uri": "a:b", "name": "a", "size": -1}, "size"),
            ("resource", {"uri": "a:b", "name": "a", "uriTemplate": "x"}, "uriTemplate"),
            ("resource", {"uri": "a:b", "name": "a", "annotations": {"priority": 2}}, "priority"),
            ("resource", {"uri": "a:b", "name": "a", "annotations": {"audience": ["dog"]}}, "audience"),
            ("resource", {"uri": "a:b", "name": "a", "mimetype": "a/b"}, "mimetype"),
            ("template", {"uriTemplate": "a:{b}"}, "name"),
            ("template", {"uriTemplate": "a:{b}", "name": "a", "size": 1}, "size"),
            ("prompt", {"name": ""}, "name"),
            ("prompt", {"name": "a", "arguments": {}}, "arguments"),
            ("prompt", {"name": "a", "arguments": [{"name": "b"}, {"name": "b"}]}, "b"),
            ("prompt", {"name": "a", "arguments": [{"required": True}]}, "name"),
            ("prompt", {"name": "a", "arguments": [{"name": "b", "required": "yes"}]}, "required"),
            ("prompt", {"name": "a", "inputSchema": {}}, "inputSchema"),
        )
        for kind, definition, named in cases:
            with self.subTest(definition=definition):
                (said,) = register(definition, kind=kind)
                self.assertEqual(said["status"], -2, said)
                self.assertIn(named, said["error"])

    def hints(self, client, uri):
        result = client.read(uri)["result"]
        return result.get("ttlMs"), result.get("cacheScope")

    def test_b056_what_is_read_says_how_long_it_is_good_for(self):
        options = ("--option", "resource_read_cache_ttl_ms=7", "--option", "resource_read_cache_scope=private")
        for extra, plain in (((), (0, "public")), (options, (7, "private"))):
            for client in clients(*extra):
                self.assertEqual(self.hints(client, "test://text"), plain if client.modern else (None, None))
                self.assertEqual(
                    self.hints(client, "test://fresh"), (5000, "private") if client.modern else (None, None)
                )

    def test_b056_what_is_read_for_somebody_is_for_nobody_else(self):
        with PipeServer(*ALL, mode="session") as server:
            client = Client(server)
            self.assertEqual(self.hints(client, "test://text"), (0, "public"))
            server.write(b"!ann\n")
            self.assertEqual(self.hints(client, "test://text"), (0, "private"))


if __name__ == "__main__":
    unittest.main()
