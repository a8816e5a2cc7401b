"""The cases of rules for people to read: bad and good code, with the reported span marked."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

import msgspec

from wardround.findings import Span
from wardround.rules.cases import Case, ChangeCase, Invalid, MarkedChange, parse_change, parse_code
from wardround.text.escaping import one_line

SIDE_BY_SIDE = 100
"""Columns of a terminal from which on bad and good code are shown next to each other."""
_GAP = "  |  "
_TAB = 4
_OMITTED = "..."
_LONGEST_TITLE = "not reported:"
_MIN_LINES = 6


class Excerpt(msgspec.Struct, frozen=True):
    """Human-readable excerpt of a case, with the reported span."""

    title: str
    source: str
    span: Span | None = None


def excerpts(case: Case, path: str) -> list[Excerpt]:
    """Return the texts of a case, those under review last; ``path`` is as in ``parse_code``."""
    if isinstance(case, ChangeCase | MarkedChange):
        return _excerpts_of_change(parse_change(case))
    parsed = parse_code(case, path)
    found = [Excerpt(name, text) for name, text in parsed.others.items()]
    if parsed.base is not None:
        found.append(Excerpt(f"{parsed.path}, before", parsed.base))
    title = f"{parsed.path}, after" if parsed.base is not None else parsed.path
    span = None
    if isinstance(parsed, Invalid):
        start = (parsed.line, parsed.column)
        span = Span(*start, *(parsed.end or start))
    return [*found, Excerpt(title, parsed.source, span)]


def _excerpts_of_change(case: ChangeCase) -> list[Excerpt]:
    """Return the texts of a change: its message, its adjacent files, then each file before and after."""
    found = [Excerpt("commit message", case.message)] if case.message else []
    found += [Excerpt(name, text) for name, text in case.others.items()]
    for path, (before, after) in case.files.items():
        span = _span_in(case, path)
        if before is not None and after is None:
            found.append(Excerpt(f"{path}, deleted", before, span))
        elif before is not None:
            found.append(Excerpt(f"{path}, before", before, None))
        if after is not None:
            found.append(Excerpt(f"{path}, after" if before is not None else path, after, span))
    return found


def _span_in(case: ChangeCase, path: str) -> Span | None:
    """Return the reported part of a file; None for other files."""
    if case.place is None or case.place[0] != path:
        return None
    start = case.place[1:]
    return Span(*start, *(case.end or start))


def as_lines(case: Case, path: str) -> list[str]:
    """Return the lines of a case, with ``^`` under the reported span; several texts have titles."""
    return _Rendered(case, path).lines


def comparison(bad: Sequence[Case], good: Sequence[Case], path: str, width: int, height: int) -> list[str]:
    """Return bad and good cases in pairs: the first, and the next ones as long as they fit on the screen.

    Args:
        path: as in ``parse_code``.
        width: width of the terminal; from ``SIDE_BY_SIDE`` on, the cases of a pair are next to each other.
        height: the lines available; a longer case is cut around the reported span.
    """
    lines: list[str] = []
    for pair in zip_longest(bad, good):
        left, right = (_Rendered(case, path) if case is not None else None for case in pair)
        pair_lines = _pair(left, right, width, height)
        if lines and len(lines) + 1 + len(pair_lines) > height:
            break
        lines += [*([""] if lines else []), *pair_lines]
    return lines


def _pair(bad: _Rendered | None, good: _Rendered | None, width: int, height: int) -> list[str]:
    if bad and good and width >= SIDE_BY_SIDE and bad.width + len(_GAP) + good.width <= width:
        return _side_by_side(bad, good, width, height)
    columns = [("reported:", bad), (_LONGEST_TITLE, good)]
    shown = [(title, case) for title, case in columns if case]
    room = max(_MIN_LINES, height // len(shown) - 3)
    lines: list[str] = []
    for title, case in shown:
        block = [title, "", *(f"    {line}".rstrip() for line in case.cut(room))]
        lines += ["", *block] if lines else block
    return lines


def _side_by_side(bad: _Rendered, good: _Rendered, width: int, height: int) -> list[str]:
    half = (width - len(_GAP)) // 2
    column = min(max(bad.width, half), width - len(_GAP) - good.width)
    left = ["reported:", "", *bad.cut(height - 2)]
    right = [_LONGEST_TITLE, "", *good.cut(height - 2)]
    pairs = zip_longest(left, right, fillvalue="")
    return [f"{line:<{column}}{_GAP}{other}".rstrip() for line, other in pairs]


class _Rendered:
    """A case as lines, and the line that has the reported span."""

    def __init__(self, case: Case, path: str) -> None:
        texts = excerpts(case, path)
        self.lines: list[str] = []
        self._focus = 0
        for excerpt in texts:
            if len(texts) > 1:
                note = "" if excerpt.source else " (empty)"
                self.lines += [*([""] if self.lines else []), f"{one_line(excerpt.title)}{note}:"]
            if excerpt.span is not None:
                self._focus = len(self.lines) + excerpt.span.line
            self.lines += _marked_lines(excerpt) if excerpt.source or excerpt.span else []

    @property
    def width(self) -> int:
        return max(map(len, [_LONGEST_TITLE, *self.lines]))

    def cut(self, room: int) -> list[str]:
        """Return at most so many lines, those around the reported span."""
        if len(self.lines) <= room:
            return self.lines
        room = max(room, _MIN_LINES) - 2
        first = min(max(0, self._focus - room // 2), len(self.lines) - room)
        above = [_OMITTED] if first else []
        below = [_OMITTED] if first + room < len(self.lines) else []
        return above + self.lines[first : first + room] + below


def _marked_lines(excerpt: Excerpt) -> list[str]:
    """Return the lines of a text without tabs and control characters, with ``^`` under the reported span."""
    source = excerpt.source.removesuffix("\n").split("\n")
    lines = [_printable(line).rstrip() for line in source]
    span = excerpt.span
    if span is not None:
        line = source[span.line - 1]
        end = span.end_column if span.end_line == span.line else len(line) + 1
        indent = len(_printable(line[: span.column - 1]))
        length = len(_printable(line[: end - 1])) - indent
        lines.insert(span.line, " " * indent + "^" * max(1, length))
    return lines


def _printable(line: str) -> str:
    return one_line(line.expandtabs(_TAB))
