"""Options that nobody knows."""

import unittest

from libmcp.option_names import check

KNOWN = ("name", "title", "input_schema", "output_schema", "annotations", "mime_type")


class Options(unittest.TestCase):
    def test_the_nearest_one_is_named(self):
        for given, nearest in [
            ("titel", "title"),
            ("input_shema", "input_schema"),
            ("inputSchema", "input_schema"),
            ("outputSchema", "output_schema"),
            ("mimetype", "mime_type"),
            ("annotation", "annotations"),
            ("Name", "name"),
        ]:
            with self.subTest(given), self.assertRaises(TypeError) as raised:
                check("a tool", {given: 1}, KNOWN)
            self.assertEqual(str(raised.exception), f"a tool has no option {given!r}; did you mean {nearest!r}?")

    def test_where_none_is_near_all_are(self):
        with self.assertRaises(TypeError) as raised:
            check("a tool", ["name", "colour"], KNOWN)
        self.assertEqual(
            str(raised.exception),
            "a tool has no option 'colour'; there are name, title, input_schema, output_schema, annotations, mime_type",
        )

    def test_known_ones_pass(self):
        check("a tool", KNOWN, KNOWN)
        check("a tool", (), ())


if __name__ == "__main__":
    unittest.main()
