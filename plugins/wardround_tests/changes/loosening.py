"""How a file that says how tests are run lets more pass than before, and where that stands now."""

from __future__ import annotations

import msgspec

from wardround.checks.source import ChangedFileView
from wardround.findings import Severity
from wardround_tests.changes.line_diff import added_lines, line_left_by, numbered_removed_lines


class Eased(msgspec.Struct, frozen=True):
    """A line by which a file lets more pass than before; with a severity of its own where it only may."""

    line: int
    message: str
    severity: Severity | None = None


def line_that_brings(file: ChangedFileView, text: str) -> int:
    """The added line that has a text, else the first added one (1-based)."""
    added = added_lines(file)
    return next((n for n, line in added if text in line), added[0][0] if added else 1)


def line_that_lost(file: ChangedFileView, text: str, key: str = "") -> int:
    """The line now nearest to where a text is gone: the new line of its key, else what was next to it."""
    if key:
        for number, line in added_lines(file):
            if line.lstrip(" \t\"'").startswith(key):
                return number
    gone = next((n for n, line in numbered_removed_lines(file) if text in line), None)
    return line_left_by(file, gone) if gone is not None else line_that_brings(file, text)


def short(line: str) -> str:
    """A line of a file as far as a message has room for it."""
    text = " ".join(line.split())
    return text if len(text) <= 60 else f"{text[:57]}..."
