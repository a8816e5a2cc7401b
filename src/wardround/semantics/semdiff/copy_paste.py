"""Rows of entries that were copied from other rows, with one entry left unchanged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import msgspec

from wardround.checks.lazy import LazyPattern
from wardround.text.tokens import parts

_CHAIN = LazyPattern(
    r"(?<![\w$.\"'])(?P<owner>[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)*?)"
    r"(?:\??\.(?P<field>[A-Za-z_$][\w$]*)|\[[\"'](?P<key>\w+)[\"']\]|\.get\([\"'](?P<got>\w+)[\"']\))"
    r"(?![\w$]*\()(?!\??\.[A-Za-z_$][\w$]*(?!\s*\()(?![\w$]))"
)
_ALIKE_AT_LEAST = 3
"""The number of entries that were changed after the copying, in contrast to the unchanged one."""


_GIVEN = LazyPattern(r"\b\w+[\"']?\]?\s*[=:]\s*[^\n]{0,60}?(?:\.\w|\[[\"'])")


def may_hold_a_row(added: str, text: str) -> bool:
    """Return True if an added line assigns an object's field, and another line does too; a prefilter."""
    if _GIVEN.search(added) is None:
        return False
    first = _GIVEN.search(text)
    return first is not None and _GIVEN.search(text, first.end()) is not None


class RowField(msgspec.Struct, frozen=True):
    """A name and its value: ``city: form.billingCity`` has the owner ``form``."""

    name: str
    owner: str
    taken: str


class UnchangedField(msgspec.Struct, frozen=True):
    """An entry that still has the value of the row it was copied from.

    Attributes:
        place: the 0-based index of the entry in its row.
        wanted: the expected value.
    """

    place: int
    wanted: str


def entry_of(name: str, value: str) -> RowField | None:
    """Return the value of an entry, if it contains one chain of fields and no other."""
    found = list(_CHAIN.finditer(value))
    if len(found) != 1:
        return None
    match = found[0]
    return RowField(name, match["owner"], match["field"] or match["key"] or match["got"])


def forgotten_edits(
    row: Sequence[RowField | None], rows: Sequence[Sequence[RowField | None]], exists: Callable[[str], bool]
) -> UnchangedField | None:
    """Return the one entry of a row that has the value of another row.

    Args:
        rows: the others of the file.
        exists: True for the name of a field in the project.
    """
    for first in (True, False):
        found = _of_other_family(row, first=first)
        if found is not None and exists(found.wanted):
            return found
    return _of_other_owner(row, rows) or _taken_twice(row)


_PAIRS = frozenset(
    frozenset(pair.split())
    for pair in (
        "width height", "start end", "first last", "min max", "left right", "top bottom", "lat lng",
        "lat lon",
        "latitude longitude", "source target", "lower upper", "begin end", "old new",
        "src dst", "host port", "from to", "minimum maximum", "low high", "open close", "sender receiver",
    )
)  # fmt: skip
"""Words that occur together: a row that contains one contains the other."""


def _taken_twice(row: Sequence[RowField | None]) -> UnchangedField | None:
    """Return an entry with the value of another, whose name matches it."""
    named = {(one.owner, one.taken) for one in row if one and one.name == one.taken}
    for place, one in enumerate(row):
        if one is None or one.name == one.taken or (one.owner, one.taken) not in named:
            continue
        name, taken = parts(one.name), parts(one.taken)
        if len(name) != len(taken):
            continue
        apart = [n for n, words in enumerate(zip(name, taken, strict=True)) if words[0] != words[1]]
        if len(apart) != 1 or (len(named) < _ALIKE_AT_LEAST and len(named) != len(row) - 1):
            continue
        is_pair = frozenset({name[apart[0]], taken[apart[0]]}) in _PAIRS
        if is_pair or _completes(name, taken, apart[0], [parts(other) for _, other in named]):
            return UnchangedField(place, f"{one.owner}.{one.name}")
    return None


def _completes(name: list[str], taken: list[str], apart: int, known: list[list[str]]) -> bool:
    """Return True if the row has all the other combinations of two words: ``read_min read_max write_min``."""
    for place, word in enumerate(name):
        if place == apart:
            continue
        for other in known:
            if len(other) == len(name) and other[apart] == name[apart] and other[place] != word:
                mixed = [*other]
                mixed[apart] = taken[apart]
                if mixed in known and [*other[:place], word, *other[place + 1 :]] == name:
                    return True
    return False


def _of_other_family(row: Sequence[RowField | None], *, first: bool) -> UnchangedField | None:
    """Return an entry whose field has another first, or last, word than those of all the others."""
    split = {n: one for n, entry in enumerate(row) if entry and (one := _split(entry, first=first))}
    owners = Counter(entry.owner for n, entry in enumerate(row) if entry and n in split)
    if not owners:
        return None
    owner = owners.most_common(1)[0][0]
    words = {n: word for n, (word, _) in split.items() if _owner(row, n) == owner}
    counts = Counter(words.values())
    if len(counts) != 2 or sorted(counts.values())[0] != 1 or max(counts.values()) < _ALIKE_AT_LEAST:
        return None
    (usual, _), (odd, _) = counts.most_common(2)
    place = next(n for n, word in words.items() if word == odd)
    entry = row[place]
    if entry is None or odd in parts(entry.name) or odd.isdigit() or usual.isdigit():
        return None
    name = parts(entry.name)
    rest = split[place][1]
    if name != rest and name != ([usual, *rest] if first else [*rest, usual]):
        return None
    return UnchangedField(place, _with_word(entry.taken, odd, usual, first=first))


def _split(entry: RowField, *, first: bool) -> tuple[str, list[str]] | None:
    """Return the word that identifies the family of a field, and the words of its entry's name."""
    taken, name = parts(entry.taken), parts(entry.name)
    if len(taken) < 2:
        return None
    word, rest = (taken[0], taken[1:]) if first else (taken[-1], taken[:-1])
    others = name[1:] if first else name[:-1]
    return (word, rest) if rest in (name, others) else None


def _owner(row: Sequence[RowField | None], place: int) -> str:
    entry = row[place]
    return entry.owner if entry else ""


def _with_word(taken: str, odd: str, usual: str, *, first: bool) -> str:
    """Return a field's name with another word at its beginning or end, in the same case style."""
    piece = taken[: len(odd)] if first else taken[-len(odd) :]
    word = usual.capitalize() if piece[:1].isupper() else usual
    return word + taken[len(odd) :] if first else taken[: -len(odd)] + word


def _of_other_owner(
    row: Sequence[RowField | None], rows: Sequence[Sequence[RowField | None]]
) -> UnchangedField | None:
    """Return an entry with another owner than all the others, if a row with the same names has that owner."""
    plain = {n: one for n, one in enumerate(row) if one and parts(one.taken)[-1:] == parts(one.name)[-1:]}
    counts = Counter(one.owner for one in plain.values())
    if len(counts) != 2 or sorted(counts.values())[0] != 1 or max(counts.values()) < _ALIKE_AT_LEAST:
        return None
    (usual, _), (odd, _) = counts.most_common(2)
    place = next(n for n, one in plain.items() if one.owner == odd)
    named = [one.name for one in plain.values()]
    for other in _others(row, rows):
        if [one.name for one in other] == named and all(one.owner == odd for one in other):
            return UnchangedField(place, f"{usual}.{plain[place].taken}")
    return None


def _others(
    row: Sequence[RowField | None], rows: Sequence[Sequence[RowField | None]]
) -> Iterator[list[RowField]]:
    for other in rows:
        if other is not row and all(one is not None for one in other):
            yield [one for one in other if one is not None]
