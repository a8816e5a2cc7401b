"""Groups of at least three adjacent lines or blocks of the same form, and the one that copies a neighbour.

In ``imdb="imdbid"``, ``tmdb="tmdbid"``, ``tvdb="tmdbid"`` the first value of each line recurs in the second
one, except in the last line, whose second value is that of its neighbour.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

import msgspec

from wardround_text.siblings.code_lines import CodeLine, Token
from wardround_text.siblings.names import Words, differing_words, exchange_words

_LONGEST_BLOCK = 8
_MOST_BLOCKS = 40
"""The blocks above which a group is a table of data."""
_MOST_VALUES = 150
_MOST_DIFFERENT = 14
"""The values of a block, and those that differ within the group, above which its parts are no siblings."""
_LEAST_BLOCKS = 3
_LEAST_DISTINCT = 0.34
"""The share of different values in a block below which it is a row of a table."""
_LEAST_PART = 3
"""The characters of a word that is recognized as a part of another one."""

Row = list[Token]


class CopiedValue(msgspec.Struct, frozen=True):
    """A value that is the one of a sibling, although the others follow another value of their block.

    Attributes:
        key: the value of the same block that it does not correspond to.
        sibling: the same value in the block that it was copied from.
        expected: the value that would correspond.
    """

    value: Token
    key: Token
    sibling: Token
    expected: str

    @property
    def is_entry(self) -> bool:
        """True for two strings, such as an entry of a mapping, where a second name is usual."""
        return self.value.kind == self.key.kind == "string"


def copied_values(lines: Sequence[CodeLine], is_added: Callable[[int], bool]) -> Iterator[CopiedValue]:
    """Yield the values copied from a sibling by added lines, at most one a block.

    Args:
        lines: adjacent lines, without blank lines and comments.
    """
    for blocks in _groups(lines):
        if any(is_added(line.number) for block in blocks for line in block):
            found = SiblingGroup([[token for line in block for token in line.values] for block in blocks])
            yield from (item for item in found.copied_values() if _is_new(item, is_added))


def _is_new(item: CopiedValue, is_added: Callable[[int], bool]) -> bool:
    return is_added(item.value.line) or is_added(item.key.line)


def _groups(lines: Sequence[CodeLine]) -> Iterator[list[Sequence[CodeLine]]]:
    """Yield the groups of adjacent blocks of the same form, as lists of blocks."""
    for size in range(1, _LONGEST_BLOCK + 1):
        start = 0
        while start + size < len(lines):
            end = _end_of_period(lines, start, size)
            count = (end - start) // size
            is_group = _LEAST_BLOCKS <= count <= _MOST_BLOCKS
            if is_group and not _has_smaller_period(lines[start : start + 2 * size], size):
                yield [lines[at : at + size] for at in range(start, start + count * size, size)]
            start = max(end - size, start) + 1


def _end_of_period(lines: Sequence[CodeLine], start: int, size: int) -> int:
    """Return the end of the longest run from a line in which each form recurs after ``size`` lines."""
    end = start + size
    while end < len(lines) and lines[end].form == lines[end - size].form:
        end += 1
    return end


def _has_smaller_period(lines: Sequence[CodeLine], size: int) -> bool:
    return any(
        size % period == 0 and _end_of_period(lines, 0, period) >= len(lines) for period in range(1, size)
    )


class _Position:
    """The values of all blocks at one position."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = tokens
        self.texts = [token.text for token in tokens]

    @cached_property
    def words(self) -> list[Words]:
        """The words in which the values differ."""
        return differing_words(self.texts)

    @cached_property
    def cores(self) -> list[str]:
        return ["".join(words) for words in self.words]

    @cached_property
    def letters(self) -> list[str]:
        """The values in lower case, letters and digits only."""
        return ["".join(filter(str.isalnum, text)).lower() for text in self.texts]

    @cached_property
    def is_distinct(self) -> bool:
        return len(set(self.texts)) == len(self.texts)


class SiblingGroup:
    """Blocks of the same form.

    Args:
        rows: the values of each block, all of the same number.
    """

    def __init__(self, rows: Sequence[Row]) -> None:
        self._rows = rows
        self._shared = {tokens[0].text for tokens in zip(*rows, strict=True) if len(set(_texts(tokens))) == 1}
        different = [_Position(tokens) for tokens in zip(*rows, strict=True) if len(set(_texts(tokens))) > 1]
        is_comparable = len(different) <= _MOST_DIFFERENT and not any(map(_is_table_row, rows))
        self._positions = different if is_comparable else []

    def copied_values(self) -> Iterator[CopiedValue]:
        """Yield the values that are copied from a sibling, at most one a block."""
        reported = set()
        for key in self._positions:
            if not key.is_distinct or key.tokens[0].kind == "number":
                continue
            for position in self._positions:
                odd = self._odd_row(key, position)
                if odd is None or odd in reported:
                    continue
                copied = self._copied_value(key, position, odd)
                if copied is not None:
                    reported.add(odd)
                    yield copied

    def _odd_row(self, key: _Position, position: _Position) -> int | None:
        """Return the only row whose value does not correspond to its key; None if there is none."""
        if key is position or key.texts == position.texts:
            return None
        odd = [row for row in range(len(self._rows)) if not _corresponds(key, position, row)]
        if len(odd) != 1 or not key.cores[odd[0]]:
            return None
        return odd[0]

    def _copied_value(self, key: _Position, position: _Position, odd: int) -> CopiedValue | None:
        """Return the value of the odd row if it is that of a sibling by mistake."""
        others = [row for row in range(len(self._rows)) if row != odd]
        if len({position.texts[row] for row in others}) < len(others):
            return None
        copies = [row for row in others if position.texts[row] == position.texts[odd]]
        if not copies or _contain(key.cores[copies[0]], key.cores[odd]):
            return None
        expected = exchange_words(position.texts[odd], key.words[copies[0]], key.words[odd])
        if not expected or expected in self._shared or not self._is_unexplained(key, position, odd):
            return None
        return CopiedValue(position.tokens[odd], key.tokens[odd], position.tokens[copies[0]], expected)

    def _is_unexplained(self, key: _Position, position: _Position, odd: int) -> bool:
        """Return True if no other form explains the value.

        Where each value only repeats its key, a line with another one gives a second name to the same value.
        A block that has the words of its key elsewhere, unlike the others, has its values in another order. A
        block with a value of its own where all others agree is no sibling.
        """
        if self._is_repeated(key, position, odd) or self._is_special(odd):
            return False
        others = (other for other in self._positions if key.cores[odd] in other.letters[odd])
        return all(other is key or self._follows(key, other) for other in others)

    def _is_special(self, odd: int) -> bool:
        """Return True if a row has a value of its own where all other rows have the same one."""
        return any(
            len({text for row, text in enumerate(position.texts) if row != odd}) == 1
            for position in self._positions
        )

    def _is_repeated(self, key: _Position, position: _Position, odd: int) -> bool:
        """Return True if each other value is its key."""
        pairs = enumerate(zip(key.texts, position.texts, strict=True))
        return all(first == second for row, (first, second) in pairs if row != odd)

    def _follows(self, key: _Position, position: _Position) -> bool:
        """Return True if the values correspond to their keys in every block."""
        return all(_corresponds(key, position, row) for row in range(len(self._rows)))


def _is_table_row(row: Row) -> bool:
    """Return True for a block with many values, or with few different ones."""
    return len(row) > _MOST_VALUES or len(set(_texts(row))) < len(row) * _LEAST_DISTINCT


def _texts(tokens: Sequence[Token]) -> list[str]:
    return [token.text for token in tokens]


def _corresponds(key: _Position, position: _Position, row: int) -> bool:
    """Return True if a value has the words in which its key differs from the other keys."""
    core = key.cores[row]
    if not core:
        return False
    return core == position.cores[row] or (len(core) >= _LEAST_PART and core in position.letters[row])


def _contain(first: str, second: str) -> bool:
    """Return True if one of two keys is a special case of the other."""
    return first in second or second in first
