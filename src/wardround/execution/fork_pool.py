"""Forks of this process, and the queue of tasks they share.

One interpreter uses one core. A fork has everything this process has read and loaded, and returns its results
only. Signals, limits and exits of forks are only set in the forks.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import BinaryIO, Generic, TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")
Report = TypeVar("Report")

_SIGNALS = frozenset({signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
_TOKEN_BYTES = 4
_MAX_TOKENS = 8_000
"""The limit of tasks in a pipe, which holds 64 KiB."""
_GRACE_S = 0.5
_STEP_S = 0.005


class SharedTaskQueue(Generic[Task]):
    """Tasks that several processes share: by tokens in a pipe, each read by one process.

    Attributes:
        is_shared: True if others take tasks too, or will not get any.
    """

    def __init__(self, tasks: Sequence[Task]) -> None:
        each = max(1, -(-len(tasks) // _MAX_TOKENS))
        self._lots = [tasks[start : start + each] for start in range(0, len(tasks), each)]
        self._begun = 0
        self._tokens, self._end = os.pipe()
        self.is_shared = False

    def __iter__(self) -> Iterator[Task]:
        """Take tasks that no process has taken, until none is left."""
        while (number := self._next()) is not None:
            yield from self._lots[number]

    def _next(self) -> int | None:
        if self.is_shared:
            token = os.read(self._tokens, _TOKEN_BYTES)
            return int.from_bytes(token, "little") if token else None
        self._begun += 1
        return self._begun - 1 if self._begun <= len(self._lots) else None

    def share(self) -> None:
        """Let others take the remaining tasks."""
        if not self.is_shared:
            left = range(self._begun, len(self._lots))
            os.write(self._end, b"".join(number.to_bytes(_TOKEN_BYTES, "little") for number in left))
            self.await_tasks()

    def await_tasks(self) -> None:
        """Take shared tasks only; in a fork, from the process that shares them."""
        os.close(self._end)
        self.is_shared = True

    def close(self) -> None:
        if not self.is_shared:
            os.close(self._end)
        os.close(self._tokens)


class ForkedWorker(Generic[Result]):
    """A fork of this process, and the pipe of its result. Its own forks are in its process group."""

    def __init__(self, pid: int, pipe: int) -> None:
        self._pid = pid
        self._pipe = pipe

    def result(self) -> Result | None:
        """Return the result; None if the fork ended before."""
        import pickle

        with open(self._pipe, "rb") as pipe:
            self._pipe = -1
            content = pipe.read()
        self._wait()
        with suppress(Exception):  # a truncated result can raise anything
            result: Result = pickle.loads(content)  # noqa: S301  (this program wrote it)
            return result
        return None

    def kill(self) -> None:
        """End it, if it is still running: first its workers, for which it then waits."""
        if self._pid:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._pid, signal.SIGTERM)
            if not self._ends_within(_GRACE_S):
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(self._pid, signal.SIGKILL)
                self._wait()
        if self._pipe >= 0:
            os.close(self._pipe)
            self._pipe = -1

    def _ends_within(self, seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            with suppress(ChildProcessError):
                if os.waitpid(self._pid, os.WNOHANG) == (0, 0):
                    time.sleep(_STEP_S)
                    continue
            self._pid = 0
            return True
        return False

    def _wait(self) -> None:
        with suppress(ChildProcessError):
            os.waitpid(self._pid, 0)
        self._pid = 0


class Worker(Generic[Report]):
    """A fork that reports each result at once, so that only the current one is lost when it is killed.

    Iterate over it for the results. Only a process without other threads may create one.

    Attributes:
        is_over_budget: True if it was ended because a result exceeded its ``cpu_limit``.
    """

    def __init__(self, work: Callable[[], Iterable[Report]]) -> None:
        def write(file: BinaryIO) -> None:
            import pickle

            for report in work():
                pickle.dump(report, file)
                file.flush()

        self.is_over_budget = False
        self._pid, self._pipe = _fork(write)

    def __iter__(self) -> Iterator[Report]:
        import pickle

        with open(self._pipe, "rb") as pipe:
            while True:
                try:
                    report: Report = pickle.load(pipe)  # noqa: S301  (this program wrote it)
                except Exception:  # noqa: BLE001  (whatever a part of a report is taken for)
                    break
                yield report
        _, status = os.waitpid(self._pid, 0)
        self.is_over_budget = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGPROF


@contextmanager
def cpu_limit(seconds: float) -> Iterator[None]:
    """In a worker: make the system end this process after this many seconds of processor time.

    The system does it, since a search with a regular expression lets no other Python code run.
    """
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def fork_workers(works: Sequence[Callable[[], Result]], workers: list[ForkedWorker[Result]]) -> None:
    """Fork for each piece of work, and add the forks to ``workers``; fewer where the system allows no more.

    Nothing is forked in a process with other threads, which may hold locks that the fork needs.
    """
    if sys.platform != "linux" or threading.active_count() > 1:
        return
    signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)  # none may interrupt between a fork and its record
    try:
        with suppress(OSError):
            for work in works:
                pid, pipe = _fork(partial(_write_result, work))
                with suppress(OSError):  # the fork does the same; either may be first
                    os.setpgid(pid, pid)
                workers.append(ForkedWorker(pid, pipe))
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)


def _write_result(work: Callable[[], object], file: BinaryIO) -> None:
    import pickle  # only forks need it

    os.setpgid(0, 0)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # it ends when its worker has
    file.write(pickle.dumps(work()))


def _fork(write: Callable[[BinaryIO], None]) -> tuple[int, int]:
    """Fork a process that writes to a pipe; return its id, and the reading end of the pipe."""
    reading, writing = os.pipe()
    try:
        pid = os.fork()
    except OSError:
        os.close(reading)
        os.close(writing)
        raise
    if pid == 0:
        _run_worker(write, writing)
    os.close(writing)
    return pid, reading


def _run_worker(write: Callable[[BinaryIO], None], pipe: int) -> None:
    """In a fork: work and exit, whatever happens; the resources of the parent are not released here."""
    try:
        for number in (*_SIGNALS, signal.SIGPROF):
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
        null = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):  # a reader of the output of the parent must not wait for the fork
            os.dup2(null, stream)
        with open(pipe, "wb") as file:
            write(file)
    finally:
        os._exit(0)
