"""Which of many words stand in a text: asked of every text for every check, so it has to be cheap."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache

_BREAKS = {code: " " for code in range(128) if not (chr(code).isalnum() or chr(code) == "_")}


class KeywordIndex:
    """What a text says, each thing once: a text repeats itself, and a tenth of it says it all."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def tokens(self) -> str:
        """What stands between white space, in no order."""
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
        """Whether the text holds a word, as ``word in text`` says it."""
        return word in (self.text if _has_gap(word) else self.tokens)

    def contains_any(self, words: Iterable[str]) -> bool:
        return any(map(self.has, words))


_LONG = 65_536


def keyword_index(text: str) -> KeywordIndex:
    """What a text says; the same for all who ask about one of usual length soon after one another."""
    return _kept(text) if len(text) < _LONG else KeywordIndex(text)


@lru_cache(maxsize=512)
def _kept(text: str) -> KeywordIndex:
    return KeywordIndex(text)


class KeywordMatcher:
    """Hundreds of words that text after text is asked for, most of which it does not hold.

    A word is looked for among the names of a text by the longest name in it, and only what that does not rule
    out is searched for.
    """

    def __init__(self, words: Iterable[str]) -> None:
        self._by_name: dict[str, list[str]] = {}
        for word in words:
            self._by_name.setdefault(_longest_name(word), []).append(word)

    def matches(self, said: KeywordIndex) -> Iterator[str]:
        """The words the text holds."""
        names = said.names
        for name in [one for one in self._by_name if one in names]:
            yield from filter(said.has, self._by_name[name])


def _has_gap(word: str) -> bool:
    """Whether a word reaches over white space."""
    return " " in word or not word.isprintable()


def _longest_name(word: str) -> str:
    """The longest run of letters, digits and underscores in a word; empty if there is none."""
    return word if word.isidentifier() else max(re.findall(r"\w+", word), key=len, default="")
