"""The statements of a text, which identify a finding besides its line number."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from wardround.context.added_ignores import cut_ignore_comments
from wardround.findings import Span
from wardround.specialists import Specialist, StatementOf
from wardround.tools.ignore_comments import IgnoreComments

_NO_SIGNS: tuple[str, ...] = ()
_FORMATTING = str.maketrans(dict.fromkeys("(),'\"\\"))


class StatementIndex:
    """The statements of one text, without formatting: white space, quotes, brackets, commas.

    Args:
        comment_signs: those that begin a comment at the end of a line.
    """

    def __init__(
        self, text: str, statement_of: StatementOf, comment_signs: Sequence[str] = _NO_SIGNS
    ) -> None:
        self._lines = text.split("\n")
        self._statement_of = statement_of
        self._comment_signs = comment_signs
        self._normalized: dict[tuple[int, int], str] = {}

    def statement_at(self, line: int) -> str:
        """Return the normalised statement that contains a line."""
        first, last = self._statement_of(line)
        if (first, last) not in self._normalized:  # one line of megabytes may have hundreds of findings
            self._normalized[first, last] = _normalize(self._lines[first - 1 : last])
        return self._normalized[first, last]

    def code_at(self, place: Span) -> str | None:
        """Return the normalised statement at a position, without comments; None for a position in a
        comment.
        """
        first, last = self._statement_of(place.line)
        lines = self._lines[first - 1 : last]
        is_inside = place.line > last or place.column > len(self._strip_comment(lines[place.line - first]))
        return None if is_inside else _normalize(self._strip_comment(line) for line in lines)

    def _strip_comment(self, line: str) -> str:
        """Return the line up to a comment sign after white space, where no quotation is open."""
        starts = [0 if line.startswith(sign) else line.find(f" {sign}") for sign in self._comment_signs]
        start = min((start for start in starts if start >= 0), default=len(line))
        code = line[:start]
        return line if any(code.count(quote) % 2 for quote in "'\"`") else code


def _normalize(lines: Iterable[str]) -> str:
    return "".join("".join(line.split()) for line in lines).translate(_FORMATTING)


class ReadableTexts(Protocol):
    """The contents of changed files, by their path at the head."""

    def readable(self, path: str, *, base: bool = False) -> str | None:
        """Return the text at base or head in any encoding; None if there is none."""


class StatementIndexes:
    """The statement indexes of changed files, by file, side and specialist."""

    def __init__(self, texts: ReadableTexts, ignore_comments: IgnoreComments) -> None:
        self._texts = texts
        self._ignore_comments = ignore_comments
        self._indexes: dict[tuple[str, str, bool, bool], StatementIndex] = {}

    def of(self, specialist: Specialist, path: str, *, base: bool, unwaived: bool = False) -> StatementIndex:
        """Return the statements of a file at base or head, as a specialist separates them.

        Args:
            path: path at the head.
            unwaived: without the ignore comments of tools.
        """
        key = (specialist.name, path, base, unwaived)
        if key not in self._indexes:
            text = self._texts.readable(path, base=base) or ""
            text = cut_ignore_comments(self._ignore_comments, text) if unwaived else text
            self._indexes[key] = StatementIndex(
                text, specialist.statement_locator(text), specialist.comment_signs
            )
        return self._indexes[key]
