"""The edits of a fix as one replacement of whole lines.

Lines between two edits would be part of the replacement. The review checks only the lines of a finding and of
its edits for secrets, so a fix with such a gap has no replacement.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from wardround.findings import Edit, Span
from wardround.fixes.edits import apply

MAX_LINES = 100
"""Nobody reads a longer suggestion."""
MAX_CHARACTERS = 20_000


class LineReplacement(msgspec.Struct, frozen=True):
    """New text of the lines to ``end_line``, without the end of the last line; empty deletes them."""

    line: int
    end_line: int
    text: str


def line_replacement(lines: Sequence[str], edits: Sequence[Edit]) -> LineReplacement | None:
    """Return the edits of one file as a replacement.

    Args:
        lines: of the file, without their ends.

    Returns:
        None if the edits do not fit the lines, are not on adjacent lines, or leave one empty line, which
        consumers cannot distinguish from a deletion.
    """
    changed = {line for edit in edits for line in range(edit.span.line, _last_line(edit.span) + 1)}
    if not changed:
        return None
    first, last = min(changed), max(changed)
    if len(changed) <= last - first:
        return None
    for end in (last, last + 1):  # an edit that deletes a line end joins the next line
        replacement = _replacement(lines, edits, first, end)
        if replacement is None or not replacement.text or replacement.text.endswith("\n"):
            return _without_line_end(replacement)
    return None


def _last_line(span: Span) -> int:
    return span.end_line - 1 if span.end_column == 1 and span.end_line > span.line else span.end_line


def _replacement(
    lines: Sequence[str], edits: Sequence[Edit], first: int, last: int
) -> LineReplacement | None:
    """Return the replacement with its line ends."""
    affected = lines[first - 1 : last]
    if last > len(lines) or len(affected) > MAX_LINES or sum(map(len, affected)) > MAX_CHARACTERS:
        return None
    moved = [replace(edit, span=_span_from(edit.span, first - 1)) for edit in edits]
    try:
        return LineReplacement(first, last, apply("\n".join(affected) + "\n", moved))
    except ValueError:
        return None


def _span_from(span: Span, lines: int) -> Span:
    return replace(span, line=span.line - lines, end_line=span.end_line - lines)


def _without_line_end(replacement: LineReplacement | None) -> LineReplacement | None:
    if replacement is None or replacement.text in ("\n", "\r\n") or len(replacement.text) > MAX_CHARACTERS:
        return None
    return replace(replacement, text=replacement.text.removesuffix("\n").removesuffix("\r"))
