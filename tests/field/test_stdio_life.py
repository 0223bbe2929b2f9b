"""Topic 1, stdio: how serving begins and ends, and what a peer that vanishes does to it."""

import fcntl
import os
import signal
import socket
import subprocess
import sys
import tempfile
import termios
import time
import unittest

from wire import frame
from wire.patience import LONG, bound, eventually
from wire.pipe import PipeServer
from wire.process import Process
from wire.request import call, cancelled, discover, encode, text_of


def lines(*messages):
    return b"".join(encode(message) + b"\n" for message in messages)


class EndOfInput(unittest.TestCase):
    def test_b010_what_was_accepted_before_the_end_of_input_is_answered(self):
        with PipeServer() as server:
            server.send(discover(1), call(2, "touch"), call(3, "nap", {"ms": 300, "tag": "late"}), call(4, "touch"))
            self.assertEqual(server.end(bound(3)), 0)
            for id in (1, 2, 3, 4):
                self.assertEqual(len(server.answers(id)), 1, id)
            self.assertEqual(text_of(server.answers(3)[0]), "late")

    def test_b010_an_answer_given_later_from_another_thread_counts_too(self):
        with PipeServer() as server:
            server.send(call(1, "beat_async", {"ms": 300, "tag": "later"}))
            self.assertEqual(server.end(bound(3)), 0)
            self.assertEqual(text_of(server.answers(1)[0]), "later")

    def test_b010_files_do_as_pipes(self):
        with tempfile.TemporaryDirectory() as folder:
            asked, answered = os.path.join(folder, "requests.jsonl"), os.path.join(folder, "out")
            with open(asked, "wb") as file:
                file.write(lines(discover(1), call(2, "nap", {"ms": 300}), call(3, "touch"), call(4, "touch")))
            with open(asked, "rb") as source, open(answered, "wb") as sink:
                server = Process(["stdio"], stdin=source, stdout=sink)
            self.assertEqual(server.wait_exit(bound(3)), 0)
            server.check_calm()
            server.kill()
            with open(answered, "rb") as file:
                ids = sorted(frame.parse(line)["id"] for line in file.read().splitlines())
            self.assertEqual(ids, [1, 2, 3, 4])

    def test_b010_a_handler_that_never_returns_cannot_keep_the_process(self):
        with PipeServer() as server:
            server.send(call(1, "hang"), discover(2))
            server.wait_event("hanging")
            server.end(bound(10))
            self.assertEqual(len(server.answers(2)), 1)
            self.assertEqual(len(server.events("ended")), 1)

    def test_b010_the_drain_is_a_setting(self):
        with PipeServer("--option", "drain_ms=300") as server:
            server.send(call(1, "hang"), discover(2))
            server.wait_event("hanging")
            server.end(bound(3))
            self.assertEqual(len(server.answers(2)), 1)

    def test_b010_the_drain_is_spent_once(self):
        with PipeServer("--option", "drain_ms=2000") as server:
            server.send(call(1, "hang"))
            server.wait_event("hanging")
            server.close_input()
            server.wait_event("ended")
            # Serving has waited already; freeing the server need not do so again.
            server.wait_event("freed", min(bound(0.5), 1.5))
            server.end()

    def test_b010_what_the_drain_cuts_off_is_told_to_stop(self):
        with PipeServer("--option", "drain_ms=300") as server:
            server.send(call(1, "beat", {"tag": "b", "ms": 20000}))
            server.wait_event("beat b")
            server.end(bound(3))
            self.assertEqual(len(server.events("cancelled b")), 1, server.events()[-3:])

    def test_b010_output_larger_than_a_pipe_is_drained_too(self):
        with PipeServer() as server:
            server.send(*(call(id, "big", {"bytes": 1 << 20}) for id in range(8)))
            self.assertEqual(server.end(), 0)
            self.assertEqual(sorted(message["id"] for message in server.frames), list(range(8)))


class PeerGone(unittest.TestCase):
    def test_b011_the_end_of_input_ends_serving_once_whatever_else_the_host_has(self):
        with PipeServer("--companion", "1") as server:
            server.ask(discover(1))
            self.assertEqual(server.end(bound(3)), 0)
            self.assertEqual(server.events("ended"), ["ended 0"])

    def test_b011_a_killed_parent_takes_the_server_along(self):
        parent = subprocess.Popen(
            [sys.executable, "-c", "import subprocess,sys,time\n"
             "child = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)\n"
             "child.stdin.write(sys.stdin.buffer.readline()); child.stdin.flush()\n"
             "child.stdout.readline()\nprint(child.pid, flush=True)\ntime.sleep(60)",
             os.environ["FIELD_SERVER"], "--companion", "1", "stdio"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        parent.stdin.write(lines(discover(1)))
        parent.stdin.flush()
        pid = int(parent.stdout.readline())
        parent.kill()
        parent.wait()
        try:
            eventually(lambda: not _running(pid), bound(3), "the server ends after its parent")
            said = parent.stderr.read().decode()
            self.assertEqual(said.count("@ ended"), 1, said)
            self.assertIn("@ freed", said)
        finally:
            if _running(pid):
                os.kill(pid, signal.SIGKILL)
            for stream in (parent.stdin, parent.stdout, parent.stderr):
                stream.close()

    def test_b011_a_peer_that_stops_reading_for_good_ends_serving_without_a_signal(self):
        for kind, message in (
            ("discover", discover(2)),
            ("call", call(2, "nap", {"ms": 50})),
            ("large", call(2, "big", {"bytes": 1 << 20})),
        ):
            with self.subTest(kind=kind):
                server = Process(["stdio"])
                try:
                    server.popen.stdin.write(lines(discover(1)))
                    self.assertTrue(server.popen.stdout.readline())
                    server.popen.stdout.close()
                    try:
                        server.popen.stdin.write(lines(message))
                    except BrokenPipeError:
                        pass  # The server has noticed already.
                    # Its input is still open: what ends it is that nobody can be answered any more.
                    self.assertGreaterEqual(server.wait_exit(bound(3)), 0, "ended by a signal")
                    self.assertEqual(len(server.events("ended")), 1)
                    server.check_calm()
                finally:
                    server.kill()

    def test_b011_both_ends_gone_at_once_while_a_call_runs(self):
        server = Process(["stdio"])
        try:
            server.popen.stdin.write(lines(call(1, "beat", {"tag": "b", "ms": 20000})))
            server.wait_event("beat b")
            server.popen.stdout.close()
            server.popen.stdin.close()
            self.assertGreaterEqual(server.wait_exit(bound(8)), 0, "ended by a signal")
            self.assertEqual(len(server.events("ended")), 1)
            server.check_calm()
        finally:
            server.kill()


def _running(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


class NoSpin(unittest.TestCase):
    WINDOW = 1.0
    # Seconds of processor time in the window: a spinning thread takes the whole of it.
    SHARE = 0.15

    def assert_calm(self, server):
        before = server.cpu()
        time.sleep(self.WINDOW)
        self.assertLess(server.cpu() - before, self.SHARE)

    def test_an_idle_server_uses_no_processor_time(self):
        with PipeServer() as server:
            server.fence()
            self.assert_calm(server)

    def test_waiting_for_a_handler_uses_no_processor_time(self):
        with PipeServer() as server:
            server.send(call(1, "nap", {"ms": 1500}))
            server.wait_event("napping")
            self.assert_calm(server)
            server.answer(1)

    def test_waiting_for_a_reader_uses_no_processor_time_and_loses_nothing(self):
        mine_in, theirs_in, mine_out, theirs_out = PipeServer._pipes()
        held = os.dup(mine_out)
        os.close(mine_out)
        blocked, unblock = os.pipe()
        # The driver reads from `blocked` at first, so that nobody reads from the server.
        with PipeServer(descriptors=(mine_in, theirs_in, blocked, theirs_out)) as server:
            try:
                count = 40
                server.send(*(call(id, "big", {"bytes": 100_000}) for id in range(count)))
                server.wait_read()
                self.assert_calm(server)
                relay = subprocess.Popen(["cat"], stdin=held, stdout=unblock)
            finally:
                os.close(unblock)
                os.close(held)
            for id in range(count):
                self.assertEqual(len(text_of(server.answer(id))), 100_000)
            self.assertEqual(server.end(), 0)
            relay.wait(LONG)

    def test_an_end_of_input_during_a_call_is_waited_for_without_spinning(self):
        with PipeServer() as server:
            server.send(call(1, "nap", {"ms": 1500, "tag": "n"}))
            server.wait_event("napping")
            server.close_input()
            self.assert_calm(server)
            self.assertEqual(server.end(), 0)
            self.assertEqual(text_of(server.answers(1)[0]), "n")

    def test_an_unfinished_line_is_waited_for_without_spinning(self):
        with PipeServer() as server:
            server.write(encode(discover(1))[:20])
            server.wait_read()
            self.assert_calm(server)
            server.write(encode(discover(1))[20:] + b"\n")
            server.answer(1)


class Descriptors(unittest.TestCase):
    def test_descriptors_that_do_not_block_stay_so_and_work(self):
        mine_in, theirs_in, mine_out, theirs_out = PipeServer._pipes()
        kept = [os.dup(theirs_in), os.dup(theirs_out)]
        for descriptor in kept:
            os.set_blocking(descriptor, False)
        with PipeServer(descriptors=(mine_in, theirs_in, mine_out, theirs_out)) as server:
            server.send(*(call(id, "big", {"bytes": 300_000}) for id in range(10)))
            for id in range(10):
                self.assertEqual(len(text_of(server.answer(id))), 300_000)
            self.assertFalse(os.get_blocking(kept[0]) or os.get_blocking(kept[1]), "the flag was changed while serving")
            os.close(kept.pop(1))
            self.assertEqual(server.end(), 0)
            self.assertFalse(os.get_blocking(kept[0]), "the flag was changed")
        os.close(kept[0])

    def test_descriptors_that_block_stay_so(self):
        mine_in, theirs_in, mine_out, theirs_out = PipeServer._pipes()
        kept = os.dup(theirs_in), os.dup(theirs_out)
        with PipeServer(descriptors=(mine_in, theirs_in, mine_out, theirs_out)) as server:
            server.ask(discover(1))
            self.assertTrue(os.get_blocking(kept[0]) and os.get_blocking(kept[1]), "the flag was changed while serving")
            for descriptor in kept:
                os.close(descriptor)

    def test_one_socket_may_be_both_streams(self):
        mine, theirs = socket.socketpair()
        ours, host = os.dup(mine.fileno()), os.dup(theirs.fileno())
        mine.close()
        theirs.close()
        with PipeServer(descriptors=(ours, host, ours, host)) as server:
            self.assertEqual(len(text_of(server.ask(call(1, "big", {"bytes": 2 << 20})))), 2 << 20)
            self.assertEqual(server.end(), 0)

    def test_a_terminal_may_be_the_input(self):
        lead, follow = os.openpty()
        flags = termios.tcgetattr(follow)
        flags[3] &= ~(termios.ECHO | termios.ICANON)
        termios.tcsetattr(follow, termios.TCSANOW, flags)
        mine_out, theirs_out = os.pipe()
        with PipeServer(descriptors=(lead, follow, mine_out, theirs_out)) as server:
            self.assertIn("result", server.ask(discover(1)))
            # Closing the lead hangs the terminal up: reading fails with EIO, which is an end of input.
            server.end(bound(5))
            self.assertEqual(len(server.events("ended")), 1)

    def test_the_streams_are_the_hosts_again_when_serving_has_ended(self):
        with PipeServer("--epilogue", "1") as server:
            server.junk_allowed = True
            server.ask(discover(1))
            self.assertEqual(server.end(), 0)
            self.assertEqual(server.lines[-1], b"after")
            self.assertEqual(len(server.lines), 2)

    def test_the_flags_of_the_streams_do_not_leak_into_the_host(self):
        mine_in, theirs_in, mine_out, theirs_out = PipeServer._pipes()
        kept = os.dup(theirs_out)
        before = fcntl.fcntl(kept, fcntl.F_GETFL)
        with PipeServer(descriptors=(mine_in, theirs_in, mine_out, theirs_out)) as server:
            server.ask(discover(1))
            self.assertEqual(fcntl.fcntl(kept, fcntl.F_GETFL), before)
            os.close(kept)


class Interleaving(unittest.TestCase):
    def test_no_message_waits_for_another(self):
        with PipeServer() as server:
            server.send(call(1, "nap", {"ms": 1000}), call(2, "nap", {"ms": 500}), discover(3), call(4, "touch"))
            server.answer(4)
            server.answer(3)
            self.assertEqual(server.answers(1) + server.answers(2), [])
            server.answer(2)
            self.assertEqual(server.answers(1), [])
            server.answer(1)

    def test_messages_may_come_in_any_pieces(self):
        with PipeServer() as server:
            data = lines(discover(1), call(2, "say", {"value": "é\u2028"}), discover(3))
            server.note(discover(1))
            for byte in range(len(data)):
                server.write(data[byte : byte + 1])
            for id in (1, 2, 3):
                server.answer(id)

    def test_a_cancel_in_front_of_its_request_cancels_nothing(self):
        with PipeServer() as server:
            server.send(cancelled(1), call(1, "touch"))
            self.assertEqual(text_of(server.answer(1)), "touched")


if __name__ == "__main__":
    unittest.main()
