"""Exceptions of handlers that are meant for nobody but the program's author. Imported with the first of them."""

from __future__ import annotations

import logging
import os

log = logging.getLogger("libmcp")


def report(subject: str, raised: BaseException) -> str:
    """Logs the exception, and returns what the peer is told: that there was one, and how to find it in the log."""
    number = os.urandom(4).hex()
    log.error("%s failed (error %s)", subject, number, exc_info=raised)
    return f"{subject} failed. The log of the server says why, under error {number}."
