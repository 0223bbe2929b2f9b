"""Topic 3, schemas: what the arguments of a call may be, and what of them reaches the handler."""

import json
import unittest
from decimal import Decimal

from wire.patience import bound
from wire.pipe import PipeServer, register
from wire.request import call, encode, listing, text_of

NOT_FOUND, NULL_VALUE, WRONG_TYPE, OUT_OF_RANGE = -5, -6, -7, -8


def tool(name, schema, **more):
    return json.dumps({"name": name, "description": "Fixture.", "inputSchema": schema, **more})


def one(schema, **more):
    """A schema with the one property `v`."""
    return {"type": "object", "properties": {"v": schema}, **more}


class Calls(unittest.TestCase):
    """Calls one tool with many arguments."""

    def ask_raw(self, server, name, arguments):
        """A call whose arguments are this very JSON text; the result."""
        self.count = getattr(self, "count", 0) + 1
        message = call(self.count, name, "ARGUMENTS")
        server.note(message)
        server.send(encode(message).replace(b'"ARGUMENTS"', arguments.encode()))
        answer = server.answer(self.count)
        self.assertIn("result", answer)
        return answer["result"]

    def assert_table(self, schema, accepted, refused, options=(), mentions=()):
        """`accepted` and `refused` are JSON texts for the property `v`; None leaves it out."""
        with PipeServer("--tool", "typed", tool("t", schema), *options) as server:
            for text in [*accepted, *refused]:
                with self.subTest(v=text):
                    result = self.ask_raw(server, "t", "{}" if text is None else f'{{"v":{text}}}')
                    bad = result.get("isError", False)
                    self.assertEqual(bad, text in refused, result)
                    if bad:
                        said = result["content"][0]["text"]
                        for word in mentions:
                            self.assertIn(word, said)


class Text(Calls):
    TAGS = {
        "type": "object",
        "properties": {
            "tags": {"type": "array", "items": {"type": "string"}},
            "user": {"type": "object"},
            "n": {"type": ["integer", "null"]},
        },
    }

    def test_b067_json_text_in_place_of_a_value_is_refused_with_the_property_and_the_type(self):
        with PipeServer("--tool", "echo", tool("t", self.TAGS)) as server:
            for text, words in (
                ('{"tags":"[\\"a\\"]"}', ("tags", "array")),
                ('{"tags":"a,b"}', ("tags", "array")),
                ('{"tags":"{}"}', ("tags", "array")),
                ('{"user":"{\\"x\\":1}"}', ("user", "object")),
                ('{"n":"5"}', ("/n", "integer")),
            ):
                with self.subTest(arguments=text):
                    result = self.ask_raw(server, "t", text)
                    self.assertIs(result["isError"], True)
                    for word in words:
                        self.assertIn(word, result["content"][0]["text"])

    def test_b067_every_problem_of_a_call_is_in_one_answer_with_its_pointer(self):
        with PipeServer("--tool", "echo", tool("t", {**self.TAGS, "required": ["city"]})) as server:
            result = self.ask_raw(server, "t", '{"tags":[1,"b",2],"user":3,"n":"x"}')
            self.assertIs(result["isError"], True)
            for word in ("/tags/0", "/tags/2", "/user", "/n", "city"):
                self.assertIn(word, result["content"][0]["text"])
            self.assertNotIn("/tags/1", result["content"][0]["text"])

    def test_b067_the_opt_in_decodes_only_where_text_is_not_allowed_and_the_value_is(self):
        for schema, good, bad in (
            (
                {"type": "array", "items": {"type": "string"}},
                [('"[\\"a\\"]"', ["a"]), ('["a"]', ["a"])],
                ['"a,b"', '"{}"', '"[1]"', '"[\\"a\\""', '""'],
            ),
            ({"type": "object"}, [('"{\\"x\\":1}"', {"x": 1})], ['"[]"', '"x"', '"5"']),
            ({"type": ["integer", "null"]}, [('"5"', 5)], ['"x"', '"5.5"', '"[5]"', '"true"']),
            ({"type": "boolean"}, [('"true"', True)], ['"yes"', '"1"', '"TRUE"']),
        ):
            with PipeServer("--option", "lenient_arguments=true", "--tool", "typed", tool("t", one(schema))) as server:
                for text, value in good:
                    with self.subTest(schema=schema, v=text):
                        seen = self.ask_raw(server, "t", f'{{"v":{text}}}')
                        self.assertFalse(seen.get("isError", False), seen)
                        seen = seen["structuredContent"]["json"]
                        self.assertEqual((seen["status"], json.loads(seen["value"] or "0")), (0, value))
                for text in bad:
                    with self.subTest(schema=schema, v=text):
                        self.assertIs(self.ask_raw(server, "t", f'{{"v":{text}}}').get("isError"), True)

    STRINGS = ('{"a":1}', "[1]", "007", "1e5", "true", "null", '"q"', "", "1e10aaaa-0000", "  5  ", "{", "-0")

    def test_b068_a_string_is_never_taken_for_something_else(self):
        schemas = (
            {"type": "string"},
            {"type": ["string", "null"]},
            {"anyOf": [{"type": "string"}, {"type": "integer"}]},
            {},
            {"anyOf": [{"type": "array"}, {"type": "string"}]},
        )
        for options in ((), ("--option", "lenient_arguments=true")):
            for schema in schemas:
                with PipeServer(*options, "--tool", "typed", tool("t", one(schema))) as server:
                    for value in self.STRINGS:
                        with self.subTest(schema=schema, v=value, lenient=bool(options)):
                            result = self.ask_raw(server, "t", json.dumps({"v": value}))
                            seen = result["structuredContent"]
                            self.assertEqual(seen["string"], {"status": 0, "value": value})
                            self.assertEqual(json.loads(seen["json"]["value"]), value)
                            for other in ("int64", "double", "bool"):
                                self.assertEqual(seen[other]["status"], WRONG_TYPE)

    def test_b068_the_opt_in_leaves_the_other_arguments_alone(self):
        with PipeServer(
            "--option", "lenient_arguments=true", "--tool", "echo", tool("t", one({"type": "array"}))
        ) as server:
            for other in (
                "12345678901234567890123",
                "9007199254740993",
                "0.1000",
                "0.12345678901234567890",
                "1e2",
                '"\\u0041"',
                '{"z":1,"a":[1.0]}',
                '"[1]"',
            ):
                with self.subTest(other=other):
                    seen = self.ask_raw(server, "t", f'{{"v":"[1]","w":{other}}}')["content"][0]["text"]
                    exact = json.loads(seen, parse_int=Decimal, parse_float=Decimal)
                    self.assertEqual(exact, {"v": [1], "w": json.loads(other, parse_int=Decimal, parse_float=Decimal)})

    def test_b068_the_bytes_of_the_arguments_reach_the_handler_untouched(self):
        texts = (
            '{ "a" : 1.0 , "b":1e2, "c" : "\\u0041\\/" }',
            '{"big":123456789012345678901234567890,"z":-0.0,"f":0.10}',
            '{"d":{"e":[ ]}}',
            "{}",
        )
        with PipeServer() as server:
            for name in ("echo", "echo_pool"):
                for text in texts:
                    self.assertEqual(self.ask_raw(server, name, text)["content"][0]["text"], text)
            self.assertEqual(text_of(server.ask(call("absent", "echo"))), "{}")


class References(Calls):
    NODE = {
        "type": "object",
        "$defs": {
            "N": {
                "type": "object",
                "properties": {"v": {"$ref": "#/$defs/V"}, "kids": {"type": "array", "items": {"$ref": "#/$defs/N"}}},
            },
            "V": {"enum": ["a", "b"]},
            "unused": {"type": "integer", "minimum": 3},
        },
        "properties": {"v": {"$ref": "#/$defs/N", "description": "A sibling of a reference"}},
        "required": ["v"],
    }

    def nested(self, depth, leaf):
        value = {"v": leaf}
        for _ in range(depth - 1):
            value = {"v": "a", "kids": [value]}
        return json.dumps(value)

    def test_b069_definitions_and_recursion_are_followed(self):
        accepted = [self.nested(1, "a"), self.nested(5, "b"), self.nested(30, "b"), "{}"]
        refused = [self.nested(4, "c"), self.nested(1, 1), '{"kids":{}}', '{"kids":[[]]}', "1", None]
        self.assert_table(self.NODE, accepted, refused)
        self.assert_table(self.NODE, [], [self.nested(4, "c")], mentions=["/v/kids/0/kids/0/kids/0/v"])

    def test_b069_a_schema_may_refer_to_its_root(self):
        schema = {
            "type": "object",
            "properties": {"v": {"$ref": "#"}, "n": {"type": "integer"}},
            "additionalProperties": False,
        }
        self.assert_table(schema, ["{}", '{"v":{"v":{"n":1}}}', None], ['{"x":1}', '{"v":{"v":{"n":"1"}}}', "1"])

    def test_b069_names_with_slashes_tildes_anchors_and_ids(self):
        for schema in (
            {"type": "object", "$defs": {"a/b": {"type": "integer"}}, "properties": {"v": {"$ref": "#/$defs/a~1b"}}},
            {"type": "object", "$defs": {"a~b": {"type": "integer"}}, "properties": {"v": {"$ref": "#/$defs/a~0b"}}},
            {
                "type": "object",
                "$defs": {"a b%": {"type": "integer"}},
                "properties": {"v": {"$ref": "#/$defs/a%20b%25"}},
            },
            {
                "type": "object",
                "$defs": {"x": {"$anchor": "here", "type": "integer"}},
                "properties": {"v": {"$ref": "#here"}},
            },
            {
                "type": "object",
                "$defs": {"x": {"$dynamicAnchor": "dyn", "type": "integer"}},
                "properties": {"v": {"$dynamicRef": "#dyn"}},
            },
            {
                "type": "object",
                "$id": "https://example.test/root",
                "$defs": {"x": {"$id": "part", "type": "integer"}},
                "properties": {"v": {"$ref": "part"}},
            },
        ):
            with self.subTest(schema=schema):
                self.assert_table(schema, ["1", None], ['"1"', "1.5"])

    def test_b069_a_schema_is_published_as_it_was_written(self):
        texts = [
            '{ "type":"object", "$defs":{"N":{"$ref":"#/$defs/M"},"M":{"type":"string"}}, "properties":{"b":{"$ref":"#/$defs/N","title":"B"},"a":true} }',
            '{"additionalProperties":false,"type":"object","properties":{"z":{"const":1.0},"a":{"default":1e2,"x-own":[null]}},"$comment":"order and spelling stay"}',
        ]
        for text in texts:
            definition = '{"name":"t","inputSchema":' + text + "}"
            with PipeServer("--bare", "1", "--tool", "echo", definition) as server:
                server.ask(listing(1))
                shown = server.lines[-1].decode()
                # White space between tokens may go; members, their order and the spelling of values may not.
                self.assertIn(text.replace(" ", ""), shown.replace(" ", ""))

    def test_b069_a_reference_that_leads_nowhere_or_to_the_network_is_refused_at_registration(self):
        for reference in (
            "https://example.test/x.json",
            "http://127.0.0.1:1/x",
            "file:///etc/passwd",
            "#/$defs/none",
            "other.json",
            "//example.test/x",
        ):
            with self.subTest(reference=reference):
                answer = register(tool("linked", one({"$ref": reference})))[0]
                self.assertLess(answer["status"], 0)
                self.assertIn("linked", answer["error"])
        self.assertLess(
            register(tool("linked", {"type": "object"}, outputSchema={"$ref": "https://example.test/x"}))[0]["status"],
            0,
        )


class Dialects(Calls):
    DRAFT7 = ("http://json-schema.org/draft-07/schema#", "http://json-schema.org/draft-07/schema")
    D2019 = "https://json-schema.org/draft/2019-09/schema"
    D2020 = "https://json-schema.org/draft/2020-12/schema"

    def test_b071_each_dialect_is_read_by_its_own_rules(self):
        pair = [{"type": "string"}, {"type": "integer"}]
        for dialect in (*self.DRAFT7, self.D2019):
            # An array of `items` is a tuple up to 2019-09.
            schema = {"$schema": dialect, **one({"type": "array", "items": pair, "additionalItems": False})}
            self.assert_table(schema, ['["a",1]', "[]", '["a"]'], ["[1]", '["a","b"]', '["a",1,2]'])
        for dialect in (self.D2020, self.D2020 + "#", None):
            schema = one({"type": "array", "prefixItems": pair, "items": False})
            if dialect:
                schema["$schema"] = dialect
            self.assert_table(schema, ['["a",1]', "[]", '["a"]'], ["[1]", '["a","b"]', '["a",1,2]'])

    def test_b071_what_a_dialect_does_not_know_it_ignores(self):
        # `prefixItems` means nothing in draft-07, and what stands beside a `$ref` neither.
        self.assert_table(
            {"$schema": self.DRAFT7[0], **one({"prefixItems": [{"type": "string"}]})}, ["[1]", '["a"]'], []
        )
        self.assert_table(
            {
                "$schema": self.DRAFT7[0],
                "definitions": {"x": {"type": "integer"}},
                **one({"$ref": "#/definitions/x", "minimum": 5}),
            },
            ["1"],
            ['"1"'],
        )
        self.assert_table(
            {"$schema": self.D2020, "$defs": {"x": {"type": "integer"}}, **one({"$ref": "#/$defs/x", "minimum": 5})},
            ["5"],
            ["1", '"1"'],
        )
        self.assert_table({"$schema": self.DRAFT7[0], "type": "object", "dependencies": {"v": ["w"]}}, [None], ["1"])
        self.assert_table({"$schema": self.D2019, "type": "object", "dependentRequired": {"v": ["w"]}}, [None], ["1"])

    def test_b071_an_unknown_dialect_is_refused_by_name_and_costs_no_other_tool(self):
        dialects = ("http://json-schema.org/draft-04/schema#", "https://example.test/x", "draft-07", "")
        good = tool("good", one({"type": "string"}))
        answers = register(
            good,
            *(tool("odd", {"$schema": dialect, "type": "object"}) for dialect in dialects),
            tool("odd", {"$schema": 5, "type": "object"}),
            good,
        )
        self.assertEqual((answers[0]["status"], answers[-1]["status"]), (0, 0))
        for dialect, answer in zip(dialects, answers[1:]):
            with self.subTest(dialect=dialect):
                self.assertLess(answer["status"], 0)
                self.assertIn("odd", answer["error"])
                self.assertIn(dialect, answer["error"])
        self.assertLess(answers[-2]["status"], 0)

    def test_b071_an_unknown_dialect_in_an_output_schema_too(self):
        answer = register(
            tool("odd", {"type": "object"}, outputSchema={"$schema": "https://example.test/x", "type": "object"})
        )[0]
        self.assertLess(answer["status"], 0)
        self.assertIn("https://example.test/x", answer["error"])

    def test_b071_a_dialect_inside_a_schema_is_never_the_end(self):
        inside = (
            {"$schema": self.DRAFT7[0], "type": "string"},
            {"$schema": "https://example.test/x", "type": "string"},
            {"$schema": 5},
        )
        for answer in register(*(tool("inner", one(schema)) for schema in inside)):
            self.assertIn(answer["status"] == 0, (True, False))


class Formats(Calls):
    def schema_of(self, server, name):
        tools = server.ask(listing("l"))["result"]["tools"]
        return next(tool["inputSchema"] for tool in tools if tool["name"] == name)

    def test_b073_a_schema_made_by_the_library_has_no_formats_of_its_own(self):
        with PipeServer() as server:
            schema = self.schema_of(server, "built")
            types = {name: member["type"] for name, member in schema["properties"].items()}
            self.assertEqual(
                types,
                {
                    "text": "string",
                    "number": "number",
                    "integer": "integer",
                    "truth": "boolean",
                    "object": "object",
                    "list": "array",
                    "format": "string",
                },
            )
            self.assertEqual(schema["required"], ["text"])
            self.assertEqual(schema["type"], "object")
            for member in schema["properties"].values():
                self.assertLessEqual(set(member), {"type", "description"})
            self.assertEqual(schema["properties"]["format"]["description"], "Not the keyword")
            self.assertNotIn("description", schema["properties"]["number"])

    def test_b073_formats_of_others_are_no_reason_to_refuse(self):
        for name in ("uint32", "double", "int64", "x-own", "phone"):
            schema = one({"type": "integer", "format": name, "minimum": 0, "maximum": 2**32 - 1})
            self.assert_table(schema, ["0", str(2**32 - 1)], [str(2**32), "-1", '"x"', "0.5"])
        self.assert_table(one({"type": "string", "format": "uint"}), ['"x"'], ["1"])

    def test_b073_data_that_speaks_of_formats_is_left_alone(self):
        schema = one({"enum": ["format", {"format": "uint32"}], "default": {"format": "uint8"}})
        with PipeServer("--tool", "echo", tool("t", schema)) as server:
            self.assertEqual(self.schema_of(server, "t"), schema)


class Nulls(Calls):
    def test_b074_a_type_may_be_a_list(self):
        self.assert_table(one({"type": ["number", "null"]}), [None, "null", "1.5"], ['"null"', "true", "[]"])

    def test_b074_null_may_be_a_branch_and_a_default_is_documentation(self):
        self.assert_table(
            one({"anyOf": [{"type": "string"}, {"type": "null"}], "default": None}),
            [None, "null", '"null"', '"x"'],
            ["1", "{}"],
        )

    def test_b074_null_may_be_a_member_of_an_enum(self):
        self.assert_table(one({"enum": ["a", None]}), [None, "null", '"a"'], ['"null"', "0", '""'])

    def test_b074_a_nullable_of_another_standard_means_nothing(self):
        self.assert_table(one({"type": "string", "nullable": True}), [None, '"x"'], ["null"])

    def test_b074_an_optional_argument_may_be_absent_but_not_null(self):
        self.assert_table(one({"type": "string"}), [None, '"x"'], ["null"])

    def test_b074_a_handler_tells_absent_from_null_and_gets_no_default(self):
        schema = one({"type": ["string", "null"], "default": "d"})
        with PipeServer("--tool", "typed", tool("t", schema), "--tool", "echo", tool("e", schema)) as server:
            for arguments, status in (("{}", NOT_FOUND), ('{"v":null}', NULL_VALUE)):
                seen = self.ask_raw(server, "t", arguments)["structuredContent"]
                for getter in ("string", "int64", "double", "bool"):
                    self.assertEqual(seen[getter]["status"], status, getter)
                self.assertEqual(self.ask_raw(server, "e", arguments)["content"][0]["text"], arguments)


class Numbers(Calls):
    def typed(self, server, text):
        result = self.ask_raw(server, "t", f'{{"v":{text}}}')
        return None if result.get("isError") else result["structuredContent"]

    def test_b077_an_integer_is_an_integer_however_it_is_written(self):
        with PipeServer("--tool", "typed", tool("t", one({"type": "integer"}))) as server:
            for text, value in (
                ("3", 3), ("3.0", 3), ("3e0", 3), ("30e-1", 3), ("0.3e1", 3), ("-0.0", 0), ("-0", 0), ("1e3", 1000),
                (str(2**53 + 1), 2**53 + 1), (str(2**63 - 1), 2**63 - 1), (str(-(2**63)), -(2**63)),
            ):  # fmt: skip
                with self.subTest(v=text):
                    seen = self.typed(server, text)
                    self.assertIsNotNone(seen, "refused")
                    self.assertEqual(seen["int64"], {"status": 0, "value": value})
                    self.assertEqual(seen["json"]["value"], text)
            for text in ("0.5", "true", '"5812"', "1e400", "-1e400", "null", "[3]", "3.0000001"):
                with self.subTest(v=text):
                    self.assertIsNone(self.typed(server, text), "accepted")
            for text in (str(2**63), str(-(2**63) - 1), "1e19"):
                with self.subTest(v=text):
                    self.assertEqual(self.typed(server, text)["int64"]["status"], OUT_OF_RANGE)

    def test_b077_no_integer_is_rounded_on_the_way(self):
        with PipeServer("--tool", "typed", tool("t", one({"type": "integer"}))) as server:
            for text, value in (
                ("9007199254740993.0", 2**53 + 1),
                ("9223372036854775807.0", 2**63 - 1),
                ("9007199254740993e0", 2**53 + 1),
            ):
                with self.subTest(v=text):
                    seen = self.typed(server, text)
                    if seen is not None and seen["int64"]["status"] == 0:
                        self.assertEqual(seen["int64"]["value"], value)

    def test_b077_a_refusal_reads_well(self):
        self.assert_table(one({"type": "integer"}), [], ["0.5", "true", '"5812"'], mentions=["/v", "integer"])

    def test_b077_a_number_is_any_number_but_no_infinity(self):
        with PipeServer("--tool", "typed", tool("t", one({"type": "number"}))) as server:
            for text, value in (
                ("1", 1.0),
                ("1.5", 1.5),
                ("-0.0", 0.0),
                ("1e308", 1e308),
                ("5e-324", 5e-324),
                ("0.1", 0.1),
            ):
                with self.subTest(v=text):
                    self.assertEqual(self.typed(server, text)["double"], {"status": 0, "value": value})
            for text in ("true", '"1"', "1e400", "-1e400"):
                with self.subTest(v=text):
                    self.assertIsNone(self.typed(server, text), "accepted")

    def test_b077_bounds_and_multiples_are_exact(self):
        self.assert_table(
            one({"type": "number", "multipleOf": 0.1}), ["0.3", "0.7", "1", "-0.3", "1.1"], ["0.35", "0.01"]
        )
        self.assert_table(
            one({"type": "integer", "minimum": -3, "exclusiveMaximum": 7}), ["-3", "6", "6.0"], ["-4", "7", "7.0"]
        )
        self.assert_table(one({"type": "integer", "maximum": 2**53}), [str(2**53)], [str(2**53 + 1)])


class Registration(unittest.TestCase):
    BROKEN = (
        None,
        True,
        {},
        {"type": "array"},
        {"anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
        {"type": "int"},
        {"type": ["object", "null"]},
        [],
        "object",
        5,
    )

    def test_b075_a_schema_that_is_no_object_schema_is_refused_by_the_name_of_its_tool(self):
        answers = register(*(tool("broken", schema) for schema in self.BROKEN), tool("fine", {"type": "object"}))
        for schema, answer in zip(self.BROKEN, answers):
            with self.subTest(schema=schema):
                self.assertLess(answer["status"], 0)
                self.assertIn("broken", answer["error"])
        self.assertEqual(answers[-1]["status"], 0)

    def test_b075_a_refused_tool_hides_no_other_while_serving(self):
        with PipeServer(
            "--bare",
            "1",
            "--tool",
            "change",
            tool("change", {"type": "object"}),
            "--tool",
            "touch",
            tool("kept", {"type": "object"}),
        ) as server:
            broken = [{"name": "broken", "inputSchema": schema} for schema in self.BROKEN]
            said = json.loads(
                text_of(
                    server.ask(
                        call(1, "change", {"add": [*broken, {"name": "new", "inputSchema": {"type": "object"}}]})
                    )
                )
            )
            self.assertEqual([answer["status"] < 0 for answer in said], [True] * len(broken) + [False])
            self.assertEqual(
                [entry["name"] for entry in server.ask(listing(2))["result"]["tools"]], ["change", "kept", "new"]
            )
            self.assertEqual(text_of(server.ask(call(3, "new"), bound(1))), "touched")

    def test_b075_a_mistake_is_explained_by_its_place_and_the_way_out(self):
        answer = register(tool("add", one({"type": "int"})))[0]
        for word in ("add", "/properties/v/type", "int", "integer"):
            self.assertIn(word, answer["error"])

    def test_b080_a_null_for_an_optional_field_is_absent_or_refused_but_never_published(self):
        for field in ("title", "description", "annotations", "icons", "_meta", "outputSchema"):
            with self.subTest(field=field):
                definition = {"name": "t", "inputSchema": {"type": "object"}, field: None}
                answer = register(definition)[0]
                if answer["status"] == 0:
                    with PipeServer("--bare", "1", "--tool", "echo", json.dumps(definition)) as server:
                        self.assertNotIn(field, server.ask(listing(1))["result"]["tools"][0])
                else:
                    self.assertIn(field, answer["error"])

    def test_b080_what_was_not_given_is_not_there(self):
        with PipeServer("--bare", "1", "--tool", "content", '{"name":"t","inputSchema":{"type":"object"}}') as server:
            result = server.ask(listing(1))["result"]
            self.assertEqual(result["tools"], [{"name": "t", "inputSchema": {"type": "object"}}])
            self.assertNotIn("nextCursor", result)
            # No null anywhere: each frame is searched for one on its way in.
            link = server.ask(call(2, "t"))["result"]["content"][3]
            self.assertEqual(link, {"type": "resource_link", "uri": "file:///a.txt", "name": "a.txt"})

    def test_b080_a_null_from_the_client_is_no_harm(self):
        with PipeServer() as server:
            for id, params in enumerate(({"cursor": None}, {"cursor": None, "extra": None})):
                answer = server.ask(listing(id, **params))
                self.assertIn(answer.get("error", {}).get("code"), (None, -32602))
            answer = server.ask({**call("n", "echo"), "params": {**call("n", "echo")["params"], "arguments": None}})
            self.assertIn(answer.get("error", {}).get("code"), (None, -32602))


if __name__ == "__main__":
    unittest.main()
