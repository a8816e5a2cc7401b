"""Fixes as suggestions that a reader of a change request can apply with one click.

A suggestion replaces whole lines, so it is made only where the edits lie within one hunk of the diff, apply
to the text of the reviewed commit, change it, and leave a file that parses as before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec

from wardround.delivery.reported_review import ReportedEdit, ReportedFinding
from wardround.findings import Edit, Span
from wardround.fixes.edits import apply
from wardround.lazy import LazyPattern

_MOST_LINES = 20
"""A longer replacement is read better in an editor."""
_MOST_CHARACTERS = 10_000
_COMMAND = LazyPattern(r"(?im)^/[a-z]")
"""A line that GitLab may carry out: to it, the first line of three backticks ends any block of code."""


class Suggestion(msgspec.Struct, frozen=True):
    """Lines that replace those from ``line`` to ``end_line``."""

    line: int
    end_line: int
    text: str


class Suggestions:
    """Makes suggestions from the fixes of findings.

    Args:
        text_of: path -> the text at the reviewed commit; None if it has none.
        unproven: (path, text before, text after) -> why the edit may break the file; None if it cannot.
        hunks: path -> the lines of the head in each hunk of the diff.
    """

    def __init__(
        self,
        text_of: Callable[[str], str | None],
        unproven: Callable[[str, str, str], str | None],
        hunks: Mapping[str, Sequence[range]],
    ) -> None:
        self._text_of = text_of
        self._unproven = unproven
        self._hunks = hunks

    def suggestion(self, finding: ReportedFinding) -> Suggestion | None:
        """Return the fix of a finding as whole lines; None if there is none that is sure to apply."""
        fix = finding.suggested_fix
        if fix is None or not fix.edits or any(edit.file != finding.file for edit in fix.edits):
            return None
        before = self._text_of(finding.file)
        after = None if before is None else _fixed_text(before, fix.edits)
        if before is None or after is None or after == before:
            return None
        if self._unproven(finding.file, before, after) is not None:
            return None
        return self._within_diff(finding.file, _whole_lines(before, after))

    def _within_diff(self, path: str, suggestion: Suggestion | None) -> Suggestion | None:
        if suggestion is None or not _can_be_shown(suggestion.text):
            return None
        ends = (suggestion.line, suggestion.end_line)
        is_in_hunk = any(all(line in hunk for line in ends) for hunk in self._hunks.get(path, ()))
        return suggestion if is_in_hunk else None


def _can_be_shown(text: str) -> bool:
    """Return True for a short text that is only shown, and unchanged: hosts replace the ends of lines."""
    is_short = text.count("\n") < _MOST_LINES and len(text) <= _MOST_CHARACTERS
    return is_short and "\r" not in text and _COMMAND.search(text) is None


def _fixed_text(text: str, edits: tuple[ReportedEdit, ...]) -> str | None:
    """Return the text with the edits applied; None if they overlap or lie outside of it."""
    try:
        spans = [Span(edit.line, edit.column, edit.end_line, edit.end_column) for edit in edits]
        return apply(text, [Edit(e.file, span, e.replacement) for e, span in zip(edits, spans, strict=True)])
    except ValueError:
        return None


def _whole_lines(before: str, after: str) -> Suggestion | None:
    """Return the lines that differ, as one replacement; None if lines are only added or the ends differ."""
    old, new = before.split("\n"), after.split("\n")
    first = 0
    while first < min(len(old), len(new)) and old[first] == new[first]:
        first += 1
    last = 0
    while last < min(len(old), len(new)) - first and old[-1 - last] == new[-1 - last]:
        last += 1
    if first == len(old) - last and first > 0:
        first -= 1  # a suggestion replaces a line at least
    if first >= len(old) - last:
        return None
    return Suggestion(first + 1, len(old) - last, "\n".join(new[first : len(new) - last]))
