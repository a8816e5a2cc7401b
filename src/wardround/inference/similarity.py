"""The similarity of texts to a query: cosines of vectors, and the score combined with cheap evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import mul

from wardround.errors import ModelError
from wardround.inference.metadata import Fusion
from wardround.storage.score_cache import Numbers

COSINE = "cosine"
GRID = 4
"""Decimals of a cosine: rounding differences between CPUs are smaller."""


def cosine(item: Numbers, other: Numbers) -> float:
    """Return the dot product of two unit vectors, on a grid, always summed in the same order."""
    total: float = sum(map(mul, item, other))
    return round(total, GRID)


def fuse(
    fusion: Fusion | None, cosines: Sequence[float], evidence: Sequence[Mapping[str, float]]
) -> list[float]:
    """Return the measured weighted sum, one for each candidate.

    Args:
        evidence: for each candidate the numbers that the fusion names, except for the cosine.

    Raises:
        ModelError: the fusion or some of its numbers are missing.
    """
    if fusion is None or not fusion.names:
        raise ModelError("it was measured without cheap evidence; use its scores")
    if len(evidence) != len(cosines):
        raise ModelError(f"there is evidence for {len(evidence)} of {len(cosines)} candidates")
    try:
        return [
            fusion.bias
            + sum(
                weight * (near if name == COSINE else numbers[name])
                for name, weight in zip(fusion.names, fusion.weights, strict=True)
            )
            for near, numbers in zip(cosines, evidence, strict=True)
        ]
    except (KeyError, ValueError) as cause:
        raise ModelError(f"the evidence lacks {cause}, which the model's fusion names") from cause
