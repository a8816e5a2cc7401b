"""Bootstrap intervals of figures: repositories are resampled, never rows.

Rows of one repository resemble each other, so an interval over rows would be far too narrow. All figures of
one evaluation use the same samples of repositories, so their differences are paired.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from wardround.inference.metadata import Interval

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Places = NDArray[np.int64]

DRAWS = 2000
_DIGITS = 5
"""Number of decimals of a figure: the rest is below the resolution of any evaluation here."""


@dataclass(frozen=True, slots=True, eq=False)
class Figure:
    """A figure and its value in each sample.

    Attributes:
        draws: shape (draws,); for several ways of resampling, (ways, draws).
    """

    value: float
    draws: Floats

    def difference(self, other: Figure) -> Figure:
        """Return how much larger it is than another figure of the same samples."""
        return Figure(self.value - other.value, self.draws - other.draws)

    def interval(self) -> Interval:
        """Return it with the 2.5% and 97.5% quantiles of the samples; of several ways the outermost ends.

        Raises:
            ValueError: it is undefined, such as an AUC without positives.
        """
        ways = [draws[np.isfinite(draws)] for draws in np.atleast_2d(self.draws)]
        if not np.isfinite(self.value) or not all(map(len, ways)):
            raise ValueError("a figure is undefined: one class of answers is missing")
        points = [np.quantile(known, [0.025, 0.975]) for known in ways]
        low, high = min(point[0] for point in points), max(point[1] for point in points)
        ends = min(low, self.value), self.value, max(high, self.value)
        low, value, high = (round(float(end), _DIGITS) + 0.0 for end in ends)
        return Interval(value=value, low=low, high=high)


@dataclass(frozen=True, slots=True, eq=False)
class Repositories:
    """The repository of each row, and its frequency in each sample.

    Attributes:
        names: sorted.
        of_row: shape (rows,), indices into ``names``.
        counts: shape (draws, names): the frequency of each repository; each sample has as many as there are
            names.
    """

    names: tuple[str, ...]
    of_row: Places
    counts: Floats

    @classmethod
    def resample(cls, of_rows: Sequence[str], *, seed: int = 0, draws: int = DRAWS) -> Repositories:
        """Draw with replacement, the same for the same names and seed."""
        names = tuple(sorted(set(of_rows)))
        location = {name: at for at, name in enumerate(names)}
        of_row = np.array([location[name] for name in of_rows], dtype=np.int64)
        return cls(names, of_row, _counts(len(names), seed, draws))

    def mean(self, values: Floats) -> Figure:
        """Return the mean over rows."""
        sums = np.bincount(self.of_row, values, len(self.names))
        sizes = np.bincount(self.of_row, minlength=len(self.names)).astype(np.float64)
        with np.errstate(invalid="ignore"):
            return Figure(float(sums.sum() / sizes.sum()), (self.counts @ sums) / (self.counts @ sizes))

    def auc(self, scores: Floats, right: Flags, *, bins: Places | None = None, weights: Floats | None = None
            ) -> Figure:  # fmt: skip
        """Return the share of pairs of a correct and a wrong row that the score orders, ties count half.

        Args:
            bins: only pairs of the same bin count; all pairs by default.
            weights: the number of rows that each row represents; 1 each by default.
        """
        ordered, pairs = self._pairs(scores, right, bins, weights)
        with np.errstate(invalid="ignore", divide="ignore"):
            value = np.divide(ordered.sum(), pairs.sum())
            draws = _quadratic(self.counts, ordered) / _quadratic(self.counts, pairs)
        return Figure(float(value), draws)

    def drawn_again(self, statistic: Callable[[Floats], float]) -> Figure:
        """Return any figure: ``statistic`` gets the weight of each row, shape (rows,), once for each
        sample.
        """
        value = statistic(np.ones(len(self.of_row)))
        return Figure(value, np.array([statistic(counts[self.of_row]) for counts in self.counts]))

    def _pairs(
        self, scores: Floats, right: Flags, bins: Places | None, weights: Floats | None
    ) -> tuple[Floats, Floats]:
        """Return ordered pairs and all pairs, by the repository of the right and of the wrong row."""
        counts = np.ones(len(right)) if weights is None else weights
        groups = len(self.names)
        ordered, pairs = np.zeros((groups, groups)), np.zeros((groups, groups))
        for rows in _group_by_bin(bins, len(right)):
            positive, negative = rows[right[rows]], rows[~right[rows]]
            found = np.bincount(self.of_row[positive], counts[positive], groups)
            for group in np.unique(self.of_row[negative]):
                wrong = negative[self.of_row[negative] == group]
                below = _weight_below(scores[positive], scores[wrong], counts[wrong])
                ordered[:, group] += np.bincount(self.of_row[positive], counts[positive] * below, groups)
                pairs[:, group] += found * counts[wrong].sum()
        return ordered, pairs


@lru_cache(maxsize=4)
def _counts(names: int, seed: int, draws: int) -> Floats:
    """Return the frequencies of names in each sample, read-only; they depend on the number of names alone.

    Many figures have the same names, and drawing the samples takes most of the time of an interval.
    """
    generator = np.random.Generator(np.random.PCG64(seed))
    counts = generator.multinomial(names, np.full(names, 1 / names), size=draws).astype(np.float64)
    counts.setflags(write=False)
    return counts


@dataclass(frozen=True, slots=True, eq=False)
class ResampledUnits:
    """The units that are resampled for an interval: repositories, or the weeks and the files of one.

    Attributes:
        ways: each resamples other units; an interval covers those of all of them.
    """

    ways: tuple[Repositories, ...]

    @classmethod
    def of(cls, units: Mapping[str, Sequence[str]]) -> ResampledUnits:
        """Kind of unit -> the unit of each row."""
        return cls(tuple(Repositories.resample(of_rows) for of_rows in units.values()))

    def mean(self, values: Floats) -> Figure:
        """Return the mean over rows."""
        found = [way.mean(values) for way in self.ways]
        return (
            found[0]
            if len(found) == 1
            else Figure(found[0].value, np.stack([result.draws for result in found]))
        )


def auc(scores: Floats, right: Flags, weights: Floats | None = None) -> float:
    """Return the share of pairs of a correct and a wrong row that the score orders, ties count half; NaN
    without pairs.
    """
    return binned_auc(scores, right, np.zeros(len(right), dtype=np.int64), weights)


def binned_auc(scores: Floats, right: Flags, bins: Places, weights: Floats | None = None) -> float:
    """Return the same over pairs of equal ``bins``: what the score adds to the bins."""
    counts = np.ones(len(right)) if weights is None else weights
    ordered = pairs = 0.0
    for rows in _group_by_bin(bins, len(right)):
        positive, negative = rows[right[rows]], rows[~right[rows]]
        below = _weight_below(scores[positive], scores[negative], counts[negative])
        ordered += float(counts[positive] @ below)
        pairs += float(counts[positive].sum() * counts[negative].sum())
    return ordered / pairs if pairs else float("nan")


def precision_at_recall(scores: Floats, right: Flags, recall: float, weights: Floats | None = None) -> float:
    """Return the precision at the highest threshold with at least ``recall``.

    Rows of equal score are above it together. NaN if no row is right.
    """
    threshold = threshold_for_recall(scores, right, recall, weights)
    if np.isnan(threshold):
        return threshold
    counts = np.ones(len(right)) if weights is None else weights
    shown = scores >= threshold
    return float(counts[shown & right].sum() / counts[shown].sum())


def threshold_for_recall(scores: Floats, right: Flags, recall: float, weights: Floats | None = None) -> float:
    """Return the highest score with at least ``recall``; NaN if no row is right."""
    counts = np.ones(len(right)) if weights is None else weights
    order = np.argsort(-scores, kind="stable")
    found = np.cumsum(np.where(right, counts, 0.0)[order])
    if not len(found) or found[-1] <= 0:
        return float("nan")
    enough = np.searchsorted(found, recall * found[-1] * (1 - 1e-12))
    return float(scores[order[min(int(enough), len(order) - 1)]])


def precision_recall(
    scores: Floats, right: Flags, weights: Floats | None = None
) -> tuple[Floats, Floats, Floats]:
    """Return (thresholds, precision, recall) for each distinct score, in descending order."""
    counts = np.ones(len(right)) if weights is None else weights
    order = np.argsort(-scores, kind="stable")
    last = np.append(np.flatnonzero(np.diff(scores[order])), len(order) - 1)
    hits = np.cumsum(np.where(right, counts, 0.0)[order])[last]
    return scores[order][last], hits / np.cumsum(counts[order])[last], hits / hits[-1]


def quantile_bins(values: Floats, bins: int) -> Places:
    """Return the 0-based bin of each value, of as many equally full bins as ties allow."""
    edges = np.unique(np.quantile(values, np.linspace(0, 1, bins + 1)[1:-1]))
    return np.searchsorted(edges, values, side="right").astype(np.int64)


def _group_by_bin(bins: Places | None, rows: int) -> list[Places]:
    """Return the rows of each bin."""
    if bins is None:
        return [np.arange(rows)]
    order = np.argsort(bins, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(bins[order])) + 1)


def _weight_below(positive: Floats, negative: Floats, counts: Floats) -> Floats:
    """For each positive the weight of the negatives below it, those of the same score half."""
    order = np.argsort(negative, kind="stable")
    sums = np.concatenate([[0.0], np.cumsum(counts[order])])
    sorted_scores = negative[order]
    under = sums[np.searchsorted(sorted_scores, positive, side="left")]
    answer: Floats = (under + sums[np.searchsorted(sorted_scores, positive, side="right")]) / 2
    return answer


def _quadratic(counts: Floats, matrix: Floats) -> Floats:
    """Return each row of ``counts`` on both sides of the matrix."""
    answer: Floats = np.einsum("dg,gh,dh->d", counts, matrix, counts, optimize=True)
    return answer
