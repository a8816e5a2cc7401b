"""The index of the words in a text, cheap because every check matches its words against every text."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from functools import cached_property, lru_cache

_BREAKS = {code: " " for code in range(128) if not (chr(code).isalnum() or chr(code) == "_")}


class KeywordIndex:
    """The distinct tokens and names of a text, about a tenth of its length."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def tokens(self) -> str:
        """The tokens between white space, in no order."""
        return " ".join(set(self.text.split()))

    @cached_property
    def names(self) -> str:
        """The names in it, in no order."""
        return " ".join(set(self.tokens.translate(_BREAKS).split()))

    @cached_property
    def in_lower_case(self) -> KeywordIndex:
        lowered = KeywordIndex(self.text.lower())
        lowered.tokens = self.tokens.lower()
        return lowered

    def has(self, word: str) -> bool:
        """Return True if the text contains a substring; equivalent to ``word in text``."""
        return word in (self.text if _has_gap(word) else self.tokens)

    def contains_any(self, words: Iterable[str]) -> bool:
        return any(map(self.has, words))


_LONG = 65_536


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

    A word is first searched among the names of a text, by the longest name in the word. A word that is a name
    needs no more; of the others, only those that this does not exclude are searched in the text.
    """

    def __init__(self, words: Collection[str]) -> None:
        self._longer: dict[str, list[str]] = {}
        for word in words:
            name = _longest_name(word)
            longer = self._longer.setdefault(name, [])
            if word != name:
                longer.append(word)
        self._names = frozenset(words).intersection(self._longer)

    def matches(self, said: KeywordIndex) -> Iterator[str]:
        """Return the words that the text contains."""
        names = said.names
        for name in [one for one in self._longer if one in names]:
            if name in self._names:
                yield name
            yield from filter(said.has, self._longer[name])


@lru_cache(maxsize=4096)
def _has_gap(word: str) -> bool:
    """Return True if a word spans white space."""
    return " " in word or not word.isprintable()


def _longest_name(word: str) -> str:
    """Return the longest run of letters, digits and underscores in a word; empty if there is none."""
    return word if word.isidentifier() else max(re.findall(r"\w+", word), key=len, default="")
