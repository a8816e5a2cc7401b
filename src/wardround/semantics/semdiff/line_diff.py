"""The position in the new text of a file at which a change removed something."""

from __future__ import annotations

from collections import Counter

from wardround.checks.source import ChangedFileView
from wardround.findings import Span


def removed_lines(file: ChangedFileView) -> list[str]:
    """Return the lines of the old text that do not occur in the new one, in order."""
    left = set((file.text or "").split("\n"))
    return [line for line in (file.base_text or "").split("\n") if line not in left]


def added_lines(file: ChangedFileView) -> list[str]:
    """Return the lines of the new text that do not occur in the old one, in order."""
    before = set((file.base_text or "").split("\n"))
    return [line for line in (file.text or "").split("\n") if line not in before]


def removal_site(file: ChangedFileView, number: int) -> Span:
    """Return the line of the new text at the position of an old one, 1-based, without surrounding blanks.

    It is the new line that replaced it, skipping blank ones, else the last line before it that both texts
    have
    exactly once, or the first after it.
    """
    base, head = (file.base_text or "").split("\n"), (file.text or "").split("\n")
    once = {line for line, count in Counter(base).items() if count == 1 and line.strip()}
    alone = {line for line, count in Counter(head).items() if count == 1}
    places = {line: place for place, line in enumerate(head, 1) if line in once and line in alone}
    before = next((places[line] for line in reversed(base[: number - 1]) if line in places), 0)
    behind = next((n for n in range(before + 1, len(head) + 1) if head[n - 1].strip()), before or 1)
    if not file.is_added(behind):
        behind = before or next((places[line] for line in base[number:] if line in places), 1)
    return span_of_line(file, behind)


def span_of_line(file: ChangedFileView, number: int) -> Span:
    """Return the span of a line of the new text, without surrounding blanks."""
    lines = (file.text or "").split("\n")
    number = min(number, len(lines))  # Python also ends lines at carriage returns
    text = lines[number - 1].removesuffix("\r")
    column = len(text) - len(text.lstrip()) + 1
    return Span(number, column, number, max(len(text.rstrip()) + 1, column))
