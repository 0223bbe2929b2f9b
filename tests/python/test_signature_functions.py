"""Which functions are read, what is bound to them already, and where the names in their annotations are found."""

from __future__ import annotations

import asyncio
import functools
import types
import typing
import unittest
from collections.abc import Awaitable
from typing import TYPE_CHECKING, Optional

import libmcp
from libmcp.signature import describe_tool
from libmcp.signature.shape import CONTEXT

if TYPE_CHECKING:
    from collections.abc import Sequence
    from decimal import Decimal

    from libmcp import Context, Image


class Shop:
    class Goods(str):
        pass

    def sell(self, what: str, count: int = 1) -> int:
        """Sells."""
        return count

    async def buy(self, what: str) -> int:
        return 1

    def __call__(self, what: str) -> str:
        """Calls."""
        return what

    @classmethod
    def open(cls, day: int) -> int:
        return day

    @staticmethod
    def close(day: int) -> int:
        return day

    def self(self, cls: int) -> int:
        return cls


def plain(a: int, b: str = "x") -> int:
    return a


async def coroutine(a: int) -> int:
    return a


def through(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapper


def arguments_of(function):
    return list(describe_tool(function).input_schema["properties"])


class Callables(unittest.TestCase):
    def test_all_kinds_of_them(self):
        shop = Shop()
        for function, name, arguments, is_async in [
            (plain, "plain", ["a", "b"], False),
            (coroutine, "coroutine", ["a"], True),
            (shop.sell, "sell", ["what", "count"], False),
            (shop.buy, "buy", ["what"], True),
            (shop, "Shop", ["what"], False),
            (Shop.open, "open", ["day"], False),
            (shop.open, "open", ["day"], False),
            (Shop.close, "close", ["day"], False),
            (vars(Shop)["close"], "close", ["day"], False),
            (shop.self, "self", ["cls"], False),
            (lambda a: a, "<lambda>", ["a"], False),
            (functools.partial(plain, 1), "plain", ["b"], False),
            (functools.partial(plain, b="secret"), "plain", ["a"], False),
            (functools.partial(shop.sell, count=2), "sell", ["what"], False),
            (functools.partial(coroutine), "coroutine", ["a"], True),
            (functools.lru_cache(plain), "plain", ["a", "b"], False),
            (through(plain), "plain", ["a", "b"], False),
            (through(through(shop.sell)), "sell", ["what", "count"], False),
            (through(coroutine), "coroutine", ["a"], True),
        ]:
            with self.subTest(function):
                shape = describe_tool(function)
                self.assertEqual(
                    (shape.name, list(shape.input_schema["properties"]), shape.is_async), (name, arguments, is_async)
                )

    def test_docstrings(self):
        shop = Shop()
        for function, text in [
            (shop.sell, "Sells."),
            (shop, "Calls."),
            (functools.partial(shop.sell, count=1), "Sells."),
            (functools.partial(plain), None),
            (through(shop.sell), "Sells."),
        ]:
            with self.subTest(function):
                self.assertEqual(describe_tool(function).description, text)

    def test_what_is_bound_by_partial_is_told_to_nobody(self):
        self.assertNotIn("secret", str(describe_tool(functools.partial(plain, b="secret")).input_schema))

    def test_a_decorated_coroutine_function_is_awaited(self):
        for function in (through(coroutine), functools.partial(through(coroutine))):
            self.assertEqual(asyncio.run(describe_tool(function).function(a=3)), 3)

        @functools.wraps(coroutine)
        def answers(a):
            return a

        self.assertEqual(asyncio.run(describe_tool(answers).function(a=5)), 5)

    def test_what_returns_an_awaitable_is_awaited(self):
        def returns(a: int) -> Awaitable[int]:
            return coroutine(a)

        shape = describe_tool(returns)
        self.assertEqual((shape.is_async, shape.output_schema), (True, {"type": "integer"}))
        self.assertEqual(asyncio.run(shape.function(a=6)), 6)

    def test_functions_are_called_as_they_are_where_nothing_is_to_be_done(self):
        self.assertIs(describe_tool(plain).function, plain)
        self.assertIs(describe_tool(coroutine).function, coroutine)

    def test_a_signature_that_the_author_says(self):
        import inspect

        def function(**kwargs):
            return kwargs

        function.__signature__ = inspect.Signature(
            [
                inspect.Parameter("n", inspect.Parameter.KEYWORD_ONLY, annotation="int"),
                inspect.Parameter("s", inspect.Parameter.KEYWORD_ONLY, annotation=str, default="x"),
            ],
            return_annotation=int,
        )
        shape = describe_tool(function)
        self.assertEqual(
            shape.input_schema["properties"], {"n": {"type": "integer"}, "s": {"type": "string", "default": "x"}}
        )
        self.assertEqual(shape.output_schema, {"type": "integer"})

    def test_what_is_refused_and_why(self):
        def starred(*things): ...

        def by_place(a, /, b): ...

        def stream():
            yield 1

        async def async_stream():
            yield 1

        for function, words in [
            (starred, "starred: *things takes arguments without a name"),
            (by_place, "by_place: 'a' is positional only"),
            (stream, "stream: a generator cannot be a handler"),
            (async_stream, "async_stream: a generator cannot be a handler"),
            (Shop, "Shop is a class; register a function"),
            (Shop.sell, "sell: it is a method without its object; register that of an object, as add_tool(object.sell)"),
            (vars(Shop)["open"], "open is a class method without its class; register it as Class.open"),
            (len, "len: 'obj' is positional only"),
            (5, "has no signature that can be read"),
        ]:
            with self.subTest(function), self.assertRaises(TypeError) as raised:
                describe_tool(function)
            self.assertIn(words, str(raised.exception))

    def test_arguments_may_have_any_name(self):
        def odd(self: int, cls: str, kwargs: int, function: int, arguments: int):
            return [self, cls, kwargs, function, arguments]

        shape = describe_tool(odd)
        self.assertEqual(list(shape.input_schema["properties"]), ["self", "cls", "kwargs", "function", "arguments"])
        self.assertEqual(shape.function(self=1, cls="2", kwargs=3, function=4, arguments=5), [1, "2", 3, 4, 5])


class Annotations(unittest.TestCase):
    """This module has `from __future__ import annotations`: all of them are texts."""

    def test_the_context_is_found_by_its_annotation(self):
        def named(a: int, tell: Context): ...

        def optional(a: int, tell: Context | None = None): ...

        def spelled(a: int, tell: "Optional[libmcp.Context]" = None): ...

        def annotated(a: int, tell: typing.Annotated[Context, "the call"]): ...

        class Own(libmcp.Context):
            pass

        def derived(a: int, tell: Own): ...

        for function in (named, optional, spelled, annotated, derived):
            with self.subTest(function):
                shape = describe_tool(function)
                self.assertEqual(list(shape.input_schema["properties"]), ["a"])
                self.assertEqual(
                    [parameter.name for parameter in shape.parameters if parameter.kind == CONTEXT], ["tell"]
                )

    def test_names_that_only_type_checkers_import(self):
        def known(ctx: Context, names: Sequence[str]) -> list[Image]: ...

        shape = describe_tool(known)
        self.assertEqual(shape.input_schema["properties"], {"names": {"type": "array", "items": {"type": "string"}}})
        self.assertIsNone(shape.output_schema)

        def unknown(price: Decimal): ...

        with self.assertRaises(TypeError) as raised:
            describe_tool(unknown)
        self.assertIn(
            "unknown: the annotation 'Decimal' of the parameter 'price' cannot be resolved: 'Decimal' is not defined",
            str(raised.exception),
        )

        def result() -> dict[str, Decimal]: ...

        with self.assertRaisesRegex(TypeError, "of the result cannot be resolved: 'Decimal' is not defined"):
            describe_tool(result)

    def test_names_of_functions_around(self):
        Celsius = typing.NewType("Celsius", float)

        def local(a: Celsius, b: list[Celsius]): ...

        number = {"type": "number"}
        self.assertEqual(
            describe_tool(local).input_schema["properties"], {"a": number, "b": {"type": "array", "items": number}}
        )

        def in_closure(a: Celsius):
            return Celsius

        describe = describe_tool
        self.assertEqual(self.elsewhere(lambda: describe(in_closure)).input_schema["properties"], {"a": number})

    def elsewhere(self, run):
        return run()

    def test_local_names_that_are_gone(self):
        def make():
            Gone = typing.NewType("Gone", int)

            def function(a: Gone): ...

            return function

        with self.assertRaisesRegex(TypeError, "function: the annotation 'Gone' of the parameter 'a' cannot be resolved"):
            describe_tool(make())

    def test_names_of_the_class_around(self):
        class Market:
            Price = typing.NewType("Price", int)

            def set(self, price: Price): ...

        self.assertEqual(describe_tool(Market().set).input_schema["properties"], {"price": {"type": "integer"}})

    def test_names_in_quotes_within(self):
        def function(a: list["Later"], b: Optional["Later"], c: "list['Later | None']"): ...

        integer = {"type": "integer"}
        self.assertEqual(
            describe_tool(function).input_schema["properties"],
            {
                "a": {"type": "array", "items": integer},
                "b": {"anyOf": [integer, {"type": "null"}]},
                "c": {"type": "array", "items": {"anyOf": [integer, {"type": "null"}]}},
            },
        )

    def test_a_text_that_contains_itself(self):
        def function(a: Endless): ...

        with self.assertRaisesRegex(TypeError, "it contains itself; make it a pydantic model"):
            describe_tool(function)

    def test_what_cannot_be_evaluated(self):
        def syntax(a: "int |"): ...

        def attribute(a: types.Nothing): ...

        def operator(a: 1 + "x"): ...

        for function, words in [
            (syntax, "the annotation 'int |' of the parameter 'a' cannot be resolved: "),
            (attribute, "module 'types' has no attribute 'Nothing'"),
            (operator, "unsupported operand"),
        ]:
            with self.subTest(function), self.assertRaises(TypeError) as raised:
                describe_tool(function)
            self.assertIn(words, str(raised.exception))


Later = int
Endless = Optional["list[Endless]"]


if __name__ == "__main__":
    unittest.main()
