"""2026-07-28: the state that clients carry between rounds, what may become of it, and rounds that come twice (B061)."""

import base64
import json
import os
import subprocess
import threading
import unittest

from wire.asking import ALL, Asking
from wire.client import Client
from wire.http import HttpServer, headers_of
from wire.patience import LONG, bound, eventually
from wire.pipe import PipeServer
from wire.questions import EVERYTHING, accept, answer, form, questions
from wire.request import cancelled, encode

SEAT = accept(seat="12A")
SURE = accept(sure=True)


def keys(*letters):
    """The option with keys that are made of these letters."""
    return "--option", "request_state_keys=" + ",".join(
        base64.b64encode(letter.encode() * 32).decode() for letter in letters
    )


class States(Asking):
    def refused(self, client, message, expired=False):
        """Checks that a round is refused without a word about why; its message."""
        said = client.exchange(message)
        self.assertEqual(said["error"]["code"], -32602, said)
        self.assertNotIn("data", said["error"])
        self.assertEqual("expired" in said["error"]["message"], expired)
        return said["error"]["message"]

    def effects(self, client):
        return int(client.text("effects"))

    def test_b061_a_state_that_was_changed_is_refused_and_nothing_runs(self):
        for client in self.servers():
            message, required = self.first(client, "name")
            state = required["requestState"]
            again = client.again(message, required, {"name": accept(name="x")})

            def changed(place):
                other = "B" if state[place] == "A" else "A"
                return state[:place] + other + state[place + 1 :]

            bad = [changed(place) for place in range(0, len(state) - 1, max(1, len(state) // 60))]
            bad += [state[:-1], state[1:], state[: len(state) // 2], state + "A", state + state, " " + state, state.swapcase(), "",
                    "A", "bogus", "x" * (1 << 20), "é", state[: len(state) // 2] + "\n" + state[len(state) // 2 :]]  # fmt: skip
            told = set()
            for other in bad:
                again["params"]["requestState"] = other
                again["id"] = client.message("x")["id"]
                told.add(self.refused(client, again))
            self.assertEqual(len(told), 1, "a refusal tells what was wrong")
            for other in (5, {}, [], True):
                again["params"]["requestState"] = other
                again["id"] = client.message("x")["id"]
                self.assertEqual(client.exchange(again)["error"]["code"], -32602)
            self.assertEqual(self.effects(client), 0)
            self.assertEqual(self.text(self.next(client, message, required, name=accept(name="x"))), "x")
            self.assertEqual(self.effects(client), 1)

    def test_b061_a_state_belongs_to_one_method_one_name_and_one_set_of_arguments(self):
        for client in self.servers():
            asked = questions(a=form())
            message, required = self.first(client, "ask", asked)
            _, other = self.first(client, "name")
            for name, arguments, state in (
                ("ask_inline", asked, required),
                ("ask", questions(a=form(message="else")), required),
                ("ask", {**asked, "step": True}, required),
                ("ask", {}, required),
                ("ask", asked, other),
            ):
                foreign = client.message("tools/call", {"name": name, "arguments": arguments})
                self.refused(client, client.again(foreign, state, {"a": accept(text="A")}))
            prompt, required = self.first(client, "asks", method="prompts/get")
            for method, params in (("tools/call", {"name": "name"}), ("resources/read", {"uri": "test://asks"}),
                                   ("prompts/get", {"name": "asks", "arguments": {"x": "y"}})):  # fmt: skip
                foreign = client.message(method, params)
                self.refused(client, client.again(foreign, required, {"name": accept(name="x")}))
            self.assertIn("result", self.next(client, prompt, required, name=accept(name="x")))
            # The order and the spelling of arguments say nothing.
            message, required = self.first(client, "ask", {"step": False, **asked})
            respelled = {**message["params"], "arguments": {**asked, "step": False}}
            spelled = client.again({**message, "params": respelled}, required, {"a": accept(text="A")})
            self.text(client.exchange(spelled))

    def test_b061_a_state_expires(self):
        for client in self.servers("--option", "request_state_ttl_ms=1000"):
            message, required = self.first(client, "name")
            again = client.again(message, required, {"name": accept(name="x")})

            def over():
                again["id"] = client.message("x")["id"]
                return "error" in client.exchange(again)

            self.assertFalse(over())
            eventually(over, bound(3), "a state that has expired")
            again["id"] = client.message("x")["id"]
            self.refused(client, again, expired=True)
            self.assertEqual(self.effects(client), 1)

    def test_b061_a_state_of_somebody_is_nobody_elses(self):
        with PipeServer(*ALL, mode="session") as server:
            client = Client(server, capabilities=EVERYTHING)
            server.write(b"!ann\n")
            self.assertEqual(client.text("who"), "ann")
            message, required = self.first(client, "name")
            again = client.again(message, required, {"name": accept(name="x")})
            for who in ("bob", "", "Ann", "ann "):
                server.write(f"!{who}\n".encode())
                again["id"] = client.message("x")["id"]
                self.refused(client, again)
            self.assertEqual(self.effects(client), 0)
            server.write(b"!ann\n")
            self.assertEqual(self.text(self.next(client, message, required, name=accept(name="x"))), "x")
            # Nor does the state of nobody become somebody's.
            server.write(b"!\n")
            message, required = self.first(client, "name")
            server.write(b"!ann\n")
            self.refused(client, client.again(message, required, {"name": accept(name="y")}))

    def test_b061_a_state_has_a_bound_both_ways(self):
        for client in self.servers("--option", "max_request_state_bytes=4096"):
            client.answers = answer
            self.assertEqual(client.text("rounds", {"rounds": 1, "bytes": 1000}), "2")
            error = client.call("rounds", {"rounds": 1, "bytes": 8000})["error"]
            self.assertEqual(error["code"], -32603)
            client.server.wait_stderr("4096")
            message, required = self.first(client, "name")
            again = client.again(message, required, {"name": accept(name="x")})
            again["params"]["requestState"] = "A" * 5000
            self.refused(client, again)

    def test_b061_replicas_with_the_same_keys_take_each_others_states(self):
        with PipeServer(*ALL, *keys("a")) as one, HttpServer(*ALL, *keys("a")) as two:
            first, second = Client(one, capabilities=EVERYTHING), Client(two, capabilities=EVERYTHING)
            message, required = self.first(first, "book")
            required = self.required(self.next(second, message, required, seat=SEAT))
            answered = self.next(first, message, required, sure=SURE)
            self.assertEqual(json.loads(self.text(answered)), {"seat": "12A", "sure": True})
            two.wait_event("paid 12A")
            self.assertEqual(first.events("paid"), [], "an effect that is marked in the state")
            one.wait_event("booked 12A")

    def test_b061_keys_can_be_turned_and_a_restart_with_the_same_keys_changes_nothing(self):
        def round_of(options, message=None, required=None):
            with PipeServer(*ALL, *options) as server:
                client = Client(server, capabilities=EVERYTHING)
                if message is None:
                    return self.first(client, "name")
                return client.exchange(client.again(message, required, {"name": accept(name="x")}))

        old, new, both = keys("a"), keys("b"), keys("b", "a")
        for sealed, opened, good in (
            (old, old, True), (old, both, True), (both, new, True), (both, old, False), (old, new, False),
            ((), (), False), ((), old, False), (old, (), False),
            ((*old, "--option", "request_state_audience=x"), (*old, "--option", "request_state_audience=y"), False),
            ((*old, "--option", "request_state_audience=x"), (*old, "--option", "request_state_audience=x"), True),
            ((*old, "--option", "request_state_audience=x"), old, False),
        ):  # fmt: skip
            with self.subTest(sealed=sealed, opened=opened):
                answered = round_of(opened, *round_of(sealed))
                self.assertEqual("result" in answered, good, answered)
                if not good:
                    self.assertEqual(answered["error"]["code"], -32602)

    def test_b061_keys_that_are_none_are_refused_without_being_told(self):
        secret = base64.b64encode(b"q" * 31).decode()
        for value in (
            "",
            "x",
            secret,
            secret + "," + secret,
            base64.b64encode(b"q" * 33).decode(),
            base64.b64encode(b"q" * 32).decode() + ",",
        ):
            command = [os.environ["FIELD_SERVER"], "--option", f"request_state_keys={value}", "stdio"]
            done = subprocess.run(
                command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LONG, check=False
            )
            self.assertEqual(done.returncode, 2, value)
            self.assertNotIn(secret, done.stderr)


class Repeated(Asking):
    def effects(self, client):
        return int(client.text("effects"))

    def test_b061_a_round_whose_answer_was_lost_gets_that_answer_again_and_no_second_effect(self):
        for client in self.servers():
            message, required = self.first(client, "book")
            second = self.next(client, message, required, seat=SEAT)
            for _ in range(5):
                again = self.next(client, message, required, seat=SEAT)
                self.assertEqual(again["result"], second["result"])
            last = self.next(client, message, second["result"], sure=SURE)
            for _ in range(5):
                again = self.next(client, message, second["result"], sure=SURE)
                self.assertEqual(again["result"], last["result"])
            self.assertEqual(self.effects(client), 2)
            # The spelling of the answers does not matter, their values do.
            spelled = client.again(message, second["result"], {"sure": {"content": {"sure": True}, "action": "accept"}})
            self.assertEqual(client.exchange(spelled)["result"], last["result"])
            self.assertEqual(self.effects(client), 2)

    def test_b061_a_first_round_is_no_repetition(self):
        for client in self.servers():
            chains = [self.first(client, "book") for _ in range(3)]
            self.assertEqual(len({required["requestState"] for _, required in chains}), 3)
            for message, required in chains:
                self.next(client, message, required, seat=SEAT)
            self.assertEqual(self.effects(client), 3)

    def test_b061_an_old_state_with_other_answers_does_not_make_an_effect_happen_again(self):
        for client in self.servers():
            message, required = self.first(client, "book")
            for seat in ("12A", "13B", "14C"):
                again = self.required(self.next(client, message, required, seat=accept(seat=seat)))
                self.assertEqual(set(again["inputRequests"]), {"sure"})
            self.assertEqual(len(client.events("paid")), 1)

    def test_b061_a_round_that_comes_many_times_at_once_runs_once(self):
        with HttpServer(*ALL) as server:
            client = Client(server, capabilities=EVERYTHING)
            message, required = self.first(client, "book", {"ms": 300})
            rounds = [client.again(message, required, {"seat": SEAT}) for _ in range(40)]
            answers = []

            def send(one):
                answers.append(server.post(one).last)

            threads = [threading.Thread(target=send, args=(one,)) for one in rounds]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(LONG)
            self.assertEqual({answered["id"] for answered in answers}, {one["id"] for one in rounds})
            self.assertEqual(len({json.dumps(answered["result"], sort_keys=True) for answered in answers}), 1)
            self.assertEqual(self.effects(client), 1)
            self.assertEqual(len(client.events("booking")), 2)

    def test_b061_more_repetitions_than_may_wait_are_told_that_the_server_is_busy(self):
        with HttpServer(*ALL) as server:
            client = Client(server, capabilities=EVERYTHING)
            message, required = self.first(client, "book", {"ms": 1500})
            first = client.again(message, required, {"seat": SEAT})
            sent = []
            for one in [first] + [client.again(message, required, {"seat": SEAT}) for _ in range(70)]:
                connection = server.connect()
                connection.request("POST", "/mcp", headers_of(one), encode(one))
                if one is first:
                    server.wait_event("paid 12A")
                sent.append(connection)
            results = [connection.response().messages(method="tools/call")[-1]["result"] for connection in sent]
            busy = [result for result in results if result["resultType"] == "complete"]
            self.assertEqual(len(busy), 6)
            for result in busy:
                self.assertIn("busy", result["content"][0]["text"])
            for connection in sent:
                connection.close()
            self.assertEqual(self.effects(client), 1)

    def test_b061_a_round_that_was_cut_off_runs_again_without_its_effect(self):
        with HttpServer(*ALL) as server:
            client = Client(server, capabilities=EVERYTHING)
            message, required = self.first(client, "book", {"ms": 30000})
            lost = client.again(message, required, {"seat": SEAT})
            connection = server.connect()
            connection.request("POST", "/mcp", headers_of(lost), encode(lost))
            server.wait_event("paid 12A")
            # Who waits for the same round takes its place when its client goes away.
            waiting = server.connect()
            repeated = client.again(message, required, {"seat": SEAT})
            waiting.request("POST", "/mcp", headers_of(repeated), encode(repeated))
            connection.reset()
            server.wait_event("cancelled 12A", bound(2))
            # Before that the handler would end without a word.
            server.wait_event("held 12A", bound(2), 2)
            waiting.close()
            server.wait_event("cancelled 12A", bound(2), 2)
            self.assertEqual(len(client.events("paid")), 1)
            self.assertEqual(self.effects(client), 1)

    def repeated(self, client, seat, ms):
        """Three of the same round, of which the first runs."""
        message, required = self.first(client, "book", {"ms": ms})
        first, *others = (client.again(message, required, {"seat": accept(seat=seat)}) for _ in range(3))
        client.server.send(first)
        client.server.wait_event(f"paid {seat}")
        client.server.send(*others)
        client.server.fence()
        return first, *others

    def test_b061_b088_a_repetition_is_cancelled_alone_and_the_next_takes_the_place_of_the_first(self):
        with PipeServer(*ALL) as server:
            client = Client(server, capabilities=EVERYTHING)
            first, second, third = self.repeated(client, "12A", 500)
            server.send(cancelled(second["id"]))
            self.assertEqual(server.answer(first["id"])["result"], server.answer(third["id"])["result"])
            self.assertEqual(server.answers(second["id"]), [])
            first, second, third = self.repeated(client, "13B", 30000)
            for count, one in enumerate((first, second, third), 1):
                server.wait_event("held 13B", bound(2), count)
                server.send(cancelled(one["id"]))
                server.wait_event("cancelled 13B", bound(2), count)
            server.fence()
            self.assertEqual([server.answers(one["id"]) for one in (first, second, third)], [[], [], []])
            self.assertEqual(len(client.events("paid 13B")), 1)

    def test_b010_b061_repetitions_are_answered_at_the_end_of_input_too(self):
        with PipeServer(*ALL) as server:
            rounds = self.repeated(Client(server, capabilities=EVERYTHING), "12A", 300)
            self.assertEqual(server.end(bound(3)), 0)
            answers = [server.answers(one["id"]) for one in rounds]
            self.assertEqual([len(one) for one in answers], [1, 1, 1])
            self.assertEqual(len({json.dumps(one[0]["result"]) for one in answers}), 1)

    def test_b061_a_refused_repetition_says_nothing_to_others_and_the_wait_is_per_round(self):
        for client in self.servers():
            message, required = self.first(client, "book")
            self.next(client, message, required, seat=SEAT)
            # Without the answers the state asks again; that is another round.
            self.assertEqual(set(self.required(self.next(client, message, required))["inputRequests"]), {"seat"})
            self.assertEqual(self.effects(client), 1)

    def test_b061_more_rounds_than_are_kept_still_have_their_effect_once(self):
        with PipeServer(*ALL) as server:
            client = Client(server, capabilities=EVERYTHING)
            message, required = self.first(client, "book")
            self.next(client, message, required, seat=SEAT)
            others = [self.first(client, "name") for _ in range(50)]
            rounds = [client.again(*other, {"name": accept(name=f"n{number}")}) for number, other in enumerate(others)]
            server.send(*rounds)
            for one in rounds:
                server.answer(one["id"])
            self.next(client, message, required, seat=SEAT)
            self.assertEqual(len(client.events("paid")), 1)


if __name__ == "__main__":
    unittest.main()
