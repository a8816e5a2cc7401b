"""From raw scores to probabilities, on the scores of the file that ships and at the rate real history has."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from wardround.errors import TrainingError
from wardround.inference.metadata import Calibration
from wardround_lab.training import conditional_logit
from wardround_lab.training.bootstrap import Flags, Floats, Places

BINS = 10
_POINTS = 64
"""Most points of an isotonic map: more only follow the noise."""
_FEWEST = 20
"""Minimum numbers of correct and of wrong rows for a meaningful map."""
_DIGITS = 6

Method = Literal["platt", "isotonic"]


@dataclass(frozen=True, slots=True)
class Bin:
    """Rows of similar probability: predicted and observed rate."""

    said: float
    right: float
    rows: float


@dataclass(frozen=True, slots=True)
class Reliability:
    """The reliability of probabilities on rows on which they were not fitted.

    Attributes:
        error: expected calibration error: the mean distance of ``said`` and ``right``, by rows; 0 to 1.
        brier: mean squared error of the probability; 0 to 1.
    """

    error: float
    brier: float
    bins: tuple[Bin, ...]


@dataclass(frozen=True, slots=True)
class Calibrated:
    """A map, the probability above which it may be stated, and its reliability on other repositories."""

    calibration: Calibration
    threshold: float
    reliability: Reliability
    alarms: float


def calibrate(
    scores: Floats,
    right: Flags,
    repositories: Sequence[str],
    *,
    method: Method,
    alarm_rate: float,
    model: str,
    weights: Floats | None = None,
) -> Calibrated:
    """Fit on half of the repositories, check on the other half.

    Args:
        scores: scores of the shipped file, shape (rows,); none of the repositories was trained on.
        alarm_rate: the share of wrong rows that may pass the threshold, above 0 and below 1.
        model: SHA-256 of the shipped file.
        weights: number of real rows that each represents, so that the rate is the natural one.

    Raises:
        TrainingError: too few repositories or rows of one class in either part.
    """
    if not 0 < alarm_rate < 1:
        raise TrainingError(f"an alarm rate of {alarm_rate} is not between 0 and 1")
    counts = np.ones(len(right)) if weights is None else weights
    fitted, checked = _halves(repositories)
    fitting = np.isin(np.array(repositories), fitted)
    for side, name in ((fitting, "fitted on"), (~fitting, "checked on")):
        few = min(int((right & side).sum()), int((~right & side).sum()))
        if few < _FEWEST:
            raise TrainingError(
                f"a calibration is {name} {few} rows of the rarer class, and needs {_FEWEST}; mine more "
                "repositories"
            )
    fit = fit_platt if method == "platt" else fit_isotonic
    found = fit(scores[fitting], right[fitting], counts[fitting])
    likely = probability(found, scores)
    wrong = ~right & fitting
    threshold = threshold_for(likely[wrong], alarm_rate, counts[wrong])
    held = reliability(likely[~fitting], right[~fitting], counts[~fitting])
    others = ~right & ~fitting
    calibration = Calibration(
        method=method,
        slope=found.slope,
        bias=found.bias,
        points=found.points,
        items=int(fitting.sum()),
        model=model,
        repositories=fitted,
        checked=checked,
        base_rate=round(float(np.average(right[fitting], weights=counts[fitting])), _DIGITS),
        error=round(held.error, _DIGITS),
        brier=round(held.brier, _DIGITS),
    )
    passed = np.average(likely[others] >= threshold, weights=counts[others])
    return Calibrated(calibration, threshold, held, round(float(passed), _DIGITS))


def fit_platt(scores: Floats, right: Flags, weights: Floats | None = None) -> Calibration:
    """Fit a slope and a bias, since a slope alone cannot correct the rate.

    Source: J. Platt, "Probabilistic Outputs for Support Vector Machines", 1999, without his smoothed targets:
    the ridge keeps separable data finite.
    """
    judge = conditional_logit.fit(scores[:, None], right, weights, ridge=1e-3)
    return Calibration(method="platt", slope=judge.weights[0], bias=judge.bias, items=len(right))


def fit_isotonic(scores: Floats, right: Flags, weights: Floats | None = None) -> Calibration:
    """Fit the best monotone map by pooling adjacent violators, linear in between.

    Source: Ayer et al., "An Empirical Distribution Function for Sampling with Incomplete Information", 1955.
    """
    counts = np.ones(len(right)) if weights is None else weights
    order = np.argsort(scores, kind="stable")
    blocks: list[tuple[float, float, float]] = []  # score * weight, right * weight, weight
    for score, hit, weight in zip(*_merge_ties(scores[order], right[order], counts[order]), strict=True):
        blocks.append((score * weight, hit, weight))
        while len(blocks) > 1 and blocks[-2][1] * blocks[-1][2] >= blocks[-1][1] * blocks[-2][2]:
            last = blocks.pop()
            blocks[-1] = tuple(map(sum, zip(blocks[-1], last, strict=True)))  # type: ignore[assignment]
    points = [(moment / weight, hit / weight) for moment, hit, weight in blocks]
    return Calibration(method="isotonic", points=_thin_points(points), items=len(right))


def probability(calibration: Calibration, scores: Floats) -> Floats:
    """Return the probability of each raw score, 0 to 1."""
    if calibration.method == "platt":
        return conditional_logit.probabilities(calibration.slope * scores + calibration.bias)
    if calibration.method == "isotonic":
        at, likely = zip(*calibration.points, strict=True)
        return np.asarray(np.interp(scores, at, likely), dtype=np.float64)
    raise TrainingError("a model without a calibration has no probabilities; calibrate it first")


def threshold_for(wrong: Floats, alarm_rate: float, weights: Floats | None = None) -> float:
    """Return the lowest value that at most ``alarm_rate`` of the wrong rows reach; above all of them if
    necessary.
    """
    counts = np.ones(len(wrong)) if weights is None else weights
    order = np.argsort(-wrong, kind="stable")
    values, passed = wrong[order], np.cumsum(counts[order])
    last = np.append(np.flatnonzero(np.diff(values)), len(values) - 1)
    allowed = last[passed[last] <= alarm_rate * passed[-1] * (1 + 1e-12)]
    above = (
        values[0]
        if not len(allowed)
        else values[allowed[-1] + 1]
        if allowed[-1] + 1 < len(values)
        else -np.inf
    )
    return float(np.nextafter(above, np.inf)) if np.isfinite(above) else float(values[-1])


def reliability(likely: Floats, right: Flags, weights: Floats | None = None) -> Reliability:
    """Compare predicted with observed rates in equally full bins.

    Source: Guo et al., "On Calibration of Modern Neural Networks", 2017, 2; with equally full bins, since at
    a low rate nearly all rows would share the first of equally wide ones.
    """
    counts = np.ones(len(right)) if weights is None else weights
    order = np.argsort(likely, kind="stable")
    share = np.cumsum(counts[order]) / counts.sum()
    edges = np.unique(likely[order][np.searchsorted(share, np.linspace(0, 1, BINS + 1)[1:-1])])
    of_row: Places = np.searchsorted(edges, likely, side="left")
    bins = []
    for at in range(len(edges) + 1):
        rows = of_row == at
        if rows.any():
            inside = counts[rows]
            reported, hit = np.average(likely[rows], weights=inside), np.average(right[rows], weights=inside)
            bins.append(Bin(float(reported), float(hit), float(inside.sum())))
    total = sum(group.rows for group in bins)
    return Reliability(
        error=sum(group.rows * abs(group.said - group.right) for group in bins) / total,
        brier=float(np.average((likely - right) ** 2, weights=counts)),
        bins=tuple(bins),
    )


def _halves(repositories: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Split the repositories into halves to fit and to check on, by the order of the digests of their
    names.
    """
    names = sorted(set(repositories), key=lambda name: hashlib.sha256(name.lower().encode()).digest())
    if len(names) < 2:
        raise TrainingError(
            "a calibration needs at least two repositories: one to fit on, another to check on"
        )
    half = len(names) // 2
    return tuple(sorted(names[:half])), tuple(sorted(names[half:]))


def _merge_ties(scores: Floats, right: Flags, counts: Floats) -> tuple[list[float], list[float], list[float]]:
    """Merge sorted rows of equal score: the score, the weight of the correct ones, the total weight."""
    starts = np.flatnonzero(np.diff(scores, prepend=np.nan) != 0)
    hits = np.add.reduceat(np.where(right, counts, 0.0), starts)
    return (
        list(map(float, scores[starts])),
        list(map(float, hits)),
        list(map(float, np.add.reduceat(counts, starts))),
    )


def _thin_points(points: Sequence[tuple[float, float]]) -> tuple[tuple[float, float], ...]:
    """Return at most as many points as are significant, ends included, ascending after rounding too."""
    chosen = np.unique(np.linspace(0, len(points) - 1, min(_POINTS, len(points))).round().astype(int))
    retained: list[tuple[float, float]] = []
    for at in chosen:
        score, likely = (round(value, _DIGITS) for value in points[at])
        if not retained or score > retained[-1][0]:
            retained.append((score, likely))
    return tuple(retained)
