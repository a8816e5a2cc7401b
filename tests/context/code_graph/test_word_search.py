"""Symbols are found by the rare words that they share with other code."""

from __future__ import annotations

from tests.context.code_graph.conftest import GraphOf
from wardround.text.search_terms import count_words

CODE = {
    "a.py": "def slug_of(title):\n    return title.lower()\n\ndef rate_of(currency):\n    return currency\n",
    "b.py": "def slug_and_rate(title, currency, more):\n    return more(title, currency, more, more, more)\n",
}


def names(graph_of: GraphOf, words: str, limit: int = 5) -> list[str]:
    return [word.name for word in graph_of(CODE).symbols_with_words(count_words(words), limit)]


def test_the_symbol_with_most_of_the_words_is_the_first(graph_of: GraphOf) -> None:
    assert names(graph_of, "slug title currency rate")[0] == "slug_and_rate"
    assert names(graph_of, "slug lower")[0] == "slug_of"


def test_of_two_symbols_with_the_same_words_the_shorter_is_the_first(graph_of: GraphOf) -> None:
    assert names(graph_of, "currency") == ["rate_of", "slug_and_rate"]
    assert names(graph_of, "currency", limit=1) == ["rate_of"]


def test_unknown_words_and_keywords_find_nothing(graph_of: GraphOf) -> None:
    assert names(graph_of, "unheard return def") == []
