"""Topic 7: the lists of what a server offers, their order, their pages and their cursors, in both eras (B056, B098)."""

import json
import unittest

from wire.client import Client
from wire.http import HttpServer
from wire.pipe import PipeServer
from wire.request import call, listing, text_of
from wire.shapes import LISTS, MODERN, REVISIONS

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


# How an item of each list is made, and which member it is listed by.
KINDS = {
    "tools/list": ("tool", "name", lambda key: {"name": key, "inputSchema": EMPTY}),
    "prompts/list": ("prompt", "name", lambda key: {"name": key}),
    "resources/list": ("resource", "uri", lambda key: {"uri": f"x:{key}", "name": "n"}),
    "resources/templates/list": ("template", "uriTemplate", lambda key: {"uriTemplate": f"x:{key}/{{v}}", "name": "n"}),
}


def offered(*keys):
    """Options that offer an item with each key in each list."""
    options = ["--bare", "1"]
    for kind, _, definition in KINDS.values():
        for key in keys:
            options += [f"--{kind}", "nothing", json.dumps(definition(key))]
    return options


class EveryList(unittest.TestCase):
    KEYS = [f"k{number:02}" for number in range(25)]

    def keys(self, method, items):
        _, member, _ = KINDS[method]
        return [item[member].removeprefix("x:").removesuffix("/{v}") for item in items]

    def test_b098_every_list_is_in_order_and_its_pages_are_exact_in_every_revision(self):
        for count, sizes in ((25, [10, 10, 5]), (20, [10, 10]), (10, [10])):
            options = offered(*reversed(self.KEYS[:count]))
            for revision in REVISIONS if count == 25 else (MODERN,):
                with PipeServer(*options, "--option", "page_size=10") as server:
                    client = Client(server, revision)
                    for method, (member, _) in LISTS.items():
                        with self.subTest(method=method, revision=revision, count=count):
                            pages, params = [], {}
                            while not pages or params:
                                result = client.ask(method, params)["result"]
                                pages.append(self.keys(method, result[member]))
                                params = {"cursor": result["nextCursor"]} if "nextCursor" in result else {}
                            self.assertEqual([len(page) for page in pages], sizes)
                            self.assertEqual([key for page in pages for key in page], self.KEYS[:count])

    def test_b098_a_cursor_is_good_for_its_own_list_alone_and_in_every_revision(self):
        with PipeServer(*offered(*self.KEYS), "--option", "page_size=10") as server:
            new, old = Client(server), Client(server, "2025-11-25")
            cursors = {method: new.ask(method)["result"]["nextCursor"] for method in LISTS}
            for client in (new, old):
                for method in LISTS:
                    for other, cursor in cursors.items():
                        answer = client.ask(method, {"cursor": cursor})
                        if method == other:
                            items = answer["result"][LISTS[method][0]]
                            self.assertEqual(self.keys(method, items), self.KEYS[10:20])
                        else:
                            self.assertEqual(answer["error"]["code"], -32602, (method, other))
                    for bad in (
                        "bogus",
                        "",
                        cursors[method][:-1],
                        cursors[method] * 2,
                        5,
                        [],
                        {},
                        True,
                        "x" * (1 << 20),
                    ):
                        self.assertEqual(
                            client.ask(method, {"cursor": bad})["error"]["code"], -32602, (method, str(bad)[:20])
                        )

    def test_b056_each_list_has_its_own_cache_hints_which_are_the_same_on_all_pages(self):
        names = {"tools/list": "tools", "prompts/list": "prompts", "resources/list": "resources",
                 "resources/templates/list": "resource_templates"}  # fmt: skip
        options = ["--option", "page_size=10"]
        for number, name in enumerate(names.values(), 1):
            options += ["--option", f"{name}_cache_ttl_ms={number}", "--option", f"{name}_cache_scope=private"]
        with PipeServer(*offered(*self.KEYS), *options) as server:
            for client in (Client(server), Client(server, "2025-11-25")):
                for number, method in enumerate(names, 1):
                    params, wanted = {}, (number, "private") if client.modern else (None, None)
                    while params is not None:
                        result = client.ask(method, params)["result"]
                        self.assertEqual((result.get("ttlMs"), result.get("cacheScope")), wanted)
                        params = {"cursor": result["nextCursor"]} if "nextCursor" in result else None

    def test_b098_pages_stay_right_while_any_list_changes(self):
        with PipeServer(*offered(*self.KEYS), "--tool", "offer", json.dumps({"name": "zz", "inputSchema": EMPTY}),
                        "--option", "page_size=10") as server:  # fmt: skip
            client = Client(server)
            for method, (member, _) in LISTS.items():
                kind, key, definition = KINDS[method]
                cursor = client.ask(method)["result"]["nextCursor"]
                steps = [{"kind": kind, "remove": definition(gone)[key]} for gone in ("k09", "k00", "k10")]
                steps += [{"kind": kind, "add": definition(new)} for new in ("a", "k03x", "k12x")]
                said = json.loads(client.text("zz", {"steps": steps}))
                self.assertEqual([step["status"] for step in said], [0] * 6, said)
                page = client.ask(method, {"cursor": cursor})["result"][member]
                self.assertEqual(self.keys(method, page), ["k11", "k12", "k12x", *(f"k{n}" for n in range(13, 20))])

    def test_b056_a_capability_stays_when_the_last_item_of_its_kind_goes(self):
        with PipeServer(
            *offered("only"), "--tool", "offer", json.dumps({"name": "zz", "inputSchema": EMPTY})
        ) as server:
            client = Client(server)
            before = client.ask("server/discover")["result"]["capabilities"]
            self.assertLessEqual({"tools", "prompts", "resources"}, set(before))
            steps = [{"kind": kind, "remove": definition("only")[key]} for kind, key, definition in KINDS.values()]
            self.assertEqual(
                [step["status"] for step in json.loads(client.text("zz", {"steps": steps * 2}))], [0] * 4 + [-5] * 4
            )
            self.assertEqual(client.ask("server/discover")["result"]["capabilities"], before)
            for method, (member, _) in LISTS.items():
                listed = client.ask(method)["result"][member]
                self.assertEqual([item["name"] for item in listed], ["zz"] if member == "tools" else [])


if __name__ == "__main__":
    unittest.main()
