"""A trial of work on the record of a stranger, in a process that the system ends at its limits.

The conditions of a policy have no limit of their own: nested comprehensions can take hours, and repeated
concatenations all memory. A record has its policy in it.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial

from wardround.errors import ConfigError

CPU_S = 10.0
WALL_S = 60.0
MEMORY_MIB = 512
"""In addition to the current usage of this process; for 2,000 files, a bundled policy needs less than one."""


def require_within_limits(work: Callable[[], object]) -> None:
    """Run work in a fork of this process, whose result and errors do not count.

    Raises:
        ConfigError: it did not end within the limits.
    """
    from wardround.execution.fork_pool import Worker  # only records with a policy of their own need it

    if not list(Worker(partial(_try_in_fork, work))):
        raise ConfigError(
            f"its policy takes more than {CPU_S:g} s of processor time or {MEMORY_MIB} MiB of memory"
        )


def _try_in_fork(work: Callable[[], object]) -> Iterator[bool]:
    """In a fork: yield True once the work has ended, with any result."""
    from wardround.execution.fork_pool import cpu_limit

    _limit_memory()
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, WALL_S)
    with cpu_limit(CPU_S):
        try:
            with suppress(ArithmeticError, ConfigError, LookupError, RuntimeError, TypeError, ValueError):
                work()
        except MemoryError:
            return
    yield True


def _limit_memory() -> None:
    if sys.platform != "linux":
        return
    import resource  # only a fork needs it

    with open("/proc/self/statm") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    expected = used + (MEMORY_MIB << 20)
    resource.setrlimit(resource.RLIMIT_AS, (expected if hard < 0 else min(expected, hard), hard))
