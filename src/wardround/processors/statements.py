"""The statements of a text, which identify a finding besides its line number."""

from __future__ import annotations

from typing import Protocol

from wardround.context.added_ignores import without_ignore_comments
from wardround.specialists import Specialist, StatementOf

_FORMATTING = str.maketrans(dict.fromkeys("(),'\"\\"))


class StatementIndex:
    """The statements of one text, without what a formatter changes: white space, quotes, brackets, commas."""

    def __init__(self, text: str, statement_of: StatementOf) -> None:
        self._lines = text.split("\n")
        self._statement_of = statement_of
        self._normalized: dict[tuple[int, int], str] = {}

    def statement_at(self, line: int) -> str:
        """The normalised statement a line belongs to."""
        first, last = self._statement_of(line)
        if (first, last) not in self._normalized:  # one line of megabytes may have hundreds of findings
            text = "".join("".join(part.split()) for part in self._lines[first - 1 : last])
            self._normalized[first, last] = text.translate(_FORMATTING)
        return self._normalized[first, last]


class ReadableTexts(Protocol):
    """The texts of changed files, by their path at the head."""

    def readable(self, path: str, *, base: bool = False) -> str | None:
        """The text of one side in any encoding; None if there is none."""


class StatementIndexes:
    """The statement indexes of changed files, by file, side and specialist."""

    def __init__(self, texts: ReadableTexts) -> None:
        self._texts = texts
        self._indexes: dict[tuple[str, str, bool, bool], StatementIndex] = {}

    def of(self, specialist: Specialist, path: str, *, base: bool, unwaived: bool = False) -> StatementIndex:
        """The statements of one side of a file, as a specialist separates them.

        Args:
            path: at the head.
            unwaived: without the ignore comments of tools.
        """
        key = (specialist.name, path, base, unwaived)
        if key not in self._indexes:
            text = self._texts.readable(path, base=base) or ""
            text = without_ignore_comments(text) if unwaived else text
            self._indexes[key] = StatementIndex(text, specialist.statement_locator(text))
        return self._indexes[key]
