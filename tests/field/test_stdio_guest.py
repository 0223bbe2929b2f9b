"""Topic 1, stdio: the library as a guest in a process that prints, starts children and has signals of its own."""

import json
import os
import re
import signal
import unittest

from wire.patience import bound, eventually
from wire.pipe import PipeServer
from wire.request import call, discover, text_of


def noise(id, how):
    return call(id, "noise", {"how": how})


class Children(unittest.TestCase):
    def test_b017_a_child_that_reads_finds_an_end_of_input_and_eats_no_request(self):
        with PipeServer() as server:
            server.send(noise(1, "sh:cat"), discover(2), discover(3))
            self.assertEqual(json.loads(text_of(server.answer(1, bound(1)))), {"exit": 0, "signal": 0})
            server.answer(2, bound(1))
            server.answer(3, bound(1))
            self.assertIn("result", server.ask(noise(4, "sh:cat >/dev/null; head -c 1"), bound(1)))

    def test_b017_what_a_child_prints_lands_on_stderr(self):
        with PipeServer() as server:
            server.send(noise(1, "sh:echo CHILD-SAYS-HI"), discover(2))
            server.answer(1, bound(1))
            server.answer(2, bound(1))
            server.wait_stderr("CHILD-SAYS-HI", bound(1))
            self.assertFalse(any(b"CHILD-SAYS-HI" in line for line in server.lines))

    def test_b017_no_descriptor_of_the_conversation_reaches_a_child(self):
        with PipeServer() as server:
            pipes = {f"pipe:[{os.fstat(end).st_ino}]" for end in (server.to_server, server.from_server)}
            server.ask(noise(1, "sh:exec ls -l /proc/self/fd"))
            server.wait_stderr(" 2 -> ")
            server.ask(noise(2, "sh:echo LISTED"))
            server.wait_stderr("LISTED")
            found = dict(re.findall(r" (\d+) -> (\S+)", server.stderr))
            self.assertEqual(found["0"], "/dev/null")
            self.assertEqual(found["1"], found["2"])
            self.assertFalse(pipes & set(found.values()), found)

    def test_b017_a_child_that_stays_behind_does_not_hold_the_stream_open(self):
        with PipeServer() as server:
            server.ask(noise(1, "sh:sleep 30 2>/dev/null & echo CHILD $! >&2"))
            server.wait_stderr("CHILD ")
            child = int(re.search(r"CHILD (\d+)", server.stderr).group(1))
            try:
                server.close_input()
                eventually(lambda: server.at_end, bound(5), "the end of the output")
                os.kill(child, 0)
            finally:
                os.kill(child, signal.SIGKILL)
            self.assertEqual(server.end(), 0)

    def test_b017_children_of_many_calls_at_once(self):
        with PipeServer() as server:
            server.send(*(noise(id, "sh:echo hi; cat") for id in range(20)))
            for id in range(20):
                server.answer(id)


class Prints(unittest.TestCase):
    def test_b018_a_print_in_a_handler_lands_on_stderr_however_it_is_made(self):
        for how, text in (("printf", "STRAY-PRINTF"), ("puts", "STRAY-PUTS"), ("write", "STRAY-WRITE")):
            with self.subTest(how=how), PipeServer() as server:
                server.send(noise(1, how), discover(2))
                server.answer(1, bound(1))
                server.answer(2, bound(1))
                # What stdio buffers comes out at the latest when serving ends.
                self.assertEqual(server.end(), 0)
                self.assertIn(text, server.stderr)
                self.assertFalse(any(text.encode() in line for line in server.lines))
                self.assertEqual(len(server.lines), 2)

    def test_b018_a_print_before_serving_is_not_in_front_of_the_first_message(self):
        with PipeServer("--prelude", "BANNER without an end") as server:
            server.ask(discover(1), bound(2))
            self.assertEqual(server.end(), 0)
            self.assertIn("BANNER without an end", server.stderr)
            self.assertEqual(len(server.lines), 1)

    def test_b018_a_print_of_a_handler_is_not_behind_the_last_message(self):
        with PipeServer("--epilogue", "1") as server:
            server.junk_allowed = True
            server.ask(noise(1, "printf"))
            self.assertEqual(server.end(), 0)
            self.assertEqual([line for line in server.lines if b"jsonrpc" not in line], [b"after"])
            self.assertIn("STRAY-PRINTF", server.stderr)

    def test_b018_the_library_itself_prints_nothing_when_all_is_well(self):
        with PipeServer() as server:
            server.send(discover(1), call(2, "echo", {"a": 1}), call(3, "tool_error"), call(4, "no such tool"))
            for id in (1, 2, 3, 4):
                server.answer(id)
            self.assertEqual(server.end(), 0)
            self.assertEqual(server.log().strip(), "")


class Signals(unittest.TestCase):
    def test_a_child_of_a_handler_can_be_ended_by_a_signal(self):
        with PipeServer() as server:
            answer = json.loads(text_of(server.ask(noise(1, "sh:kill -TERM $$"), bound(2))))
            self.assertEqual(answer, {"exit": -1, "signal": int(signal.SIGTERM)})

    def test_a_child_of_a_handler_has_the_signal_mask_of_the_host(self):
        with PipeServer() as server:
            server.ask(noise(1, "sh:grep SigBlk /proc/self/status"))
            server.wait_stderr("SigBlk")
            self.assertEqual(re.search(r"SigBlk:\s*([0-9a-f]+)", server.stderr).group(1).strip("0"), "")

    def test_the_host_keeps_its_own_way_of_ending_by_a_signal(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(signal=number):
                server = PipeServer()
                try:
                    server.ask(discover(1))
                    server.popen.send_signal(number)
                    self.assertEqual(server.wait_exit(bound(2)), -number)
                finally:
                    server.kill()

    def test_no_handler_is_installed_for_any_signal(self):
        with PipeServer() as server:
            server.send(call(1, "nap", {"ms": 10}), discover(2))
            server.answer(1)
            with open(f"/proc/{server.pid}/status", encoding="ascii") as file:
                status = file.read()
            # The two signals behind bit 31 are the C library's own; a parent may have left them ignored.
            signals = {
                kind: int(re.search(kind + r":\s*([0-9a-f]+)", status).group(1), 16) & ~(3 << 31)
                for kind in ("SigCgt", "SigIgn")
            }
            # Python's Popen gives SIGPIPE its default back; the library must not have ignored it.
            self.assertEqual(signals, {"SigCgt": 0, "SigIgn": 0}, "caught and ignored signals")


class Dispatch(unittest.TestCase):
    def test_a_tool_answers_wherever_its_handler_runs(self):
        with PipeServer() as server:
            for id, name in ((1, "echo"), (2, "echo_pool"), (3, "echo_host")):
                self.assertEqual(json.loads(text_of(server.ask(call(id, name, {"n": id})))), {"n": id})


if __name__ == "__main__":
    unittest.main()
