"""Topics 4 and 6: what a handler gives back. Output schemas, error results, protocol errors, misbehaviour."""

import base64
import json
import re
import unittest

from wire.http import HttpServer
from wire.pipe import PipeServer, register
from wire.request import call, listing, request, text_of

INVALID_RESULT, ALREADY_FINISHED = -10, -11
CLOSED = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"], "additionalProperties": False}


def tool(name, output=None, **more):
    definition = {"name": name, "description": "Fixture.", "inputSchema": {"type": "object"}, **more}
    if output is not None:
        definition["outputSchema"] = output
    return json.dumps(definition)


class ErrorResults(unittest.TestCase):
    def test_b081_an_error_result_is_not_held_against_the_output_schema(self):
        output = {"type": "object", "properties": {"x": {"type": "string"}}, "required": ["x"]}
        text = [{"type": "text", "text": "the printer is out of paper"}]
        with PipeServer("--tool", "result", tool("r", output), "--tool", "tool_error", tool("e", output)) as server:
            results = [
                {"content": text, "isError": True},
                {"content": text, "isError": True, "structuredContent": {"error": {"code": 1}}},
                {"content": text, "isError": True, "structuredContent": [1]},
            ]
            for id, result in enumerate(results):
                with self.subTest(result=result):
                    answer = server.ask(call(id, "r", {"result": result}))["result"]
                    self.assertIs(answer["isError"], True)
                    self.assertEqual(answer["content"], text)
                    self.assertEqual(answer.get("structuredContent"), result.get("structuredContent"))
            answer = server.ask(call("e", "e", {"message": "no such city"}))["result"]
            self.assertIs(answer["isError"], True)
            self.assertEqual(answer["content"], [{"type": "text", "text": "no such city"}])
            self.assertEqual(server.events("refused"), [])


class OutputSchemas(unittest.TestCase):
    SECRET = "hunter2-in-the-data"
    BROKEN = (
        ({"structuredContent": {}}, "a"),
        ({"structuredContent": {"a": 1, "b": SECRET}}, "b"),
        ({"structuredContent": {"a": SECRET}}, "/a"),
        ({"structuredContent": [SECRET]}, ""),
        ({}, ""),
        ({"content": [{"type": "text", "text": SECRET}]}, ""),
    )

    def cases(self):
        for number, (result, place) in enumerate(self.BROKEN):
            yield number, {"content": [], **result}, place

    def test_b082_a_result_that_breaks_its_schema_never_leaves(self):
        with PipeServer("--tool", "result", tool("drifted", CLOSED)) as server:
            for number, result, place in self.cases():
                with self.subTest(result=result):
                    server.ask(call(number, "drifted", {"result": result, "give_up": True}))
                    error = server.answers(number)[0]["error"]
                    self.assertEqual(error["code"], -32603)
                    self.assertIn("drifted", error["message"])
                    told = server.wait_event("refused", count=number + 1)
                    self.assertTrue(told.startswith(f"refused {INVALID_RESULT} "), told)
                    self.assertIn("drifted", told)
                    self.assertIn(place, told)
                    self.assertNotIn(self.SECRET, told)
            self.assertFalse(any(self.SECRET.encode() in line for line in server.lines))
            self.assertIn("drifted", server.log(), "nothing in the log")
            self.assertNotIn(self.SECRET, server.log())

    def test_b082_the_log_names_the_place(self):
        with PipeServer("--tool", "result", tool("drifted", CLOSED)) as server:
            server.ask(
                call(
                    1, "drifted", {"result": {"content": [], "structuredContent": {"a": self.SECRET}}, "give_up": True}
                )
            )
            server.wait_stderr("drifted")
            self.assertIn("/a", server.stderr)

    def test_b082_a_handler_may_mend_what_was_refused(self):
        with PipeServer("--tool", "result", tool("drifted", CLOSED)) as server:
            for number, result, _ in self.cases():
                answer = server.ask(call(number, "drifted", {"result": result}))["result"]
                self.assertEqual(
                    (answer["isError"], answer["content"][0]["text"]), (True, "the tool mended its result")
                )
                self.assertEqual(len(server.answers(number)), 1)

    def test_b082_a_result_that_fits_is_sent_with_its_twin(self):
        with PipeServer("--tool", "result", tool("fits", CLOSED)) as server:
            answer = server.ask(call(1, "fits", {"result": {"content": [], "structuredContent": {"a": 1.0}}}))["result"]
            self.assertEqual(answer["structuredContent"], {"a": 1})
            own = [{"type": "text", "text": "one"}]
            answer = server.ask(call(2, "fits", {"result": {"content": own, "structuredContent": {"a": 1}}}))["result"]
            self.assertEqual(answer["content"], own)

    def test_b082_a_result_that_is_none_is_refused(self):
        with PipeServer() as server:
            bad = (
                [], 5, {"content": {}}, {"content": [{"type": "text"}]}, {"content": [{"type": "nonsense"}]}, {"content": [5]},
                {"content": [{"type": "image", "data": "!!", "mimeType": "image/png"}]}, {"content": [], "isError": "yes"}, {"content": [], "_meta": 5},
            )  # fmt: skip
            for number, result in enumerate(bad):
                with self.subTest(result=result):
                    answer = server.ask(call(number, "result", {"result": result}))["result"]
                    self.assertEqual(answer["content"][0]["text"], "the tool mended its result")


class Values(unittest.TestCase):
    VALUES = (
        ({"type": "array", "items": {"type": "integer"}}, [1, 2, 3]),
        ({"type": "array"}, []),
        ({"type": "integer"}, 42),
        ({"type": "number"}, 1.5),
        ({"type": "string"}, 'é\n"x"'),
        ({"type": "boolean"}, False),
        ({"type": "null"}, None),
        ({"type": ["object", "null"]}, None),
        ({"type": "object"}, {"a": [None, {}]}),
        ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, 7),
        ({}, {"any": "thing"}),
    )

    def test_b083_a_value_of_any_kind_is_sent_as_it_is_with_its_own_schema(self):
        options = []
        for number, (schema, _) in enumerate(self.VALUES):
            options += ["--tool", "structured", tool(f"v{number}", schema)]
        with PipeServer("--bare", "1", *options) as server:
            listed = {entry["name"]: entry for entry in server.ask(listing("l"))["result"]["tools"]}
            for number, (schema, value) in enumerate(self.VALUES):
                with self.subTest(value=value):
                    self.assertEqual(listed[f"v{number}"]["outputSchema"], schema)
                    answer = server.ask(call(number, f"v{number}", {"value": value}))["result"]
                    self.assertIn("structuredContent", answer)
                    self.assertEqual(answer["structuredContent"], value)
                    self.assertIs(type(answer["structuredContent"]), type(value))
                    self.assertEqual(json.loads(answer["content"][0]["text"]), value)
                    self.assertEqual(len(answer["content"]), 1)
                    self.assertFalse(answer.get("isError", False))

    def test_b083_a_tool_without_output_schema_may_send_any_value_and_lists_none(self):
        with PipeServer() as server:
            for number, (_, value) in enumerate(self.VALUES):
                self.assertEqual(
                    server.ask(call(number, "structured", {"value": value}))["result"]["structuredContent"], value
                )
            self.assertFalse(
                [entry for entry in server.ask(listing("l"))["result"]["tools"] if "outputSchema" in entry]
            )
            answer = server.ask(call("none", "structured"))["result"]
            self.assertNotIn("structuredContent", answer)
            self.assertEqual(answer["content"], [])

    def test_b083_a_value_keeps_its_digits(self):
        with PipeServer() as server:
            for number, digits in enumerate(("12345678901234567890123", "1.0", "-0.0", "1e2", "0.1000")):
                message = call(number, "structured", {"value": "X"})
                server.note(message)
                server.send(json.dumps(message).replace('"X"', digits))
                server.answer(number)
                self.assertIn(f'"structuredContent":{digits}'.encode(), server.lines[-1])

    def test_all_kinds_of_content_arrive_as_the_specification_has_them(self):
        data = base64.b64encode(bytes([0, 1, 2, 253, 254, 255])).decode()
        with PipeServer() as server:
            result = server.ask(call(1, "content"))["result"]
            self.assertEqual(result["content"], [
                {"type": "text", "text": "tab\there, quote\", café 世"},
                {"type": "image", "data": data, "mimeType": "image/png"},
                {"type": "audio", "data": data, "mimeType": "audio/wav"},
                {"type": "resource_link", "uri": "file:///a.txt", "name": "a.txt"},
                {"type": "resource", "resource": {"uri": "file:///a.txt", "mimeType": "text/plain", "text": "line\n"}},
                {"type": "resource", "resource": {"uri": "file:///a.bin", "blob": data}},
                {"type": "text", "text": "t", "annotations": {"audience": ["user"], "priority": 0.5}},
            ])  # fmt: skip
            self.assertEqual(result["_meta"]["com.example/a"], 1)


class Protocol(unittest.TestCase):
    def test_b096_an_unknown_or_malformed_call_is_a_protocol_error(self):
        with PipeServer() as server, HttpServer() as web:
            for number, params in enumerate((
                {"name": "unknown"}, {"name": ""}, {"name": "TOUCH"}, {"name": "touch", "arguments": []},
                {"name": "touch", "arguments": "x"}, {"name": "touch", "arguments": 5}, {"name": 5}, {}, {"name": None}, {"name": ["touch"]},
            )):  # fmt: skip
                with self.subTest(params=params):
                    message = request(number, "tools/call", params)
                    self.assertEqual(server.ask(message)["error"]["code"], -32602)
                    reply = web.post(message)
                    if isinstance(params.get("name"), str) and params["name"]:
                        self.assertEqual(reply.outcome(), (200, -32602))
                    else:
                        # Without a usable name there is nothing for the header to agree with.
                        self.assertIn(reply.outcome(), ((200, -32602), (400, -32602), (400, -32020)))
            self.assertIn("unknown", server.answers(0)[0]["error"]["message"])
            for counting in (text_of(server.ask(call("c", "count"))), web.post(call("c", "count")).text):
                self.assertEqual(counting, "0")

    def test_b096_bad_arguments_are_for_the_model_to_read(self):
        schema = {
            "type": "object",
            "properties": {"n": {"type": "integer", "minimum": 1}},
            "required": ["n"],
            "additionalProperties": False,
        }
        with PipeServer("--tool", "touch", json.dumps({"name": "t", "inputSchema": schema})) as server:
            for number, (arguments, words) in enumerate(
                (
                    (None, ["n"]),
                    ({}, ["n"]),
                    ({"n": 0}, ["/n", "1"]),
                    ({"n": "x"}, ["/n", "integer"]),
                    ({"n": 1, "m": 2}, ["m"]),
                )
            ):
                result = server.ask(call(number, "t", arguments))["result"]
                self.assertIs(result["isError"], True)
                for word in words:
                    self.assertIn(word, result["content"][0]["text"])
                self.assertNotRegex(result["content"][0]["text"], r"serde|jsonschema|Value|Number\(|String\(")
            self.assertEqual(text_of(server.ask(call("c", "count"))), "0")

    def test_b096_an_error_of_the_tool_is_a_result(self):
        with HttpServer() as server:
            reply = server.post(call(1, "tool_error", {"message": "out of stock"}))
            self.assertEqual((reply.text, reply.result["isError"]), ("out of stock", True))

    def test_b096_a_custom_code_passes_with_its_message_and_data(self):
        with PipeServer() as server, HttpServer() as web:
            for number, (code, data) in enumerate(
                ((4242, {"a": [1, None]}), (1, "text"), (-1, None), (-32603, None), (-40000, 0), (2**31 - 1, False))
            ):
                with self.subTest(code=code):
                    arguments = {"code": code, "message": "as said"} | ({} if data is None else {"data": data})
                    message = call(number, "fault", arguments)
                    expected = {"code": code, "message": "as said"} | ({} if data is None else {"data": data})
                    self.assertEqual(server.ask(message)["error"], expected)
                    reply = web.post(message)
                    self.assertEqual((reply.status, reply.error), (200, expected))

    def test_b096_a_reserved_code_is_refused_to_the_handler(self):
        codes = (-32000, -32001, -32002, -32019, -32020, -32021, -32022, -32023, -32042, -32099)
        with PipeServer() as server:
            for number, code in enumerate(codes):
                with self.subTest(code=code):
                    answer = server.ask(call(number, "fault", {"code": code}))
                    # The handler then returned without an answer.
                    self.assertEqual(answer["error"]["code"], -32603)
                    self.assertTrue(server.wait_event("refused", count=number + 1).startswith("refused -2 "))


class Misbehaviour(unittest.TestCase):
    LEAK = re.compile(r"hunter2|Traceback|/home/|/usr/|\.rs:|\.c:|0x[0-9a-f]{6}|panicked")

    def test_b094_what_was_not_meant_for_the_peer_stays_in_the_log(self):
        with PipeServer() as server, HttpServer() as web:
            for ask in (server.ask, lambda message: web.post(message).last):
                answer = ask(call(1, "unfinished", {"secret": "hunter2"}))
                self.assertEqual(answer["error"]["code"], -32603)
                self.assertNotRegex(json.dumps(answer), self.LEAK)
                self.assertNotIn("data", answer["error"])
            for process in (server, web):
                process.wait_stderr("unfinished")
                self.assertNotIn("hunter2", process.stderr)

    def test_b094_what_an_author_says_passes_word_for_word(self):
        with PipeServer() as server:
            text = 'db=10.0.0.5 is not "reachable" (/home/x.rs:1)'
            self.assertEqual(text_of(server.ask(call(1, "tool_error", {"message": text}))), text)
            error = server.ask(call(2, "fault", {"message": "Conflict", "code": 409, "data": {"at": text}}))["error"]
            self.assertEqual(error, {"code": 409, "message": "Conflict", "data": {"at": text}})

    def test_b095_a_handler_that_returns_without_an_answer_hangs_nobody(self):
        with HttpServer() as server:
            reply = server.post(call(1, "unfinished"))
            self.assertEqual(reply.outcome(), (200, -32603))

    def test_b095_a_second_finish_is_an_error_to_the_handler_and_nothing_to_the_peer(self):
        with PipeServer() as server, HttpServer() as web:
            self.assertEqual(text_of(server.ask(call(1, "twice"))), "first")
            self.assertEqual(web.post(call(1, "twice")).text, "first")
            for process in (server, web):
                self.assertEqual(process.wait_event("second finish"), f"second finish {ALREADY_FINISHED}")
            server.fence()
            self.assertEqual(len(server.answers(1)), 1)

    def test_b095_twenty_mixed_calls_get_twenty_answers(self):
        names = (
            "unfinished",
            "twice",
            "tool_error",
            "fault",
            "touch",
            "nowhere",
            "structured",
            "result",
            "big",
            "echo",
        )
        with PipeServer() as server:
            server.send(*(call(number, names[number % len(names)]) for number in range(20)))
            for number in range(20):
                server.answer(number)
            server.fence()
            for number in range(20):
                self.assertEqual(len(server.answers(number)), 1, names[number % len(names)])
            self.assertEqual(text_of(server.ask(call("c", "count"))), "2")


class Definitions(unittest.TestCase):
    def test_a_definition_is_listed_as_it_was_given(self):
        definition = {
            "name": "whole.tool-1_A",
            "title": "Title é",
            "description": "Text\nwith lines",
            "icons": [
                {
                    "src": "https://example.com/i.png",
                    "mimeType": "image/png",
                    "sizes": ["48x48", "any"],
                    "theme": "dark",
                }
            ],
            "inputSchema": {
                "$schema": "https://json-schema.org/draft/2020-12/schema",
                "type": "object",
                "properties": {"z": {}, "a": {"x-own": [1]}},
            },
            "outputSchema": {"type": "object"},
            "annotations": {
                "title": "T",
                "readOnlyHint": True,
                "destructiveHint": False,
                "idempotentHint": True,
                "openWorldHint": False,
            },
            "_meta": {"com.example/x": {"deep": [None, 1.0]}},
        }
        with PipeServer("--bare", "1", "--tool", "touch", json.dumps(definition)) as server:
            listed = server.ask(listing(1))["result"]["tools"]
            self.assertEqual(listed, [definition])
            self.assertEqual(list(listed[0]["inputSchema"]["properties"]), ["z", "a"])

    def test_an_unknown_key_is_refused_by_its_name(self):
        for key in ("inputschema", "input_schema", "handler", "parameters", "x-own", "Name"):
            with self.subTest(key=key):
                answer = register({"name": "t", "inputSchema": {"type": "object"}, key: 1})[0]
                self.assertLess(answer["status"], 0)
                self.assertIn(key, answer["error"])

    def test_a_name_keeps_the_recommended_rules(self):
        good = ("a", "getUser", "DATA_EXPORT_v2", "admin.tools.list", "-", "9", "x" * 128)
        bad = ("", "x" * 129, "with space", "a,b", "a/b", "eché", "a\nb", "a:b", "=?base64?eA==?=", "{x}")
        answers = register(*({"name": name, "inputSchema": {"type": "object"}} for name in good + bad))
        for name, answer in zip(good + bad, answers):
            with self.subTest(name=name):
                self.assertEqual(answer["status"] == 0, name in good, answer)
                if name in bad:
                    self.assertRegex(answer["error"], r"128|letters|A-Z" if name else "empty")

    def test_bad_fields_are_refused_by_their_place(self):
        fields = {
            "title": 5, "description": [], "annotations": {"readOnlyHint": "yes"}, "icons": {}, "_meta": [], "outputSchema": 5,
        }  # fmt: skip
        for field, value in fields.items():
            with self.subTest(field=field):
                answer = register({"name": "t", "inputSchema": {"type": "object"}, field: value})[0]
                self.assertLess(answer["status"], 0)
                self.assertIn(field.lower(), answer["error"].lower().replace(" ", ""))

    def test_a_header_annotation_is_checked_where_it_is_made(self):
        def with_annotation(value, kind="string"):
            return {"type": "object", "properties": {"p": {"type": kind, "x-mcp-header": value}}}

        inner = {"type": "string", "x-mcp-header": "Region"}
        bad = [with_annotation(value) for value in ("", None, 5, "a b", "a\r\n", "Région", "a:b", [], True)]
        bad += [with_annotation("Region", kind) for kind in ("number", "array", "object", "null")]
        bad += [
            {"type": "object", "properties": {"p": inner, "q": {**inner, "x-mcp-header": "REGION"}}},
            {"type": "object", "properties": {"p": {"type": "array", "items": inner}}},
            {"type": "object", "properties": {"p": {"anyOf": [inner]}}},
            {"type": "object", "anyOf": [{"properties": {"p": inner}}]},
            {"type": "object", "$defs": {"d": inner}, "properties": {"p": {"$ref": "#/$defs/d"}}},
            {"type": "object", "additionalProperties": inner},
            {"type": "object", "patternProperties": {"^p": inner}},
            {"type": "object", "if": {"properties": {"p": inner}}},
            {"type": "object", "not": {"properties": {"p": inner}}},
            {"type": "object", "x-mcp-header": "Region"},
        ]
        good = [
            with_annotation("Region"), with_annotation("Region", "integer"), with_annotation("x!#$%&'*+-.^_`|~0", "boolean"),
            {"type": "object", "properties": {"o": {"type": "object", "properties": {"p": inner}}}},
            {"type": "object", "properties": {"p": {"enum": [{"x-mcp-header": ""}], "default": {"x-mcp-header": 5}}}},
        ]  # fmt: skip
        answers = register(*({"name": "mirrors", "inputSchema": schema} for schema in bad + good))
        for schema, answer in zip(bad + good, answers):
            with self.subTest(schema=schema):
                self.assertEqual(answer["status"] < 0, schema in bad, answer)
                if schema in bad:
                    self.assertIn("mirrors", answer["error"])
                    self.assertIn("x-mcp-header", answer["error"])

    def test_a_schema_without_bounds_is_refused(self):
        deep = '{"type":"object","properties":{"p":' * 2000 + '{"type":"object"}' + "}}" * 2000
        wide = json.dumps(
            {"type": "object", "properties": {f"p{number}": {"type": "string"} for number in range(200_000)}}
        )
        for schema in (deep, wide):
            answer = register('{"name":"huge","inputSchema":' + schema + "}")[0]
            self.assertLess(answer["status"], 0)
            self.assertIn("huge", answer["error"])


if __name__ == "__main__":
    unittest.main()
