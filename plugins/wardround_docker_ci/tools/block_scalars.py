"""Positions in the block scalars of YAML (``run: |``), for tools that count from the start of the scalar."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from wardround.lazy import LazyPattern

_HEADER = LazyPattern(r"(?:^|[\s:-])(?P<sign>[|>])(?P<how>[-+0-9]*)[ \t]*(?:#.*)?$")


def header_of(line: str) -> re.Match[str] | None:
    """Match the indicator that opens a block scalar at the end of a line."""
    return _HEADER.search(line)


def content_of(lines: Sequence[str], line: int) -> Iterator[tuple[int, int, str]]:
    """Yield (line, indentation, text) of the block scalar whose indicator is on a 1-based line."""
    header = header_of(lines[line - 1])
    if header is None:
        return
    margin = len(lines[line - 1]) - len(lines[line - 1].lstrip(" "))
    indicator = re.search("[0-9]", header["how"])
    indent = margin + int(indicator[0]) if indicator else 0
    for number in range(line + 1, len(lines) + 1):
        text = lines[number - 1]
        if text.strip():
            depth = len(text) - len(text.lstrip(" "))
            indent = indent or depth
            if depth < indent or depth <= margin:
                return
        yield number, indent, text[indent:]


def position_in_block(lines: Sequence[str], line: int, column: int) -> tuple[int, int] | None:
    """Convert a position at the indicator's column plus an offset in bytes into the text.

    Returns:
        The 1-based line and column (in code points), or None if the line does not open a block scalar.
    """
    header = header_of(lines[line - 1]) if line <= len(lines) else None
    if header is None or column <= header.start("sign") + 1:
        return None
    left = column - header.start("sign") - 1
    is_folding = header["sign"] == ">"
    was_folded = False  # blank lines count at the beginning but not after a folded line
    for number, indent, text in content_of(lines, line):
        data = text.encode("utf-8", "surrogateescape")
        if text and left <= len(data):
            return number, indent + len(data[:left].decode("utf-8", "ignore")) + 1
        has_line_end = bool(text) or not was_folded
        left -= len(data) + has_line_end
        was_folded = was_folded or (is_folding and bool(text))
    return None
