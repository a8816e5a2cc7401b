"""The tests of a change: which test files assert something about the changed source."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

import msgspec

from wardround.assignment.work_units import ClaimedFile
from wardround.errors import PLUGIN_EXCEPTIONS
from wardround.lazy import LazyPattern

_DEFINED = LazyPattern(
    r"\b(?:class|const|def|enum|function|interface|let|struct|table|type|var|view)\s+(?:[\w\"`]+\.)?[\"`]?(\w+)",
    re.IGNORECASE,
)
_NAMES_OF_FOLDERS = frozenset({"__init__", "__main__", "index", "main", "mod"})
"""Stems of files that are named after their folder."""
_LINE = 120
"""Number of characters that count as one line, so that long lines do not make a change small."""


class AddedText(msgspec.Struct, frozen=True):
    """The lines that a change adds to one file.

    Attributes:
        text: content of the file at the head; empty if it is not text.
        numbers: line numbers of the added lines, 1-based.
    """

    claimed: ClaimedFile
    text: str
    numbers: frozenset[int]

    @property
    def lines(self) -> list[str]:
        """The added lines."""
        return [line for number, line in enumerate(self.text.split("\n"), 1) if number in self.numbers]

    @property
    def count(self) -> int:
        """The number of added lines; a long one counts as several."""
        return max(self.claimed.file.added_lines, sum(1 + len(line) // _LINE for line in self.lines))


def read_added(claimed: ClaimedFile, text_of: Callable[[str], str | None]) -> AddedText:
    """Read the lines that the change adds to a file."""
    text = text_of(claimed.file.path) or ""
    lines = text.count("\n") + (not text.endswith("\n") and bool(text))
    return AddedText(claimed, text, frozenset(claimed.file.added_line_numbers(lines)))


def names_of_sources(sources: Sequence[AddedText]) -> frozenset[str]:
    """Return the names by which a test can refer to changed source: of its modules and added definitions."""
    return frozenset(word for source in sources for word in _words(source) if len(word) > 1)


def _words(source: AddedText) -> Iterator[str]:
    *folders, name = source.claimed.file.path.split("/")
    stem = name.partition(".")[0]
    yield folders[-1] if stem in _NAMES_OF_FOLDERS and folders else stem
    for line in source.lines:
        yield from _DEFINED.findall(line)


def asserts_any_word(test: AddedText, words: frozenset[str]) -> bool:
    """Return True if the lines added to a test file have an assertion that refers to one of the words.

    A specialist that fails has found no test.
    """
    path = test.claimed.file.path
    try:
        return any(
            specialist.adds_test(path, test.text, test.numbers, words)
            for specialist in test.claimed.specialists
        )
    except PLUGIN_EXCEPTIONS:
        return False
