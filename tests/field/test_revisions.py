"""The same handlers in every revision: what differs between the answers is what the revisions know, and no more (B080 to
B083, B096)."""

import copy
import json
import unittest

from wire.client import Client
from wire.http import HttpServer
from wire.pipe import PipeServer
from wire.questions import EVERYTHING, answer, form, questions, sampling
from wire.questions import ROOTS
from wire.request import PREFIX
from wire.shapes import LEGACY, LISTS, MODERN, REVISIONS

ALL = ("--everything", "1")

# Output schemas, and values that the tool with each of them returns.
OUTPUTS = {
    "object": ({"type": "object", "properties": {"x": {"type": ["integer", "null"]}}}, ({}, {"x": 1}, {"x": None}, {"result": 5})),
    "array": ({"type": "array", "items": {"type": "integer"}}, ([], [1, 2])),
    "union": ({"anyOf": [{"type": "object"}, {"type": "string"}]}, ({"a": 1}, {"result": "x"}, "text")),
    "text": ({"type": "string"}, ("", "é\n")),
    "number": ({"type": "number"}, (0, 1.5, 12345678901234567890)),
    "null": ({"type": ["boolean", "null"]}, (None, True)),
    "tree": (
        {"type": "array", "items": {"$ref": "#/$defs/N"}, "$defs": {"N": {"type": "object", "properties": {"kids": {
            "type": "array", "items": {"$ref": "#/$defs/N"}}, "all": {"$ref": "#"}}}}},
        ([], [{"kids": [{"kids": []}], "all": []}]),
    ),
}  # fmt: skip


def tools():
    """Options that offer a tool with each output schema, which finishes with its argument `value`."""
    for name, (schema, _) in OUTPUTS.items():
        yield from (
            "--tool",
            "structured",
            json.dumps({"name": f"out-{name}", "inputSchema": {"type": "object"}, "outputSchema": schema}),
        )


def older_block(block, index, revision):
    """A content block of the modern era as `revision` has it."""
    block = copy.deepcopy(block)
    annotations = block.get("annotations")
    if revision < "2025-11-25":
        block.pop("icons", None)
    if revision < "2025-06-18":
        block.pop("_meta", None)
        if annotations is not None:
            annotations.pop("lastModified", None)
        if block["type"] == "resource":
            block["resource"] = older_contents(block["resource"], revision)
        if block["type"] == "resource_link":
            block = {"type": "text", "text": f"{block['name']}: {block['uri']}"}
    if revision < "2025-03-26" and block["type"] == "audio":
        resource = {"uri": f"cid:audio-{index}", "mimeType": block["mimeType"], "blob": block["data"]}
        block = {"type": "resource", "resource": resource}
    return {**block, "annotations": annotations} if annotations is not None else block


def older_contents(contents, revision):
    if revision >= "2025-06-18":
        return contents
    return {name: value for name, value in contents.items() if name not in ("_meta", "annotations")}


def older(result, revision, wraps=None):
    """A result of the modern era as `revision` has it. `wraps` says whether the tool's output schema is none of an object;
    None, that it has none."""
    result = copy.deepcopy(result)
    for name in ("resultType", "ttlMs", "cacheScope"):
        result.pop(name, None)
    meta = result.get("_meta", {})
    meta.pop(PREFIX + "serverInfo", None)
    if not meta:
        result.pop("_meta", None)
    if "content" in result:
        result["content"] = [older_block(block, index, revision) for index, block in enumerate(result["content"])]
    for index, message in enumerate(result.get("messages", [])):
        message["content"] = older_block(message["content"], index, revision)
    if "contents" in result:
        result["contents"] = [older_contents(one, revision) for one in result["contents"]]
    if "structuredContent" in result:
        value = result.pop("structuredContent")
        if revision >= "2025-06-18":
            wrapped = not isinstance(value, dict) if wraps is None else wraps
            result["structuredContent"] = {"result": value} if wrapped else value
    return result


class Same(unittest.TestCase):
    def everywhere(self, *options):
        """A client of the modern era over HTTP, and those that are asked the same: over pipes and the transport of a host, and
        in sessions of each older revision over all three."""
        web = HttpServer(*ALL, *options)
        servers = [(PipeServer(*ALL, *options), revision) for revision in REVISIONS]
        servers += [
            (PipeServer(*ALL, *options, mode="session"), revision) for revision in (MODERN, "2025-03-26", "2025-11-25")
        ]
        for server in (web, *(server for server, _ in servers)):
            self.addCleanup(server.__exit__, None, None, None)
        servers += [(web, revision) for revision in REVISIONS]
        first, *others = (Client(server, revision, EVERYTHING, answer) for server, revision in reversed(servers))
        return first, others

    def compare(self, method, params, modern, others, wraps=None):
        with self.subTest(method=method, params=str(params)[:80]):
            wanted = modern.ask(method, params)
            for client in others:
                found = client.ask(method, params)
                expected = wanted if client.modern else self.older_answer(wanted, client.revision, wraps)
                self.assertEqual({**found, "id": 0}, {**expected, "id": 0}, (client.revision, client.session))

    def older_answer(self, answered, revision, wraps):
        if "result" in answered:
            return {**answered, "result": older(answered["result"], revision, wraps)}
        error = dict(answered["error"])
        if "uri" in error.get("data", {}):
            error["code"] = -32002
        return {**answered, "error": error}

    def test_content_of_tools(self):
        modern, others = self.everywhere()
        rich = {
            "content": [
                {"type": "text", "text": "t", "_meta": {"a/b": 1}, "annotations": {"lastModified": "2026-01-02T03:04:05Z"}},
                {"type": "audio", "data": "YQ==", "mimeType": "audio/wav", "annotations": {"priority": 1}},
                {"type": "resource_link", "uri": "x:1", "name": "n", "icons": [{"src": "https://example.com/i"}], "annotations": {"audience": ["user"]}},
                {"type": "resource", "resource": {"uri": "x:1", "text": "", "_meta": {"a/b": 1}}, "_meta": {"a/b": 1}},
                {"type": "image", "data": "", "mimeType": "image/png", "_meta": {}},
            ],
            "isError": True,
            "_meta": {"com.example/a": {"b": [1, None]}},
        }  # fmt: skip
        for name, arguments in (
            ("blocks", {}), ("content", {}), ("echo", {"a": [1, "é", None, {"b": 1.50}]}), ("say", {"value": "\u2028\u0000x"}),
            ("tool_error", {"message": "no"}), ("fault", {"code": 77, "data": {"a": None}}), ("unfinished", {}),
            ("result", {"result": rich}), ("result", {"result": {"content": []}}), ("big", {"bytes": 100_000}),
        ):  # fmt: skip
            self.compare("tools/call", {"name": name, "arguments": arguments}, modern, others)
        self.compare("tools/call", {"name": "nobody"}, modern, others)
        self.compare("tools/call", {"name": 5}, modern, others)

    def test_b083_structured_content_by_the_schema_of_its_tool(self):
        modern, others = self.everywhere(*tools())
        listed = {
            client.revision: {tool["name"]: tool for tool in client.listed("tools/list", "tools")}
            for client in (modern, *others)
        }
        for name, (schema, values) in OUTPUTS.items():
            wraps = schema.get("type") != "object"
            for revision, tools_of in listed.items():
                shown = tools_of[f"out-{name}"].get("outputSchema")
                with self.subTest(name=name, revision=revision):
                    if revision < "2025-06-18":
                        self.assertIsNone(shown)
                    elif revision == MODERN or not wraps:
                        self.assertEqual(shown, schema)
                    else:
                        self.assertEqual((shown["type"], shown["required"]), ("object", ["result"]))
                        self.assertEqual(set(shown["properties"]), {"result"})
                        self.assertResolves(shown, shown)
            for value in values:
                self.compare(
                    "tools/call", {"name": f"out-{name}", "arguments": {"value": value}}, modern, others, wraps
                )
        for value in ([], {}, [1], "x", 5, None, {"result": 1}):
            self.compare("tools/call", {"name": "structured", "arguments": {"value": value}}, modern, others)

    def assertResolves(self, schema, root):
        """Each reference in `schema` leads somewhere in `root`."""
        if isinstance(schema, dict):
            if isinstance(schema.get("$ref"), str):
                at = root
                for step in schema["$ref"].removeprefix("#").split("/")[1:]:
                    at = at[int(step) if isinstance(at, list) else step]
                self.assertIsInstance(at, (dict, bool))
            for member in schema.values():
                self.assertResolves(member, root)
        elif isinstance(schema, list):
            for member in schema:
                self.assertResolves(member, root)

    def test_b081_b082_results_that_break_or_need_no_schema(self):
        schema = {
            "type": "object",
            "properties": {"x": {"type": "string"}},
            "required": ["x"],
            "additionalProperties": False,
        }
        tool = {"name": "strict", "inputSchema": {"type": "object"}, "outputSchema": schema}
        modern, others = self.everywhere("--tool", "result", json.dumps(tool))
        text = [{"type": "text", "text": "t"}]
        for result in (
            {"content": text, "isError": True},
            {"content": text, "isError": True, "structuredContent": {"error": 1}},
            {"content": text, "structuredContent": {"x": "y"}},
            {"content": text, "structuredContent": {"x": 1}},
            {"content": text, "structuredContent": {}},
            {"content": text},
        ):
            self.compare("tools/call", {"name": "strict", "arguments": {"result": result}}, modern, others)

    def test_prompts_resources_and_completions(self):
        modern, others = self.everywhere()
        for name, arguments in (("greet", {"who": "é", "style": "x"}), ("greet", {}), ("blocks", None), ("echo", {"a": "1"}), ("fault", None),
                                ("error", None), ("unfinished", None), ("nobody", None)):  # fmt: skip
            params = {"name": name} if arguments is None else {"name": name, "arguments": arguments}
            self.compare("prompts/get", params, modern, others)
        for uri in ("test://text", "test://bytes", "test://nothing", "test://folder", "test://gone", "test://fresh", "test://fault",
                    "test://error", "test://unfinished", "test://nowhere", "file:///docs/a%20b", "file:///docs/..", "file:///docs/%", ""):  # fmt: skip
            self.compare("resources/read", {"uri": uri}, modern, others)
        for value in ("", "b", "many 7", "many 300", "many 3 of 9", "!", "?"):
            ref = {"type": "ref/prompt", "name": "greet"}
            params = {
                "ref": ref,
                "argument": {"name": "style", "value": value},
                "context": {"arguments": {"who": "blue"}},
            }
            self.compare("completion/complete", params, modern, others)
        self.compare("completion/complete", {"ref": {"type": "ref/prompt", "name": "nobody"}}, modern, others)

    def test_what_was_asked_of_the_client_on_the_way(self):
        modern, others = self.everywhere()
        self.compare("tools/call", {"name": "ask", "arguments": questions(r=ROOTS, s=sampling())}, modern, others)
        forms = [client for client in others if client.revision >= "2025-06-18"]
        for method, params in (
            ("tools/call", {"name": "ask", "arguments": questions(r=ROOTS, f=form(), s=sampling())}),
            ("tools/call", {"name": "ask", "arguments": {**questions(a=form(), b=form(), c=ROOTS), "step": True}}),
            ("tools/call", {"name": "rounds", "arguments": {"rounds": 5}}),
            ("tools/call", {"name": "name"}),
            ("tools/call", {"name": "ask_later"}),
            ("tools/call", {"name": "book"}),
            ("prompts/get", {"name": "asks"}),
            ("resources/read", {"uri": "test://asks"}),
        ):
            self.compare(method, params, modern, forms)
        self.assertGreater(modern.rounds, 10)
        for client in forms:
            # Several questions of one round are one result there and several requests here.
            self.assertGreaterEqual(client.rounds, modern.rounds)

    def test_definitions(self):
        annotated = {
            "name": "annotated", "title": "T", "description": "D", "inputSchema": {"type": "object", "$schema": "https://json-schema.org/draft/2020-12/schema"},
            "annotations": {"title": "A", "readOnlyHint": True}, "icons": [{"src": "https://example.com/i"}], "_meta": {"a/b": 1},
        }  # fmt: skip
        modern, others = self.everywhere("--tool", "touch", json.dumps(annotated))
        for method, (member, _) in LISTS.items():
            wanted = modern.listed(method, member)
            for client in others:
                found = client.listed(method, member)
                self.assertEqual(
                    found,
                    wanted if client.modern else [self.older_definition(one, client.revision) for one in wanted],
                    (method, client.revision),
                )

    def older_definition(self, definition, revision):
        definition = copy.deepcopy(definition)
        if revision < "2025-11-25":
            definition.pop("icons", None)
        if revision < "2025-06-18":
            for name in ("title", "_meta", "outputSchema"):
                definition.pop(name, None)
            definition.get("annotations", {}).pop("lastModified", None)
            for argument in definition.get("arguments", []):
                argument.pop("title", None)
        if revision < "2025-03-26" and "inputSchema" in definition:
            definition.pop("annotations", None)
        return definition


class Arguments(unittest.TestCase):
    def test_b096_bad_arguments_are_worded_alike_and_told_in_two_ways(self):
        schema = {"type": "object", "properties": {"n": {"type": "integer"}, "e": {"enum": ["a"]}}, "required": ["n"]}
        options = ("--tool", "touch", json.dumps({"name": "strict", "inputSchema": schema}))
        said = {}
        for revision in REVISIONS:
            with PipeServer(*ALL, *options) as server:
                client = Client(server, revision)
                for number, arguments in enumerate(({}, {"n": "x"}, {"n": 1.5, "e": "b"}, {"n": None})):
                    answered = client.call("strict", arguments)
                    text = (
                        answered["result"]["content"][0]["text"]
                        if "result" in answered
                        else answered["error"]["message"]
                    )
                    said.setdefault(number, set()).add(text)
                    self.assertEqual("error" in answered, revision < "2025-11-25")
        self.assertEqual([len(texts) for texts in said.values()], [1] * 4, said)

    def test_b080_a_null_for_an_optional_member_is_none_in_every_revision(self):
        completion = {"ref": {"type": "ref/prompt", "name": "greet"}, "argument": {"name": "who", "value": ""}}
        cases = [(method, {"cursor": None}) for method in LISTS]
        cases += [
            ("tools/call", {"name": "echo", "arguments": None}),
            ("tools/call", {"name": "echo", "inputResponses": None, "requestState": None}),
            ("prompts/get", {"name": "echo", "arguments": None}),
            ("prompts/get", {"name": "echo", "inputResponses": None}),
            ("resources/read", {"uri": "test://text", "inputResponses": None, "requestState": None}),
            ("completion/complete", {**completion, "context": None}),
            ("completion/complete", {**completion, "context": {"arguments": None}}),
        ]
        for revision in REVISIONS:
            with PipeServer(*ALL) as server:
                client = Client(server, revision)
                for method, params in cases:
                    with self.subTest(method=method, params=params, revision=revision):
                        found = client.ask(method, params)
                        bare = client.ask(method, {name: value for name, value in params.items() if value is not None})
                        self.assertEqual(found.get("result", found), bare["result"])
                message = client.message("tools/call", {"name": "progress", "arguments": {"values": [1]}})
                message["params"].setdefault("_meta", {})["progressToken"] = None
                self.assertIn("result", client.exchange(message))
                self.assertEqual(server.notifications("notifications/progress"), [])

    def test_b067_b068_the_opt_in_decodes_the_same_in_every_revision(self):
        schema = {
            "type": "object",
            "properties": {"tags": {"type": "array"}, "n": {"type": ["integer", "null"]}, "s": {"type": "string"}},
        }
        options = (
            "--tool",
            "echo",
            json.dumps({"name": "typed-echo", "inputSchema": schema}),
            "--option",
            "lenient_arguments=true",
        )
        for revision in LEGACY:
            with PipeServer(*ALL, *options) as server:
                client = Client(server, revision)
                seen = json.loads(client.text("typed-echo", {"tags": '["a"]', "n": "5", "s": "[1]"}))
                self.assertEqual(seen, {"tags": ["a"], "n": 5, "s": "[1]"})
                raw = client.message(
                    "tools/call", {"name": "typed-echo", "arguments": {"s": "007", "x": 12345678901234567890123}}
                )
                self.assertEqual(
                    client.exchange(raw)["result"]["content"][0]["text"], '{"s":"007","x":12345678901234567890123}'
                )


if __name__ == "__main__":
    unittest.main()
