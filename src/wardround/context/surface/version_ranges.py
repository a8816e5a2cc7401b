"""Ranges of versions, and if one is a part of another: PEP 440 specifiers and the ranges of npm.

Only the release numbers are compared; what is not understood has no range.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from wardround.checks.lazy import LazyPattern

_RELEASE = LazyPattern(r"[vV]?(\d+(?:\.(?:\d+|[xX*]))*|[xX*])")
_CLAUSE = LazyPattern(r"\s*(===|==|~=|!=|>=|<=|>|<|\^|~|=|)\s*([vV]?(?:\d[\w.*+!-]*|[xX*]))\s*,?")
_HYPHEN = LazyPattern(r"(\S+)\s+-\s+(\S+)")
_TOP = (10**9,)

Release = tuple[int, ...]


class Interval(NamedTuple):
    """Versions from ``low``, inclusive, to ``high``, exclusive."""

    low: Release
    high: Release


def is_narrower(base: str, head: str, *, npm: bool = False) -> bool:
    """Return True if a version that the first range permits is excluded by the second."""
    before, after = intervals(base, npm=npm), intervals(head, npm=npm)
    if before is None or after is None:
        return False
    return not all(any(_is_within(one, other) for other in after) for one in before)


def intervals(text: str, *, npm: bool = False) -> list[Interval] | None:
    """Return the intervals of a range; None if it is not understood. ``!=`` excludes nothing."""
    found = []
    for part in text.split("||") if npm else [text]:
        interval = _interval(part.strip(), npm=npm)
        if interval is None:
            return None
        found.append(interval)
    return found


def _interval(text: str, *, npm: bool) -> Interval | None:
    low: Release = ()
    high: Release = _TOP
    if not text or text in ("*", "latest", "x"):
        return Interval(low, high)
    hyphen = _HYPHEN.fullmatch(text) if npm else None
    if hyphen:
        text = f">={hyphen[1]} <={hyphen[2]}"
    place = 0
    while place < len(text):
        match = _CLAUSE.match(text, place)
        if match is None or match.end() == place:
            return None
        place = match.end()
        for bound in _bounds(match[1], match[2], npm=npm):
            low, high = max(low, bound.low), min(high, bound.high)
    return Interval(low, high)


def _bounds(operator: str, text: str, *, npm: bool) -> Iterator[Interval]:
    match = _RELEASE.match(text)
    if match is None or operator == "!=":
        return
    parts = match[1].split(".")
    numbers = tuple(int(part) for part in parts if part.isdigit())
    is_prefix = len(numbers) < len(parts) or (npm and len(parts) < 3)
    if operator in ("", "=", "==", "==="):
        yield Interval(_plain(numbers), _after(numbers) if is_prefix else (*_plain(numbers), 0))
    elif operator == "^":
        yield Interval(_plain(numbers), _caret(numbers))
    elif operator in ("~", "~="):
        kept = numbers[:-1] if operator == "~=" else numbers[:2]
        yield Interval(_plain(numbers), _after(kept))
    elif operator in (">=", ">"):
        yield Interval(_plain(numbers) if operator == ">=" else (*_plain(numbers), 0), _TOP)
    else:
        inclusive = _after(numbers) if is_prefix else (*_plain(numbers), 0)
        yield Interval((), inclusive if operator == "<=" else _plain(numbers))


def _plain(numbers: Release) -> Release:
    """Return a release without zeros at the end, so that 3.8 and 3.8.0 are equal."""
    while numbers and numbers[-1] == 0:
        numbers = numbers[:-1]
    return numbers


def _after(numbers: Release) -> Release:
    """Return the first release that does not begin with these numbers."""
    return (*numbers[:-1], numbers[-1] + 1) if numbers else _TOP


def _caret(numbers: Release) -> Release:
    for place, number in enumerate(numbers):
        if number:
            return (*numbers[:place], number + 1)
    return _after(numbers)


def _is_within(inner: Interval, outer: Interval) -> bool:
    return inner.low >= inner.high or (outer.low <= inner.low and inner.high <= outer.high)
