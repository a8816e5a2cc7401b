"""String literals that have the form of a name, a path or a route."""

from __future__ import annotations

import re

_QUOTED = re.compile(r"[A-Za-z]{0,2}(\"{3}|'{3}|[\"'`])([\w@/.$#:-]{3,120})\1")
_HAS_LETTERS = re.compile(r"[A-Za-z]{2}")
_TOKEN = re.compile(r"[\w@.$#:-]{10,}")
"""A long literal without a slash may be a secret, which the store must not contain, if it has digits."""
_FEW_DIGITS = 2
_LONG = 20


def named_in(literal: str) -> str:
    """Return the string of a literal that can name code, a file, a route, a key or an option; else
    nothing.
    """
    match = _QUOTED.fullmatch(literal)
    if match is None or _HAS_LETTERS.search(match[2]) is None or may_be_secret(match[2]):
        return ""
    return match[2]


def may_be_secret(text: str) -> bool:
    """Return True for a word with many digits, or a long one with any."""
    return any(_is_random(token) for token in _TOKEN.findall(text))


def _is_random(token: str) -> bool:
    digits = sum(map(str.isdigit, token))
    return digits > _FEW_DIGITS or (digits > 0 and len(token) >= _LONG)
