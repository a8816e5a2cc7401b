"""Matching paths against glob patterns, without a regular expression for each of the usual shapes."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache


def matches(path: str, patterns: Iterable[str]) -> bool:
    """Whether a pattern fits a file's name or, if it has a slash, its whole path; ``*`` fits slashes too."""
    name = path.rpartition("/")[2]
    by_ending = _by_ending(tuple(patterns))
    for ending in (name.rpartition(".")[2], ""):
        for of_path, fits in by_ending.get(ending, ()):
            if fits(path if of_path else name):
                return True
    return False


def matches_any_case(path: str, patterns: tuple[str, ...]) -> bool:
    """The same, where upper and lower case are one: ``RUN.PY`` is Python to whoever imports it."""
    return matches(path, patterns) or (not path.islower() and matches(path.lower(), _lowered(patterns)))


@cache
def _lowered(patterns: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(pattern.lower() for pattern in patterns)


@cache
def _by_ending(patterns: tuple[str, ...]) -> Mapping[str, Sequence[tuple[bool, Callable[[str], bool]]]]:
    """The tests of some patterns by what follows the last dot of the names they fit.

    Those that may fit names of several endings are under nothing; of each, whether the whole path is tested.
    """
    found: dict[str, list[tuple[bool, Callable[[str], bool]]]] = {}
    for pattern in patterns:
        _, dot, ending = pattern.rpartition(".")
        told = dot and not any(sign in ending for sign in "*?[]/")
        found.setdefault(ending if told else "", []).append(("/" in pattern, _matcher(pattern)))
    return found


@cache
def _matcher(pattern: str) -> Callable[[str], bool]:
    """The test of one pattern.

    Specialists have a hundred patterns between them, and compiling an expression for each would take a tenth
    of a whole review; nearly all have at most two stars, which are string comparisons.
    """
    pieces = pattern.split("*")
    if len(pieces) > 3 or any(sign in pattern for sign in "?["):
        return lambda text: fnmatch.fnmatchcase(text, pattern)
    if len(pieces) == 1:
        return lambda text: text == pattern
    first, *between, last = pieces
    middle = between[0] if between else ""
    shortest = len(first) + len(middle) + len(last)

    def fits(text: str) -> bool:
        if len(text) < shortest or not (text.startswith(first) and text.endswith(last)):
            return False
        return text.find(middle, len(first), len(text) - len(last)) >= 0

    return fits
