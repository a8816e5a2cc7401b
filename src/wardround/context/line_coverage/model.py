"""The content of a coverage file of any format."""

from __future__ import annotations

import msgspec

from wardround.errors import WardroundError

Lines = dict[int, bool]
"""Number of an executable line, 1-based -> True if it ran."""
MOST_FILES = 50_000
MOST_LINES = 5_000_000
"""The limits on the files of a coverage file, and on their lines."""


class CoverageUnreadable(WardroundError):
    """A coverage file has another form than its format prescribes, or is too large."""


class MeasuredLines(msgspec.Struct, frozen=True):
    """The measured lines of the files of a test run.

    Attributes:
        files: path as written -> its lines.
        roots: the folders that paths may be relative to, verbatim.
        is_executed_only: lines that did not run are not listed.
    """

    files: dict[str, Lines]
    roots: tuple[str, ...] = ()
    is_executed_only: bool = False


class LineTable:
    """Collects the lines of files, and rejects more than the limits.

    A line that is listed twice was executed if one of its entries was.
    """

    def __init__(self) -> None:
        self.files: dict[str, Lines] = {}
        self._count = 0

    def file(self, path: str) -> Lines:
        """Return the lines of a file."""
        if path not in self.files and len(self.files) >= MOST_FILES:
            raise CoverageUnreadable(f"it has more than {MOST_FILES} files")
        return self.files.setdefault(path, {})

    def add(self, path: str, line: int, *, ran: bool) -> None:
        """Add one line."""
        if line < 1:
            raise CoverageUnreadable(f"it has the line {line}, and lines begin at 1")
        self._count += 1
        if self._count > MOST_LINES:
            raise CoverageUnreadable(f"it has more than {MOST_LINES} lines")
        lines = self.file(path)
        lines[line] = lines.get(line, False) or ran
