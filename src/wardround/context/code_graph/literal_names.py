"""String literals that have the form of a name, a path or a route."""

from __future__ import annotations

import re

_QUOTED = re.compile(r"[A-Za-z]{0,2}(\"{3}|'{3}|[\"'`])([\w@/.$#:-]{3,120})\1")
_HAS_LETTERS = re.compile(r"[A-Za-z]{2}")


def named_in(literal: str) -> str:
    """Return the text of a literal that can name code, a file, a route, a key or an option; else nothing."""
    match = _QUOTED.fullmatch(literal)
    return match[2] if match is not None and _HAS_LETTERS.search(match[2]) is not None else ""
