"""String literals of Python source as text with the location of each character."""

from __future__ import annotations

import re
from collections.abc import Callable

from wardround.languages.python.tokens import field_at
from wardround.lazy import LazyPattern
from wardround_sql.frontends.string_assembly import AssembledText, SqlAssembler

_OPEN = LazyPattern(r"(?P<prefix>[A-Za-z]{0,2})(?P<quote>\"\"\"|'''|\"|')")
_BETWEEN = LazyPattern(r"(?:[\s()\\]|#[^\n]*+)+")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"', "\n": ""}

Fill = Callable[[str, int, SqlAssembler], None]
"""Writes the replacement of an f-string's expression, given its code and its location in the file."""


def read_literals(source: str, offset: int, fill: Fill) -> AssembledText | None:
    """Return the value of adjacent string literals; None if there is any other token.

    ``source`` is the section of the file that begins at ``offset``. Takes linear time.
    """
    writer, position = SqlAssembler(), 0
    while position < len(source):
        gap = _BETWEEN.match(source, position)
        position = gap.end() if gap else position
        if position >= len(source):
            break
        opening = _OPEN.match(source, position)
        if opening is None or "b" in opening["prefix"].lower():
            return None
        end = _literal(source, opening, offset, fill, writer)
        if end < 0:
            return None
        position = end
    return writer.text()


def _literal(source: str, opening: re.Match[str], offset: int, fill: Fill, writer: SqlAssembler) -> int:
    """Write one literal; return the offset after it, -1 if it is unterminated."""
    quote, prefix = opening["quote"], opening["prefix"].lower()
    is_raw, is_format = "r" in prefix, "f" in prefix or "t" in prefix
    at = start = opening.end()
    while at < len(source):
        char = source[at]
        if char == quote[0] and source.startswith(quote, at):
            writer.add(source[start:at], offset + start)
            return at + len(quote)
        if char == "\\" and not is_raw and at + 1 < len(source) and source[at + 1] in _ESCAPES:
            writer.add(source[start:at], offset + start)
            writer.add(_ESCAPES[source[at + 1]], offset + at, 2)
            at = start = at + 2
        elif is_format and char in "{}" and source.startswith(char * 2, at):
            writer.add(source[start : at + 1], offset + start)
            at = start = at + 2
        elif is_format and char == "{":
            writer.add(source[start:at], offset + start)
            try:
                end = field_at(source, at, prefix, quote).end
            except SyntaxError:
                return -1
            fill(source[at + 1 : end - 1], offset + at + 1, writer)
            at = start = end
        else:
            at += 2 if char == "\\" else 1
    return -1
