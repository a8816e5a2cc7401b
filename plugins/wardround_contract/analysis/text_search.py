"""Lines of the head that name something, in files of any kind that are not documentation or generated."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from wardround.checks.source import ChangeView
from wardround.lazy import LazyPattern
from wardround_contract.analysis.uses import NOT_MAINTAINED

_PROSE = LazyPattern(
    r"(?i)\.(md|mdx|rst|adoc|txt|po|svg|ipynb|snap|csv|xml|lock)$"
    r"|(^|/)(docs?|examples?)/(?!.*\.(jsx?|tsx?|mjs|vue|svelte|py)$)"
)
_COMMENT = LazyPattern(r"\s*(#(?!!)|//|/?\*|--|<!--|;)")
_MOST_FILES = 200
_LONGEST_TEXT = 400_000
_LONGEST_LINE = 500


class Line(NamedTuple):
    """A line that is not a comment, with its 1-based number."""

    path: str
    number: int
    text: str


class TextSearch:
    """Searches the head and caches the files that it reads."""

    def __init__(self, change: ChangeView) -> None:
        self._project = change.project
        self._texts: dict[str, str] = {}

    def files(self, words: Sequence[str], patterns: Sequence[str] = ("*",)) -> list[str]:
        """Return the maintained files that contain one of the words; none if there are too many."""
        if not words:
            return []
        found = self._project.files_with_word(sorted(set(words)), patterns)
        retained = [path for path in found if not NOT_MAINTAINED.search(path) and not _PROSE.search(path)]
        return retained if len(retained) <= _MOST_FILES else []

    def text(self, path: str) -> str:
        """Return the content of a file at the head; empty if it is missing or too long."""
        if path not in self._texts:
            text = self._project.read(path) or ""
            self._texts[path] = text if len(text) <= _LONGEST_TEXT else ""
        return self._texts[path]

    def lines(self, words: Sequence[str], patterns: Sequence[str] = ("*",)) -> Iterator[Line]:
        """Yield the lines that contain one of the words, by path."""
        expected = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, sorted(set(words))))})(?!\w)")
        for path in self.files(words, patterns):
            yield from self.lines_of(path, expected)

    def lines_of(self, path: str, pattern: re.Pattern[str]) -> Iterator[Line]:
        """Yield the lines of a file that match."""
        text = self.text(path)
        if pattern.search(text):
            for number, line in enumerate(text.split("\n"), 1):
                if len(line) <= _LONGEST_LINE and pattern.search(line) and not _COMMENT.match(line):
                    yield Line(path, number, line)

    def has(self, pattern: re.Pattern[str], words: Sequence[str], patterns: Sequence[str] = ("*",)) -> bool:
        """Return True if a file that contains one of the words matches a pattern."""
        return any(pattern.search(self.text(path)) for path in self._project.files_with_word(words, patterns))
