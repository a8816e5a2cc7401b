"""Text as a terminal shows it: wrapped by columns, and lines of source cut to the width."""

from __future__ import annotations

import sys
from collections.abc import Iterator
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
def in_columns(columns: int) -> Iterator[None]:
    """Wrap the lines of reports in the context for a terminal of this width."""
    token = _width.set(min(max(columns, _NARROWEST), _WIDEST))
    try:
        yield
    finally:
        _width.reset(token)


@contextmanager
def unwrapped() -> Iterator[None]:
    """Leave the lines of reports in the context as long as they are."""
    token = _width.set(sys.maxsize)
    try:
        yield
    finally:
        _width.reset(token)


def line_width() -> int:
    """Return the number of columns of a line."""
    return _width.get()


def wrapped(text: str, indent: int, head: str | None = None, styled_head: str | None = None) -> list[str]:
    """Text in lines of at most ``line_width()`` columns, all but the first indented; a head takes that one's
    indent.

    A word that is longer stays whole, so that a path or an address can be copied; only one without spaces by
    nature, such as of Chinese, is divided.

    Args:
        styled_head: printed in place of the head, as wide as it.
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


def _pieces(text: str, limit: int) -> Iterator[str]:
    """The words of a text, in parts where one of wide characters is wider than a line."""
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
    """The number of columns a text takes in a terminal."""
    if text.isascii():
        return len(text)
    import unicodedata

    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text
    )


def visible_part(line: str, span: Span, width: int) -> tuple[str, int, int]:
    """A line of source with tabs as spaces and visible control characters, cut to the width.

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
    start, total = sum(widths[:begin]), sum(widths)
    stop = max(start + 1, sum(widths[:end]))
    left = gone = 0
    while total - gone > width and gone < start - width // 3:
        gone += widths[left]
        left += 1
    right, used = left, 0
    while right < len(cells) and used + widths[right] <= width:
        used += widths[right]
        right += 1
    start = min(start - gone, width - 1)
    shown = cells[left:right]
    if (far or left) and shown and start > 0:
        shown[0] = _CUT * widths[left]
    if right < len(cells) and stop - gone < used:
        shown[-1] = _CUT * widths[right - 1]
    return "".join(shown), start, max(start + 1, min(stop - gone, width))


def visible_character(char: str) -> str:
    """A character of a line of source, a tab as four spaces."""
    if char == "\t":
        return "    "
    return one_line(char)
