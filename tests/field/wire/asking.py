"""What tests of calls that ask share."""

import unittest

from .client import Client
from .http import HttpServer
from .pipe import PipeServer
from .questions import EVERYTHING

ALL = ("--everything", "1")


class Asking(unittest.TestCase):
    """A test of calls that ask, in the modern era."""

    def servers(self, *options):
        """A willing client over pipes, and one over HTTP."""
        with PipeServer(*ALL, *options) as server, HttpServer(*ALL, *options) as web:
            for one in (server, web):
                yield Client(one, capabilities=EVERYTHING)

    def first(self, client, name, arguments=None, method="tools/call"):
        """A request, and the result that asks for input in place of an answer."""
        params = {"uri": name} if method == "resources/read" else {"name": name}
        if arguments is not None:
            params["arguments"] = arguments
        message = client.message(method, params)
        return message, self.required(client.exchange(message))

    def required(self, answered):
        self.assertIn("result", answered)
        self.assertEqual(answered["result"]["resultType"], "input_required")
        return answered["result"]

    def next(self, client, message, required, **answers):
        return client.exchange(client.again(message, required, answers))

    def text(self, answered):
        self.assertEqual(answered.get("result", {}).get("resultType"), "complete", answered)
        (block,) = answered["result"]["content"]
        return block["text"]
