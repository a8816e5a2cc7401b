"""Added and removed lines of a changed file, without aligning its two versions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from wardround.checks.source import ChangedFileView
from wardround.findings import Span


def added_lines(file: ChangedFileView) -> list[tuple[int, str]]:
    """Return number and text of the lines that the change added."""
    lines = (file.text or "").split("\n")
    return [(number, line) for number, line in enumerate(lines, 1) if file.is_added(number)]


def removed_lines(file: ChangedFileView) -> list[str]:
    """Return the lines that the change removed, moved ones not counted, in their old order."""
    return [line for _, line in numbered_removed_lines(file)]


def numbered_removed_lines(file: ChangedFileView) -> Iterator[tuple[int, str]]:
    """Yield the removed lines, with their numbers at the base."""
    left = Counter((file.text or "").split("\n"))
    for number, line in enumerate((file.base_text or "").split("\n"), 1):
        if left[line] > 0:
            left[line] -= 1
        else:
            yield number, line


def nearest_head_line(file: ChangedFileView, number: int) -> int:
    """Return the line at the head (1-based) nearest to the position of a removed line of the base.

    It is the new line at that position, else the last line before it or the first after it that both
    versions have exactly once.
    """
    base, head = (file.base_text or "").split("\n"), (file.text or "").split("\n")
    once = {line for line, count in Counter(base).items() if count == 1}
    positions = {line: place for place, line in enumerate(head, 1) if line in once and line.strip()}
    twice = {line for line, count in Counter(head).items() if count > 1}
    for line in base[: number - 1][::-1]:
        if line in positions and line not in twice:
            place = positions[line]
            is_replaced = place < len(head) and head[place].strip() and file.is_added(place + 1)
            return place + 1 if is_replaced else place
    return next((positions[line] for line in base[number:] if line in positions and line not in twice), 1)


def span_of_line(file: ChangedFileView, number: int) -> Span:
    """Return the span of a line at the head, without surrounding blanks."""
    text = (file.text or "").split("\n")[number - 1]
    column = len(text) - len(text.lstrip()) + 1
    return Span(number, column, number, max(len(text.rstrip()) + 1, column))
