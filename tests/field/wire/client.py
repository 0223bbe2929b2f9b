"""A client of any revision, which asks a server and answers what it is asked."""

import itertools

from . import legacy
from .http import SSE, HttpServer
from .patience import LONG, Deadline
from .request import key, meta, request
from .session import Session, Stream
from .shapes import MODERN

# No two requests of a test have the same id, whoever sends them.
SERIAL = itertools.count(1)


class Client:
    """Speaks `revision` to a server over pipes or HTTP. `answers` turns a question, its method and parameters, into the
    result that the client gives; None for one that is answered by hand."""

    def __init__(self, server, revision=MODERN, capabilities=None, answers=None):
        self.server = server
        self.revision = revision
        self.capabilities = capabilities or {}
        self.answers = answers
        self.modern = revision == MODERN
        self.session = None
        self.hello = None
        if not self.modern and isinstance(server, HttpServer):
            self.session = Session(server, revision, self.capabilities)
            self.hello = self.session.hello
        elif not self.modern:
            self.hello = server.greet(revision, self.capabilities)
        self._answered = 0
        # How often it was asked for input.
        self.rounds = 0

    def message(self, method, params=None, *, id=None, token=None, **extra):
        """A request of its own. `extra` goes to `_meta` in the modern era."""
        id = self._id() if id is None else id
        if self.modern:
            return request(id, method, params, meta(capabilities=self.capabilities, token=token, **extra))
        return legacy.request(id, method, params, token)

    def ask(self, method, params=None, within=LONG, **named):
        """The answer to a request, whatever the client is asked before."""
        message = self.message(method, params, **named)
        answer = self.exchange(message, within)
        while answer.get("result", {}).get("resultType") == "input_required" and self.answers:
            self.rounds += 1
            answer = self.exchange(self.again(message, answer["result"]), within)
        return answer

    def exchange(self, message, within=LONG):
        """Sends a request; its answer. What the server asks meanwhile is answered."""
        if self.session is not None:
            return self._exchange_in_session(message, within)
        if isinstance(self.server, HttpServer):
            return self.server.post(message, within=within).last
        self.server.send(message)
        deadline = Deadline(within)
        while True:
            said = self.server.wait(lambda frame: self._is_for_me(frame, message["id"]), deadline.left(), "an answer")
            if "method" not in said:
                return said
            self._answered += 1
            self.rounds += 1
            self.server.send(legacy.answer(said, self.answers(said)))

    def _exchange_in_session(self, message, within):
        connection, response = self.session.send(message, within=within)
        try:
            if response.media_type() != SSE:
                (answer,) = response.messages(within)
                return answer
            stream = Stream(connection, response, self.session.seen)
            while "method" in (said := stream.event(within)):
                if "id" in said:
                    self.rounds += 1
                    assert self.session.answer(said, self.answers(said)) == 202
            assert stream.event(within) is None, "a message after the answer"
            return said
        finally:
            connection.close()

    def _id(self):
        return f"{self.revision}/{next(SERIAL)}"

    def _is_for_me(self, frame, id):
        if "id" not in frame:
            return False
        if "method" not in frame:
            return key(frame["id"]) == key(id)
        return self.answers is not None and frame in self.server.requests()[self._answered :]

    def again(self, message, required, answers=None):
        """The next round of a request that was answered by `required`, with the client's answers or those."""
        if answers is None:
            answers = {name: self.answers(asked) for name, asked in required.get("inputRequests", {}).items()}
        params = {name: value for name, value in message["params"].items() if name not in ("_meta", "requestState")}
        params["inputResponses"] = answers
        if "requestState" in required:
            params["requestState"] = required["requestState"]
        return request(self._id(), message["method"], params, message["params"]["_meta"])

    def events(self, beginning):
        """What the fixture said that begins so, all of it: what it says now comes last."""
        mark = f"mark{next(SERIAL)}"
        answers, self.answers = self.answers, None
        self.call("nap", {"tag": mark})
        self.answers = answers
        self.server.wait_event(f"napped {mark}")
        return self.server.events(beginning)

    # The calls that there are

    def call(self, name, arguments=None, **named):
        return self.ask("tools/call", {"name": name, "arguments": arguments or {}}, **named)

    def text(self, name, arguments=None, **named):
        """The text that a tool answers."""
        result = self.call(name, arguments, **named)["result"]
        assert not result.get("isError") and [block["type"] for block in result["content"]] == ["text"], result
        return result["content"][0]["text"]

    def read(self, uri, **named):
        return self.ask("resources/read", {"uri": uri}, **named)

    def prompt(self, name, arguments=None, **named):
        params = {"name": name} if arguments is None else {"name": name, "arguments": arguments}
        return self.ask("prompts/get", params, **named)

    def complete(self, ref, argument, value, context=None, **named):
        """Of a prompt, or of a template where `ref` looks like one."""
        kind = {"type": "ref/resource", "uri": ref} if ":" in ref else {"type": "ref/prompt", "name": ref}
        params = {"ref": kind, "argument": {"name": argument, "value": value}}
        if context is not None:
            params["context"] = {"arguments": context}
        return self.ask("completion/complete", params, **named)

    def listed(self, method, member):
        """All items of a list, page after page."""
        items, params = [], {}
        while True:
            result = self.ask(method, params)["result"]
            items += result[member]
            if "nextCursor" not in result:
                return items
            params = {"cursor": result["nextCursor"]}
            assert len(items) < 100_000, "no end"
