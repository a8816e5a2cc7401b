"""Work in another process, which can crash or take too long without loss of anything else."""

from __future__ import annotations

import gc
import json
import os
import select
import signal
import time
from collections.abc import Callable
from typing import Any

_MOST_BYTES = 512 * 1024
_MOST_PROBLEM = 200
WALL_S = 5.0
Report = Callable[[object], None]
"""Takes a value of JSON."""


def run_in_child(work: Callable[[], object], wall_s: float = WALL_S) -> Any:
    """Return the JSON value of some work done in another process; a string if it did not finish."""
    values, end = reported_by(lambda report: report(work()), wall_s)
    return values[0] if values else end


def reported_by(work: Callable[[Report], object], wall_s: float = WALL_S) -> tuple[list[Any], str]:
    """Return the values that some work in another process reports, and the reason for its end.

    Args:
        wall_s: elapsed time for each value.

    Returns:
        The reason is ``timeout`` if the process was ended, and ``crashed`` if it ended by itself, after its
        work too.
    """
    reading, writing = os.pipe()
    gc.freeze()  # or a collection in the other process copies all pages of memory
    child = os.fork()
    if child == 0:
        _run_child(work, reading, writing)
    gc.unfreeze()
    os.close(writing)
    values, is_late = _read(reading, wall_s)
    os.close(reading)
    if is_late:
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return values, "timeout" if is_late else "crashed"


def _run_child(work: Callable[[Report], object], reading: int, writing: int) -> None:
    try:
        own = os.getpid()
        os.close(reading)
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nowhere, stream)
        with os.fdopen(writing, "wb") as file:

            def report(value: object) -> None:
                if os.getpid() != own:  # the work made a process, which returns here too
                    os._exit(0)
                file.write(json.dumps(value).encode() + b"\n")
                file.flush()

            _finish(work, report)
    finally:
        os._exit(0)


def _finish(work: Callable[[Report], object], report: Report) -> None:
    try:
        work(report)
    except BaseException as error:
        report({"kind": "crashed", "text": f"{type(error).__name__}: {error}"[:_MOST_PROBLEM]})


def _read(file: int, wall_s: float) -> tuple[list[Any], bool]:
    """Return the values up to the first one that is not valid, and True if they took too long."""
    values: list[Any] = []
    rest = b""
    end = time.monotonic() + wall_s
    while True:
        left = end - time.monotonic()
        if left <= 0 or len(rest) > _MOST_BYTES or not select.select([file], [], [], left)[0]:
            return values, True
        part = os.read(file, 65536)
        if not part:
            return values, False
        *lines, rest = (rest + part).split(b"\n")
        for line in lines:
            try:
                values.append(json.loads(line))
            except ValueError:
                return values, False
            end = time.monotonic() + wall_s
