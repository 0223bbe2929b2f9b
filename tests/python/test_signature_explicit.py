"""Schemas of the author's own: published as they are, and held against the signature."""

import enum
import unittest
from typing import Annotated, Any, Dict, List, Optional

from libmcp import Image
from libmcp.signature import describe_tool
from libmcp.signature.shape import AUTO, CONVERT, INT, PLAIN, STRUCTURED


class Colour(enum.Enum):
    RED = "red"


def obj(required=(), **properties):
    return {"type": "object", "properties": properties, "required": list(required)}


INTEGER, STRING = {"type": "integer"}, {"type": "string"}


def tool(count: int, name: str = "x") -> Dict[str, int]:
    return {name: count}


def free(first: int, **rest): ...


class InputSchemas(unittest.TestCase):
    def test_they_are_published_as_they_are(self):
        schema = {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "required": ["count"],
            "x-mine": None,
            "properties": {"name": {"type": ["string"], "title": "Name"}, "count": {"minimum": 0, "type": "integer"}},
            "type": "object",
        }
        published = describe_tool(tool, input_schema=schema).input_schema
        self.assertIs(published, schema)

    def test_what_fits(self):
        for schema in [
            obj(["count"], count=INTEGER),
            obj(["count", "name"], count=INTEGER, name=STRING),
            obj(["count"], count={"type": "number"}),
            obj(["count"], count={"type": ["integer", "null"]}),
            obj(["count"], count={"enum": [1, 2]}, name={"const": "x"}),
            obj(["count"], count={}, name=True),
            obj(["count"], count=INTEGER, other=False),
            {"type": "object", "required": ["count"]},
            {"type": "object", "allOf": [obj(["count"], count=INTEGER), obj([], name=STRING)]},
            {"type": "object", "$ref": "#/$defs/all~1of", "$defs": {"all/of": obj(["count"], count={"$ref": "#/$defs/n"}), "n": INTEGER}},
            {"type": "object", "anyOf": [{"required": ["count"]}, {"required": ["name"]}]},
            {"type": "object", "patternProperties": {"^c": INTEGER}},
            {"type": "object", "$ref": "https://example.test/schema"},
        ]:
            with self.subTest(schema):
                self.assertIs(describe_tool(tool, input_schema=schema).input_schema, schema)

    def test_what_does_not(self):
        for schema, words in [
            (obj(), "tool: the parameter 'count' has no default, and input_schema no property 'count'"),
            (obj([], count=INTEGER), "input_schema does not name the property 'count' in \"required\""),
            (obj(["count"], count=INTEGER, days=INTEGER),
             "tool: input_schema has a property 'days', and the function no such parameter (it has 'count', 'name')"),
            (obj(["count"], count=STRING),
             "tool: the property 'count' of input_schema is string, and the parameter 'count' is annotated as integer"),
            (obj(["count"], count=INTEGER, name={"type": ["integer", "null"]}), "the property 'name' of input_schema is integer or null"),
            (obj(["count"], count={"enum": ["a"]}), "is string, and the parameter 'count' is annotated as integer"),
            (obj(["count"], count={"anyOf": [STRING, {"type": "null"}]}), "is null or string, and the parameter 'count'"),
            ({"type": "object", "$ref": "#/$defs/a", "$defs": {"a": obj(["count"], count=STRING)}}, "the property 'count' of input_schema is string"),
            ({"allOf": [obj(["count"], count=INTEGER), obj([], x=INTEGER)]}, "input_schema has a property 'x'"),
            ({"properties": []}, "\"properties\" of input_schema must be a dict"),
        ]:
            with self.subTest(schema), self.assertRaises(ValueError) as raised:
                describe_tool(tool, input_schema=schema)
            self.assertIn(words, str(raised.exception))
        for schema in ([], "{}", True):
            with self.assertRaisesRegex(TypeError, "tool: input_schema must be a dict, not "):
                describe_tool(tool, input_schema=schema)

    def test_a_parameter_for_all_the_rest_takes_any_property(self):
        schema = obj(["first"], first=INTEGER, second=STRING)
        self.assertIs(describe_tool(free, input_schema=schema).input_schema, schema)

    def test_properties_that_are_keywords_of_python(self):
        def function(from_: str, class_: int = 1): ...

        shape = describe_tool(function, input_schema=obj(["from"], **{"from": STRING, "class": INTEGER}))
        self.assertEqual([(one.name, one.argument) for one in shape.parameters], [("from_", "from"), ("class_", "class")])
        shape = describe_tool(function, input_schema=obj(["from_"], from_=STRING))
        self.assertEqual(shape.parameters[0].argument, "from_")

    def test_a_schema_that_lets_more_through_is_made_up_for(self):
        schema = obj(["a", "b", "c", "d"], a={"type": "number"}, b=INTEGER, c={}, d={}, e=STRING)

        def function(a: int, b: int, c: List[int], d: Any, e: Optional[str] = None): ...

        kinds = {one.name: one for one in describe_tool(function, input_schema=schema).parameters}
        self.assertEqual([one.kind for one in kinds.values()], [CONVERT, INT, CONVERT, PLAIN, PLAIN])
        self.assertEqual(repr(kinds["a"].convert(1.0)), "1")
        self.assertEqual(kinds["c"].convert([1.0]), [1])
        for name, value, words in [("a", 1.5, "is no integer"), ("c", "x", "is no array"), ("c", ["1"], "is no integer")]:
            with self.assertRaisesRegex(ValueError, words):
                kinds[name].convert(value)

    def test_an_enum_by_its_values(self):
        def function(colour: Colour): ...

        [parameter] = describe_tool(function, input_schema=obj(["colour"], colour=STRING)).parameters
        self.assertIs(parameter.convert("red"), Colour.RED)
        with self.assertRaisesRegex(ValueError, "is none of 'red'"):
            parameter.convert("green")


class OutputSchemas(unittest.TestCase):
    def shape(self, annotation, schema):
        def function(): ...

        function.__annotations__ = {"return": annotation} if annotation != "none at all" else {}
        return describe_tool(function, output_schema=schema)

    def test_they_are_published_as_they_are(self):
        for annotation, schema, kind in [
            (Dict[str, int], {"type": "object", "minProperties": 1}, STRUCTURED),
            (dict, {"type": "object", "required": ["a"]}, STRUCTURED),
            ("none at all", {"type": "string"}, STRUCTURED),
            (Any, {"type": "array"}, STRUCTURED),
            (str, {"type": "string", "minLength": 1}, STRUCTURED),
            (int, {"type": "number"}, STRUCTURED),
            (Image, {"type": "object"}, STRUCTURED),
        ]:
            with self.subTest(annotation):
                shape = self.shape(annotation, schema)
                self.assertIs(shape.output_schema, schema)
                self.assertEqual(shape.result.kind, kind)
        self.assertEqual(describe_tool(lambda: 1).result.kind, AUTO)

    def test_what_does_not_fit(self):
        for annotation, schema, words in [
            (str, {"type": "object"}, "function: output_schema is object, and the function returns str, which is string"),
            (Annotated[int, "n"], {"type": "string"}, "which is integer"),
            (None, {"type": "object"}, "which is null"),
            (List[int], {"type": "object"}, "output_schema is object, and the function returns List[int], which is array"),
        ]:
            with self.subTest(annotation), self.assertRaises(ValueError) as raised:
                self.shape(annotation, schema)
            self.assertIn(words, str(raised.exception))
        with self.assertRaisesRegex(TypeError, "function: output_schema must be a dict, not str"):
            self.shape(int, "{}")

    def test_models(self):
        from pydantic import BaseModel

        class Model(BaseModel):
            a: int

        schema = {"type": "object", "required": ["a"]}
        shape = self.shape(Model, schema)
        self.assertEqual(shape.result.dump(Model(a=1)), b'{"a":1}')
        with self.assertRaisesRegex(ValueError, "output_schema requires the property 'b', and .*Model has none of that name"):
            self.shape(Model, {"type": "object", "required": ["a", "b"]})


if __name__ == "__main__":
    unittest.main()
