"""The results of a block of candidates in memory that the process of the block shares with its parent.

A system call for each result would take longer than many tests.
"""

from __future__ import annotations

import mmap
import struct

_ROW = struct.Struct("<BI59s")
_STATES = ("", "begun", "failed", "passed", "unswappable")
_UNKNOWN = "failed"


class SharedResults:
    """A row for each candidate: its state, the number of tests that passed, and the name of an exception."""

    def __init__(self, size: int) -> None:
        self._memory = mmap.mmap(-1, size * _ROW.size)
        self._size = size

    def begin(self, at: int) -> None:
        """Note that a candidate is run."""
        self.write(at, "begun", 0, "")

    def write(self, at: int, state: str, passed: int, exception: str) -> None:
        """Note the result of a candidate."""
        name = exception.encode("ascii", "replace")
        _ROW.pack_into(self._memory, at * _ROW.size, _STATES.index(state), passed, name)

    def begun(self) -> int:
        """Return how many candidates have begun."""
        return sum(bool(self._memory[at * _ROW.size]) for at in range(self._size))

    def rows(self) -> list[tuple[str, int, str]]:
        """Return the rows of those that have begun, in their order."""
        found: list[tuple[str, int, str]] = []
        for at in range(self._size):
            number, passed, exception = _ROW.unpack_from(self._memory, at * _ROW.size)
            if not number:
                break
            state = _STATES[number] if number < len(_STATES) else _UNKNOWN
            found.append((state, passed, exception.rstrip(b"\0").decode("ascii", "replace")))
        return found

    def close(self) -> None:
        """Give the memory back."""
        self._memory.close()
