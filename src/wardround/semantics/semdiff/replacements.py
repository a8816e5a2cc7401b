"""What a change put in the place of what, in lines that are otherwise as they were."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from wardround.checks.lazy import LazyPattern
from wardround.text.tokens import KEYWORDS, tokens

_LONGEST = 80
"""Tokens of a line; longer ones are tables."""
_WIDEST = 400
_TRUTHS = frozenset({"True", "False", "true", "false"})
_ALIKE_AT_MOST = 8
"""Changed lines of the same shape that are told apart by their names."""
_LITERALS_AT_MOST = 2
_LINES_AT_MOST = 250
"""Changed lines of a file; with more, it is rewritten or swept over."""
_COMPARES = LazyPattern(r"(?<![<>=!-])(<=|>=|<|>)(?![<>])")
_DIGITS = LazyPattern(r"(?<![\w.])\d+(?![\w.])")
_TARGET = LazyPattern(
    r"([A-Za-z_$][\w$]*)[\"'\]]*\??\s*(?::\s*[\w\[\].|<> ]+?\s*)?(?:=|:|\?\?|\|\||,|\(|=>|\bor\b)\s*[\"'`]?$"
)


class SwapKind(StrEnum):
    """What was exchanged."""

    NUMBER = "number"
    STRING = "string"
    NAME = "name"
    TRUTH = "truth"
    COMPARISON = "comparison"


_Line = tuple[int, str]


@dataclass(frozen=True, slots=True)
class Replacement:
    """A piece of code in whose place the change put another.

    Attributes:
        line: of the new text, 1-based.
        key: the name it is given to, as far as the line tells; else empty.
        was: the line as it was.
    """

    kind: SwapKind
    old: str
    new: str
    line: int
    key: str
    was: str


def swaps(base: str, head: str) -> list[Replacement]:
    """The exchanged pieces of lines, by line; none where the file was rewritten."""
    before, after = changed_lines(base, head)
    if not before or not after or len(before) + len(after) > _LINES_AT_MOST:
        return []
    found = [*_pieces_exchanged(before, after), *_comparisons(before, after)]
    return sorted(set(found), key=lambda one: (one.line, one.kind, one.old))


@lru_cache(maxsize=4)
def changed_lines(base: str, head: str) -> tuple[Sequence[_Line], Sequence[_Line]]:
    """Number and text, without the blanks around it, of the lines that only one side has."""
    old, new = base.split("\n"), head.split("\n")
    return _only_in(old, new), _only_in(new, old)


def _only_in(one: Sequence[str], other: Sequence[str]) -> list[_Line]:
    """Number and text of the lines that the other text has nowhere."""
    left = set(other)
    found = [(number, line.strip()) for number, line in enumerate(one, 1) if line not in left]
    if not found:
        return []
    inside = {line.strip() for line in other}
    return [(number, line) for number, line in found if line and line not in inside and len(line) < _WIDEST]


def _pieces_exchanged(before: Sequence[_Line], after: Sequence[_Line]) -> Iterator[Replacement]:
    """Numbers, texts and names of lines that differ in nothing else."""
    old = _by_shape(before)
    for shape, lines in _by_shape(after).items():
        were = old.get(shape, ())
        if not were or len(were) > _ALIKE_AT_MOST or len(lines) > _ALIKE_AT_MOST:
            continue
        for number, now, pieces in lines:
            found = [(was, swap) for _, was, others in were if (swap := _difference(others, pieces))]
            if len(found) == 1:
                was, pairs = found[0]
                for kind, text, other in pairs:
                    yield Replacement(kind, text, other, number, _target(now, other), was)
                    yield from _numbers_within(Replacement(kind, text, other, number, "", was))


def _numbers_within(swap: Replacement) -> Iterator[Replacement]:
    """The number in which two texts differ: ``30 days`` and ``60 days``."""
    if swap.kind is not SwapKind.STRING:
        return
    old, new = _DIGITS.findall(swap.old), _DIGITS.findall(swap.new)
    if len(old) == len(new) == 1 and old != new and _DIGITS.sub("", swap.old) == _DIGITS.sub("", swap.new):
        yield Replacement(SwapKind.NUMBER, old[0], new[0], swap.line, "", swap.was)


_Pieces = list[tuple[str, str]]


def _by_shape(lines: Sequence[_Line]) -> dict[tuple[str, ...], list[tuple[int, str, _Pieces]]]:
    """Number, text and tokens of lines, by what is left of them without their literals and names."""
    found: dict[tuple[str, ...], list[tuple[int, str, _Pieces]]] = defaultdict(list)
    for number, line in lines:
        pieces = [("truth" if text in _TRUTHS else kind, text) for kind, text in tokens(line)]
        whole = _products(pieces) if "*" in line else pieces
        for one in (pieces, whole) if whole != pieces else (pieces,):
            if len(one) <= _LONGEST:
                shape = tuple(_shape_of(kind, text) for kind, text in one)
                found[shape].append((number, line, one))
    return found


def _products(pieces: _Pieces) -> _Pieces:
    """The tokens of a line with each product of numbers as one number: ``60 * 60 * 24``."""
    found: _Pieces = []
    for kind, text in pieces:
        if kind == "number" and len(found) > 1 and found[-1] == ("other", "*") and found[-2][0] == "number":
            found[-2:] = [("number", f"{found[-2][1]} * {text}")]
        else:
            found.append((kind, text))
    return found


def _shape_of(kind: str, text: str) -> str:
    return text if kind == "other" or (text in KEYWORDS and kind != "truth") else kind


def _difference(old: _Pieces, new: _Pieces) -> list[tuple[SwapKind, str, str]]:
    """What differs, if it is one name wherever it stands, or at most two literals; else nothing."""
    found = {(one[0], one[1], other[1]) for one, other in zip(old, new, strict=True) if one[1] != other[1]}
    names = [one for one in found if one[0] == "name"]
    if len(found) > _LITERALS_AT_MOST or (names and len(found) > 1):
        return []
    if names and any(piece == ("name", names[0][1]) for piece in new):
        return []
    return [(SwapKind(kind), text, other) for kind, text, other in sorted(found)]


def _comparisons(before: Sequence[_Line], after: Sequence[_Line]) -> Iterator[Replacement]:
    old: dict[str, list[str]] = defaultdict(list)
    for _, code in before:
        if len(_COMPARES.findall(code)) == 1:
            old[_COMPARES.sub("<gap>", code)].append(code)
    for number, code in after:
        signs = _COMPARES.findall(code)
        were = old.get(_COMPARES.sub("<gap>", code), ()) if len(signs) == 1 else ()
        if len(were) == 1:
            (was,) = _COMPARES.findall(were[0])
            yield Replacement(SwapKind.COMPARISON, was, signs[0], number, "", were[0])


def _target(code: str, value: str) -> str:
    """The name a literal is given to: ``ttl: 60``, ``TTL = 60``, ``get("TTL", 60)``."""
    place = code.find(value)
    match = _TARGET.search(code[:place].rstrip("\"'` ")) if place > 0 else None
    return match[1] if match else ""
