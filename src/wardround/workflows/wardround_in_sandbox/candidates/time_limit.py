"""The limit on the CPU time of a test: an exception in the main thread, again and again until it ends."""

from __future__ import annotations

import signal
from typing import Any

_REPEAT_S = 0.05


class TooSlow(BaseException):
    """The test used more CPU time than it may."""


class TimeLimit:
    """A timer of this process; code that is not Python, or waits, does not notice it.

    Attributes:
        is_exceeded: True if it ended something since ``begin``.
    """

    def __init__(self) -> None:
        self.is_exceeded = False
        self._is_running = False
        signal.signal(signal.SIGPROF, self._raise)

    def begin(self, seconds: float) -> None:
        """Start the timer."""
        self._is_running, self.is_exceeded = True, False
        signal.setitimer(signal.ITIMER_PROF, seconds, _REPEAT_S)

    def end(self) -> None:
        """Stop the timer."""
        self._is_running = False
        signal.setitimer(signal.ITIMER_PROF, 0.0)

    def _raise(self, number: int, frame: Any) -> None:
        if self._is_running:
            self.is_exceeded = True
            raise TooSlow
