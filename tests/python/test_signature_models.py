"""What pydantic says of models and the like: their schemas, and how they are read and written."""

import dataclasses
import datetime
import enum
import json
import pathlib
import unittest
import warnings
from typing import Annotated, Any, Callable, Dict, Generic, List, Literal, Optional, TypeVar, Union

from libmcp import ToolError
from libmcp.signature import describe_tool
from libmcp.signature.shape import CONVERT_JSON, DUMP, INT, PLAIN, STRUCTURED
from pydantic import (
    AliasChoices,
    AliasPath,
    AnyUrl,
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    computed_field,
    field_validator,
)
from typing_extensions import TypedDict

T = TypeVar("T")
INTEGER, STRING, NULL = {"type": "integer"}, {"type": "string"}, {"type": "null"}


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Address(BaseModel):
    street: str
    zip_code: str = Field("", title="ZIP", description="As printed.")


class Person(BaseModel):
    """Somebody."""

    name: str
    home: Address
    work: Optional[Address] = None
    likes: Colour = Colour.RED


class Tree(BaseModel):
    """A tree."""

    value: Colour
    kids: List["Tree"] = []


class Ping(BaseModel):
    pong: "Optional[Pong]" = None


class Pong(BaseModel):
    ping: Optional[Ping] = None


class Named(BaseModel):
    model_config = ConfigDict(title="By its author")
    x: int


class Cat(BaseModel):
    kind: Literal["cat"]


class Dog(BaseModel):
    kind: Literal["dog"]


class Box(BaseModel, Generic[T]):
    item: T


class Shown(BaseModel):
    model_config = ConfigDict(populate_by_name=True)
    full_name: str = Field(alias="fullName")
    day: datetime.date
    secret: SecretStr = SecretStr("s")

    @computed_field
    @property
    def size(self) -> int:
        return len(self.full_name)


class Picky(BaseModel):
    even: int

    @field_validator("even")
    @classmethod
    def is_even(cls, value):
        if value % 2:
            raise ValueError("odd numbers are not wanted")
        return value


@dataclasses.dataclass
class Pair:
    """Two of them."""

    a: int
    b: int = 2


@dataclasses.dataclass
class Bare:
    a: int


class Film(TypedDict, total=False):
    title: str


def schema_of(annotation):
    def tool(x): ...

    tool.__annotations__ = {"x": annotation}
    whole = describe_tool(tool).input_schema
    schema = dict(whole["properties"]["x"])
    return {**schema, "$defs": whole["$defs"]} if "$defs" in whole else schema


def result_of(annotation):
    def tool(): ...

    tool.__annotations__ = {"return": annotation}
    return describe_tool(tool)


ADDRESS = {
    "type": "object",
    "properties": {
        "street": STRING,
        "zip_code": {"type": "string", "title": "ZIP", "description": "As printed.", "default": ""},
    },
    "required": ["street"],
}
COLOUR = {"type": "string", "enum": ["red", "blue"]}


class Schemas(unittest.TestCase):
    def test_models_are_written_where_they_are_used(self):
        self.assertEqual(
            schema_of(Person),
            {
                "type": "object",
                "description": "Somebody.",
                "properties": {
                    "name": STRING,
                    "home": ADDRESS,
                    "work": {"anyOf": [ADDRESS, NULL], "default": None},
                    "likes": {**COLOUR, "default": "red"},
                },
                "required": ["name", "home"],
            },
        )
        self.assertEqual(list(schema_of(Person)["properties"]), ["name", "home", "work", "likes"])

    def test_a_model_that_contains_itself_is_referred_to(self):
        tree = {
            "type": "object",
            "description": "A tree.",
            "properties": {
                "value": COLOUR,
                "kids": {"type": "array", "items": {"$ref": "#/$defs/Tree"}, "default": []},
            },
            "required": ["value"],
        }
        self.assertEqual(schema_of(Tree), {"$ref": "#/$defs/Tree", "$defs": {"Tree": tree}})
        self.assertEqual(
            schema_of(List[Tree]), {"type": "array", "items": {"$ref": "#/$defs/Tree"}, "$defs": {"Tree": tree}}
        )
        self.assertEqual(set(schema_of(Dict[str, Ping])["$defs"]), {"Ping", "Pong"})
        # At the root of a result there is an object.
        self.assertEqual(result_of(Tree).output_schema, {**tree, "$defs": {"Tree": tree}})

    def test_a_model_of_the_same_name_is_another_one(self):
        class Tree(BaseModel):
            kids: "List[Tree]"

        Tree.model_rebuild(_types_namespace={"Tree": Tree})
        outer = globals()["Tree"]

        def tool(a: outer, b: Tree): ...

        whole = describe_tool(tool).input_schema
        first, second = (whole["properties"][name]["$ref"].removeprefix("#/$defs/") for name in "ab")
        self.assertNotEqual(first, second)
        self.assertEqual(whole["$defs"].keys(), {first, second})
        self.assertIn("value", whole["$defs"][first]["properties"])

    def test_a_type_that_would_grow_beyond_measure_is_referred_to(self):
        model = Address
        for depth in range(12):
            model = type(f"Level{depth}", (BaseModel,), {"__annotations__": {"left": model, "right": model}})
        schema = schema_of(model)
        self.assertLess(len(json.dumps(schema)), 20_000)
        self.assertIn("Level3", schema["$defs"])

    def test_titles_are_those_of_authors(self):
        self.assertEqual(schema_of(Named), {"title": "By its author", "type": "object", "properties": {"x": INTEGER}, "required": ["x"]})
        for annotation in (Person, Tree, Pair, Film, Box[int], List[Colour | Address], Dict[str, Person]):
            with self.subTest(annotation):
                self.assertNotIn("title", json.dumps(schema_of(annotation)).replace('"title": "ZIP"', "").replace('"title": {', ""))

    def test_other_kinds_of_records(self):
        self.assertEqual(
            schema_of(Pair)["properties"], {"a": INTEGER, "b": {"type": "integer", "default": 2}}
        )
        self.assertNotIn("description", schema_of(Bare))
        self.assertEqual(schema_of(Film), {"type": "object", "properties": {"title": STRING}})
        self.assertEqual(schema_of(Box[int]), {"type": "object", "properties": {"item": INTEGER}, "required": ["item"]})

    def test_no_discriminator_and_no_format_that_json_schema_does_not_have(self):
        pets = schema_of(Annotated[Union[Cat, Dog], Field(discriminator="kind")])
        self.assertEqual(pets.keys(), {"oneOf"})
        self.assertEqual([pet["properties"]["kind"]["const"] for pet in pets["oneOf"]], ["cat", "dog"])
        self.assertEqual(schema_of(pathlib.Path), STRING)
        self.assertEqual(schema_of(bytes), STRING)
        self.assertEqual(schema_of(datetime.datetime), {"type": "string", "format": "date-time"})
        self.assertEqual(schema_of(List[AnyUrl])["items"]["format"], "uri")

        class Data(BaseModel):
            format: str = "path"
            other: Dict[str, Any] = {"format": "path"}

        properties = schema_of(Data)["properties"]
        self.assertEqual(properties["format"], {"type": "string", "default": "path"})
        self.assertEqual(properties["other"]["default"], {"format": "path"})

    def test_descriptions_of_parameters_go_before_those_of_types(self):
        def tool(a: Person, b: Annotated[Person, Field(description="Field.")], c: Annotated[Tree, "Text."], d: Person):
            """Greets.

            Args:
                a: Docstring.
                b: Docstring.
                c: Docstring.
            """

        properties = describe_tool(tool).input_schema["properties"]
        self.assertEqual(
            [properties[name]["description"] for name in "abcd"], ["Docstring.", "Field.", "Text.", "Somebody."]
        )

    def test_defaults(self):
        def tool(a: Pair = Pair(1), b: datetime.date = datetime.date(2026, 7, 28), c: Optional[Address] = None,
                 d: Any = Address(street="x")): ...

        properties = describe_tool(tool).input_schema["properties"]
        self.assertEqual(properties["a"]["default"], {"a": 1, "b": 2})
        self.assertEqual(properties["b"]["default"], "2026-07-28")
        self.assertIsNone(properties["c"]["default"])
        self.assertEqual(properties["d"], {})

    def test_what_has_no_schema(self):
        class Weird: ...

        for annotation, words in [
            (Weird, "tool: the parameter 'x' is annotated as Schemas.test_what_has_no_schema.<locals>.Weird, and pydantic can"),
            (Callable[[int], str], "tool: the parameter 'x' is annotated as Callable[[int], str], which has no JSON Schema: "),
            (List[Weird], "tool: the parameter 'x' is annotated as List["),
        ]:
            with self.subTest(annotation), self.assertRaises(TypeError) as raised:
                schema_of(annotation)
            self.assertIn(words, str(raised.exception))


class Fields(unittest.TestCase):
    def test_a_field_that_says_little_costs_no_pydantic_at_a_call(self):
        def tool(
            a: Annotated[int, Field(description="A.", ge=1, title="The A", examples=[1], deprecated=True)],
            b: Annotated[Optional[str], Field(max_length=3, pattern="^x", json_schema_extra={"x-y": 1})] = None,
            c: str = Field("c", description="C."),
        ): ...

        shape = describe_tool(tool)
        self.assertEqual([parameter.kind for parameter in shape.parameters], [INT, PLAIN, PLAIN])
        self.assertEqual(
            shape.input_schema["properties"],
            {
                "a": {"type": "integer", "minimum": 1, "description": "A.", "title": "The A", "examples": [1], "deprecated": True},
                "b": {"anyOf": [{"type": "string", "maxLength": 3, "pattern": "^x"}, NULL], "default": None, "x-y": 1},
                "c": {"type": "string", "description": "C.", "default": "c"},
            },
        )
        self.assertEqual(shape.input_schema["required"], ["a"])

    def test_defaults_of_fields(self):
        def tool(
            a: int = Field(ge=1),
            b: int = Field(5),
            c: List[int] = Field(default_factory=list),
            d: Annotated[int, Field(default=7)] = 8,
            e: Annotated[Address, Field(default_factory=lambda: Address(street="s"))] = Field(description="E."),
            *,
            f: Annotated[int, Field(default=9)],
        ):
            return a, b, c, d, e, f

        shape = describe_tool(tool)
        self.assertEqual(shape.input_schema["required"], ["a"])
        defaults = {name: part.get("default") for name, part in shape.input_schema["properties"].items()}
        self.assertEqual(defaults, {"a": None, "b": 5, "c": None, "d": 8, "e": None, "f": 9})
        self.assertEqual(shape.function(a=1), (1, 5, [], 8, Address(street="s"), 9))
        self.assertIsNot(shape.function(a=1)[2], shape.function(a=1)[2])
        self.assertEqual(shape.function(a=1, b=2, f=3), (1, 2, [], 8, Address(street="s"), 3))

    def test_aliases_name_arguments(self):
        def tool(
            from_: Annotated[int, Field(alias="from")],
            to: Address = Field(validation_alias="class"),
            x: Annotated[int, Field(validation_alias=AliasChoices("y", "z"))] = 1,
        ): ...

        with warnings.catch_warnings():
            warnings.simplefilter("error")
            shape = describe_tool(tool)
        self.assertEqual([(one.name, one.argument) for one in shape.parameters], [("from_", "from"), ("to", "class"), ("x", "y")])
        self.assertEqual(shape.input_schema["required"], ["from", "class"])

        def path(a: Annotated[int, Field(validation_alias=AliasPath("a", 0))]): ...

        with self.assertRaisesRegex(TypeError, "path: the alias of the parameter 'a' is a path"):
            describe_tool(path)

        def twice(a: int, b: Annotated[int, Field(alias="a")]): ...

        with self.assertRaisesRegex(TypeError, "twice: two parameters take the argument 'a'"):
            describe_tool(twice)


class Reading(unittest.TestCase):
    def convert(self, annotation, text):
        def tool(x): ...

        tool.__annotations__ = {"x": annotation}
        [parameter] = describe_tool(tool).parameters
        self.assertEqual(parameter.kind, CONVERT_JSON)
        return parameter.convert(text)

    def test_models(self):
        person = self.convert(Person, b'{"name": "007", "home": {"street": "1e5"}, "likes": "blue"}')
        self.assertEqual(person, Person(name="007", home=Address(street="1e5"), likes=Colour.BLUE))
        self.assertEqual(self.convert(Pair, b'{"a": 1.0}'), Pair(1))
        self.assertIs(type(self.convert(List[Pair], b'[{"a": 1e0}]')[0].a), int)

    def test_what_a_validator_refuses_is_told_to_the_model(self):
        with self.assertRaises(ToolError) as raised:
            self.convert(List[Picky], b'[{"even": 2}, {"even": 3}]')
        self.assertEqual(
            str(raised.exception),
            "The arguments do not fit:\n- /x/1/even: Value error, odd numbers are not wanted",
        )

    def test_validators_run_once(self):
        runs = []

        class Counted(BaseModel):
            n: int

            @field_validator("n")
            @classmethod
            def count(cls, value):
                runs.append(value)
                raise ValueError("never")

        with self.assertRaises(ToolError):
            self.convert(Counted, b'{"n": 1}')
        self.assertEqual(runs, [1])

    def test_no_text_becomes_a_number(self):
        for text in (b'{"x": "1", "fullName": "n"}', b'{"a": "1"}'):
            with self.assertRaises(ToolError):
                self.convert(Pair, text)

    def test_big_integers(self):
        self.assertEqual(self.convert(Pair, b'{"a": 123456789012345678901234567890}').a, 123456789012345678901234567890)


class Writing(unittest.TestCase):
    def test_schema_and_value_agree(self):
        shape = result_of(Shown)
        self.assertEqual(shape.result.kind, DUMP)
        self.assertEqual(list(shape.output_schema["properties"]), ["fullName", "day", "secret", "size"])
        written = json.loads(shape.result.dump(Shown(fullName="n", day=datetime.date(2026, 7, 28))))
        self.assertEqual(written, {"fullName": "n", "day": "2026-07-28", "secret": "**********", "size": 1})
        self.assertEqual(set(shape.output_schema["required"]) - written.keys(), set())

    def test_a_subclass_is_written_as_what_the_schema_says(self):
        class More(Address):
            hidden: str = "h"

        written = json.loads(result_of(Address).result.dump(More(street="s")))
        self.assertEqual(written, {"street": "s", "zip_code": ""})

    def test_a_dict_of_a_model_is_taken_as_one(self):
        shape = result_of(List[Shown])
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            written = json.loads(shape.result.dump([{"fullName": "n", "day": "2026-07-28"}]))
        self.assertEqual(written[0]["size"], 1)
        with self.assertRaisesRegex(ValueError, "fullName"):
            shape.result.dump([{"day": "2026-07-28"}])

    def test_records_and_dates(self):
        self.assertEqual(result_of(Pair).result.dump(Pair(1)), b'{"a":1,"b":2}')
        self.assertEqual(result_of(Film).result.dump({"title": "t"}), b'{"title":"t"}')
        self.assertEqual(result_of(datetime.date).result.dump(datetime.date(2026, 7, 28)), b'"2026-07-28"')
        self.assertEqual(result_of(datetime.date).output_schema, {"type": "string", "format": "date"})
        self.assertEqual(result_of(Dict[str, Pair]).output_schema["additionalProperties"]["type"], "object")

    def test_plain_results_need_no_pydantic(self):
        self.assertEqual(result_of(Dict[str, List[int]]).result.kind, STRUCTURED)


if __name__ == "__main__":
    unittest.main()
