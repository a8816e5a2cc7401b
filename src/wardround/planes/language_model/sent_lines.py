"""The lines that were sent to a model, and the one among them that a claim quotes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec

from wardround.lazy import LazyPattern
from wardround.planes.language_model.hunks import SentHunk

_LEAST_QUOTE = 4
"""The least characters of a quote: a shorter one is in almost every line."""
_COPIED = LazyPattern(r"^\s{0,9}\d{1,9} [-+ ](?: |$)")
"""The number and the mark before the text of a sent line."""
_DIFF_FOLDER = LazyPattern(r"^(?:\./|[ab]/)")
"""The beginning that a path has in a diff."""


class Place(msgspec.Struct, frozen=True):
    """The position of a finding: an added line, the line after a removed one, or the changed line next to an
    unchanged one.
    """

    path: str
    line: int
    is_removed: bool = False
    is_unchanged: bool = False

    @property
    def note(self) -> str:
        """The addition to a message if the quoted line is not the one of the finding."""
        return ", a removed line" if self.is_removed else ", an unchanged line" if self.is_unchanged else ""


class _Quoted(msgspec.Struct, frozen=True):
    """A sent line, and the place of a finding that quotes it."""

    number: int
    text: str
    place: Place

    def distance(self, stated: int) -> tuple[bool, int, int]:
        """Return the sort key among the lines with a quote: changed ones, then the nearest to the stated one.

        Models count a removed line at the base or at the head.
        """
        nearest = min(abs(self.number - stated), abs(self.place.line - stated))
        return self.place.is_unchanged, nearest, self.number


class SentLines:
    """The lines that were sent, by file."""

    def __init__(self, hunks: Sequence[SentHunk]) -> None:
        self._lines: dict[str, list[_Quoted]] = {}
        for hunk in hunks:
            self._lines.setdefault(hunk.file, []).extend(_quotable(hunk))

    def place(self, file: str, stated: int, quote: str) -> Place | str:
        """Return the path and the line that a claim quotes, or the reason why it quotes none.

        Args:
            stated: the number of the line as the model counts it.
            quote: the line; see ``quoted_line``.
        """
        file = file if file in self._lines else _DIFF_FOLDER.sub("", file)
        if file not in self._lines:
            return "unknown file"
        if not is_quote(quote):
            return self._short(file, stated, quote)
        for text, comparable in _comparisons(quote):
            found = [line for line in self._lines[file] if text in comparable(line.text)]
            if found:
                return min(found, key=lambda line: line.distance(stated)).place
        return "quote not in the input"

    def _short(self, file: str, stated: int, quote: str) -> Place | str:
        """Return the position of a line that is shorter than a quote has to be: only the stated one."""
        found = [line for line in self._lines[file] if line.number == stated and line.text.strip() == quote]
        return found[0].place if quote and found else "no quote"


def _comparisons(quote: str) -> Iterator[tuple[str, Callable[[str], str]]]:
    """Yield a quote in the forms in which a line can contain it, and the form of the line, the strictest
    first; the last ones ignore the number of spaces.
    """
    quotes = tuple(dict.fromkeys((quote, *_unmarked_quotes(quote))))
    yield from ((text, str) for text in quotes)
    yield from (
        (_collapse_spaces(text), _collapse_spaces) for text in quotes if is_quote(_collapse_spaces(text))
    )


def _collapse_spaces(text: str) -> str:
    return " ".join(text.split())


def _unmarked_quotes(quote: str) -> Iterator[str]:
    """Yield a quote without additions of models: the mark of a diff, or surrounding quotation marks."""
    for text in (quote[1:], quote[1:-1]):
        is_marked = quote[0] in "+-" or (quote[0] == quote[-1] and quote[0] in "`\"'")
        if is_marked and is_quote(text.strip()):
            yield text.strip()


def is_quote(line: str) -> bool:
    """Return True if a line is long enough to be found in an input."""
    return len(line) >= _LEAST_QUOTE


def quoted_line(quote: str) -> str:
    """Return the first line of a quote, without the number and the mark that models copy with it."""
    lines = (_COPIED.sub("", line).strip() for line in quote.split("\n"))
    return next((line for line in lines if is_quote(line)), quote.strip())


def _quotable(hunk: SentHunk) -> Iterator[_Quoted]:
    """Yield the lines of a hunk; a finding about an unchanged one is at the nearest changed one."""
    for number, text in hunk.added.items():
        yield _Quoted(number, text, Place(hunk.path, number))
    for line in hunk.removed:
        yield _Quoted(line.number, line.text, Place(hunk.path, line.next, is_removed=True))
    changed = sorted({*hunk.added, *(line.next for line in hunk.removed)})
    for number, text in hunk.unchanged.items() if changed else ():
        nearest = min(changed, key=lambda other: (abs(other - number), other))
        yield _Quoted(number, text, Place(hunk.path, nearest, is_unchanged=True))


class SentText:
    """All texts of an input, in which spaces and line ends are ignored."""

    def __init__(self, document: Any) -> None:
        self._text = "\n".join(_collapse_spaces(text) for text in _strings_in(document))

    def has(self, quote: str) -> bool:
        """Return True if the input contains a line as a model quotes it."""
        lines = (quote, *_unmarked_quotes(quote)) if is_quote(quote) else ()
        return any(_collapse_spaces(line) in self._text for line in lines)


def _strings_in(document: Any) -> Iterator[str]:
    """Yield the strings among JSON values."""
    match document:
        case str():
            yield document
        case dict():
            yield from _strings_in(list(document.values()))
        case list() | tuple():
            for value in document:
                yield from _strings_in(value)
