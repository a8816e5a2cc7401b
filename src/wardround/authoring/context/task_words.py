"""The search terms of a task, and the words of its text that they come from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from wardround.lazy import LazyPattern
from wardround.retrieval.documents import query_text
from wardround.text.search_terms import count_words, parts
from wardround.text.stemming import search_stem

_WORD = LazyPattern(r"\w+")
_SHORTEST = 3
_MOST = 4


class TaskWords:
    """The words of a task.

    Attributes:
        text: without prefix, trailers and addresses.
        terms: the search terms in it, with their counts.
    """

    def __init__(self, query: str) -> None:
        self.text = query_text(query)
        self.terms: Counter[str] = count_words(self.text)
        self._title = count_words(self.text.split("\n", 1)[0]).keys()
        self._words: dict[str, str] = {}
        for word in _WORD.findall(self.text):
            self._words.setdefault(word.strip("_").lower(), word)
            for part in parts(word):
                self._words.setdefault(search_stem(part), part)

    def shared_with(self, text: str) -> set[str]:
        """Return the terms that a text has, too, without short ones."""
        return {term for term in self.terms.keys() & count_words(text).keys() if len(term) >= _SHORTEST}

    def reason(self, terms: Iterable[str]) -> str:
        """Return the reason that names shared terms as the task has them; empty without any.

        Args:
            terms: the rarest first; those of the title precede the others.
        """
        order = sorted(terms, key=lambda term: term not in self._title)
        words = dict.fromkeys(self._words.get(term, term) for term in order)
        first = list(words)[:_MOST]
        return f"shares {', '.join(first)} with the task" if first else ""
