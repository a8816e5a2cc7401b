"""The choice of lines for the text under the token budget, and the text itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from wardround.authoring.context.model import Shown
from wardround.authoring.context.redacted_tree import RedactedTree
from wardround.change.encoding import escape_undecodable
from wardround.text.search_terms import count_words

CHARACTERS_PER_TOKEN = 4
"""The estimate for English and code, as ``planes.language_model.budget`` has it."""
_LEAST_PART = 6
"""Lines of the smallest part of a function that helps a reader."""
_MOST_PARTS = 3


class Span(msgspec.Struct, frozen=True, order=True):
    """Lines of a file for the text."""

    path: str
    first_line: int
    last_line: int
    symbol: str = ""

    def overlaps(self, other: Span) -> bool:
        """Return True if both have a line."""
        is_same = self.path == other.path
        return is_same and self.first_line <= other.last_line and other.first_line <= self.last_line


Evidence = tuple[Span, tuple[str, ...]]
"""Lines, and why they are relevant."""


class ChosenSpan(msgspec.Struct, frozen=True):
    """Lines in the text, and the span that they are of: itself, or one that does not fit."""

    lines: Span
    of: Span

    @property
    def shown(self) -> Shown:
        return "whole" if self.lines == self.of else "part"


class TextBudget:
    """The characters that remain; spans are added whole, in the order of their relevance.

    Args:
        tree: the texts, without secrets.
        title: the heading of the spans in the text.
    """

    def __init__(self, tree: RedactedTree, title: str, characters: int) -> None:
        self._tree = tree
        self._title = title
        self._rest = characters
        self.chosen: list[ChosenSpan] = []

    @property
    def used(self) -> int:
        """The exact number of characters of the text."""
        return len(self.text())

    def add(self, spans: Sequence[Span], words: Iterable[str] = ()) -> None:
        """Add the spans that fit, and then parts of the first ones that do not.

        Args:
            words: search terms; of a span that does not fit, the lines with most of them are added.
        """
        skipped = [span for span in spans if not self._add_whole(span)]
        terms = frozenset(words)
        for span in skipped[:_MOST_PARTS] if terms else ():
            self._add_part(span, terms)

    def _add_whole(self, span: Span) -> bool:
        if any(span.overlaps(chosen.lines) for chosen in self.chosen):
            return True
        return self._add_chosen(ChosenSpan(span, span))

    def _add_chosen(self, chosen: ChosenSpan) -> bool:
        cost = self._cost(chosen.lines)
        if cost > self._rest:
            return False
        self._rest -= cost
        self.chosen.append(chosen)
        return True

    def _cost(self, span: Span) -> int:
        has_file = any(chosen.lines.path == span.path for chosen in self.chosen)
        heading = 0 if has_file else len(_file_heading(span.path))
        title = 0 if self.chosen else len(self._heading())
        return title + heading + len(_block(span, self._tree))

    def _add_part(self, span: Span, words: frozenset[str]) -> None:
        """Add the run of lines with most of the words that fits."""
        lines = self._tree.lines(span.path)[span.first_line - 1 : span.last_line]
        weights = [len(words & count_words(line).keys()) for line in lines]
        room = self._rest - self._cost(Span(span.path, span.first_line, span.first_line, span.symbol))
        best = _best_run(lines, weights, room)
        if best is not None and best[1] - best[0] >= _LEAST_PART:
            first = span.first_line + best[0]
            part = Span(span.path, first, span.first_line + best[1] - 1, span.symbol)
            self._add_chosen(ChosenSpan(part, span))

    def text(self) -> str:
        """Return the chosen lines: files in the order of their first choice, lines in source order."""
        if not self.chosen:
            return ""
        return self._heading() + "".join(self._file_texts())

    def _heading(self) -> str:
        return f"# {self._title}\n\n"

    def _file_texts(self) -> Iterator[str]:
        by_file: dict[str, list[Span]] = {}
        for chosen in self.chosen:
            by_file.setdefault(chosen.lines.path, []).append(chosen.lines)
        for path, spans in by_file.items():
            yield _file_heading(path)
            yield from (_block(span, self._tree) for span in sorted(spans))


def _file_heading(path: str) -> str:
    return f"## {escape_undecodable(path)}\n\n"


def _block(span: Span, tree: RedactedTree) -> str:
    lines = tree.lines(span.path)[span.first_line - 1 : span.last_line]
    longest = max((_backticks(line) for line in lines), default=0)
    fence = "`" * max(3, longest + 1)
    symbol = f" {escape_undecodable(span.symbol)}" if span.symbol else ""
    body = "\n".join(lines)
    return f"lines {span.first_line}-{span.last_line}{symbol}\n{fence}\n{body}\n{fence}\n\n"


def _backticks(line: str) -> int:
    """Return the length of the run of backticks at the start of a line, which could end a block."""
    text = line.lstrip()
    return len(text) - len(text.lstrip("`"))


def _best_run(lines: Sequence[str], weights: Sequence[int], room: int) -> tuple[int, int] | None:
    """Return the first and the end of the run of lines with the largest weight that fits."""
    best: tuple[int, int] | None = None
    best_weight, start, size, weight = 0, 0, 0, 0
    for at, line in enumerate(lines):
        size += len(line) + 1
        weight += weights[at]
        while size > room and start <= at:
            size -= len(lines[start]) + 1
            weight -= weights[start]
            start += 1
        if weight > best_weight and start <= at:
            best, best_weight = (start, at + 1), weight
    return best
