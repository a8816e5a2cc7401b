"""The words in the names of code and in its strings that are not messages."""

from __future__ import annotations

import re
from functools import lru_cache

from wardround.analyses.criterion.demand import stems
from wardround.lazy import LazyPattern
from wardround.text.tokens import KEYWORDS

_STRING = LazyPattern(r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\\n]|\\.)*`")
_WORD = LazyPattern(r"[a-z]{2,}(?=[\s.,:;!?'\"])|(?<=\s)[a-z]{2,}", re.IGNORECASE)
_MAX_WORDS = 3
"""Maximum number of words of a string that can be a key, a name or an address; a longer one is a message."""
_MODIFIERS = (
    "export", "extends", "function", "implements", "interface", "private", "public", "readonly", "static",
)  # fmt: skip
_KEYWORD = LazyPattern(rf"\b(?:{'|'.join((*sorted(KEYWORDS), *_MODIFIERS))})\b")


@lru_cache(maxsize=50_000)
def blank_messages(code: str) -> str:
    """Return code without the contents of strings that are sentences."""
    return _STRING.sub(_shorten_string, code)


def _shorten_string(match: re.Match[str]) -> str:
    return '""' if len(_WORD.findall(match[0])) > _MAX_WORDS else match[0]


def code_stems(code: str) -> frozenset[str]:
    """Return the stems of the names and short strings of code, keywords aside."""
    return stems(_KEYWORD.sub(" ", blank_messages(code)))
