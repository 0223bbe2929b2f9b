"""The fixture server as a process: what it says on stderr, what it costs, how it ends."""

import os
import re
import signal
import subprocess
import threading

from .patience import LONG, Deadline, bound, eventually

# A process that nobody stopped is killed, so that no test can hang the suite.
OVERDUE = 75.0

CRASH = re.compile(r"panicked|RUST_BACKTRACE|stack backtrace|Traceback|AddressSanitizer|Segmentation")


class Process:
    """A running fixture server. `stdin` and `stdout` go to Popen as they are."""

    def __init__(self, arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, **popen):
        binary = os.environ["FIELD_SERVER"]
        self.popen = subprocess.Popen(
            [binary, *arguments], stdin=stdin, stdout=stdout, stderr=subprocess.PIPE, bufsize=0, **popen
        )
        self.pid = self.popen.pid
        self.stderr = ""
        self._news = threading.Condition()
        self._reader = threading.Thread(target=self._read_stderr, daemon=True)
        self._reader.start()
        self._overdue = threading.Timer(OVERDUE, self.popen.kill)
        self._overdue.daemon = True
        self._overdue.start()

    def _read_stderr(self):
        while True:
            chunk = os.read(self.popen.stderr.fileno(), 65536)
            if not chunk:
                return
            with self._news:
                self.stderr += chunk.decode("utf-8", "replace")
                self._news.notify_all()

    def events(self, beginning=""):
        """The `@` lines so far, without their mark, that begin so."""
        with self._news:
            lines = [line[2:] for line in self.stderr.split("\n") if line.startswith("@ ")]
        return [line for line in lines if line.startswith(beginning)]

    def wait_event(self, beginning, within=LONG, count=1):
        """Waits until `count` such lines are there; the last of them."""
        deadline = Deadline(within)
        while True:
            found = self.events(beginning)
            if len(found) >= count:
                return found[count - 1]
            if deadline.passed():
                raise AssertionError(
                    f"no {count}. event {beginning!r} within {within:.1f} s; stderr:\n{self.stderr[-2000:]}"
                )
            with self._news:
                self._news.wait(min(0.2, deadline.left()))

    def wait_stderr(self, text, within=LONG):
        """Waits until stderr has `text`."""
        eventually(lambda: text in self.stderr, within, f"{text!r} on stderr; there is:\n{self.stderr[-2000:]}")

    def log(self):
        """stderr without the fixture's own event lines."""
        with self._news:
            return "\n".join(line for line in self.stderr.split("\n") if not line.startswith("@ "))

    def alive(self):
        return self.popen.poll() is None

    def _status(self, field):
        with open(f"/proc/{self.pid}/status", encoding="ascii") as file:
            return int(re.search(rf"^{field}:\s+(\d+)", file.read(), re.M).group(1)) * 1024

    def rss(self):
        """Bytes of memory now."""
        return self._status("VmRSS")

    def peak_rss(self):
        """Bytes of memory at the worst moment."""
        return self._status("VmHWM")

    def threads(self):
        return len(os.listdir(f"/proc/{self.pid}/task"))

    def descriptors(self):
        """How many descriptors are open."""
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def cpu(self):
        """Seconds of processor time used so far."""
        with open(f"/proc/{self.pid}/stat", encoding="ascii") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def wait_exit(self, within):
        """The exit code; negative for a signal."""
        try:
            code = self.popen.wait(within)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"still running after {within:.1f} s; stderr:\n{self.stderr[-2000:]}") from None
        self._reader.join(bound(5))
        return code

    def check_calm(self):
        """No crash was reported on stderr."""
        found = CRASH.search(self.log())
        if found:
            raise AssertionError(f"{found.group()!r} on stderr:\n{self.stderr[-3000:]}")

    def kill(self):
        """Ends it at once, if it still runs, and gives the descriptors back."""
        self._overdue.cancel()
        if self.alive():
            self.popen.send_signal(signal.SIGKILL)
        self.popen.wait()
        self._reader.join(1)
        for stream in (self.popen.stdin, self.popen.stdout, self.popen.stderr):
            if stream is not None and not (stream is self.popen.stderr and self._reader.is_alive()):
                try:
                    stream.close()
                except OSError:
                    pass
