"""The limit on the CPU time of a test: an exception in the main thread, again and again until it ends."""

from __future__ import annotations

import resource
import signal
import time
from typing import Any

_REPEAT_S = 0.05
_KERNEL_S = 2.0
_KERNEL_FACTOR = 2.0
"""The kernel counts whole seconds; it ends the process by ``SIGXCPU``."""


class TooSlow(BaseException):
    """The test used more CPU time than it may."""


class TimeLimit:
    """A timer of this process; code that is not Python does not notice it, and is ended by the kernel.

    Code that waits takes no CPU time: the process that waits for this one ends it.

    Attributes:
        is_exceeded: True if it ended something since ``begin``.
    """

    def __init__(self) -> None:
        self.is_exceeded = False
        self._is_running = False
        self._most_s = 0
        self._hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
        signal.signal(signal.SIGPROF, self._raise)

    def begin(self, seconds: float) -> None:
        """Start the timer."""
        self._is_running, self.is_exceeded = True, False
        signal.setitimer(signal.ITIMER_PROF, seconds, _REPEAT_S)
        most = int(time.process_time() + _KERNEL_FACTOR * seconds + _KERNEL_S)
        if most > self._most_s:
            self._most_s = most
            resource.setrlimit(resource.RLIMIT_CPU, (most, self._hard))

    def end(self) -> None:
        """Stop the timer."""
        self._is_running = False
        signal.setitimer(signal.ITIMER_PROF, 0.0)

    def _raise(self, number: int, frame: Any) -> None:
        if self._is_running:
            self.is_exceeded = True
            raise TooSlow
