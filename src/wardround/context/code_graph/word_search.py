"""The search for symbols of a tree by the words of other code."""

from __future__ import annotations

from collections.abc import Mapping

from wardround.context.code_graph.model import Symbol
from wardround.context.code_graph.tree_facts import TreeFacts
from wardround.retrieval import bm25
from wardround.text.tokens import KEYWORDS

_MOST_TERMS = 40
"""Search terms that are searched, the longest: they are the rarest."""
_SYMBOLS = 10
"""Symbols of a file, on average."""
_COMMON = 0.1
"""The share of symbols with a term, above which it is not evidence."""
_MOST_WEIGHED = 200
"""Symbols whose length is considered, those with the most rare terms."""


def symbols_with_words(tree: TreeFacts, words: Mapping[str, int], limit: int) -> list[Symbol]:
    """Return the symbols that share the most rare words with other code, the best first.

    Of two symbols with the same words the shorter one ranks higher.
    """
    found: dict[tuple[str, int], float] = {}
    symbols = _SYMBOLS * max(len(tree.files), 1)
    for term in sorted(set(words) - KEYWORDS, key=lambda word: (-len(word), word))[:_MOST_TERMS]:
        rows = tree.symbols_with_word(term)
        if 0 < len(rows) <= max(_COMMON * symbols, 1):
            weight = bm25.idf(symbols, len(rows))
            for row in rows:
                found[row] = found.get(row, 0.0) + weight
    first = sorted(found, key=lambda row: (-found[row], row))[:_MOST_WEIGHED]
    sized = [(tree.outline(path).symbols[number], found[path, number]) for path, number in first]
    average = sum(symbol.size for symbol, _ in sized) / max(len(sized), 1) or 1.0
    scores = {symbol: weight * bm25.term_weight(1, symbol.size, average) for symbol, weight in sized}
    return sorted(scores, key=lambda score: (-scores[score], score))[:limit]
