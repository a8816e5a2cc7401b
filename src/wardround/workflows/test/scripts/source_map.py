"""Positions in generated code mapped to positions in its source file."""

from __future__ import annotations

import base64
import binascii
import posixpath
from array import array
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property

import msgspec

from wardround.lazy import LazyPattern

_INLINE = LazyPattern(r"//[#@] ?sourceMappingURL=(data:application/json[^,\s]{0,80};base64,[A-Za-z0-9+/=]+)")
_MARK = "sourceMappingURL="
_DIGITS = {
    digit: value
    for value, digit in enumerate("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
}
_MORE, _BITS, _SHIFT = 32, 31, 5
_LARGEST_BMP = "\uffff"
Position = tuple[int, int]
"""Line and column, both from 0, the column in units of UTF-16."""


class _Map(msgspec.Struct, frozen=True):
    """The parts of a source map that are used; it may have others."""

    sources: list[str | None] = []
    mappings: str = ""


class GeneratedCode:
    """Code that a tool made of a file.

    Args:
        code: its text.
        source_map: its map as a ``data:`` URL; empty if the code has it, or there is none.
    """

    def __init__(self, code: str, source_map: str = "") -> None:
        self._units = _units(code)
        found = _INLINE.search(code, max(code.rfind(_MARK) - len("//# "), 0))
        self._url = source_map or (found[1] if found else "")

    def __len__(self) -> int:
        return len(self._units)

    @cached_property
    def _starts(self) -> list[int]:
        starts, at = [0], self._units.find("\n")
        while at >= 0:
            starts.append(at + 1)
            at = self._units.find("\n", at + 1)
        return starts

    def text_at(self, offset: int, length: int) -> str:
        return self._units[max(offset, 0) : max(offset, 0) + length]

    def position(self, offset: int) -> Position:
        """Return the line and the column of an offset in units of UTF-16."""
        row = bisect_right(self._starts, max(offset, 0)) - 1
        return row, max(offset, 0) - self._starts[row]

    def offset(self, position: Position) -> int:
        """Return the offset of a line and a column."""
        row, column = position
        return self._starts[row] + column if row < len(self._starts) else len(self)

    def is_text(self, text: str) -> bool:
        """Return True if the code is this text."""
        return self._units == _units(text)

    def mapped_positions(self, name: str) -> list[tuple[int, Position]] | None:
        """Return offsets in the code with their positions in the file of this name; None without a map."""
        found = _decode_map(self._url)
        if found is None:
            return None
        sources = {
            number
            for number, source in enumerate(found.sources)
            if source and posixpath.basename(source) == name
        }
        starts = self._starts
        return sorted(
            (starts[row] + column, (line, at))
            for row, column, source, line, at in _segments(found.mappings)
            if source in sources and row < len(starts)
        )


def _units(code: str) -> str:
    """Return a string with one character per UTF-16 code unit."""
    if not code or max(code) <= _LARGEST_BMP:
        return code
    units = array("H", code.encode("utf-16-le", "surrogatepass"))
    return "".join(map(chr, units))


def _decode_map(url: str) -> _Map | None:
    try:
        return msgspec.json.decode(base64.b64decode(url.partition(",")[2]), type=_Map) if url else None
    except (binascii.Error, msgspec.DecodeError, ValueError):
        return None


def _segments(mappings: str) -> Iterator[tuple[int, int, int, int, int]]:
    """Yield generated line and column, number of the source, and original line and column."""
    source = line = at = 0
    for row, text in enumerate(mappings.split(";")):
        column = 0
        for segment in text.split(",") if text else ():
            values = _values(segment)
            column += values[0] if values else 0
            if len(values) >= 4:
                source, line, at = source + values[1], line + values[2], at + values[3]
                yield row, column, source, line, at


def _values(segment: str) -> list[int]:
    found, value, shift = [], 0, 0
    for character in segment:
        digit = _DIGITS.get(character, 0)
        value |= (digit & _BITS) << shift
        shift += _SHIFT
        if not digit & _MORE:
            found.append(-(value >> 1) if value & 1 else value >> 1)
            value = shift = 0
    return found
