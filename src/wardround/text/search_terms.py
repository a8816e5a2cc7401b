"""The words of text and code: whole identifiers, and the words they are made of."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

_TOKEN = re.compile(r"\w+")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_ANY_PART = re.compile(r"[^\W\d_]+|\d+")
_LONGEST = 64
"""Longer runs are data (digests, encoded bytes), not names."""
_STOP_WORDS = """
    a an and are as at be been but by can could did do does for from had has have how i if in into is it its
    of on or should so some such than that the their them then there these this to was we were when which
    will with would you your
"""
_STOP = frozenset(_STOP_WORDS.split())
_VOWEL = re.compile(r"[aeiouy]")


def counted(text: str) -> Counter[str]:
    """How often each word stands in a text: stemmed parts of identifiers, and whole ones of several parts."""
    found: Counter[str] = Counter()
    for token, times in Counter(_TOKEN.findall(text)).items():
        for word in _words_of(token):
            found[word] += times
    return found


def parts(text: str) -> list[str]:
    """The lower-case parts of a text's identifiers in order, neither stemmed nor stopped."""
    return [part for token in _TOKEN.findall(text) if len(token) <= _LONGEST for part in _parts_of(token)]


@lru_cache(maxsize=1 << 16)
def _parts_of(token: str) -> tuple[str, ...]:
    pattern = _PART if token.isascii() else _ANY_PART
    return tuple(part.lower() for part in pattern.findall(token))


@lru_cache(maxsize=1 << 16)
def _words_of(token: str) -> tuple[str, ...]:
    if len(token) > _LONGEST:
        return ()
    pieces = _parts_of(token)
    words = [stem(part) for part in pieces if len(part) > 1 and part not in _STOP]
    if len(pieces) > 1:
        words.append(token.strip("_").lower())
    return tuple(words)


def stem(word: str) -> str:
    """A lower-case word without plural, -ing, -ed and a last e; not a linguist's stem, only a stable one."""
    if len(word) <= 3:
        return word
    word = word[:-3] + "y" if word.endswith("ied") and len(word) > 4 else _singular(word)
    for ending in ("ing", "ed"):
        rest = word.removesuffix(ending)
        if rest != word and len(rest) >= 3 and _VOWEL.search(rest):
            doubled = rest[-1] == rest[-2] and rest[-1] not in "lsz"
            return rest[:-1] if doubled else rest
    return word[:-1] if len(word) > 4 and word.endswith("e") else word


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "zes", "ches", "shes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else word
