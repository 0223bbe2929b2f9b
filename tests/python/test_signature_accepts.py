"""What schemas let through, and what arrives: held against pydantic's own reading, value by value.

Every value is sent to a tool of every type, over the core, which knows the schema alone. It must come through exactly where
pydantic's strict reading of the same JSON takes it, and arrive as what pydantic makes of it.
"""

import asyncio
import dataclasses
import datetime
import enum
import json
import sys
import unittest
import uuid
from collections import deque
from decimal import Decimal
from typing import Annotated, Any, Dict, List, Literal, NamedTuple, Optional, Union

from annotated_types import Ge, Gt, Interval, Le, Len, MaxLen, MinLen, MultipleOf
from libmcp import Server
from pydantic import BaseModel, ConfigDict, Field, RootModel, TypeAdapter, ValidationError
from typing_extensions import NotRequired, TypeAliasType, TypedDict


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Point(BaseModel):
    x: int
    y: Optional[float] = None


class Closed(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: Annotated[str, Field(alias="n", min_length=1)]


class Tree(BaseModel):
    v: Colour
    kids: List["Tree"] = []


@dataclasses.dataclass
class Pair:
    a: int
    b: "Pair | None" = None


class Film(TypedDict):
    title: str
    year: NotRequired[int]


class Spot(NamedTuple):
    x: int
    y: str


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int


class Dog(BaseModel):
    kind: Literal["dog"]
    tricks: List[str]


Json = TypeAliasType("Json", Union[str, int, List["Json"]])

VALUES = [
    None, True, False, 0, 1, 2, 3, -1, 5.0, 1.0, -0.0, 0.5, 2.5, 10**20, "", "5", "1.0", "true", "null", "red", "blue", "a",
    '{"a":1}', "007", "1e5", "é\u2028\U0001f600", "2026-07-28", "2026-07-28T10:00:00Z",
    "12345678-1234-5678-1234-567812345678", [], [1], [1.0, 2], [1, "a"], ["a"], ["red"], [None], [True], [[1]], [1, 2, 3, 4],
    [1, "red", 2], {}, {"a": 1}, {"a": 1.0}, {"a": "x"}, {"a": None}, {"a": 1, "b": {"a": 2.0}}, {"x": 1}, {"x": 1.0, "y": 2},
    {"x": "1"}, {"x": 1, "extra": 1}, {"n": "n"}, {"n": ""}, {"n": "n", "m": 1}, {"name": "n"}, {"v": "red"},
    {"v": "red", "kids": [{"v": "blue", "kids": [{"v": "red"}]}]}, {"v": "red", "kids": [{"v": "green"}]},
    {"title": "t"}, {"title": "t", "year": 1999.0}, {"title": "t", "year": "1999"}, {"kind": "cat", "lives": 9},
    {"kind": "dog", "tricks": ["sit"]}, {"kind": "cow"}, {"kind": "cat", "lives": "9"}, {"t": [1]},
]

TYPES = [
    # Those that the package reads by itself.
    int, float, str, bool, None, Any, list, dict, List[int], list[float], list[str], list[list[int]], list[Any], Dict[str, int],
    dict[str, float], dict[str, list[int]], tuple, tuple[int, ...], tuple[int, str], tuple[int, str, float], set[str],
    frozenset[int], Optional[int], Optional[str], float | None, list[str] | None, int | float, float | int, int | str,
    str | int | None, bool | int, list[int] | str, dict[str, int] | list[int], Literal["a", "red"], Literal[1, 2], Literal[True],
    Literal["a", 1, None], Colour, Level, list[Colour], dict[str, Level], Optional[Colour], Colour | int, list[int] | list[str],
    Annotated[int, Ge(1), Le(3)], Annotated[int, Gt(1)], Annotated[float, Interval(ge=0.5, lt=2.5)], Annotated[int, MultipleOf(2)],
    Annotated[str, MinLen(1), MaxLen(3)], Annotated[list[int], Len(1, 3)], Annotated[str | None, MaxLen(1)],
    Annotated[int, Field(ge=1, description="d")], Annotated[str, Field(pattern="^[a-z]+$")], list[Annotated[int, Ge(2)]],
    # Those of pydantic.
    Point, List[Point], Optional[Point], Closed, Tree, Pair, Film, Spot, Union[Cat, Dog],
    Annotated[Union[Cat, Dog], Field(discriminator="kind")], Point | Closed, Point | int | None, RootModel[List[int]],
    dict[str, Point], Json, deque[int], int | uuid.UUID | None, tuple[Point, ...],
    # Their formats are notes to the schema, and are held by pydantic when the value arrives.
    datetime.datetime, datetime.date, uuid.UUID, Decimal,
]

CHOICES_OF_NUMBERS = (Literal[1, 2], Literal["a", 1, None], Level)
REFUSED = object()


def tool_of(number, annotation):
    def tool(x):
        got.append(x)

    tool.__name__ = f"tool_{number}"
    tool.__annotations__ = {"x": annotation}
    return tool


got: list = []


def same(one, other):
    """Equal, and of equal types all the way down."""
    if type(one) is not type(other):
        return False
    if isinstance(one, (list, tuple, deque)):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, BaseModel) or dataclasses.is_dataclass(one):
        return same(vars(one), vars(other))
    return one == other


def with_integers(value):
    """JSON has one number 1, however it is written."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [with_integers(item) for item in value]
    if isinstance(value, dict):
        return {key: with_integers(item) for key, item in value.items()}
    return value


class Acceptance(unittest.TestCase):
    def test_as_pydantic_has_it(self):
        asyncio.run(self.all_of_them())

    async def all_of_them(self):
        server = Server("types")
        for number, annotation in enumerate(TYPES):
            server.add_tool(tool_of(number, annotation))
        taken = 0
        for number, annotation in enumerate(TYPES):
            adapter = TypeAdapter(annotation)
            for value in VALUES:
                with self.subTest(annotation=annotation, value=value):
                    expected = self.expected(adapter, annotation, value)
                    got.clear()
                    result = await server.call_tool(f"tool_{number}", {"x": value})
                    if expected is REFUSED:
                        self.assertTrue(result.get("isError"), got)
                        self.assertIn("x", result["content"][0]["text"])
                    else:
                        self.assertFalse(result.get("isError"), result)
                        self.assertTrue(same(got[0], expected), (got[0], expected))
                        taken += 1
        self.assertGreater(taken, len(TYPES))
        server.close()

    def expected(self, adapter, annotation, value):
        if annotation in (float, float | None) and value == 10**20:
            return 1e20  # older versions of pydantic refuse integers of that size
        numbers_as_they_are = annotation in (Any, list, dict, tuple, list[Any], int | float, float | int)
        if type(value) is bool and annotation in CHOICES_OF_NUMBERS or annotation == Literal[True] and type(value) in (int, float):
            return REFUSED  # to Python True is 1
        try:
            if numbers_as_they_are:
                return adapter.validate_python(value if annotation is not tuple else self.as_tuple(value), strict=True)
            return adapter.validate_json(json.dumps(with_integers(value)), strict=True)
        except ValidationError:
            return REFUSED

    def as_tuple(self, value):
        return tuple(value) if isinstance(value, list) else value


if __name__ == "__main__":
    sys.exit(unittest.main())
