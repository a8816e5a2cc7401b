"""A child process that ends with its parent, and orphans reported to the parent."""

from __future__ import annotations

import ctypes
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_lock = threading.Lock()
_adopting = 0


def bound_to_parent(then: Callable[[], None]) -> Callable[[], None]:
    """Return a function for a new process, which then dies with the process that called this.

    Args:
        then: a step that follows in the new process.
    """
    library = ctypes.CDLL(None, use_errno=True)  # loaded before the fork, in which loading could block
    parent = os.getpid()

    def bind() -> None:
        library.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:  # it died before the line above
            os._exit(1)
        then()

    return bind


@contextmanager
def adopted_orphans() -> Iterator[None]:
    """Make this process the parent of descendants whose parent ends, to wait for them and count their CPU.

    The attribute is of the process, so that it lasts as long as any run.
    """
    global _adopting  # noqa: PLW0603  (an attribute of the process, counted here)
    with _lock:
        _adopting += 1
        _adopt_orphans(True)
    try:
        yield
    finally:
        with _lock:
            _adopting -= 1
            if not _adopting:
                _adopt_orphans(False)


@contextmanager
def real_time() -> Iterator[None]:
    """Give this thread the CPU before all others where the kernel permits it; children do not inherit that.

    A fork bomb otherwise takes the CPU from the thread that should end it. The limit of processes does not
    stop the bomb if root starts the run (``setrlimit(2)``), but root is permitted to do this.
    """
    policy, priority = os.sched_getscheduler(0), os.sched_getparam(0)
    with suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_RR | os.SCHED_RESET_ON_FORK, os.sched_param(1))
    try:
        yield
    finally:
        with suppress(PermissionError):
            os.sched_setscheduler(0, policy, priority)


def _adopt_orphans(enabled: bool) -> None:
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, int(enabled), 0, 0, 0)
