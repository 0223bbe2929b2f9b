"""A conversation over the pipes of a fixture server in stdio mode, or in that of a host with its own transport."""

import array
import fcntl
import os
import socket
import subprocess
import termios
import threading

from . import frame, legacy
from .patience import LONG, Deadline, bound, eventually
from .process import Process
from .request import PREFIX, asked, discover, encode, key


class PipeServer(Process):
    """Use as a context manager: at the end the server must still serve, end at the end of input, and exit with 0."""

    # Whether the test ended the server itself.
    ended = False

    def __init__(self, *arguments, descriptors=None, mode="stdio", **popen):
        mine_in, theirs_in, mine_out, theirs_out = descriptors or self._pipes()
        super().__init__([*arguments, mode], stdin=theirs_in, stdout=theirs_out, **popen)
        os.close(theirs_in)
        if theirs_out != theirs_in:
            os.close(theirs_out)
        self.to_server = mine_in
        self.from_server = mine_out
        self.raw = bytearray()
        self.lines = []
        self.frames = []
        self.faults = []
        self.at_end = False
        self.junk_allowed = False
        # The session that `initialize` opened, as messages of it are held against it.
        self.session = None
        # Arrays of messages, each as many frames too.
        self.batches = []
        self._asked = {}
        self._hello = None
        self._server_ids = set()
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    @staticmethod
    def _pipes():
        theirs_in, mine_in = os.pipe()
        mine_out, theirs_out = os.pipe()
        for descriptor in (mine_in, mine_out):
            os.set_inheritable(descriptor, False)
        return mine_in, theirs_in, mine_out, theirs_out

    # What comes from the server

    def _listen(self):
        rest = bytearray()
        while True:
            try:
                chunk = os.read(self.from_server, 1 << 20)
            except OSError:
                chunk = b""
            start = len(rest)
            rest += chunk
            while (end := rest.find(b"\n", start)) >= 0:
                self._take(bytes(rest[:end]))
                del rest[: end + 1]
                start = 0
            if not chunk:
                with self._news:
                    if rest:
                        self.faults.append(f"an unfinished last line: {bytes(rest[:200])!r}")
                    self.at_end = True
                    self._news.notify_all()
                return

    def _take(self, line):
        messages, fault = [], None
        try:
            if b"\r" in line:
                raise frame.BadFrame(f"a carriage return in {line[:200]!r}")
            messages = self._messages(frame.read(line))
        except frame.BadFrame as error:
            fault = str(error)
        with self._news:
            self.lines.append(line)
            self.frames += messages
            if fault is not None and not self.junk_allowed:
                self.faults.append(fault)
            self._news.notify_all()

    def _messages(self, value):
        """The messages of one line, each held against its shape."""
        messages = value if isinstance(value, list) else [value]
        if isinstance(value, list):
            if self.session is None or self.session.revision != legacy.WITH_BATCHES or not value:
                raise frame.BadFrame(f"an array of {len(value)} messages")
            self.batches.append(value)
        for message in messages:
            frame.check(message, self._asked_by(message))
            if "method" not in message:
                continue
            if "id" in message:
                if key(message["id"]) in self._server_ids:
                    raise frame.BadFrame(f"the id of a request twice: {message}")
                self._server_ids.add(key(message["id"]))
        return messages

    def _asked_by(self, message):
        """What was asked, where `message` is the answer; otherwise the conversation that it belongs to."""
        if not isinstance(message, dict):
            return frame.Asked()
        if "method" not in message and "id" in message:
            found = self._asked.pop(key(message["id"]), None)
            if found is not None and found.method == "initialize" and "result" in message:
                self.session = found._replace(method=None)
            return found or self.session or frame.Asked()
        params = message.get("params")
        meta = params.get("_meta") if isinstance(params, dict) else None
        if isinstance(meta, dict) and PREFIX + "subscriptionId" in meta:
            return frame.Asked()
        return self.session or frame.Asked()

    def check_frames(self):
        """Fails when any line so far was not a proper message."""
        if self.faults:
            raise AssertionError("bad frames: " + " || ".join(self.faults[:3]))

    def wait(self, condition, within=LONG, what="a frame"):
        """The first frame, old or new, for which `condition` holds."""
        deadline = Deadline(within)
        seen = 0
        while True:
            with self._news:
                frames = self.frames[seen:]
                at_end = self.at_end
            for message in frames:
                if condition(message):
                    return message
            seen += len(frames)
            self.check_frames()
            if deadline.passed() or (at_end and not frames):
                shown = "\n".join(str(message)[:300] for message in self.frames[-8:])
                raise AssertionError(
                    f"no {what} within {within:.1f} s; frames:\n{shown}\nstderr:\n{self.stderr[-1500:]}"
                )
            with self._news:
                if len(self.frames) == seen and not self.at_end:
                    self._news.wait(min(0.2, deadline.left()))

    def answer(self, id, within=LONG):
        """Waits for the result or error with this very id."""
        return self.wait(
            lambda message: "method" not in message and "id" in message and key(message["id"]) == key(id),
            within,
            f"answer {id!r}",
        )

    def answers(self, id):
        """The answers with this very id, so far."""
        return [
            message
            for message in self.frames
            if "method" not in message and "id" in message and key(message["id"]) == key(id)
        ]

    def anonymous(self):
        """The errors without an id, so far."""
        return [message for message in self.frames if "error" in message and "id" not in message]

    def wait_anonymous(self, count, within=LONG):
        """Waits until there are `count` errors without an id."""
        eventually(
            lambda: len(self.anonymous()) >= count, within, f"{count} errors without id; frames: {self.frames[-5:]}"
        )
        return self.anonymous()

    def notifications(self, method):
        return [message for message in list(self.frames) if message.get("method") == method]

    def requests(self):
        """What the server asked in requests of its own, so far."""
        return [message for message in list(self.frames) if "method" in message and "id" in message]

    def wait_requests(self, count, within=LONG):
        """Waits until the server has asked so many times."""
        eventually(lambda: len(self.requests()) >= count, within, f"{count} requests; frames: {self.frames[-5:]}")
        self.check_frames()
        return self.requests()

    # What goes to the server

    def note(self, message, batched=False):
        """Remembers what an id belongs to, so that the answer is held against the right shape."""
        if isinstance(message, list):
            for one in message:
                self.note(one, batched=True)
        elif isinstance(message, dict) and message.get("method") == "notifications/cancelled":
            self._asked.pop(key(message["params"]["requestId"]), None)
        elif isinstance(message, dict) and "id" in message and isinstance(message.get("method"), str):
            try:
                # An id that has no answer belongs to the request before: another with it is refused.
                self._asked.setdefault(key(message["id"]), self._asked_with(message, batched))
            except TypeError:
                pass

    def _asked_with(self, message, batched):
        found, method = asked(message), message["method"]
        if found.capabilities is not None and not batched:
            return found
        if method == "initialize":
            opened = legacy.opened(message)
            self._hello = self._hello or opened
            return opened
        # Nothing of a batch is of the modern era, and elsewhere these are of no other.
        if method in ("server/discover", "subscriptions/listen") and not batched:
            return found
        return (self._hello or found)._replace(method=method)

    def write(self, data):
        """Bytes as they are."""
        view = memoryview(data)
        while view:
            view = view[os.write(self.to_server, view[: 1 << 20]) :]

    def send(self, *messages):
        """Messages, each with its newline, in one write."""
        for message in messages:
            self.note(message)
        self.write(b"".join(encode(message) + b"\n" for message in messages))

    def ask(self, message, within=LONG):
        """Sends a request and waits for its answer."""
        self.send(message)
        return self.answer(message["id"], within)

    def unread(self):
        """Bytes that the server has not read yet."""
        count = array.array("i", [0])
        fcntl.ioctl(self.to_server, termios.FIONREAD, count)
        return count[0]

    def wait_read(self, within=LONG):
        """Waits until the server has read all that was written."""
        eventually(lambda: self.unread() == 0, within, "the server read its input")

    def fence(self, within=LONG):
        """Makes one more round trip: what was written before it is processed."""
        self._fences = getattr(self, "_fences", 0) + 1
        id = f"fence-{self._fences}"
        return self.ask(legacy.request(id, "ping") if self.session else discover(id), within)

    def greet(self, revision, capabilities=None, within=LONG):
        """Opens a session; the result of `initialize`."""
        answer = self.ask(legacy.initialize("hello", revision, capabilities), within)
        self.send(legacy.notification("notifications/initialized"))
        return answer["result"]

    def close_input(self):
        if self.to_server is not None:
            if self.to_server == self.from_server:
                with socket.socket(fileno=os.dup(self.to_server)) as both:
                    both.shutdown(socket.SHUT_WR)
            else:
                os.close(self.to_server)
            self.to_server = None

    # The end

    def end(self, within=None):
        """Ends the input; the exit code, once all output was read."""
        self.close_input()
        code = self.wait_exit(bound(8) if within is None else within)
        self._listener.join(bound(5))
        self.check_frames()
        self.ended = True
        return code

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        try:
            if kind is None:
                if not self.ended:
                    assert "result" in self.fence(), "the server no longer serves"
                    code = self.end()
                    assert code == 0, f"exit code {code}; stderr:\n{self.stderr[-2000:]}"
                self.check_frames()
                self.check_calm()
        finally:
            self.kill()
            self._listener.join(1)
            if self.to_server is not None and self.to_server != self.from_server:
                os.close(self.to_server)
            if not self._listener.is_alive():
                os.close(self.from_server)


def register(*definitions, kind="tool"):
    """What registration says of each definition of a tool, resource, template or prompt: a list of {status, error}."""
    lines = b"".join(encode(definition) + b"\n" for definition in definitions)
    done = subprocess.run(
        [os.environ["FIELD_SERVER"], "register", kind], input=lines, capture_output=True, timeout=LONG, check=False
    )
    answers = [frame.strict(line) for line in done.stdout.decode("utf-8").splitlines()]
    assert done.returncode == 0 and len(answers) == len(definitions), (done.returncode, answers, done.stderr[-2000:])
    return answers
