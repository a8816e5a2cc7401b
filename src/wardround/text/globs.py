"""Matching paths against glob patterns, without a regular expression for each of the usual shapes.

All patterns have the same syntax: that of ``fnmatch``, case-sensitive, with ``*`` matching slashes too; but
``**/`` at the start of a pattern or after a slash also matches no folder. The functions differ in the part of
a path they compare:

==================  ================================================================================
``matches``         the file's name or, for a pattern with a slash, the full path; specialists, tools
``matches_whole``   the full text; repository views, lists of paths from a configuration
``covers``          the path, a folder above it or, for a pattern without a slash, any part; ``exclude``
``matches_ignore_pattern``  the same by the conventions of ``.gitignore``, without negation
==================  ================================================================================
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, lru_cache

_MOST_FOLDERS = 4
"""Maximum number of ``**/`` that may match no folder; further ones of a pattern match at least one."""


def matches(path: str, patterns: Iterable[str]) -> bool:
    """Return True if a pattern matches a file's name or, if the pattern has a slash, its full path."""
    name = path.rpartition("/")[2]
    by_ending = _group_by_suffix(tuple(patterns))
    for ending in (name.rpartition(".")[2], ""):
        for of_path, is_match in by_ending.get(ending, ()):
            if is_match(path if of_path else name):
                return True
    return False


@lru_cache(maxsize=4096)
def matches_any_case(path: str, patterns: tuple[str, ...]) -> bool:
    """Like ``matches``, but case-insensitive: ``RUN.PY`` is a Python file to its importers."""
    return matches(path, patterns) or (
        not path.islower() and matches(path.lower(), _lower_patterns(patterns))
    )


def matches_whole(text: str, patterns: Iterable[str]) -> bool:
    """Return True if a pattern matches the full text, be it a path, a name or the id of a rule."""
    return any(_matcher(pattern)(text) for pattern in patterns)


def covers(path: str, patterns: Iterable[str]) -> bool:
    """Return True if a pattern matches a path or a folder above it; a trailing slash means a folder.

    A pattern without a slash matches any part of the path.
    """
    parts, heads = path.split("/"), _heads(path)
    for pattern in patterns:
        is_match = _matcher(pattern.rstrip("/"))
        if any(map(is_match, heads)) or ("/" not in pattern.rstrip("/") and any(map(is_match, parts))):
            return True
    return False


def matches_ignore_pattern(path: str, pattern: str) -> bool:
    """Return True if a line of an ignore file matches a path or a folder above it; a negation never does."""
    if not pattern or pattern.startswith(("#", "!")):
        return False
    bare = pattern.removeprefix("./").strip("/").removesuffix("/**").removesuffix("/*").removeprefix("**/")
    if "/" not in bare:
        return any(map(_matcher(bare), path.split("/")))
    return any(matches_whole(head, (bare, f"*/{bare}")) for head in _heads(path))


def _heads(path: str) -> list[str]:
    """Return the folders above a path, outermost first, and the path."""
    parts = path.split("/")
    return ["/".join(parts[: end + 1]) for end in range(len(parts))]


@cache
def _lower_patterns(patterns: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(pattern.lower() for pattern in patterns)


@cache
def _group_by_suffix(patterns: tuple[str, ...]) -> Mapping[str, Sequence[tuple[bool, Callable[[str], bool]]]]:
    """Return the matchers of some patterns by the ending of the names they match.

    A pattern that matches names of several endings has the empty ending. Each has a flag that is True if it
    is
    compared with the complete path.
    """
    found: dict[str, list[tuple[bool, Callable[[str], bool]]]] = {}
    for pattern in patterns:
        _, dot, ending = pattern.rpartition(".")
        is_literal = dot and not any(sign in ending for sign in "*?[]/")
        found.setdefault(ending if is_literal else "", []).append(("/" in pattern, _matcher(pattern)))
    return found


@cache
def _matcher(pattern: str) -> Callable[[str], bool]:
    """Return the matcher of one pattern.

    Specialists have about a hundred patterns, and compiling an expression for each would take a tenth of a
    review; nearly all have at most two stars, which need only string comparisons.
    """
    variants = _variants(pattern)
    if len(variants) == 1:
        return _fnmatcher(pattern)
    matchers = [_fnmatcher(variant) for variant in variants]
    return lambda text: any(is_match(text) for is_match in matchers)


def _variants(pattern: str) -> list[str]:
    """Return a pattern, and the patterns in which ``**/`` is excluded."""
    found = [pattern]
    for location in list(re.finditer(r"(?<![^/])(?:\*\*/)+", pattern))[:_MOST_FOLDERS][::-1]:
        found += [text[: location.start()] + text[location.end() :] for text in found]
    return found


def _fnmatcher(pattern: str) -> Callable[[str], bool]:
    pieces = pattern.split("*")
    if len(pieces) > 3 or any(sign in pattern for sign in "?["):
        return lambda text: fnmatch.fnmatchcase(text, pattern)
    if len(pieces) == 1:
        return lambda text: text == pattern
    first, *between, last = pieces
    middle = between[0] if between else ""
    shortest = len(first) + len(middle) + len(last)

    def is_match(text: str) -> bool:
        if len(text) < shortest or not (text.startswith(first) and text.endswith(last)):
            return False
        return text.find(middle, len(first), len(text) - len(last)) >= 0

    return is_match
