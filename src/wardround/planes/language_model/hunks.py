"""The changed lines as a language model sees them: without secrets, numbered, in pieces of bounded size."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import msgspec

from wardround.change.diff import ChangedFile, Hunk

PIECE = 60
"""The lines of one piece of a long hunk, so that a part of it fits into the rest of a budget."""
PIECE_CHARACTERS = 2000
"""The least characters after which a piece ends before it has as many lines."""
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

    def distance(self, stated: int) -> int:
        """Return the number of lines to a stated one, which counts at the base or at the head."""
        return min(abs(self.number - stated), abs(self.next - stated))


class SentHunk(msgspec.Struct, frozen=True):
    """One hunk of the input.

    Attributes:
        path: of the file at the head; ``file`` is the name that the model sees.
        lines: number, mark and text of each line.
        added: number -> the text of an added line, as it is sent.
        removed: the lines that are removed.
    """

    path: str
    file: str
    lines: tuple[str, ...]
    added: dict[int, str]
    removed: tuple[RemovedLine, ...] = ()

    @property
    def as_input(self) -> dict[str, object]:
        """The hunk as values of JSON."""
        return {"file": self.file, "lines": self.lines}


class _Line(msgspec.Struct, frozen=True):
    mark: str
    number: int
    text: str

    @property
    def sent(self) -> str:
        return self.text[:LONGEST_LINE]

    @property
    def shown(self) -> str:
        return f"{self.number} {self.mark} {self.sent}"


def sent_hunks(
    file: ChangedFile,
    name: str,
    head: Sequence[str],
    base: Sequence[str],
    around: int,
    moved: Collection[int] = (),
) -> Iterator[SentHunk]:
    """Return the hunks of a file in order.

    Args:
        name: of the file as it is sent.
        head, base: the lines of the two sides without secrets.
        around: the number of unchanged lines before and after a hunk.
        moved: the added lines that were only moved, which are sent as unchanged.
    """
    hunks = (Hunk(0, 0, 1, len(head)),) if file.is_all_added else file.hunks
    for hunk in hunks:
        lines = [_unchanged(line, moved) for line in _lines(hunk, head, base, around)]
        if all(line.mark == " " for line in lines):
            continue
        following = max(1, min(_first(hunk), _length(head)))
        for piece in _pieces(lines):
            yield _hunk(file.path, name, piece, following)


def _pieces(lines: Sequence[_Line]) -> Iterator[Sequence[_Line]]:
    start = size = 0
    for end, line in enumerate(lines, 1):
        size += len(line.shown)
        if end - start == PIECE or size >= PIECE_CHARACTERS or end == len(lines):
            yield lines[start:end]
            start, size = end, 0


def _unchanged(line: _Line, moved: Collection[int]) -> _Line:
    return _Line(" ", line.number, line.text) if line.mark == "+" and line.number in moved else line


def _lines(hunk: Hunk, head: Sequence[str], base: Sequence[str], around: int) -> Iterator[_Line]:
    first = _first(hunk)
    end = first + hunk.head_length
    yield from _numbered(" ", head, max(1, first - around), first)
    yield from _numbered("-", base, hunk.base_start, hunk.base_start + hunk.base_length)
    yield from _numbered("+", head, first, end)
    yield from _numbered(" ", head, end, end + around)


def _numbered(mark: str, lines: Sequence[str], first: int, end: int) -> Iterator[_Line]:
    for number, text in enumerate(lines[first - 1 : end - 1], first):
        if number < len(lines) or text:  # after the last line end there is no line
            yield _Line(mark, number, text.rstrip("\r"))


def _first(hunk: Hunk) -> int:
    """Return the first line at the head, or the one after removed lines; git then states the one before."""
    return hunk.head_start + (1 if hunk.head_length == 0 else 0)


def _length(lines: Sequence[str]) -> int:
    return len(lines) - (1 if lines and not lines[-1] else 0)


def _hunk(path: str, name: str, lines: Sequence[_Line], following: int) -> SentHunk:
    added = {line.number: line.sent for line in lines if line.mark == "+"}
    removed = tuple(RemovedLine(line.number, following, line.sent) for line in lines if line.mark == "-")
    return SentHunk(path, name, tuple(line.shown for line in lines), added, removed)
