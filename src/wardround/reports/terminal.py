"""Text as a terminal shows it: wrapped by columns, and lines of source cut to the width."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from wardround.findings import Span
from wardround.text.escaping import one_line

WIDTH = 80
"""The width of what is not printed on a terminal."""
_NARROWEST, _WIDEST = 40, 160
"""Lines that are longer are not easier to read."""
_width: ContextVar[int] = ContextVar("width", default=WIDTH)
_CUT = "\u2026"
"""Marks where a line is cut."""


@contextmanager
def wrap_at_columns(columns: int) -> Iterator[None]:
    """Wrap the lines of reports in the context for a terminal of this width."""
    token = _width.set(min(max(columns, _NARROWEST), _WIDEST))
    try:
        yield
    finally:
        _width.reset(token)


@contextmanager
def disable_wrapping() -> Iterator[None]:
    """Do not wrap the lines of reports in the context."""
    token = _width.set(sys.maxsize)
    try:
        yield
    finally:
        _width.reset(token)


def line_width() -> int:
    """Return the number of columns of a line."""
    return _width.get()


def wrap(text: str, indent: int, head: str | None = None, styled_head: str | None = None) -> list[str]:
    """Wrap text in lines of at most ``line_width()`` columns, all but the first indented; a head replaces the
    indent of the first.

    A longer word is not divided, so that a path or an address can be copied; only one in a script without
    spaces, such as Chinese, is.

    Args:
        styled_head: printed instead of the head, as wide as it.
    """
    pad = " " * indent
    head = pad if head is None else head
    lines = [head if styled_head is None else styled_head]
    used, is_fresh, most = len(head), True, line_width()
    for piece in _pieces(text, most - indent):
        width = columns(piece)
        if used + width + (not is_fresh) > most and not (is_fresh and used == indent):
            lines.append(pad)
            used, is_fresh = indent, True
        lines[-1] += piece if is_fresh else f" {piece}"
        used, is_fresh = used + width + (not is_fresh), False
    return lines


def label_lines(label: str, text: str) -> list[str]:
    """Text of a finding in lines, the first with a label."""
    return wrap(" ".join(text.split()), 9, f"    {label:<4} ")


def _pieces(text: str, limit: int) -> Iterator[str]:
    """Yield the words of a text; one of wide characters that exceeds a line in parts."""
    for word in text.split():
        piece, used = "", 0
        is_divided = columns(word) > limit and columns(word) > len(word)
        for char in word if is_divided else ():
            if used + columns(char) > limit:
                yield piece
                piece, used = "", 0
            piece, used = piece + char, used + columns(char)
        yield piece or word


def columns(text: str) -> int:
    """Return the width of a text in terminal columns."""
    if text.isascii():
        return len(text)
    import unicodedata

    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text
    )


def visible_part(line: str, span: Span, width: int) -> tuple[str, int, int]:
    """Return a line of source with tabs as spaces and visible control characters, cut to the width.

    Returns:
        The text, and the 0-based columns of the marked part, the end exclusive.
    """
    begin = min(span.column - 1, len(line))
    end = span.end_column - 1 if span.end_line == span.line else len(line)
    far = max(0, begin - width)  # characters further left are never shown, and lines can be long
    line = line[far : begin + 2 * width]
    begin, end = begin - far, min(end - far, len(line))
    cells = [visible_character(char) for char in line]
    widths = [columns(cell) for cell in cells]
    start = sum(widths[:begin])
    stop = max(start + 1, sum(widths[:end]))
    left, removed = _cut_left(widths, start, width)
    right, used = _cut_right(widths, left, width)
    start = min(start - removed, width - 1)
    shown = cells[left:right]
    if (far or left) and shown and start > 0:
        shown[0] = _CUT * widths[left]
    if right < len(cells) and stop - removed < used:
        shown[-1] = _CUT * widths[right - 1]
    return "".join(shown), start, max(start + 1, min(stop - removed, width))


def _cut_left(widths: Sequence[int], start: int, width: int) -> tuple[int, int]:
    """Return the number of cells to exclude before a marked part, and their columns."""
    total = sum(widths)
    left = removed = 0
    while total - removed > width and removed < start - width // 3:
        removed += widths[left]
        left += 1
    return left, removed


def _cut_right(widths: Sequence[int], left: int, width: int) -> tuple[int, int]:
    """Return the cell after the last one that fits, and the columns up to it."""
    right, used = left, 0
    while right < len(widths) and used + widths[right] <= width:
        used += widths[right]
        right += 1
    return right, used


def visible_character(char: str) -> str:
    """Return a character of a line of source, a tab as four spaces."""
    if char == "\t":
        return "    "
    return one_line(char)
