"""Counts what a client finds right and wrong, and what the weather example should answer."""

import contextlib
import json
import sys

REVISION = "2026-07-28"
TOOLS = ["forecast", "switch_radar", "track_storm"]
STAGES = ["looking for it", "found it", "measuring it", "it turns", "it is leaving"]


class Checks:
    def __init__(self):
        self.passed = self.failed = 0

    @contextlib.contextmanager
    def check(self, name):
        """Runs one named check. A failure is shown and counted, and the next check goes on."""
        try:
            yield
        except Exception as reason:
            self.failed += 1
            print(f"  FAILED  {name}: {reason!r}")
        else:
            self.passed += 1
            print(f"  ok      {name}")

    def end(self):
        """Prints the count and ends the program."""
        print(f"{self.passed} passed, {self.failed} failed")
        sys.exit(self.failed > 0)


def expect(condition, otherwise):
    if not condition:
        raise AssertionError(otherwise)


def is_forecast(structured, text, city, days):
    """A good answer of `forecast`: structured content of the right shape, and the same JSON as text."""
    expect(structured is not None, "no structured content")
    expect(structured["city"] == city, f"not the city we asked for: {structured}")
    expect([day["day"] for day in structured["days"]] == list(range(1, days + 1)), f"other days: {structured}")
    expect(json.loads(text) == structured, f"the text is not the structured content: {text}")


def names_both_problems(text):
    """What the tool error for `{"days": 12}` must tell a model: `city` is missing, `days` is too large."""
    expect("city" in text and "days" in text, f"the error does not name both problems: {text}")
