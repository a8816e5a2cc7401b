"""The search terms of text and code: whole identifiers, and the words they are made of."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

from wardround.text.stemming import search_stem
from wardround.text.tokens import parts as parts_of_name

_TOKEN = re.compile(r"\w+")
_ANY_PART = re.compile(r"[^\W\d_]+|\d+")
_LONGEST = 64
"""Longer runs are data (digests, encoded bytes), not names."""
_STOP_WORDS = """
    a an and are as at be been but by can could did do does for from had has have how i if in into is it its
    of on or should so some such than that the their them then there these this to was we were when which
    will with would you your
"""
_STOP = frozenset(_STOP_WORDS.split())


def counted(text: str) -> Counter[str]:
    """Return the count of each word in a text: stemmed parts of identifiers, and composite identifiers."""
    found: Counter[str] = Counter()
    for token, times in Counter(_TOKEN.findall(text)).items():
        for word in _words_of(token):
            found[word] += times
    return found


def parts(text: str) -> list[str]:
    """Return the lower-case parts of a text's identifiers in order, neither stemmed nor stopped."""
    return [part for token in _TOKEN.findall(text) if len(token) <= _LONGEST for part in _parts_of(token)]


@lru_cache(maxsize=1 << 16)
def _parts_of(token: str) -> tuple[str, ...]:
    if token.isascii():
        return tuple(parts_of_name(token))
    return tuple(part.lower() for part in _ANY_PART.findall(token))


@lru_cache(maxsize=1 << 16)
def _words_of(token: str) -> tuple[str, ...]:
    if len(token) > _LONGEST:
        return ()
    pieces = _parts_of(token)
    words = [search_stem(part) for part in pieces if len(part) > 1 and part not in _STOP]
    if len(pieces) > 1:
        words.append(token.strip("_").lower())
    return tuple(words)
