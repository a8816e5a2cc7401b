"""The examples of a file: pages of them, a search, and one opened in full."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

import msgspec

from wardround_lab.corpora.audit_items import Item, RecordKind, read_record
from wardround_lab.corpora.records import Mined
from wardround_lab.dashboard.views.line_index import LONGEST_LINE, LineIndex, stamp_of

PAGE = 25
_SUMMARY_LENGTH = 90
_STEP = 500
"""Number of lines that a search reads at a time."""
_MOST_NAMES = 200
UNREADABLE = "unreadable"


class ExampleQuery(msgspec.Struct, frozen=True):
    """The conditions of a search; empty fields match everything.

    Attributes:
        text: occurs in a text of the example, whatever its case.
        repository: occurs in the name of its repository.
        kind: of the record, or of a mined commit.
    """

    text: str = ""
    repository: str = ""
    kind: str = ""

    def matches(self, example: Example) -> bool:
        wanted = self.text.casefold()
        return (
            self.kind in ("", example.kind)
            and self.repository.casefold() in example.item.repository.casefold()
            and any(wanted in text.casefold() for text in example.item.texts)
        )


class Example(msgspec.Struct, frozen=True):
    """A line that is a record.

    Attributes:
        kind: that of the record, or of a mined commit.
    """

    record_kind: RecordKind
    record: msgspec.Struct
    item: Item

    @property
    def kind(self) -> str:
        return self.record.kind if isinstance(self.record, Mined) else self.record_kind.name


class ExampleRow(msgspec.Struct, frozen=True):
    """A line of a page.

    Attributes:
        line: its number in the file.
        kind: ``unreadable`` for a line that is not a record; ``summary`` is then the reason.
    """

    line: int
    kind: str
    repository: str
    date: str
    summary: str


class ExamplePage(msgspec.Struct, frozen=True):
    """The rows of a page, and where it is among the matches.

    Attributes:
        first: 1-based position of the first row among the matches; 0 without matches.
        matches: number of matches; ``total``: of examples.
    """

    rows: tuple[ExampleRow, ...]
    number: int
    first: int
    matches: int
    total: int

    @property
    def pages(self) -> int:
        return max(1, -(-self.matches // PAGE))

    @property
    def position_text(self) -> str:
        """Return the position of the page in one line."""
        if not self.matches:
            return f"no match among {self.total:,} examples"
        among = "" if self.matches == self.total else f" of {self.total:,} examples"
        return f"{self.first:,} to {self.first + len(self.rows) - 1:,} of {self.matches:,}{among}"


class ExampleNames(msgspec.Struct, frozen=True):
    """The kinds and repositories of a file with their numbers of examples, the most frequent first."""

    kinds: tuple[tuple[str, int], ...]
    repositories: tuple[tuple[str, int], ...]
    unreadable: int


def example_page(file: Path, query: ExampleQuery, number: int) -> ExamplePage:
    """Return a page of the examples that match; a page beyond the end is the last one.

    Args:
        number: 1-based.

    Raises:
        UsageError: the file cannot be read.
    """
    index = LineIndex.of(file)
    found = index.positions() if query == ExampleQuery() else _matches(file, stamp_of(file), query)
    last = max(1, -(-len(found) // PAGE))
    number = min(max(1, number), last)
    start = (number - 1) * PAGE
    shown = list(found[start : start + PAGE])
    lines = index.lines(shown)
    rows = tuple(_row(index.number(at), line) for at, line in zip(shown, lines, strict=True))
    return ExamplePage(rows, number, start + 1 if rows else 0, len(found), len(index))


def example_line(file: Path, number: int) -> bytes | None:
    """Return the line of an example; None if there is none of this number.

    Raises:
        UsageError: the file cannot be read.
    """
    index = LineIndex.of(file)
    position = index.position(number)
    return None if position is None else index.lines([position])[0]


def example_of(line: bytes) -> Example:
    """Return the example of a line.

    Raises:
        ValueError: it is not a record; the message has the reason.
    """
    if len(line) > LONGEST_LINE:
        raise ValueError(f"longer than {LONGEST_LINE // 1024**2} MiB")
    kind, record = read_record(line)
    return Example(kind, record, kind.read("", record))


def example_names(file: Path) -> ExampleNames:
    """Return the kinds and repositories of a file, which is read once until it changes.

    Raises:
        UsageError: the file cannot be read.
    """
    return _names(file, stamp_of(file))


@lru_cache(16)
def _names(file: Path, stamp: tuple[int, ...]) -> ExampleNames:
    kinds: Counter[str] = Counter()
    repositories: Counter[str] = Counter()
    unreadable = 0
    for _, example in _examples(LineIndex.of(file)):
        if example is None:
            unreadable += 1
        else:
            kinds[example.kind] += 1
            repositories[example.item.repository] += 1
    named = tuple((name, count) for name, count in repositories.most_common(_MOST_NAMES) if name)
    return ExampleNames(tuple(kinds.most_common()), named, unreadable)


@lru_cache(8)
def _matches(file: Path, stamp: tuple[int, ...], query: ExampleQuery) -> Sequence[int]:
    """Return the positions of the examples that match: 8 bytes of memory for each."""
    found = (at for at, example in _examples(LineIndex.of(file)) if _is_match(query, example))
    return array("q", found)


def _is_match(query: ExampleQuery, example: Example | None) -> bool:
    if example is None:
        return query.kind == UNREADABLE and not (query.text or query.repository)
    return query.matches(example)


def _examples(index: LineIndex) -> Iterator[tuple[int, Example | None]]:
    """Yield the positions of all lines with their examples; None for a line that is not a record."""
    for start in range(0, len(index), _STEP):
        positions = range(start, min(start + _STEP, len(index)))
        for position, line in zip(positions, index.lines(positions), strict=True):
            try:
                yield position, example_of(line)
            except ValueError:
                yield position, None


def _row(number: int, line: bytes) -> ExampleRow:
    try:
        example = example_of(line)
    except ValueError as cause:
        return ExampleRow(number, UNREADABLE, "", "", _shorten(str(cause)))
    item = example.item
    texts = item.texts if item.answer is None else item.answer
    title = next((text for text in texts if text.strip()), "")
    return ExampleRow(number, example.kind, item.repository, day_of(item.time), _shorten(title))


def day_of(seconds: int) -> str:
    """Return the day of a time since 1970; empty for 0 and for times that no calendar has."""
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d") if seconds else ""
    except (ValueError, OverflowError, OSError):
        return ""


def _shorten(text: str) -> str:
    words = " ".join(text[: 10 * _SUMMARY_LENGTH].split())
    return words if len(words) <= _SUMMARY_LENGTH else words[: _SUMMARY_LENGTH - 1] + "…"
