"""Python's own buffer of standard output, while the descriptor belongs to the protocol."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any


class Stdout:
    """Has what handlers print come out line by line, on standard error, where it is led meanwhile."""

    def __init__(self) -> None:
        self._stdout: Any = sys.stdout
        self._buffered = False

    def flush(self) -> None:
        """Called as soon as the descriptor is the protocol's, and not before: to change the buffering is to flush."""
        for stream in {id(stream): stream for stream in (self._stdout, sys.stdout)}.values():
            try:
                if stream is not None:
                    stream.flush()
            except Exception:
                pass  # closed, or nobody reads it, or it is of the program's own make
        if not self._buffered and hasattr(self._stdout, "reconfigure") and not self._stdout.line_buffering:
            self._buffered = self._set(True)

    def __enter__(self) -> Stdout:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._buffered:
            self._set(False)

    def _set(self, line_buffering: bool) -> bool:
        try:
            self._stdout.reconfigure(line_buffering=line_buffering)
        except (OSError, ValueError):  # closed, maybe by a handler
            return False
        return True
