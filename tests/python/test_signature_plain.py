"""Schemas that the package makes by itself, and what it does not import for them."""

import enum
import subprocess
import sys
import textwrap
import unittest
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Dict, FrozenSet, List, Literal, NewType, Optional, Set, Tuple, Union

from libmcp.signature import describe_tool
from libmcp.signature.shape import AUTO, STRUCTURED, TEXT


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    """How loud."""

    LOW = 1
    HIGH = 2


class Bound:
    """Like the classes of annotated_types, by its attributes."""

    def __init__(self, **bounds):
        self.__dict__.update(bounds)


Id = NewType("Id", int)
STRING, INTEGER, NULL = {"type": "string"}, {"type": "integer"}, {"type": "null"}
COLOUR = {"type": "string", "enum": ["red", "blue"]}

SCHEMAS = [
    (int, INTEGER),
    (float, {"type": "number"}),
    (str, STRING),
    (bool, {"type": "boolean"}),
    (None, NULL),
    (Any, {}),
    (object, {}),
    (Id, INTEGER),
    (list, {"type": "array"}),
    (List[int], {"type": "array", "items": INTEGER}),
    (Sequence[str], {"type": "array", "items": STRING}),
    (list[list[Any]], {"type": "array", "items": {"type": "array"}}),
    (tuple, {"type": "array"}),
    (Tuple, {"type": "array"}),
    (Tuple[int, ...], {"type": "array", "items": INTEGER}),
    (tuple[int, str], {"type": "array", "prefixItems": [INTEGER, STRING], "minItems": 2, "maxItems": 2}),
    (tuple[()], {"type": "array", "minItems": 0, "maxItems": 0}),
    (Set[str], {"type": "array", "items": STRING, "uniqueItems": True}),
    (FrozenSet[Colour], {"type": "array", "items": COLOUR, "uniqueItems": True}),
    (dict, {"type": "object"}),
    (dict[str, Any], {"type": "object"}),
    (Dict[str, List[int]], {"type": "object", "additionalProperties": {"type": "array", "items": INTEGER}}),
    (Mapping[str, int], {"type": "object", "additionalProperties": INTEGER}),
    (Optional[int], {"anyOf": [INTEGER, NULL]}),
    (int | str | None, {"anyOf": [INTEGER, STRING, NULL]}),
    (Union[int, Any], {}),
    (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}),
    (Literal[1, "a", None, True], {"enum": [1, "a", None, True]}),
    (Literal[Colour.RED, "x"], {"type": "string", "enum": ["red", "x"]}),
    (Colour, COLOUR),
    (Level, {"description": "How loud.", "type": "integer", "enum": [1, 2]}),
    (Annotated[int, "how many"], {"type": "integer", "description": "how many"}),
    (Annotated[int, Bound(ge=1), Bound(lt=10)], {"type": "integer", "minimum": 1, "exclusiveMaximum": 10}),
    (Annotated[float, Bound(gt=0, le=1.5, multiple_of=0.5)],
     {"type": "number", "exclusiveMinimum": 0, "maximum": 1.5, "multipleOf": 0.5}),
    (Annotated[str, Bound(min_length=1, max_length=3)], {"type": "string", "minLength": 1, "maxLength": 3}),
    (Annotated[list[int], Bound(min_length=0, max_length=3)], {"type": "array", "items": INTEGER, "maxItems": 3}),
    (Annotated[dict, Bound(min_length=2)], {"type": "object", "minProperties": 2}),
    (Annotated[str | None, Bound(max_length=3)], {"anyOf": [{"type": "string", "maxLength": 3}, NULL]}),
    (list[Annotated[int, Bound(ge=0)]], {"type": "array", "items": {"type": "integer", "minimum": 0}}),
    (Annotated[int, object(), {"not": "known"}], INTEGER),
]


def tool_of(annotation, **more):
    def tool(x):
        return x

    tool.__annotations__ = {"x": annotation, **more}
    return tool


def schema_of(annotation):
    return describe_tool(tool_of(annotation)).input_schema["properties"]["x"]


class PlainTypes(unittest.TestCase):
    def test_schemas(self):
        for annotation, schema in SCHEMAS:
            with self.subTest(annotation):
                self.assertEqual(schema_of(annotation), schema)

    def test_a_schema_is_nobody_elses(self):
        schema_of(int)["spoilt"] = True
        self.assertEqual(schema_of(int), INTEGER)

    def test_the_whole(self):
        def tool(zebra: int, apple: "str | None" = None, *, mango: float = 1.5, kiwi: Colour = Colour.RED, fig=(1, [2])):
            """Sorts fruit.

            Args:
                zebra: Stripes.
                kiwi: Green.
            """

        shape = describe_tool(tool)
        self.assertEqual((shape.name, shape.description, shape.output_schema), ("tool", "Sorts fruit.", None))
        self.assertEqual(
            shape.input_schema,
            {
                "type": "object",
                "properties": {
                    "zebra": {"type": "integer", "description": "Stripes."},
                    "apple": {"anyOf": [STRING, NULL], "default": None},
                    "mango": {"type": "number", "default": 1.5},
                    "kiwi": {**COLOUR, "description": "Green.", "default": "red"},
                    "fig": {"default": [1, [2]]},
                },
                "required": ["zebra"],
                "additionalProperties": False,
            },
        )
        self.assertEqual(list(shape.input_schema["properties"]), ["zebra", "apple", "mango", "kiwi", "fig"])
        self.assertEqual([parameter.name for parameter in shape.parameters], ["zebra", "apple", "mango", "kiwi", "fig"])

    def test_defaults_that_json_does_not_have_are_not_published(self):
        def tool(a: Any = object(), b: float = float("nan"), c: Any = {1: 2}, d: Any = {"a": b"x"}):
            pass

        schema = describe_tool(tool).input_schema
        self.assertEqual(schema["properties"], {"a": {}, "b": {"type": "number"}, "c": {}, "d": {}})
        self.assertNotIn("required", schema)

    def test_none_as_a_default_may_be_sent_too(self):
        def tool(n: int = None):  # as was usual before Python 3.11
            pass

        schema = describe_tool(tool).input_schema["properties"]["n"]
        self.assertEqual(schema, {"anyOf": [INTEGER, NULL], "default": None})

    def test_the_parameters_own_description_goes_before_that_of_its_type(self):
        def tool(level: Level, other: Annotated[Level, "Annotated."]):
            """Args:
            level: In the docstring.
            other: In the docstring.
            """

        properties = describe_tool(tool).input_schema["properties"]
        self.assertEqual(properties["level"]["description"], "In the docstring.")
        self.assertEqual(properties["other"]["description"], "Annotated.")

    def test_all_the_rest(self):
        def anything(**rest):
            pass

        def numbers(a: str, **rest: int):
            return rest

        self.assertEqual(describe_tool(anything).input_schema, {"type": "object", "properties": {}})
        shape = describe_tool(numbers)
        self.assertEqual(shape.input_schema["additionalProperties"], INTEGER)
        self.assertEqual(repr(shape.function(a="1", b=1.0, c=2)), "{'b': 1, 'c': 2}")

    def test_results(self):
        for annotation, kind, schema in [
            (str, TEXT, None),
            (Annotated[str, "words"], TEXT, None),
            (Optional[str], AUTO, None),
            (None, AUTO, None),
            (Any, AUTO, None),
            (list, AUTO, None),
            (list[Any], AUTO, None),
            (bytes, AUTO, None),
            (int, STRUCTURED, INTEGER),
            (Literal["a"], STRUCTURED, {"type": "string", "enum": ["a"]}),
            (dict, STRUCTURED, {"type": "object"}),
            (list[str], STRUCTURED, {"type": "array", "items": STRING}),
            (list[Colour], STRUCTURED, {"type": "array", "items": COLOUR}),
            (int | None, STRUCTURED, {"anyOf": [INTEGER, NULL]}),
        ]:
            with self.subTest(annotation):
                shape = describe_tool(tool_of(int, **{"return": annotation}))
                self.assertEqual((shape.result.kind, shape.output_schema), (kind, schema))

    def test_content_passes(self):
        from libmcp import Audio, ContentBlock, File, Image, ResourceLink, Text, ToolResult

        class Chart(Image):
            pass

        for annotation in (
            Image, Audio, File, Text, ResourceLink, ContentBlock, ToolResult, Chart, list[Image], list[str | Image],
            Image | None, Optional[Image], "list[Image]", tuple[str, Image], dict | ToolResult, Annotated[Image, "x"],
        ):
            with self.subTest(annotation):
                tool = tool_of(int, **{"return": annotation})
                tool.__globals__["Image"] = Image
                shape = describe_tool(tool)
                self.assertEqual((shape.result.kind, shape.output_schema), (AUTO, None))


class Imports(unittest.TestCase):
    def test_plain_signatures_need_no_other_modules(self):
        source = """
        import sys
        import libmcp
        from libmcp.signature import describe_prompt, describe_template, describe_tool

        def tool(ctx: libmcp.Context, a: int, b: "list[str] | None" = None, *, c: dict[str, float] = {}) -> dict[str, int]:
            '''Does.

            Args:
                a: A.
            '''

        describe_tool(tool)
        describe_tool(tool, input_schema={"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]})
        describe_prompt(lambda topic, tone=None: topic)
        describe_template(lambda a: a, ("a",))
        heavy = {"asyncio", "dataclasses", "inspect", "logging", "pydantic", "typing", "typing_extensions", "json"}
        print(sorted(heavy & set(sys.modules)))
        """
        found = subprocess.run(
            [sys.executable, "-S", "-c", "import sys; sys.path[:0] = %r\n%s" % (sys.path, textwrap.dedent(source))],
            capture_output=True, text=True, timeout=60,
        )
        self.assertEqual((found.stdout, found.stderr), ("[]\n", ""))

    def test_without_pydantic_the_error_says_what_to_install(self):
        source = """
        import sys
        sys.modules["pydantic"] = None
        import datetime
        from libmcp.signature import describe_tool

        def tool(day: datetime.date): pass

        try:
            describe_tool(tool)
        except TypeError as error:
            print(error)
        """
        found = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(source)], capture_output=True, text=True, timeout=60, check=True
        )
        self.assertEqual(
            found.stdout,
            "tool: the parameter 'day' is annotated as date, for which pydantic 2 is needed: pip install 'libmcp[pydantic]'\n",
        )


if __name__ == "__main__":
    unittest.main()
