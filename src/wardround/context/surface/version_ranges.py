"""Version ranges, and the test if one is contained in another: PEP 440 specifiers and the ranges of npm.

Only the release numbers are compared; what is not understood has no range.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from wardround.lazy import LazyPattern

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
    return not all(any(_is_within(range_, other) for other in after) for range_ in before)


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
    location = 0
    while location < len(text):
        match = _CLAUSE.match(text, location)
        if match is None or match.end() == location:
            return None
        location = match.end()
        for bound in _bounds(match[1], match[2], npm=npm):
            low, high = max(low, bound.low), min(high, bound.high)
    return Interval(low, high)


def _bounds(operator: str, text: str, *, npm: bool) -> Iterator[Interval]:
    release = _RELEASE.match(text)
    if release is None or operator == "!=":
        return
    parts = release[1].split(".")
    numbers = tuple(int(part) for part in parts if part.isdigit())
    is_prefix = len(numbers) < len(parts) or (npm and len(parts) < 3)
    yield _allowed_versions(operator, numbers, is_prefix=is_prefix)


def _allowed_versions(operator: str, numbers: tuple[int, ...], *, is_prefix: bool) -> Interval:
    """Return the versions that an operator allows.

    Args:
        is_prefix: the version has a wildcard, so that it is a range itself.
    """
    version = _plain(numbers)
    after = _next_release(numbers) if is_prefix else (*version, 0)
    match operator:
        case "" | "=" | "==" | "===":
            return Interval(version, after)
        case "^":
            return Interval(version, _caret(numbers))
        case "~":
            return Interval(version, _next_release(numbers[:2]))
        case "~=":
            return Interval(version, _next_release(numbers[:-1]))
        case ">=":
            return Interval(version, _TOP)
        case ">":
            return Interval((*version, 0), _TOP)
        case "<=":
            return Interval((), after)
    return Interval((), version)


def _plain(numbers: Release) -> Release:
    """Return a release without zeros at the end, so that 3.8 and 3.8.0 are equal."""
    while numbers and numbers[-1] == 0:
        numbers = numbers[:-1]
    return numbers


def _next_release(numbers: Release) -> Release:
    """Return the first release that does not begin with these numbers."""
    return (*numbers[:-1], numbers[-1] + 1) if numbers else _TOP


def _caret(numbers: Release) -> Release:
    for location, number in enumerate(numbers):
        if number:
            return (*numbers[:location], number + 1)
    return _next_release(numbers)


def _is_within(inner: Interval, outer: Interval) -> bool:
    return inner.low >= inner.high or (outer.low <= inner.low and inner.high <= outer.high)
