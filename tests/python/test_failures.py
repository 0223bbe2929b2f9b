"""What handlers raise: exactly one answer each, nothing of it to the peer that was not meant for it, and the server goes on."""

import unittest

from programs import Program, text

SERVER = """
import asyncio
from libmcp import NotFound, ProtocolError, Server, ToolError

server = Server("failures")

class Own(BaseException):
    pass

class Broken(Exception):
    def __str__(self):
        raise RuntimeError("hunter2 in str")

def nested():
    try:
        raise ValueError("hunter2")
    except ValueError as error:
        raise RuntimeError("db=10.0.0.5 pw=hunter2") from error

def wrong():
    return object()

def nan():
    return float("nan")

def surrogate():
    return chr(0xD800) + "hunter2"

def cyclic():
    found = []
    found.append(found)
    return found

class Grows:
    def __init__(self, owner):
        self.owner = owner
    def isoformat(self):
        self.owner[len(self.owner)] = "hunter2"
        return "x"

def growing():
    found = {}
    found["a"], found["b"] = Grows(found), 1
    return found

def raises(error):
    def handler():
        raise error
    return handler

FAULTS = {
    "nested": nested, "wrong": wrong, "nan": nan, "surrogate": surrogate, "cyclic": cyclic,
    "growing": growing,
    "exit": raises(SystemExit("hunter2")), "exit_code": raises(SystemExit(3)), "interrupt": raises(KeyboardInterrupt("hunter2")),
    "own": raises(Own("hunter2")), "broken": raises(Broken()), "generator": raises(GeneratorExit("hunter2")),
    "stop": raises(StopIteration("hunter2")), "cancelled": raises(asyncio.CancelledError("hunter2")),
    "group": raises(ExceptionGroup("hunter2", [ValueError("hunter2")])) if "ExceptionGroup" in dir(__builtins__) else nested,
    "reserved": raises(ProtocolError(-32000, "hunter2")),
}

def later(function):
    async def handler():
        await asyncio.sleep(0)
        return function()
    return handler

for name, function in FAULTS.items():
    server.add_tool(function, name=name)
    server.add_tool(later(function), name=f"async_{name}")

@server.tool
def mend():
    raise ToolError("say which city")

@server.tool
async def mend_later():
    raise ToolError("say which city")

@server.tool
def coded():
    raise ProtocolError(4242, "no such thing", {"n": 1})

@server.tool
def fine(x: int = 1) -> int:
    return x

@server.tool
def breaks_its_schema() -> int:
    return "hunter2"

@server.resource("x://broken")
def broken_resource():
    nested()

@server.resource("x://missing/{name}")
def missing(name: str):
    raise NotFound(name)

@server.prompt
def broken_prompt(topic: str = ""):
    nested()

@server.completion
def complete(ref, argument, context):
    nested()

server.run()
"""

FAULTS = """nested wrong nan surrogate cyclic growing exit exit_code interrupt own broken generator stop cancelled group
reserved""".split()


class Failures(unittest.TestCase):
    def test_each_gets_one_answer_and_the_server_goes_on(self):
        with Program(SERVER) as program:
            numbers = {}
            for name in FAULTS:
                for tool in (name, f"async_{name}"):
                    numbers[program.begin("tools/call", {"name": tool, "arguments": {}})] = tool
            answers = {}
            while len(answers) < len(numbers):
                message = program.receive()
                self.assertNotIn(message["id"], answers)
                answers[message["id"]] = message
            for number, tool in numbers.items():
                with self.subTest(tool):
                    answer = answers[number]
                    said = answer["result"]["content"][0]["text"] if "result" in answer else answer["error"]["message"]
                    self.assertTrue(answer.get("result", {}).get("isError") or "error" in answer, answer)
                    self.assertIn(tool, said)
                    for leak in ("hunter2", "Traceback", "/home", ".rs:", ".py"):
                        self.assertNotIn(leak, str(answer))
            self.assertEqual(program.call("fine")["structuredContent"], 1)
            code, said = program.end()
        self.assertEqual(code, 0, said)
        self.assertIn("hunter2", said)
        self.assertIn("Traceback", said)
        self.assertNotIn("panicked", said)

    def test_the_log_is_found_by_the_number_that_the_peer_is_told(self):
        with Program(SERVER) as program:
            said = text(program.call("own"))
            number = said.removesuffix(".").split()[-1]
            _, log = program.end()
        self.assertIn(f"(error {number})", log)
        # Where it was raised, in the function's own code.
        self.assertIn(", in handler", log)

    def test_what_is_meant_for_the_peer_comes_as_it_is(self):
        with Program(SERVER) as program:
            for tool in ("mend", "mend_later"):
                result = program.call(tool)
                self.assertEqual((text(result), result["isError"]), ("say which city", True))
            error = program.ask("tools/call", {"name": "coded", "arguments": {}})["error"]
            self.assertEqual(error, {"code": 4242, "message": "no such thing", "data": {"n": 1}})
            code, said = program.end()
        self.assertEqual((code, said), (0, ""))

    def test_resources_prompts_and_completions_tell_nothing_either(self):
        with Program(SERVER) as program:
            reference = {"ref": {"type": "ref/prompt", "name": "broken_prompt"}, "argument": {"name": "topic", "value": ""}}
            for method, params in [
                ("resources/read", {"uri": "x://broken"}),
                ("prompts/get", {"name": "broken_prompt"}),
                ("completion/complete", reference),
            ]:
                error = program.ask(method, params)["error"]
                self.assertEqual(error["code"], -32603)
                self.assertNotIn("hunter2", str(error))
            error = program.ask("resources/read", {"uri": "x://missing/a"})["error"]
            self.assertEqual(error["code"], -32602)

    def test_a_result_that_breaks_its_schema_is_the_authors_fault(self):
        with Program(SERVER) as program:
            answer = program.ask("tools/call", {"name": "breaks_its_schema", "arguments": {}})
            self.assertTrue("error" in answer or answer["result"]["isError"])
            self.assertNotIn("hunter2", str(answer))
            _, said = program.end()
        self.assertIn("breaks_its_schema", said)


if __name__ == "__main__":
    unittest.main()
