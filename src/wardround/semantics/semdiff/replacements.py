"""The replacements of a change in otherwise unchanged lines."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from wardround.checks.lazy import LazyPattern
from wardround.text.tokens import KEYWORDS, tokens

_LONGEST = 80
"""The limit on tokens of a line; longer ones are tables."""
_WIDEST = 400
_TRUTHS = frozenset({"True", "False", "true", "false"})
_ALIKE_AT_MOST = 8
"""The limit on changed lines of the same shape that are distinguished by their names."""
_LITERALS_AT_MOST = 2
_LINES_AT_MOST = 250
"""The limit on changed lines of a file; above it, the change is widespread or a rewrite."""
_COMPARES = LazyPattern(r"(?<![<>=!-])(<=|>=|<|>)(?![<>])")
_DIGITS = LazyPattern(r"(?<![\w.])\d+(?![\w.])")
_TARGET = LazyPattern(
    r"([A-Za-z_$][\w$]*)[\"'\]]*\??\s*(?::\s*[\w\[\].|<> ]+?\s*)?(?:=|:|\?\?|\|\||,|\(|=>|\bor\b)\s*[\"'`]?$"
)


class SwapKind(StrEnum):
    """The kind of the replaced code."""

    NUMBER = "number"
    STRING = "string"
    NAME = "name"
    TRUTH = "truth"
    COMPARISON = "comparison"


_Line = tuple[int, str]


@dataclass(frozen=True, slots=True)
class Replacement:
    """A piece of code that the change replaced.

    Attributes:
        line: of the new text, 1-based.
        key: the name it is assigned to, as far as the line shows; else empty.
        was: the old line.
    """

    kind: SwapKind
    old: str
    new: str
    line: int
    key: str
    was: str


def swaps(base: str, head: str) -> list[Replacement]:
    """Return the replaced pieces of lines, by line; none if the file was rewritten."""
    before, after = changed_lines(base, head)
    if not before or not after or len(before) + len(after) > _LINES_AT_MOST:
        return []
    found = [*_pieces_exchanged(before, after), *_comparisons(before, after)]
    return sorted(set(found), key=lambda one: (one.line, one.kind, one.old))


@lru_cache(maxsize=4)
def changed_lines(base: str, head: str) -> tuple[Sequence[_Line], Sequence[_Line]]:
    """Return number and text, without surrounding blanks, of the lines that only one side has."""
    old, new = base.split("\n"), head.split("\n")
    return _only_in(old, new), _only_in(new, old)


def _only_in(one: Sequence[str], other: Sequence[str]) -> list[_Line]:
    """Return number and text of the lines that do not occur in the other text."""
    left = set(other)
    found = [(number, line.strip()) for number, line in enumerate(one, 1) if line not in left]
    if not found:
        return []
    inside = {line.strip() for line in other}
    return [(number, line) for number, line in found if line and line not in inside and len(line) < _WIDEST]


def _pieces_exchanged(before: Sequence[_Line], after: Sequence[_Line]) -> Iterator[Replacement]:
    """Return numbers, strings and names of lines that differ in nothing else."""
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
    """Return the number in which two texts differ: ``30 days`` and ``60 days``."""
    if swap.kind is not SwapKind.STRING:
        return
    old, new = _DIGITS.findall(swap.old), _DIGITS.findall(swap.new)
    if len(old) == len(new) == 1 and old != new and _DIGITS.sub("", swap.old) == _DIGITS.sub("", swap.new):
        yield Replacement(SwapKind.NUMBER, old[0], new[0], swap.line, "", swap.was)


_Pieces = list[tuple[str, str]]


def _by_shape(lines: Sequence[_Line]) -> dict[tuple[str, ...], list[tuple[int, str, _Pieces]]]:
    """Return number, text and tokens of lines, by their shape without literals and names."""
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
    """Return the tokens of a line with each product of numbers as one number: ``60 * 60 * 24``."""
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
    """Return the difference, if it is one name at all positions, or at most two literals; else nothing."""
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
    """Return the name that a literal is assigned to: ``ttl: 60``, ``TTL = 60``, ``get("TTL", 60)``."""
    place = code.find(value)
    match = _TARGET.search(code[:place].rstrip("\"'` ")) if place > 0 else None
    return match[1] if match else ""
