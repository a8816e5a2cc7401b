"""Which of many words stand in a text: asked of every text for every check, so it has to be cheap."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

_BREAKS = {code: " " for code in range(128) if not (chr(code).isalnum() or chr(code) == "_")}


class WordsIn:
    """A text that is asked for hundreds of words, most of which it does not hold.

    A text says the same names again and again. The names are taken out once, and a word is looked for among
    them first; the text itself is searched only for what they do not rule out.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._names = " ".join(set(text.translate(_BREAKS).split()))
        self._known: dict[str, bool] = {}

    def has(self, word: str) -> bool:
        """Whether the text holds a word, as ``word in text`` says it."""
        found = self._known.get(word)
        if found is None:
            name = _longest_name(word)
            found = self._known[word] = name in self._names and (name == word or word in self._text)
        return found

    def has_one(self, words: Iterable[str]) -> bool:
        """Whether it holds one of some words."""
        return any(map(self.has, words))


@cache
def _longest_name(word: str) -> str:
    """The longest run of letters, digits and underscores in a word; empty if there is none."""
    return max(re.findall(r"\w+", word), key=len, default="")
