"""Unchanged code in the input of a plane: a definition, or the part of it around a used line."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from wardround.context.symbol_neighbours import Place
from wardround.planes.language_model.hunks import LONGEST_LINE, SentHunk
from wardround.planes.language_model.sent_texts import SentTexts
from wardround.retrieval.definitions import Definition, enclosing

LONGEST_CODE = (80, 24, 1)
"""Maximum number of lines of a piece of code, and smaller numbers that are tried if it does not fit."""
_LINES_BEFORE = 3
"""The lines before a used line outside of definitions, if there is room for them."""
_LONGEST_STATEMENT = 40
_LEAST_REST = 3
"""The lines of code around a line that is sent already, below which they are excluded."""
_CLOSING = (")", "]", "}")

Lines = Mapping[str, Collection[int]]
"""Path -> the numbers of lines at the head."""


class SentCode(msgspec.Struct, frozen=True):
    """A piece of code.

    Attributes:
        path: path of the file; ``file`` is the name that the model sees.
        line: the defined or used line.
        lines: number at the head -> text, without secrets.
    """

    path: str
    file: str
    line: int
    symbol: str
    lines: dict[int, str]

    @property
    def as_input(self) -> dict[str, Any]:
        """The code as values of JSON, with the lines in the form of unchanged ones of a hunk."""
        shown = tuple(f"{number}   {text}" for number, text in self.lines.items())
        return {"file": self.file, "line": self.line, "symbol": self.symbol, "lines": shown}


class CodeReader:
    """Cuts pieces of code out of the files of a review.

    Args:
        sent: the lines that are sent already; they are in no piece.
    """

    def __init__(self, texts: SentTexts, sent: Lines) -> None:
        self._texts = texts
        self._sent = {path: set(numbers) for path, numbers in sent.items()}

    def read(self, place: Place, longest: int) -> SentCode | None:
        """Return the code at a position without the lines that are already sent; None if there is nothing
        else.

        Args:
            longest: the number of lines.
        """
        lines = self._texts.lines(place.path)
        sent = self._sent.get(place.path, ())
        if not self._texts.line(place.path, place.line).strip():
            return None
        numbers = _lines_to_send(self._texts.definitions(place.path), lines, place.line, longest)
        shown = {
            number: lines[number - 1].rstrip("\r")[:LONGEST_LINE] for number in numbers if number not in sent
        }
        texts = [text for text in shown.values() if text.strip()]
        if not texts or (place.line in sent and len(texts) < _LEAST_REST):
            return None
        return SentCode(
            place.path, self._texts.name(place.path), place.line, self._texts.text(place.symbol), shown
        )

    def mark_sent(self, code: SentCode) -> None:
        """Exclude the lines of a piece from all later ones."""
        self._sent.setdefault(code.path, set()).update(code.lines)

    def is_definition(self, place: Place) -> bool:
        """Return True if a function, a class or a statement of several lines begins at a place."""
        lines = self._texts.lines(place.path)
        found = enclosing(self._texts.definitions(place.path), place.line)
        if found is not None:
            return found.line == place.line
        return place.line <= len(lines) and _statement_end(lines, place.line) > place.line


def head_lines(hunks: Sequence[SentHunk]) -> dict[str, set[int]]:
    """Return the lines at the head in some hunks."""
    found: dict[str, set[int]] = {}
    for hunk in hunks:
        found.setdefault(hunk.path, set()).update(hunk.added, hunk.unchanged)
    return found


def _lines_to_send(
    definitions: Sequence[Definition], lines: Sequence[str], line: int, longest: int
) -> Sequence[int]:
    """Return the numbers of the lines to send for one of them, in order."""
    found = enclosing(definitions, line)
    if longest == 1:
        return (line,)
    if found is None:
        end = _statement_end(lines, line)
        first = line if end > line else max(1, line - _LINES_BEFORE)
        return range(first, min(max(end, line + _LINES_BEFORE), first + longest - 1, len(lines)) + 1)
    first = found.line - len(list(_decorators(lines, found.line)))
    if found.end_line - first < longest:
        return range(first, found.end_line + 1)
    if line - first < longest // 2:
        return range(first, first + longest)
    start = min(line - longest // 2, found.end_line - longest + 2)
    return (found.line, *range(max(start, found.line + 1), start + longest - 1))


def _decorators(lines: Sequence[str], first: int) -> Iterator[str]:
    """Yield the decorators before the first line of a definition."""
    for text in reversed(lines[: first - 1]):
        if not text.lstrip().startswith("@"):
            return
        yield text


def _statement_end(lines: Sequence[str], first: int) -> int:
    """Return the last line of a statement: before the next one that is not indented deeper."""
    depth = _depth(lines[first - 1])
    for number, text in enumerate(lines[first : first + _LONGEST_STATEMENT], first + 1):
        if text.strip() and _depth(text) <= depth:
            return number if text.lstrip().startswith(_CLOSING) else _last_nonblank(lines, first, number - 1)
    return _last_nonblank(lines, first, min(len(lines), first + _LONGEST_STATEMENT))


def _last_nonblank(lines: Sequence[str], first: int, last: int) -> int:
    """Return the last line of some that is not blank."""
    return max(number for number in range(first, last + 1) if number == first or lines[number - 1].strip())


def _depth(text: str) -> int:
    return len(text) - len(text.lstrip())
