"""The globs of JavaScript tools, as in lists of test files and of projects."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from wardround.lazy import LazyPattern


def matches_glob(pattern: str, path: str) -> bool:
    """Return True if a glob matches a complete path; a string that is not a glob matches nothing."""
    compiled = _compile_glob(pattern)
    return compiled is not None and compiled.fullmatch(path) is not None


@lru_cache(maxsize=500)
def _compile_glob(pattern: str) -> re.Pattern[str] | None:
    """Return a glob of JavaScript tools as an expression; None if it is none."""
    try:
        return re.compile("".join(_pieces(pattern.removeprefix("./").removeprefix("/"))))
    except re.error:
        return None


_GLOB_PIECE = LazyPattern(
    r"(?P<extended>[?+@*]\([^()]{1,60}\))|(?P<deep>\*\*/?)|(?P<star>\*)|(?P<one>\?)|(?P<set>\[[^\]]{1,40}\])"
    r"|(?P<brace>\{[^{}]{1,200}\})|(?P<text>.)"
)
_COUNTS = {"?": "?", "+": "+", "@": "", "*": "*"}


def _pieces(pattern: str) -> Iterator[str]:
    for found in _GLOB_PIECE.finditer(pattern):
        text = found[0]
        if found["deep"]:
            yield "(?:[^/]+/)*" if text.endswith("/") else ".*"
        elif found["star"]:
            yield "[^/]*"
        elif found["extended"]:
            yield f"(?:{'|'.join(map(re.escape, text[2:-1].split('|')))}){_COUNTS[text[0]]}"
        elif found["one"]:
            yield "[^/]"
        elif found["set"]:
            yield text
        elif found["brace"]:
            yield f"(?:{'|'.join(''.join(_pieces(choice)) for choice in text[1:-1].split(','))})"
        else:
            yield re.escape(text)
