"""The index of the words in a text, cheap because every check matches its words against every text."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from functools import cached_property, lru_cache

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
        """Return True if the text contains one of some words; pass many as a tuple, which is indexed once."""
        if isinstance(words, tuple) and len(words) >= _MANY_WORDS:
            return _matcher(words).matches_any(self)
        return any(map(self.has, words))


_LONG = 65_536
_MANY_WORDS = 4
"""From this number on, an index of the words pays."""
_START = 3
"""The number of characters by which words are looked up at each position of a token."""
_LONG_TOKEN = 64
"""A longer token is data, which no other text contains."""
_TOKENS_KEPT = 8192


def keyword_index(text: str) -> KeywordIndex:
    """Return the index of a text, shared by all callers if the text has a usual length and is used soon
    again.
    """
    return _kept(text) if len(text) < _LONG else KeywordIndex(text)


@lru_cache(maxsize=512)
def _kept(text: str) -> KeywordIndex:
    return KeywordIndex(text)


class KeywordMatcher:
    """Matches hundreds of words against many texts; a text contains few of them.

    The texts of a project share most of their tokens, so the words in each token are searched for once. A word
    that spans white space is searched for in the text if a token contains the longest part of it.
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
        self._known: dict[str, tuple[str, ...]] = {}
        self._without: set[str] = set()

    def matches(self, index: KeywordIndex) -> Iterator[str]:
        """Return the words that the text contains."""
        for part in self._parts_in(index):
            for word in self._parts[part]:
                if word == part or word in index.text:
                    yield word

    def matches_any(self, index: KeywordIndex) -> bool:
        """Return True if the text contains one of the words."""
        return next(self.matches(index), None) is not None

    def _parts_in(self, index: KeywordIndex) -> Set[str]:
        """Return the parts that a token contains."""
        found = {part for part in self._short if part in index.tokens}
        long_tokens = []
        for token in index.token_set - self._without:
            if len(token) > _LONG_TOKEN:
                long_tokens.append(token)
            else:
                found.update(self._parts_in_token(token))
        if long_tokens:
            text = " ".join(long_tokens)
            found.update(part for parts in self._by_start.values() for part in parts if part in text)
        return found

    def _parts_in_token(self, token: str) -> Sequence[str]:
        known = self._known.get(token)
        if known is None:
            known = tuple(
                part
                for at in range(len(token) - _START + 1)
                for part in self._by_start.get(token[at : at + _START], ())
                if token.startswith(part, at)
            )
            self._keep(token, known)
        return known

    def _keep(self, token: str, parts: tuple[str, ...]) -> None:
        if len(self._known) + len(self._without) >= _TOKENS_KEPT:
            self._known.clear()
            self._without.clear()
        if parts:
            self._known[token] = parts
        else:
            self._without.add(token)


@lru_cache(maxsize=256)
def _matcher(words: tuple[str, ...]) -> KeywordMatcher:
    return KeywordMatcher(words)


@lru_cache(maxsize=4096)
def _has_gap(word: str) -> bool:
    """Return True if a word spans white space."""
    return " " in word or not word.isprintable()


def _longest_part(word: str) -> str:
    """Return the longest part of a word without white space; empty if there is none."""
    return max(word.split(), key=len, default="")
