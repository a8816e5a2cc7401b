"""Findings about test configuration that lets more tests pass than before, and their positions."""

from __future__ import annotations

import msgspec

from wardround.checks.source import ChangedFileView
from wardround.findings import Severity
from wardround_tests.changes.line_diff import added_lines, nearest_head_line, numbered_removed_lines


class Loosening(msgspec.Struct, frozen=True):
    """A line that lets more tests pass than before; its severity overrides the rule's where it only may."""

    line: int
    message: str
    severity: Severity | None = None


def added_line_with(file: ChangedFileView, text: str) -> int:
    """Return the added line that contains a text, else the first added line (1-based)."""
    added = added_lines(file)
    return next((n for n, line in added if text in line), added[0][0] if added else 1)


def line_of_removed_text(file: ChangedFileView, text: str, key: str = "") -> int:
    """Return the head line nearest to a removed text: the new line of its key, else a neighbouring line."""
    if key:
        for number, line in added_lines(file):
            if line.lstrip(" \t\"'").startswith(key):
                return number
    removed = next((n for n, line in numbered_removed_lines(file) if text in line), None)
    return nearest_head_line(file, removed) if removed is not None else added_line_with(file, text)


def short(line: str) -> str:
    """Shorten a line of a file for a message."""
    text = " ".join(line.split())
    return text if len(text) <= 60 else f"{text[:57]}..."
