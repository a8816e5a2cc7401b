"""Several opinions on the same candidates made into one order."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

FEWEST = 5
"""Below this many candidates a mean and a spread mean nothing."""


def standardised(scores: Sequence[float]) -> list[float]:
    """Scores in standard deviations from their mean; all 0 where they do not differ.

    Sums are exact, so that the order of the candidates changes nothing.
    """
    mean = math.fsum(scores) / max(len(scores), 1)
    spread = math.sqrt(math.fsum((score - mean) ** 2 for score in scores) / max(len(scores), 1))
    if spread < 1e-9:
        return [0.0] * len(scores)
    return [(score - mean) / spread for score in scores]


def fused(lexical: Sequence[float], *others: Sequence[float]) -> list[float]:
    """The sum of standardised scores; the lexical ones alone, as they are, for too few candidates."""
    if len(lexical) < FEWEST:
        return list(lexical)
    return [math.fsum(column) for column in zip(*map(standardised, (lexical, *others)), strict=True)]


def weighted_sum(columns: Mapping[str, Sequence[float]], weights: Mapping[str, float]) -> list[float]:
    """The weighed sum of standardised scores; for too few candidates those of ``words`` as they are."""
    if len(columns["words"]) < FEWEST:
        return list(columns["words"])
    weighed = [[weights[name] * score for score in standardised(scores)] for name, scores in columns.items()]
    return [math.fsum(column) for column in zip(*weighed, strict=True)]
