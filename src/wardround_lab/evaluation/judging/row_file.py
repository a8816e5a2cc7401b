"""A file of results, one JSON object a line, from which a later run resumes."""

from __future__ import annotations

import fcntl
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

from wardround.errors import UsageError

Row = TypeVar("Row", bound=msgspec.Struct)


class RowFile(Generic[Row]):
    """The rows of a file; each is on disk when ``add`` returns.

    Several processes may add rows and read those of the others. Half a line at the end, which a stopped
    process has written, is not a row, and the first ``add`` removes it.
    """

    def __init__(self, path: Path, kind: type[Row]) -> None:
        self.path = path
        self._kind = kind
        self._size = 0
        self._rest = 0
        self.rows: list[Row] = []
        self.read_new()

    def read_new(self) -> None:
        """Read the rows that another process has added."""
        if not self.path.exists():
            return
        try:
            with self.path.open("rb") as file:
                file.seek(self._size)
                complete, end, rest = file.read().rpartition(b"\n")
            self.rows += [msgspec.json.decode(row, type=self._kind) for row in complete.splitlines()]
        except OSError as cause:
            raise UsageError(f"--results {self.path}: {cause.strerror}; choose another file") from cause
        except msgspec.MsgspecError as cause:
            raise UsageError(
                f"--results {self.path}: this is not a file of {self._kind.__name__}; choose a new file"
            ) from cause
        self._size += len(complete) + len(end)
        self._rest = len(rest)

    def add(self, row: Row) -> None:
        line = msgspec.json.encode(row) + b"\n"
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("ab") as file:
                fcntl.flock(file, fcntl.LOCK_EX)  # half a line is then one of a stopped process
                self.read_new()
                if self._rest:
                    file.truncate(self._size)
                file.write(line)
        except OSError as cause:
            raise UsageError(f"--results {self.path}: {cause.strerror}; choose another file") from cause
        self.read_new()
