"""The search terms of text and code: complete identifiers, and the words that they consist of."""

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


def count_words(text: str) -> Counter[str]:
    """Return the count of each word in a text: stemmed parts of identifiers, and composite identifiers."""
    found: Counter[str] = Counter()
    for token, times in Counter(_TOKEN.findall(text)).items():
        for word in _terms_of(token):
            found[word] += times
    return found


def parts(text: str) -> list[str]:
    """Return the lower-case parts of a text's identifiers in order, without stemming and stop word
    removal.
    """
    return [part for token in _TOKEN.findall(text) if len(token) <= _LONGEST for part in _split_token(token)]


@lru_cache(maxsize=1 << 16)
def _split_token(token: str) -> tuple[str, ...]:
    if token.isascii():
        return tuple(parts_of_name(token))
    return tuple(part.lower() for part in _ANY_PART.findall(token))


@lru_cache(maxsize=1 << 16)
def _terms_of(token: str) -> tuple[str, ...]:
    if len(token) > _LONGEST:
        return ()
    pieces = _split_token(token)
    words = [search_stem(part) for part in pieces if len(part) > 1 and part not in _STOP]
    if len(pieces) > 1:
        words.append(token.strip("_").lower())
    return tuple(words)
