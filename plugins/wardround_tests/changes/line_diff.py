"""Added and removed lines of a changed file, without aligning its two versions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from wardround.checks.source import ChangedFileView
from wardround.findings import Span


def added_lines(file: ChangedFileView) -> list[tuple[int, str]]:
    """Return number and text of the lines that the change added."""
    lines = file.lines
    return [(number, line) for number, line in enumerate(lines, 1) if file.is_added(number)]


def removed_lines(file: ChangedFileView) -> list[str]:
    """Return the lines that the change removed, moved ones not counted, in their old order."""
    return [line for _, line in numbered_removed_lines(file)]


def numbered_removed_lines(file: ChangedFileView) -> Iterator[tuple[int, str]]:
    """Yield the removed lines with their line numbers in the base version."""
    left = Counter(file.lines)
    for number, line in enumerate((file.base_text or "").split("\n"), 1):
        if left[line] > 0:
            left[line] -= 1
        else:
            yield number, line


def nearest_head_line(file: ChangedFileView, number: int) -> int:
    """Return the line at the head (1-based) nearest to the position of a removed line of the base.

    It is the new line at that position, else the last line before it or the first after it that base and head
    both have exactly once.
    """
    base, head = (file.base_text or "").split("\n"), file.lines
    positions = _shared_positions(base, head)
    before = _first_position(base[: number - 1][::-1], positions)
    if before is None:
        return _first_position(base[number:], positions) or 1
    is_replaced = before < len(head) and head[before].strip() and file.is_added(before + 1)
    return before + 1 if is_replaced else before


def _first_position(lines: Sequence[str], positions: Mapping[str, int]) -> int | None:
    return next((positions[line] for line in lines if line in positions), None)


def _shared_positions(base: Sequence[str], head: Sequence[str]) -> dict[str, int]:
    """Return the head position (1-based) of each line that both versions have exactly once."""
    in_base, in_head = Counter(base), Counter(head)
    return {
        line: number
        for number, line in enumerate(head, 1)
        if in_base[line] == in_head[line] == 1 and line.strip()
    }


def span_of_line(file: ChangedFileView, number: int) -> Span:
    """Return the span of a line at the head, without surrounding blanks."""
    text = file.lines[number - 1]
    column = len(text) - len(text.lstrip()) + 1
    return Span(number, column, number, max(len(text.rstrip()) + 1, column))
