"""How long to wait. The bounds are those of the cases; a machine that has more to do than processors stretches them."""

import os
import time


def _slowness():
    set_by_hand = os.environ.get("FIELD_SLOWNESS")
    if set_by_hand:
        return float(set_by_hand)
    crowding = os.getloadavg()[0] / (os.cpu_count() or 1)
    return min(5.0, max(1.0, crowding))


SLOWNESS = _slowness()

# For an event that must come and whose promptness is not the point of the test.
LONG = 15.0 * SLOWNESS


def bound(seconds):
    """`seconds` of an unhurried machine."""
    return seconds * SLOWNESS


class Deadline:
    """A moment to give up at."""

    def __init__(self, seconds):
        self.end = time.monotonic() + seconds

    def left(self):
        """Seconds that are left, never negative."""
        return max(0.0, self.end - time.monotonic())

    def passed(self):
        return time.monotonic() >= self.end


def eventually(condition, within, what):
    """Polls `condition` until it holds; fails with `what` when it does not `within` seconds."""
    deadline = Deadline(within)
    while True:
        value = condition()
        if value:
            return value
        if deadline.passed():
            raise AssertionError(f"not within {within:.1f} s: {what}")
        time.sleep(0.005)
