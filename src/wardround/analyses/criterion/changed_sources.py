"""The changed files as the judge of acceptance criteria reads them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from wardround.analyses.criterion.added_code import AddedLine, ChangedSource
from wardround.change.diff import Change, ChangedFile, FileStatus
from wardround.change.encoding import escape_undecodable

MOST_LINES = 20_000
"""Added lines of a change beyond which no criterion is judged."""
_LONGEST_LINE = 2_000
Reader = Callable[[ChangedFile, bool], str | None]
"""File, True for the base -> the content; None if there is none."""


def changed_sources(change: Change, read: Reader, tests: Collection[str]) -> tuple[ChangedSource, ...]:
    """Return the changed files with their added and removed lines; none for a change that is too large.

    Args:
        tests: the paths of test files.
    """
    if sum(file.added_lines for file in change.files) > MOST_LINES:
        return ()
    return tuple(_source(file, read, tests) for file in change.files if file.is_regular)


def _source(file: ChangedFile, read: Reader, tests: Collection[str]) -> ChangedSource:
    head = [] if file.status is FileStatus.DELETED else _lines(read(file, False))
    base = [] if file.base_path is None else _lines(read(file, True))
    added = tuple(AddedLine(number, head[number - 1]) for number in file.added_line_numbers(len(head)))
    return ChangedSource(
        path=escape_undecodable(file.path),
        added=added,
        removed=tuple(base[number - 1] for number in file.removed_line_numbers(len(base))),
        symbols=tuple(_symbols(file, "\n".join(head), {line.number for line in added})),
        is_test=file.path in tests,
    )


def _symbols(file: ChangedFile, text: str, added: Collection[int]) -> Iterator[str]:
    """Return the names of the symbols that contain an added line."""
    from wardround.context.code_graph.extraction import language_of, read_file  # with the grammars: 15 ms

    if not added or not language_of(file.path):
        return
    symbols = read_file(file.path, text.encode("utf-8", "surrogateescape")).facts.symbols[1:]
    names = {s.own_name for s in symbols if any(s.line <= number <= s.end_line for number in added)}
    yield from sorted(names)


def _lines(text: str | None) -> list[str]:
    return [] if text is None else [line[:_LONGEST_LINE].removesuffix("\r") for line in text.split("\n")]
