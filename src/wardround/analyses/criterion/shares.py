"""Minimum shares of the words of a criterion in code and tests."""

from __future__ import annotations

from wardround.analyses.criterion.added_code import AddedCode
from wardround.analyses.criterion.demand import Demand, Literal, covered_words

IMPLEMENTED = 0.5
"""Minimum share of the words in the exercised code, if it contains no name of the criterion."""
PRESENT = 0.75
"""Minimum share of the words of each of several clauses in code and test, or if the test only asserts that
something exists.
"""


def has_clauses(demand: Demand, shown: frozenset[str]) -> bool:
    """Return True if most words of each of several longer clauses are shown."""
    if len(demand.clauses) == 1:
        return True
    longer = (words for words in demand.clauses if len(words) > 1)
    return all(has_share(PRESENT, words, shown) for words in longer)


def has_share(share: float, words: frozenset[str], shown: frozenset[str]) -> bool:
    """Return True if at least a share of some words is shown."""
    return len(covered_words(words, shown)) >= share * len(words)


def is_unread(literal: Literal, code: AddedCode) -> bool:
    """Return True for the name of a parameter, or of its option, that no line reads."""
    return literal.text.lstrip("-").replace("-", "_") in code.unread
