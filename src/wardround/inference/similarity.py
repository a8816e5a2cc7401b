"""How close texts are to a query: cosines of vectors, and the score that joins them with cheap evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import mul

from wardround.errors import ModelError
from wardround.inference.metadata import Fusion
from wardround.storage.score_cache import Numbers

COSINE = "cosine"
GRID = 4
"""Decimals of a cosine: what two CPUs may round differently is smaller."""


def cosine(one: Numbers, other: Numbers) -> float:
    """The dot product of two unit vectors, on a grid, always summed in the same order."""
    total: float = sum(map(mul, one, other))
    return round(total, GRID)


def fused(
    fusion: Fusion | None, cosines: Sequence[float], evidence: Sequence[Mapping[str, float]]
) -> list[float]:
    """The weighted sum that was measured, one for each candidate.

    Args:
        evidence: for each candidate what the fusion names, but for the cosine.

    Raises:
        ModelError: there is no fusion, or none of something that it names.
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
