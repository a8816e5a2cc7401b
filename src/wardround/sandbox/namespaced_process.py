"""The first process of a run in a process namespace: the others end with it."""

from __future__ import annotations

import os
import resource
import select
import signal
from contextlib import suppress


class NamespacedProcess:
    """A handle on the first process, which stays valid when its number is used again."""

    def __init__(self, number: int) -> None:
        self.number = number
        self._handle = os.pidfd_open(number)

    def kill(self) -> None:
        """Kill the process, and with it every other of its namespace.

        It receives the CPU before all others, where the kernel permits it: the others live until it ends.
        """
        with suppress(PermissionError, ProcessLookupError):
            os.sched_setscheduler(self.number, os.SCHED_RR, os.sched_param(1))
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._handle, signal.SIGKILL)

    def wait(self) -> resource.struct_rusage | None:
        """Wait for its end and release the handle; return its usage if this process became its parent."""
        select.select([self._handle], [], [])
        spent = wait_for(self.number)
        os.close(self._handle)
        return spent


def wait_for(process: int) -> resource.struct_rusage | None:
    """Wait for a process; None if another process was its parent."""
    try:
        return os.wait4(process, 0)[2]
    except ChildProcessError:
        return None
