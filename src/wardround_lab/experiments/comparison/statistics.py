"""Intervals of means over instances, and paired tests."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
from scipy import stats

from wardround.inference.metadata import Interval
from wardround_lab.training.bootstrap import Repositories

_SEED = 0
_PERMUTATIONS = 9_999


class PairedDifference(msgspec.Struct, frozen=True):
    """The difference of the means of paired values.

    Attributes:
        interval: of 95%, by bootstrap over the groups of the pairs.
        p: two-sided, of a permutation test that exchanges the values of a pair.
    """

    interval: Interval
    p: float
    pairs: int


def mean_interval(values: Sequence[float], groups: Sequence[str]) -> Interval:
    """Return a mean with its interval of 95% by bootstrap.

    Args:
        groups: the resampled unit of each value: its instance, or its repository.
    """
    return Repositories.resample(groups, seed=_SEED).mean(np.array(values, np.float64)).interval()


def paired_difference(
    values: Sequence[float], others: Sequence[float], groups: Sequence[str]
) -> PairedDifference:
    """Return how much larger values are than others of the same instances, in the same order."""
    differences = np.array(values, np.float64) - np.array(others, np.float64)
    interval = Repositories.resample(groups, seed=_SEED).mean(differences).interval()
    return PairedDifference(interval, _permutation_p(differences), len(differences))


def _permutation_p(differences: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
    if not differences.any() or len(differences) == 1:  # one pair has two equally extreme assignments
        return 1.0
    zeros = np.zeros_like(differences)
    result = stats.permutation_test(
        (differences, zeros),
        lambda left, right, axis: np.mean(left - right, axis=axis),
        permutation_type="samples",
        n_resamples=_PERMUTATIONS,
        vectorized=True,
        rng=np.random.default_rng(_SEED),
    )
    return float(result.pvalue)


def holm_p_values(values: Sequence[float]) -> list[float]:
    """Return p values adjusted for their number.

    Source: S. Holm, "A Simple Sequentially Rejective Multiple Test Procedure", 1979.
    """
    order = sorted(range(len(values)), key=lambda at: values[at])
    result = [1.0] * len(values)
    largest = 0.0
    for rank, at in enumerate(order):
        largest = max(largest, min(1.0, values[at] * (len(values) - rank)))
        result[at] = largest
    return result
