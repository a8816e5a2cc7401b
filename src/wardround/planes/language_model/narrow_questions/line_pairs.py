"""The removed lines of a hunk, and the added ones that replace them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

import msgspec

from wardround.lazy import LazyPattern
from wardround.planes.language_model.hunks import RemovedLine, SentHunk

_TOKEN = LazyPattern(r"\w+|[^\w\s]")
_LEAST_SIMILARITY = 0.5
"""The share of equal tokens from which on a line counts as another version of a removed one."""
_MOST_LINES = 60
"""The removed or added lines of a block that are paired; the time grows with their product."""


class LinePair(msgspec.Struct, frozen=True):
    """A removed line and the added one that replaces it, with its number at the head."""

    removed: RemovedLine
    number: int
    added: str


class Block(msgspec.Struct, frozen=True):
    """Removed lines, and the added ones in their place.

    Attributes:
        line: line number at the head, of the first added line or of the one after the removed ones.
        added: number at the head -> text.
    """

    line: int
    removed: tuple[RemovedLine, ...]
    added: dict[int, str]


def tokens(text: str) -> list[str]:
    """Return the words and signs of a line."""
    return _TOKEN.findall(text)


def blocks(hunk: SentHunk) -> list[Block]:
    """Return the blocks of a hunk in which lines are removed."""
    grouped: dict[int, list[RemovedLine]] = {}
    for line in hunk.removed:
        grouped.setdefault(line.next, []).append(line)
    return [Block(line, tuple(removed), _run(hunk, line)) for line, removed in grouped.items()]


def pairs(block: Block) -> list[LinePair]:
    """Return the removed lines of a block with their most similar replacement, each used once."""
    if max(len(block.removed), len(block.added)) > _MOST_LINES:
        return []
    rest = dict(block.added)
    found = []
    for removed in block.removed:
        number = _most_similar(removed.text, rest)
        if number is not None:
            found.append(LinePair(removed, number, rest.pop(number)))
    return found


def unpaired_lines(block: Block, paired: Sequence[LinePair]) -> Iterator[RemovedLine]:
    """Yield the removed lines that no added one replaces."""
    replaced = {pair.removed.number for pair in paired}
    return (line for line in block.removed if line.number not in replaced)


def _run(hunk: SentHunk, line: int) -> dict[int, str]:
    """Return the added lines from a line on, up to the first unchanged one."""
    found = {}
    while line in hunk.added:
        found[line] = hunk.added[line]
        line += 1
    return found


def _most_similar(text: str, others: dict[int, str]) -> int | None:
    expected = tokens(text)
    best, similarity = None, _LEAST_SIMILARITY
    for number, other in others.items():
        found = SequenceMatcher(None, expected, tokens(other), autojunk=False).ratio()
        if expected and found > similarity:
            best, similarity = number, found
    return best
