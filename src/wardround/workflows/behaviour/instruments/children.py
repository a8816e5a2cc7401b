"""Work in another process, which can crash or take too long without loss of anything else."""

from __future__ import annotations

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


def in_child(work: Callable[[], object], wall_s: float = WALL_S) -> Any:
    """Return the JSON value of some work done in another process; a string if it did not finish."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        _run_child(work, reading, writing)
    os.close(writing)
    data, is_late = _read(reading, wall_s)
    os.close(reading)
    if is_late:
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    if is_late:
        return "timeout"
    try:
        return json.loads(data)
    except ValueError:
        return "crashed"


def _run_child(work: Callable[[], object], reading: int, writing: int) -> None:
    try:
        os.close(reading)
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nowhere, stream)
        with os.fdopen(writing, "wb") as file:
            file.write(_result_of(work))
    finally:
        os._exit(0)


def _result_of(work: Callable[[], object]) -> bytes:
    try:
        return json.dumps(work()).encode()
    except BaseException as error:
        problem = f"{type(error).__name__}: {error}"[:_MOST_PROBLEM]
        return json.dumps({"kind": "crashed", "text": problem}).encode()


def _read(file: int, wall_s: float) -> tuple[bytes, bool]:
    parts: list[bytes] = []
    size = 0
    end = time.monotonic() + wall_s
    while True:
        left = end - time.monotonic()
        if left <= 0 or not select.select([file], [], [], left)[0] or size > _MOST_BYTES:
            return b"", True
        part = os.read(file, 65536)
        if not part:
            return b"".join(parts), False
        parts.append(part)
        size += len(part)
