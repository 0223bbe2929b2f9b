"""Topic 7: the list of tools, its order, its pages and its cursors (B098)."""

import json
import unittest

from wire.http import HttpServer
from wire.pipe import PipeServer
from wire.request import call, listing, text_of

EMPTY = {"type": "object"}
CHANGE = ("--tool", "change", json.dumps({"name": "zz_change", "inputSchema": EMPTY}))


def names(result):
    return [entry["name"] for entry in result["tools"]]


class Pages(unittest.TestCase):
    def pages(self, server):
        """The names of each page, following the cursors."""
        found, params = [], {}
        while True:
            result = server.ask(listing(f"p{len(found)}-{len(server.frames)}", **params))["result"]
            found.append(names(result))
            if "nextCursor" not in result:
                return found
            self.assertIsInstance(result["nextCursor"], str)
            params = {"cursor": result["nextCursor"]}
            self.assertLess(len(found), 1000, "no end")

    def test_b098_the_boundaries_are_exact(self):
        for count, sizes in ((10, [10]), (11, [10, 1]), (9, [9]), (20, [10, 10]), (1, [1]), (25, [10, 10, 5])):
            with self.subTest(count=count), PipeServer(
                "--bare", "1", "--option", "page_size=10", "--many", str(count)
            ) as server:
                pages = self.pages(server)
                self.assertEqual([len(page) for page in pages], sizes)
                self.assertEqual(
                    [name for page in pages for name in page], [f"t{number:04}" for number in range(count)]
                )

    def test_b098_by_default_one_page_holds_as_much_as_a_megabyte(self):
        with PipeServer("--bare", "1", "--many", "1000") as server:
            result = server.ask(listing(1))["result"]
            self.assertEqual(len(result["tools"]), 1000)
            self.assertNotIn("nextCursor", result)
        with PipeServer("--bare", "1", "--many", "1000", "--option", "page_bytes=20000") as server:
            pages = self.pages(server)
            self.assertGreater(len(pages), 3)
            self.assertEqual([name for page in pages for name in page], [f"t{number:04}" for number in range(1000)])
            self.assertLess(max(len(line) for line in server.lines), 21000)

    BOGUS = ("bogus", "", "!!!", "AAAA", "é", "t0003", "0", "x" * (1 << 20), 5, 1.5, True, [], {})

    def test_b098_a_cursor_that_is_not_ours_is_invalid(self):
        for options in (("--option", "page_size=10"), ()):
            with PipeServer("--bare", "1", "--many", "25", *options) as server, HttpServer(
                "--bare", "1", "--many", "25", *options
            ) as web:
                for number, cursor in enumerate(self.BOGUS):
                    with self.subTest(cursor=str(cursor)[:20], paged=bool(options)):
                        self.assertEqual(server.ask(listing(number, cursor=cursor))["error"]["code"], -32602)
                        self.assertEqual(web.post(listing(number, cursor=cursor)).outcome(), (200, -32602))
                answer = server.ask(listing("null", cursor=None))
                if "result" in answer:
                    self.assertEqual(names(answer["result"])[0], "t0000")
                else:
                    self.assertEqual(answer["error"]["code"], -32602)

    def test_b098_a_cursor_that_was_tampered_with_is_invalid(self):
        with PipeServer("--bare", "1", "--many", "25", "--option", "page_size=10") as server:
            cursor = server.ask(listing(1))["result"]["nextCursor"]
            for number, bad in enumerate(
                (
                    cursor[:-1],
                    cursor[1:],
                    cursor[: len(cursor) // 2],
                    cursor + "A",
                    cursor + cursor,
                    cursor.swapcase(),
                    " " + cursor,
                )
            ):
                with self.subTest(bad=bad):
                    answer = server.ask(listing(f"b{number}", cursor=bad))
                    self.assertEqual(
                        answer.get("error", {}).get("code"), -32602, f"{bad!r} for {cursor!r}: {str(answer)[:200]}"
                    )

    def test_b098_a_cursor_works_again_and_after_a_restart(self):
        options = ("--bare", "1", "--many", "25", "--option", "page_size=10")
        with PipeServer(*options) as server:
            cursor = server.ask(listing(1))["result"]["nextCursor"]
            first, second = (names(server.ask(listing(id, cursor=cursor))["result"]) for id in (2, 3))
            self.assertEqual(first, second)
        with PipeServer(*options) as server:
            self.assertEqual(names(server.ask(listing(2, cursor=cursor))["result"]), first)

    def test_b098_pages_stay_right_while_the_list_changes(self):
        with PipeServer("--bare", "1", "--many", "25", "--option", "page_size=10", *CHANGE) as server:
            cursor = server.ask(listing(1))["result"]["nextCursor"]
            added = [{"name": name, "inputSchema": EMPTY} for name in ("a_before", "t0003x", "t0012x")]
            said = json.loads(
                text_of(server.ask(call(2, "zz_change", {"remove": ["t0009", "t0000", "t0010"], "add": added})))
            )
            self.assertEqual([step["status"] for step in said], [0] * 6)
            page = names(server.ask(listing(3, cursor=cursor))["result"])
            self.assertEqual(page, ["t0011", "t0012", "t0012x", *(f"t{number:04}" for number in range(13, 20))])

    def test_b098_a_cursor_behind_the_last_tool_that_is_left_has_an_empty_page(self):
        with PipeServer(
            "--bare",
            "1",
            "--many",
            "3",
            "--option",
            "page_size=2",
            "--tool",
            "change",
            json.dumps({"name": "a_change", "inputSchema": EMPTY}),
        ) as server:
            first = server.ask(listing(1))["result"]
            self.assertEqual(names(first), ["a_change", "t0000"])
            server.ask(call(2, "a_change", {"remove": ["t0001", "t0002"]}))
            last = server.ask(listing(3, cursor=first["nextCursor"]))["result"]
            self.assertEqual(last["tools"], [])
            self.assertNotIn("nextCursor", last)


class Order(unittest.TestCase):
    def test_tools_are_in_name_order_however_they_came(self):
        options = []
        for name in ("b", "a", "B", "a.b", "a-b", "a_b", "10", "9", "Z"):
            options += ["--tool", "touch", json.dumps({"name": name, "inputSchema": EMPTY})]
        with PipeServer("--bare", "1", *options) as server:
            for id in range(3):
                self.assertEqual(
                    names(server.ask(listing(id))["result"]),
                    sorted(("b", "a", "B", "a.b", "a-b", "a_b", "10", "9", "Z")),
                )

    def test_a_change_is_in_the_next_list_and_a_removed_tool_is_unknown(self):
        with PipeServer("--bare", "1", "--many", "2", *CHANGE) as server:
            self.assertEqual(names(server.ask(listing(1))["result"]), ["t0000", "t0001", "zz_change"])
            server.ask(
                call(
                    2,
                    "zz_change",
                    {"remove": ["t0000"], "add": [{"name": "new", "title": "New", "inputSchema": EMPTY}]},
                )
            )
            result = server.ask(listing(3))["result"]
            self.assertEqual(names(result), ["new", "t0001", "zz_change"])
            self.assertEqual(server.ask(call(4, "t0000"))["error"]["code"], -32602)
            self.assertEqual(text_of(server.ask(call(5, "new"))), "touched")

    def test_the_capability_stays_when_the_last_tool_goes(self):
        with PipeServer("--bare", "1", *CHANGE) as server:
            server.ask(call(1, "zz_change", {"remove": ["zz_change"]}))
            self.assertEqual(server.ask(listing(2))["result"]["tools"], [])
            self.assertEqual(server.ask(call(3, "zz_change"))["error"]["code"], -32602)


if __name__ == "__main__":
    unittest.main()
