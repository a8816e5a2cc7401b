"""The lines of a file by their number, without the file in memory."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from wardround.errors import UsageError
from wardround_lab.corpora.records import digest_of

LONGEST_LINE = 8 * 1024 * 1024
"""Maximum bytes of a line that is read as a record; a longer one is shown as too long."""
_KEPT_INDEXES = 16


class LineIndex:
    """The non-blank lines of a file: 16 bytes of memory for each.

    Attributes:
        file: the file as it was indexed; its content may have changed since.
    """

    def __init__(self, file: Path, offsets: array[int], numbers: array[int]) -> None:
        self.file = file
        self._offsets = offsets
        self._numbers = numbers

    @classmethod
    def of(cls, file: Path) -> LineIndex:
        """Return the index of a file, which is read again only if the file has changed.

        Raises:
            UsageError: it cannot be read.
        """
        return _read_index(file, stamp_of(file))

    def __len__(self) -> int:
        return len(self._offsets)

    def positions(self) -> Sequence[int]:
        return range(len(self._offsets))

    def number(self, position: int) -> int:
        """Return the 1-based number of the line at a position among the non-blank ones."""
        return self._numbers[position]

    def position(self, number: int) -> int | None:
        """Return the position of the line with a number; None for a blank line, and beyond the end."""
        from bisect import bisect_left

        found = bisect_left(self._numbers, number)
        return found if found < len(self._numbers) and self._numbers[found] == number else None

    def lines(self, positions: Sequence[int]) -> list[bytes]:
        """Return lines by their positions, cut after the maximum length.

        Raises:
            UsageError: the file cannot be read.
        """
        try:
            with self.file.open("rb") as stream:
                found = []
                for position in positions:
                    stream.seek(self._offsets[position])
                    found.append(stream.readline(LONGEST_LINE + 1))
                return found
        except OSError as cause:
            raise _unreadable(self.file, cause) from cause


@lru_cache(_KEPT_INDEXES)
def _read_index(file: Path, stamp: tuple[int, ...]) -> LineIndex:
    offsets, numbers = array("q"), array("q")
    offset, number = 0, 1
    at_start = True
    try:
        with file.open("rb") as stream:
            while part := stream.readline(LONGEST_LINE):
                if at_start and part.strip():
                    offsets.append(offset)
                    numbers.append(number)
                offset += len(part)
                at_start = part.endswith(b"\n")
                number += at_start
    except OSError as cause:
        raise _unreadable(file, cause) from cause
    return LineIndex(file, offsets, numbers)


def stamp_of(file: Path) -> tuple[int, ...]:
    """Return numbers that differ after a change of the file.

    Raises:
        UsageError: there is none.
    """
    try:
        found = file.stat()
    except OSError as cause:
        raise _unreadable(file, cause) from cause
    return found.st_ino, found.st_size, found.st_mtime_ns


def known_digest(file: Path) -> str:
    """Return the SHA-256 of a file, which is read again only if the file has changed.

    Raises:
        UsageError: it cannot be read.
    """
    return _digest(file, stamp_of(file))


@lru_cache(256)
def _digest(file: Path, stamp: tuple[int, ...]) -> str:
    return digest_of(file)


def _unreadable(file: Path, cause: OSError) -> UsageError:
    return UsageError(f"{file}: {cause.strerror}; choose a file that can be read")
