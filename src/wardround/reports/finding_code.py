"""The lines of code that reports show with a finding, and its fix as a diff."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from wardround.findings import Finding, SuggestedFix
from wardround.fixes.edits import apply

_MOST_LINES = 5
"""Lines of a span that are shown; longer spans are whole functions."""


class CodeLine(msgspec.Struct, frozen=True):
    """A line of code."""

    number: int
    text: str


def code_lines(finding: Finding, source: Sequence[str]) -> list[CodeLine]:
    """Return the lines of a finding; none of a secret or of an older commit.

    The review checks only the lines of a finding for secrets, so those around it are not shown.

    Args:
        source: the lines of its file.
    """
    first, last = finding.span.line, _last_line(finding)
    if finding.masked or finding.commit or first > len(source):
        return []
    numbers = range(first, min(len(source), last) + 1)
    return [CodeLine(number, source[number - 1].removesuffix("\r")) for number in numbers]


def _last_line(finding: Finding) -> int:
    span = finding.span
    last = span.end_line - 1 if span.end_column == 1 and span.end_line > span.line else span.end_line
    return min(last, span.line + _MOST_LINES - 1)


def fix_diff(fix: SuggestedFix, source: Sequence[str]) -> list[str]:
    """Return a fix as the lines of a diff without context; none if it does not apply."""
    before = "\n".join(source)
    try:
        after = apply(before, fix.edits)
    except ValueError:
        return []
    import difflib

    diff = difflib.unified_diff(before.split("\n"), after.split("\n"), lineterm="", n=0)
    return [line for line in list(diff)[2:] if not line.startswith("@@")]
