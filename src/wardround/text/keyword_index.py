"""The index of the words in a text, cheap because every check matches its words against every text."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from functools import cached_property, lru_cache

_BREAKS = {code: " " for code in range(128) if not (chr(code).isalnum() or chr(code) == "_")}


class KeywordIndex:
    """The distinct tokens of a text, about a tenth of its length."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def token_set(self) -> Set[str]:
        """The tokens between white space."""
        return set(self.text.split())

    @cached_property
    def tokens(self) -> str:
        """The tokens between white space, in no order."""
        return " ".join(self.token_set)

    @cached_property
    def in_lower_case(self) -> KeywordIndex:
        lowered = KeywordIndex(self.text.lower())
        lowered.tokens = self.tokens.lower()
        lowered.token_set = set(lowered.tokens.split(" "))
        return lowered

    def has(self, word: str) -> bool:
        """Return True if the text contains a substring; equivalent to ``word in text``."""
        return word in (self.text if _has_gap(word) else self.tokens)

    def contains_any(self, words: Iterable[str]) -> bool:
        return any(map(self.has, words))


_LONG = 65_536
_START = 3
"""Number of characters at the start of a word by which it is found at a position of a token."""
_TOKENS_KEPT = 8192


def keyword_index(text: str) -> KeywordIndex:
    """Return the index of a text, shared by all callers if the text is used soon again."""
    return _cached_index(text) if len(text) < _LONG else _long_tokens(text)


@lru_cache(maxsize=512)
def _cached_index(text: str) -> KeywordIndex:
    return KeywordIndex(text)


@lru_cache(maxsize=2)
def _long_tokens(text: str) -> KeywordIndex:
    return KeywordIndex(text)


class KeywordMatcher:
    """Matches hundreds of words against many texts; a text contains few of them.

    The texts of a project share most of their tokens, so the words in each token are only searched once. A
    word that spans white space is searched in the text if a token contains its longest part.
    """

    def __init__(self, words: Collection[str]) -> None:
        self._parts: dict[str, list[str]] = {}
        for word in words:
            self._parts.setdefault(_longest_part(word), []).append(word)
        self._short = [part for part in self._parts if len(part) < _START]
        self._by_start: dict[str, list[str]] = {}
        for part in self._parts:
            if len(part) >= _START:
                self._by_start.setdefault(part[:_START], []).append(part)
        self._by_name: dict[str, list[str]] = {}
        for part in self._parts:
            self._by_name.setdefault(_longest_name(part), []).append(part)
        self._with: dict[str, list[str]] = {}
        self._without: set[str] = set()

    def matches(self, index: KeywordIndex) -> Iterator[str]:
        """Return the words that the text contains."""
        for part in self._words_in(index):
            for word in self._parts[part]:
                if word == part or word in index.text:
                    yield word

    def matches_any(self, index: KeywordIndex) -> bool:
        """Return True if the text contains one of the words."""
        if len(index.text) >= _LONG:  # one of many words is found at once
            return index.contains_any(word for words in self._parts.values() for word in words)
        return next(self.matches(index), None) is not None

    def _words_in(self, index: KeywordIndex) -> Set[str]:
        """Return the parts that a token contains."""
        found = {part for part in self._short if part in index.tokens}
        tokens = index.token_set - self._without
        for token in tokens & self._with.keys():
            found.update(self._with[token])
        new = tokens - self._with.keys()
        if new:
            text = " ".join(new)
            parts = [part for part in self._candidates(text) if part in text]
            found.update(parts)
            self._index_tokens(new, parts)
        return found

    def _candidates(self, text: str) -> Iterable[str]:
        """Return the parts that a text may contain: by their first characters, or by their names."""
        if len(text) >= _LONG:
            names = " ".join(set(text.translate(_BREAKS).split()))
            return [part for name, parts in self._by_name.items() if name in names for part in parts]
        starts = {text[at : at + _START] for at in range(len(text))}
        return [part for start in starts & self._by_start.keys() for part in self._by_start[start]]

    def _index_tokens(self, tokens: Set[str], parts: Sequence[str]) -> None:
        """Record which of the parts each of some tokens contains."""
        if len(tokens) > _TOKENS_KEPT:
            return
        if len(self._with) + len(self._without) + len(tokens) > _TOKENS_KEPT:
            self._with.clear()
            self._without.clear()
        for token in tokens:
            inside = [part for part in parts if part in token]
            if inside:
                self._with[token] = inside
        self._without |= tokens - self._with.keys()


@lru_cache(maxsize=4096)
def _has_gap(word: str) -> bool:
    """Return True if a word spans white space."""
    return " " in word or not word.isprintable()


def _longest_name(part: str) -> str:
    """Return the longest run of letters, digits and underscores in a part; empty if there is none."""
    return part if part.isidentifier() else max(re.findall(r"\w+", part), key=len, default="")


def _longest_part(word: str) -> str:
    """Return the longest part of a word without white space; empty if there is none."""
    return max(word.split(), key=len, default="")
