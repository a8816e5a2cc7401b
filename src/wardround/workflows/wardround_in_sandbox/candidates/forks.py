"""Work in processes forked from this one, whose results arrive one by one."""

from __future__ import annotations

import gc
import json
import os
import resource
import select
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, NamedTuple

_MOST_LINE = 1 << 20
_READ_BYTES = 1 << 16
_MOST_DATA = 2 << 30
"""Bytes of memory of a process; a candidate that needs more gets an exception."""
_POLL_S = 0.002
_END_S = 2.0

Report = Callable[[object], None]
"""Takes a value of JSON; None only checks that the connection is open, and ends the work if it is not."""


class Late(NamedTuple):
    """The end of a process that reported nothing for too long."""


class Crash(NamedTuple):
    """The end of a process that ended before its work did."""

    status: int


def values_of_fork(
    work: Callable[[Report], None],
    wall_s: Callable[[], float],
    progress: Callable[[], object] = lambda: None,
    *,
    is_quiet: bool = True,
) -> Iterator[Any]:
    """Yield the values that some work in another process reports; last ``Late`` or ``Crash``, if it is so.

    Args:
        wall_s: the longest elapsed time until the next value, or change of the progress.
        is_quiet: discard what it prints.
    """
    reading, writing = os.pipe()
    gc.freeze()  # or a collection in the other process copies all pages of memory
    child = os.fork()
    if child == 0:
        os.close(reading)
        _run_work(work, writing, is_quiet=is_quiet)
    gc.unfreeze()
    os.close(writing)
    is_late, has_ended = False, False
    try:
        for value in _values(reading, wall_s, progress):
            if value is None:
                is_late = True
            elif value == "end":
                has_ended = True
            else:
                yield value
    finally:
        os.close(reading)
        status = _end(child, 0.0 if is_late or not has_ended else _END_S)
    if is_late:
        yield Late()
    elif not has_ended:
        yield Crash(status)


def _run_work(work: Callable[[Report], None], writing: int, *, is_quiet: bool) -> None:
    own = os.getpid()
    try:
        os.setsid()
        _limit_memory()
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2) if is_quiet else (0,):
            os.dup2(nowhere, stream)

        def report(value: object) -> None:
            if os.getpid() != own:  # the work made a process, which returned here
                os._exit(0)
            if value is None:
                os.fstat(writing)
                return
            data = json.dumps(value).encode("utf-8", "backslashreplace") + b"\n"
            while data:
                data = data[os.write(writing, data) :]

        work(report)
        report("end")
    except BaseException:
        if not is_quiet:
            traceback.print_exc()
    finally:
        sys.stdout.flush()
        os._exit(0)


def _limit_memory() -> None:
    with suppress(ValueError, OSError):
        hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
        most = _MOST_DATA if hard == resource.RLIM_INFINITY else min(hard, _MOST_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))


def _values(file: int, wall_s: Callable[[], float], progress: Callable[[], object]) -> Iterator[Any]:
    """Yield values up to the end of the stream; None if one takes too long or is not valid."""
    rest = b""
    while len(rest) <= _MOST_LINE and _is_readable(file, wall_s(), progress):
        part = os.read(file, _READ_BYTES)
        if not part:
            return
        *lines, rest = (rest + part).split(b"\n")
        for line in lines:
            try:
                yield json.loads(line)
            except ValueError:
                yield None
                return
    yield None


def _is_readable(file: int, wall_s: float, progress: Callable[[], object]) -> bool:
    """Wait for the next value; return False if for some time there was none, and no progress."""
    while True:
        before = progress()
        if select.select([file], [], [], wall_s)[0]:
            return True
        if progress() == before:
            return False


def _end(child: int, patience_s: float) -> int:
    """Return the status of a process; kill it if it does not end, and those that it started anyway."""
    deadline = time.monotonic() + patience_s
    while True:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid or time.monotonic() > deadline:
            break
        time.sleep(_POLL_S)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)
    if not pid:
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        status = os.waitpid(child, 0)[1]
    return status


def cpu_s() -> float:
    """Return the CPU time of this process and of those that it waited for."""
    own, others = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime


def remove_folder(path: str) -> None:
    """Remove a folder with all that is in it."""
    shutil.rmtree(path, ignore_errors=True)
