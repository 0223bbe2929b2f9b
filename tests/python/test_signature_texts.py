"""Prompts, and templates of resources: their arguments are texts on the wire."""

import dataclasses
import datetime
import enum
import unittest
import uuid
from typing import Annotated, Any, Dict, List, Literal, Optional

from annotated_types import Ge
from libmcp import Context, ProtocolError
from libmcp.signature import describe_prompt, describe_template
from libmcp.signature.shape import AUTO, CONTEXT, PLAIN
from pydantic import BaseModel, Field


class Colour(enum.Enum):
    RED = "red"
    ONE = 1


@dataclasses.dataclass
class Pair:
    a: int
    b: str = "b"


class Model(BaseModel):
    """A model."""

    n: int


def convert(annotation, text):
    def prompt(x): ...

    prompt.__annotations__ = {"x": annotation}
    [parameter] = describe_prompt(prompt).parameters
    return text if parameter.convert is None else parameter.convert(text)


class Texts(unittest.TestCase):
    def test_values(self):
        for annotation, text, value in [
            (str, "007", "007"),
            (Any, "1", "1"),
            (Optional[str], "null", "null"),
            (int, "5", 5),
            (int, " -5 ", -5),
            (int, "007", 7),
            (int, "5.0", 5),
            (int, "123456789012345678901234567890", 123456789012345678901234567890),
            (float, "5", 5.0),
            (float, "1e3", 1000.0),
            (bool, "true", True),
            (bool, "False", False),
            (bool, "1", True),
            (Optional[int], "5", 5),
            (int | str, "5", "5"),
            (Literal["a", 2], "a", "a"),
            (Literal["a", 2], "2", 2),
            (Colour, "red", Colour.RED),
            (Colour, "1", Colour.ONE),
            (List[int], "[1, 2.0]", [1, 2]),
            (Dict[str, Any], '{"a": [1]}', {"a": [1]}),
            (Annotated[int, Ge(3)], "3", 3),
            (datetime.date, "2026-07-28", datetime.date(2026, 7, 28)),
            (uuid.UUID, "12345678-1234-5678-1234-567812345678", uuid.UUID("12345678-1234-5678-1234-567812345678")),
            (Pair, '{"a": 1.0}', Pair(1)),
            (List[Model], '[{"n": 1}]', [Model(n=1)]),
        ]:
            with self.subTest(annotation=annotation, text=text):
                made = convert(annotation, text)
                self.assertEqual((type(made), made), (type(value), value))

    def test_what_does_not_fit_is_for_the_client(self):
        for annotation, text, words in [
            (int, "five", "is no integer"),
            (int, "5.5", "is no integer"),
            (int, "", "is no integer"),
            (float, "nan", "is no number"),
            (float, "1e999", "is no number"),
            (bool, "yes", "is no boolean"),
            (Colour, "green", "is none of 'red', 1"),
            (Annotated[int, Ge(3)], "2", "is less than 3"),
            (Annotated[str, Field(max_length=2)], "abc", "is longer than 2"),
            (Annotated[str, Field(pattern="^a")], "ba", "does not match ^a"),
            (Annotated[Optional[int], Ge(3)], "2", "is less than 3"),
            (List[int], "1", "is no array"),
            (List[int], '["1"]', "is no integer"),
            (datetime.date, "tomorrow", "Input should be a valid date"),
            (List[Model], '[{"n": "1"}]', "/0/n: Input should be a valid integer"),
        ]:
            with self.subTest(annotation=annotation, text=text), self.assertRaises(ProtocolError) as raised:
                convert(annotation, text)
            self.assertEqual(raised.exception.code, -32602)
            self.assertTrue(raised.exception.message.startswith(f"The argument 'x', {text!r}: "), raised.exception)
            self.assertIn(words, raised.exception.message)

    def test_long_texts_are_cut(self):
        with self.assertRaises(ProtocolError) as raised:
            convert(int, "x" * 10_000)
        self.assertLess(len(str(raised.exception)), 200)


class Prompts(unittest.TestCase):
    def test_arguments(self):
        def greet(ctx: Context, who: str, style: Annotated[str, "How."] = "kind", times: int = Field(1, description="Often.", alias="n"),
                  tags: List[str] = [], *, model: Annotated[Optional[Model], Field(description="What.")] = None, day: Optional[datetime.date] = None):
            """Greets.

            Args:
                ctx: Not told.
                who: Whom.
                tags: Many.
            """
            return who, style, times, tags, model, day

        shape = describe_prompt(greet)
        self.assertEqual((shape.name, shape.description, shape.result.kind), ("greet", "Greets.", AUTO))
        self.assertEqual(
            [(one.name, one.description, one.required) for one in shape.arguments],
            [
                ("who", "Whom.", True),
                ("style", "How.", False),
                ("n", "Often.", False),
                ("tags", 'Many.\n\nJSON: {"type": "array", "items": {"type": "string"}}', False),
                ("model", "What.", False),
                ("day", None, False),
            ],
        )
        self.assertEqual(
            [one.kind for one in shape.parameters if one.name in ("ctx", "who", "style")], [CONTEXT, PLAIN, PLAIN]
        )
        self.assertEqual(shape.function(ctx=None, who="you"), ("you", "kind", 1, [], None, None))

    def test_models_say_what_json_they_are(self):
        def prompt(m: Model): ...

        [argument] = describe_prompt(prompt).arguments
        self.assertEqual(
            argument.description,
            'A model.\n\nJSON: {"properties": {"n": {"type": "integer"}}, "required": ["n"], "type": "object"}',
        )

    def test_what_has_no_text(self):
        def prompt(x: object()): ...

        with self.assertRaisesRegex(TypeError, "prompt: the parameter 'x' is annotated as <object"):
            describe_prompt(prompt)


class Templates(unittest.TestCase):
    def test_variables_are_parameters(self):
        def read(ctx: Context, user: int, note: str, page: int = 1): ...

        shape = describe_template(read, ("note", "user"))
        self.assertEqual([one.name for one in shape.parameters], ["ctx", "user", "note"])
        self.assertEqual(shape.parameters[1].convert("7"), 7)
        shape = describe_template(read, ("note", "user", "page"))
        self.assertEqual([one.name for one in shape.parameters], ["ctx", "user", "note", "page"])

    def test_names_must_be_the_same(self):
        def read(user: str): ...

        with self.assertRaises(TypeError) as raised:
            describe_template(read, ("users",))
        self.assertEqual(
            str(raised.exception),
            "read: the parameter 'user' is no variable of the URI template: it has 'users'",
        )
        with self.assertRaisesRegex(TypeError, "read: the parameter 'user' is no variable .* there are none in the URI"):
            describe_template(read, ())
        with self.assertRaisesRegex(TypeError, "read: no parameter takes the variable 'b' of the URI template; add one"):
            describe_template(read, ("user", "b"))

    def test_all_the_rest(self):
        def read(user: str, **rest): ...

        shape = describe_template(read, ("user", "b"))
        self.assertEqual([one.name for one in shape.parameters], ["user", ""])

    def test_resources_take_nothing(self):
        def read(): ...

        def told(ctx: Context): ...

        self.assertEqual(describe_template(read, ()).parameters, ())
        self.assertEqual([one.kind for one in describe_template(told, ()).parameters], [CONTEXT])


if __name__ == "__main__":
    unittest.main()
