"""Fusion of the scores of several rankers into one order."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

FEWEST = 5
"""Below this many candidates a mean and a spread are meaningless."""


def standardise(scores: Sequence[float]) -> list[float]:
    """Return scores in standard deviations from their mean; all 0 if they do not differ.

    Sums are exact, so that the order of the candidates has no effect.
    """
    mean = math.fsum(scores) / max(len(scores), 1)
    spread = math.sqrt(math.fsum((score - mean) ** 2 for score in scores) / max(len(scores), 1))
    if spread < 1e-9:
        return [0.0] * len(scores)
    return [(score - mean) / spread for score in scores]


def fuse(lexical: Sequence[float], *others: Sequence[float]) -> list[float]:
    """Return the sum of standardised scores; for too few candidates the raw lexical ones."""
    if len(lexical) < FEWEST:
        return list(lexical)
    return [math.fsum(column) for column in zip(*map(standardise, (lexical, *others)), strict=True)]


def weighted_sum(columns: Mapping[str, Sequence[float]], weights: Mapping[str, float]) -> list[float]:
    """Return the weighted sum of standardised scores; for too few candidates the raw ones of ``words``."""
    if len(columns["words"]) < FEWEST:
        return list(columns["words"])
    weighed = [[weights[name] * score for score in standardise(scores)] for name, scores in columns.items()]
    return [math.fsum(column) for column in zip(*weighed, strict=True)]
