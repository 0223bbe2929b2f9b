"""What docstrings say of arguments, in three styles, and what is left of them."""

import inspect
import unittest

from libmcp.signature.docstring import dedented, parse

GOOGLE = """Finds flights.

    The cheapest come first:

      1. direct
      2. with a stop

    Args:
        start (str): Where from,
            as an IATA code:

              - FRA
              - LHR
        end: Where to (any
            airport).
        filters (Dict[str, Tuple[int, int]], optional): What counts: price, time.
        **more: The rest.

    Returns:
        A list.

    Raises:
        ValueError: if there is no such airport.
    """

NUMPY = """
    Adds.

    Parameters
    ----------
    a, b : int
        The summands.
    c : {"x", "y"}, optional
        A choice.

        With two paragraphs.
    d
        Not typed.

    Returns
    -------
    int
        The sum.
    """

REST = """Adds.

    :param a: The first,
        on two lines
    :param int b: The second: typed
    :type a: int
    :returns: the sum
    :rtype: int
    """


class Docstrings(unittest.TestCase):
    def test_google(self):
        text, said = parse(GOOGLE, ("start", "end", "filters", "more"))
        self.assertEqual(
            said,
            {
                "start": "Where from,\nas an IATA code:\n\n  - FRA\n  - LHR",
                "end": "Where to (any\nairport).",
                "filters": "What counts: price, time.",
                "more": "The rest.",
            },
        )
        self.assertEqual(
            text,
            "Finds flights.\n\nThe cheapest come first:\n\n  1. direct\n  2. with a stop\n\n"
            "Returns:\n    A list.\n\nRaises:\n    ValueError: if there is no such airport.",
        )

    def test_numpy(self):
        text, said = parse(NUMPY, ("a", "b", "c", "d"))
        self.assertEqual(
            said,
            {
                "a": "The summands.",
                "b": "The summands.",
                "c": "A choice.\n\nWith two paragraphs.",
                "d": "Not typed.",
            },
        )
        self.assertEqual(text, "Adds.\n\nReturns\n-------\nint\n    The sum.")

    def test_rest(self):
        text, said = parse(REST, ("a", "b"))
        self.assertEqual(said, {"a": "The first,\non two lines", "b": "The second: typed"})
        self.assertEqual(text, "Adds.\n\n:returns: the sum\n:rtype: int")

    def test_a_section_about_others_stays_and_is_used_for_those_that_are_known(self):
        doc = "Calls.\n\nArgs:\n    a: The first.\n    z: Of another function."
        text, said = parse(doc, ("a",))
        self.assertEqual((text, said), (doc, {"a": "The first."}))

    def test_prose_under_such_a_heading_is_prose(self):
        for doc in (
            "Does.\n\nArguments:\n    There are good ones: many.",
            "Does.\n\nParameters:\n    none",
            "Does.\n\nArgs:",
            "A line\n\nParameters\n----------\nThere are none of them.",
            ":param : nothing",
            "Says `:param x: y` within a line.",
        ):
            with self.subTest(doc):
                self.assertEqual(parse(doc, ("x", "none", "There")), (doc, {}))

    def test_texts_without_sections_are_as_they_were_written(self):
        doc = "One.\n\n\nTwo  with   spaces,\n    code\n\n\n\nand gaps."
        self.assertEqual(parse(doc, ()), (doc, {}))

    def test_an_argument_without_a_text_has_none(self):
        self.assertEqual(parse("X.\n\nArgs:\n    a:\n    b: B.", ("a", "b")), ("X.", {"b": "B."}))

    def test_nothing_else_than_arguments_is_no_description(self):
        self.assertEqual(parse("Args:\n    a: A.", ("a",)), (None, {"a": "A."}))
        self.assertEqual(parse("   ", ()), (None, {}))
        self.assertEqual(parse(None, ()), (None, {}))

    def test_indentation_goes_as_inspect_has_it(self):
        for doc in (GOOGLE, NUMPY, REST, "x", "", "\n\n  a\n    b\n", "a\n\tb\n\t\tc", "  a\nb"):
            with self.subTest(doc):
                self.assertEqual(dedented(doc), inspect.cleandoc(doc).rstrip())


if __name__ == "__main__":
    unittest.main()
