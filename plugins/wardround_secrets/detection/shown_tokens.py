"""Tokens that a file shows as an example: next to their pattern, as a placeholder, with an example host."""

from __future__ import annotations

import re

from wardround.lazy import LazyPattern

_PATTERN = LazyPattern(r"[\"'`/^]\^?(?P<start>[A-Za-z]{2})[^\"'`\n]{0,60}\]\{\d")
"""A regular expression with a counted character class."""
_PLACEHOLDER = LazyPattern(
    r"(?:placeholder|examples?)[\"']?\s{0,4}[:=]\s{0,4}[\[{(]?\s{0,4}[\"'`]?\Z", re.IGNORECASE
)
_COMMENT = r"(?://|#|/\*|--|<!--)[^\n]{0,100}\b"
_EXPIRED = LazyPattern(_COMMENT + r"(?:expired|revoked)\b", re.IGNORECASE)
_NOT_REAL = LazyPattern(
    _COMMENT + r"(?:not (?:a )?real|randomly generated|made[- ]up|fake|dummy)\b", re.IGNORECASE
)
_EXAMPLE_HOST = LazyPattern(r"\bexample\.(?:com|org|net)\b")
_BEFORE_KEY = 40
_NEAR, _FAR = 2, 4
"""Lines in which a pattern or comment, and an example host, belong to a token."""


def is_shown(content: str, place: tuple[int, int], prefix: str, *, is_proven: bool, is_example: bool) -> bool:
    """Return True if a token is an example.

    Args:
        place: start and end of the token.
        is_proven: its checksum is valid, so that it is or was a real token.
        is_example: it is in a test, an example or documentation.
    """
    start, end = place
    near = content[_line_before(content, start, _NEAR) : _line_after(content, end, 1)]
    is_by_its_pattern = any(match["start"] == prefix[:2] for match in _PATTERN.finditer(near))
    if is_proven:
        return is_by_its_pattern and _EXPIRED.search(near) is not None
    if is_by_its_pattern or _PLACEHOLDER.search(content, max(0, start - _BEFORE_KEY), start):
        return True
    if not is_example:
        return False
    far = content[_line_before(content, start, _FAR) : _line_after(content, end, _FAR)]
    return bool(_NOT_REAL.search(near) or _EXPIRED.search(near) or _EXAMPLE_HOST.search(far))


def _line_before(content: str, offset: int, count: int) -> int:
    """Return the offset at which a number of lines begin, the last of them with an offset."""
    for _ in range(count):
        offset = content.rfind("\n", 0, max(offset, 0))
        if offset < 0:
            return 0
    return offset


def _line_after(content: str, offset: int, count: int) -> int:
    """Return the offset at which a number of lines end, the first of them with an offset."""
    for _ in range(count):
        found = content.find("\n", offset)
        if found < 0:
            return len(content)
        offset = found + 1
    return offset
