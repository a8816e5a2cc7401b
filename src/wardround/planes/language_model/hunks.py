"""The changed lines as a language model sees them: without secrets, numbered, in pieces of bounded size."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import msgspec

from wardround.change.diff import ChangedFile, Hunk
from wardround.retrieval.definitions import Definition, enclosing

PIECE = 60
"""Maximum number of lines of one piece of a long hunk, so that a part of it fits into the rest of a budget.
"""
PIECE_CHARACTERS = 2000
"""Minimum number of characters after which a piece ends before it has as many lines."""
LONGEST_DEFINITION = 200
"""Maximum number of lines of a definition that is sent completely; of a longer one only the surroundings of a
hunk are sent.
"""
AROUND_WIDE = 40
"""The lines before and after a definition that are sent in the largest size of the input: the functions next
to a changed one often do a part of the same."""
LONGEST_LINE = 400
"""The characters of a line that are sent: longer ones are generated or data."""


class RemovedLine(msgspec.Struct, frozen=True):
    """A line that the change removes.

    Attributes:
        number: at the base.
        next: the number of the line at the head before which it was, or of the last one.
        text: as it is sent.
    """

    number: int
    next: int
    text: str


class SentHunk(msgspec.Struct, frozen=True):
    """One hunk of the input.

    Attributes:
        path: path of the file at the head; ``file`` is the name that the model sees.
        lines: number, mark and text of each line.
        added: number -> the content of an added line, as it is sent.
        removed: the lines that are removed.
        unchanged: number at the head -> the content of an unchanged line, as it is sent.
    """

    path: str
    file: str
    lines: tuple[str, ...]
    added: dict[int, str]
    removed: tuple[RemovedLine, ...] = ()
    unchanged: dict[int, str] = {}

    @property
    def as_input(self) -> dict[str, object]:
        """The hunk as values of JSON."""
        return {"file": self.file, "lines": self.lines}


class _Line(msgspec.Struct, frozen=True):
    mark: str
    number: int
    text: str
    following: int = 0  # of a removed line: the line at the head before which it was

    @property
    def sent(self) -> str:
        return self.text[:LONGEST_LINE]

    @property
    def shown(self) -> str:
        return f"{self.number} {self.mark} {self.sent}"


class Surroundings(msgspec.Struct, frozen=True):
    """The unchanged lines that are sent with a hunk.

    Attributes:
        around: lines before and after a hunk, where no complete definition is sent.
        definitions: definitions at the head; those around a hunk are sent completely.
        piece, piece_characters: the size after which a longer part is split.
        file_lines: lines of the file, which is sent completely if it has no more than a definition may have;
            of a longer one the widest definition that has no more, and the lines next to it. 0 for the
            innermost definition alone.
    """

    around: int = 0
    definitions: tuple[Definition, ...] = ()
    piece: int = PIECE
    piece_characters: int = PIECE_CHARACTERS
    file_lines: int = 0

    def extent(self, first: int, end: int) -> tuple[int, int]:
        """Return the first line to send, and the one after the last, for changed lines at the head."""
        if 0 < self.file_lines <= LONGEST_DEFINITION:
            return 1, self.file_lines + 1
        start, stop = first - self.around, end + self.around
        for line in (first, max(first, end - 1)):
            for found in self._around(line):
                start, stop = min(start, found.line), max(stop, found.end_line + 1)
        more = AROUND_WIDE if self.file_lines else 0
        return start - more, stop + more

    def _around(self, line: int) -> Iterator[Definition]:
        """Yield the definitions around a line that are sent completely."""
        innermost = enclosing(self.definitions, line)
        for found in self.definitions:
            is_around = found.line <= line <= found.end_line if self.file_lines else found is innermost
            if is_around and found.end_line - found.line < LONGEST_DEFINITION:
                yield found


def sent_hunks(
    file: ChangedFile,
    name: str,
    head: Sequence[str],
    base: Sequence[str],
    surroundings: Surroundings,
    moved: Collection[int] = (),
) -> Iterator[SentHunk]:
    """Return the hunks of a file in order; hunks with overlapping surroundings are merged.

    Args:
        name: name under which the file is sent.
        head, base: the lines at head and base without secrets.
        moved: the added lines that were only moved, which are sent as unchanged.
    """
    hunks = (Hunk(0, 0, 1, len(head)),) if file.is_all_added else file.hunks
    for region in _regions(hunks, surroundings):
        lines = [_strip_move_mark(line, moved) for line in _lines(region, head, base)]
        for piece in _pieces(lines, surroundings):
            if any(line.mark != " " for line in piece):
                yield _hunk(file.path, name, piece)


class _Region(msgspec.Struct):
    """Hunks that are sent together, and the lines at the head from which on and before which they are."""

    start: int
    end: int
    hunks: list[Hunk]


def _regions(hunks: Sequence[Hunk], surroundings: Surroundings) -> list[_Region]:
    found: list[_Region] = []
    for hunk in hunks:
        start, end = surroundings.extent(_first(hunk), _first(hunk) + hunk.head_length)
        if found and start < found[-1].end:
            found[-1].end = max(end, found[-1].end)
            found[-1].hunks.append(hunk)
        else:
            found.append(_Region(max(1, start), end, [hunk]))
    return found


def _pieces(lines: Sequence[_Line], surroundings: Surroundings) -> Iterator[Sequence[_Line]]:
    start = size = 0
    for end, line in enumerate(lines, 1):
        size += len(line.shown)
        is_full = end - start == surroundings.piece or size >= surroundings.piece_characters
        if is_full or end == len(lines):
            yield lines[start:end]
            start, size = end, 0


def _strip_move_mark(line: _Line, moved: Collection[int]) -> _Line:
    return _Line(" ", line.number, line.text) if line.mark == "+" and line.number in moved else line


def _lines(region: _Region, head: Sequence[str], base: Sequence[str]) -> Iterator[_Line]:
    at = region.start
    for hunk in region.hunks:
        first = _first(hunk)
        end = first + hunk.head_length
        following = max(1, min(first, _length(head)))
        yield from _numbered_lines(" ", head, at, first)
        yield from _numbered_lines("-", base, hunk.base_start, hunk.base_start + hunk.base_length, following)
        yield from _numbered_lines("+", head, first, end)
        at = end
    yield from _numbered_lines(" ", head, at, region.end)


def _numbered_lines(
    mark: str, lines: Sequence[str], first: int, end: int, following: int = 0
) -> Iterator[_Line]:
    for number, text in enumerate(lines[first - 1 : end - 1], first):
        if number < len(lines) or text:  # after the last line end there is no line
            yield _Line(mark, number, text.rstrip("\r"), following)


def _first(hunk: Hunk) -> int:
    """Return the first line at the head, or the one after removed lines; git then states the previous one."""
    return hunk.head_start + (1 if hunk.head_length == 0 else 0)


def _length(lines: Sequence[str]) -> int:
    return len(lines) - (1 if lines and not lines[-1] else 0)


def _hunk(path: str, name: str, lines: Sequence[_Line]) -> SentHunk:
    added = {line.number: line.sent for line in lines if line.mark == "+"}
    removed = tuple(RemovedLine(line.number, line.following, line.sent) for line in lines if line.mark == "-")
    unchanged = {line.number: line.sent for line in lines if line.mark == " "}
    return SentHunk(path, name, tuple(line.shown for line in lines), added, removed, unchanged)
