"""The position in the new text of a file at which a change removed something."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from wardround.checks.source import ChangedFileView
from wardround.findings import Span


def removed_lines(file: ChangedFileView) -> list[str]:
    """Return the lines of the old text that do not occur in the new one, in order."""
    left = set((file.text or "").split("\n"))
    return [line for line in (file.base_text or "").split("\n") if line not in left]


def removal_site(file: ChangedFileView, number: int) -> Span:
    """Return the line of the new text at the position of an old one, 1-based, without surrounding blanks.

    It is the new line that replaced it, skipping blank ones, else the last line before it that both texts
    contain exactly once, or the first after it.
    """
    base, head = (file.base_text or "").split("\n"), (file.text or "").split("\n")
    numbers = _common_lines(base, head)
    before = _first_number(numbers, reversed(base[: number - 1]))
    site = _filled_line_after(before, head) or before or 1
    if not file.is_added(site):
        site = before or _first_number(numbers, base[number:]) or 1
    return span_of_line(file, site)


def _common_lines(base: Sequence[str], head: Sequence[str]) -> dict[str, int]:
    """Return the lines that both texts contain exactly once, with their numbers in the second one."""
    once = {line for line, count in Counter(base).items() if count == 1 and line.strip()}
    alone = {line for line, count in Counter(head).items() if count == 1}
    return {line: number for number, line in enumerate(head, 1) if line in once and line in alone}


def _first_number(numbers: Mapping[str, int], lines: Iterable[str]) -> int:
    """Return the number of the first line that has one; 0 without such a line."""
    return next((numbers[line] for line in lines if line in numbers), 0)


def _filled_line_after(number: int, lines: Sequence[str]) -> int:
    """Return the number of the first line after another that is not blank; 0 without such a line."""
    return next((at for at in range(number + 1, len(lines) + 1) if lines[at - 1].strip()), 0)


def span_of_line(file: ChangedFileView, number: int) -> Span:
    """Return the span of a line of the new text, without surrounding blanks."""
    lines = (file.text or "").split("\n")
    number = min(number, len(lines))  # Python also ends lines at carriage returns
    text = lines[number - 1].removesuffix("\r")
    column = len(text) - len(text.lstrip()) + 1
    return Span(number, column, number, max(len(text.rstrip()) + 1, column))
