"""The lines of a changed file that came and went, without aligning its two versions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from wardround.checks.source import ChangedFileView
from wardround.findings import Span


def added_lines(file: ChangedFileView) -> list[tuple[int, str]]:
    """Number and text of the lines the change brought."""
    lines = (file.text or "").split("\n")
    return [(number, line) for number, line in enumerate(lines, 1) if file.is_added(number)]


def removed_lines(file: ChangedFileView) -> list[str]:
    """The lines that stood in the file and no longer do, moved ones not counted, in their old order."""
    return [line for _, line in numbered_removed_lines(file)]


def numbered_removed_lines(file: ChangedFileView) -> Iterator[tuple[int, str]]:
    """The lines that are gone, with their numbers at the base."""
    left = Counter((file.text or "").split("\n"))
    for number, line in enumerate((file.base_text or "").split("\n"), 1):
        if left[line] > 0:
            left[line] -= 1
        else:
            yield number, line


def line_left_by(file: ChangedFileView, number: int) -> int:
    """The line at the head (1-based) nearest to where a line of the base stood that is gone.

    It is the new line that stands there, else the last line before it or the first after it that both
    versions have exactly once.
    """
    base, head = (file.base_text or "").split("\n"), (file.text or "").split("\n")
    once = {line for line, count in Counter(base).items() if count == 1}
    places = {line: place for place, line in enumerate(head, 1) if line in once and line.strip()}
    twice = {line for line, count in Counter(head).items() if count > 1}
    for line in base[: number - 1][::-1]:
        if line in places and line not in twice:
            place = places[line]
            is_replaced = place < len(head) and head[place].strip() and file.is_added(place + 1)
            return place + 1 if is_replaced else place
    return next((places[line] for line in base[number:] if line in places and line not in twice), 1)


def span_of_line(file: ChangedFileView, number: int) -> Span:
    """What is written in a line of the head, without the blanks around it."""
    text = (file.text or "").split("\n")[number - 1]
    column = len(text) - len(text.lstrip()) + 1
    return Span(number, column, number, max(len(text.rstrip()) + 1, column))
