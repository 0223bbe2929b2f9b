"""examples/c/in_process.c: a client and a server that are joined by two functions."""

import json
import os
import subprocess
import unittest


class InProcess(unittest.TestCase):
    def test_each_request_is_answered_before_the_next_one(self):
        done = subprocess.run([os.environ["IN_PROCESS"]], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = [line.split(": ", 1) for line in done.stdout.splitlines()]
        said = [(who, json.loads(message)) for who, message in lines]
        order = [(who, message.get("method", message.get("id"))) for who, message in said]
        self.assertEqual(order, [
            ("client", "tools/list"), ("server", 1),
            ("client", "tools/call"), ("server", "notifications/progress"), ("server", 2),
        ])
        self.assertEqual(said[-1][1]["result"]["content"], [{"type": "text", "text": "HELLO"}])
