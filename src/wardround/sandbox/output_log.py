"""The output of a run: a log of limited size on disk, and the end of each stream in memory."""

from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType
from typing import Self

TAIL_BYTES = 16 * 1024
"""The length of the end of a stream in an outcome."""


class OutputLog:
    """Writes the output of both streams to one file, until the limit."""

    def __init__(self, path: Path, most_bytes: int) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
        self._file = os.fdopen(os.open(path, flags, 0o600), "wb")
        self._left = most_bytes
        self._ends = {"stdout": b"", "stderr": b""}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def write(self, stream: str, data: bytes) -> bool:
        """Record output; return False once the limit is exceeded, and drop the excess."""
        retained = data[: self._left]
        self._file.write(retained)
        self._left -= len(retained)
        self._ends[stream] = (self._ends[stream] + retained)[-TAIL_BYTES:]
        return len(retained) == len(data)

    def tail(self, stream: str) -> str:
        """Return the end of ``stdout`` or ``stderr``."""
        return self._ends[stream].decode("utf-8", "replace")
