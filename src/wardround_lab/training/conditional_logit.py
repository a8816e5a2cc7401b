"""Logistic regression by Newton's method: the baseline a model must beat, and the fusion of both.

``fit`` scores rows independently; ``fit_choices`` scores which row of a question is right, so that features
shared by all rows of a question (a long query, a common word) do not affect the weights.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Places = NDArray[np.int64]

RIDGE = 1.0
"""Penalty on squared weights of standardised columns: it keeps separable data finite."""
_STEPS = 60
_CLOSE = 1e-9
_DIGITS = 9
"""Number of decimals: the last bits differ between processors."""


@dataclass(frozen=True, slots=True)
class Logistic:
    """Weights for the raw columns, not standardised ones."""

    weights: tuple[float, ...]
    bias: float

    def scores(self, rows: Floats) -> Floats:
        """Return the log-odds, shape (rows,)."""
        answer: Floats = rows @ np.asarray(self.weights, dtype=np.float64) + self.bias
        return answer


def fit(rows: Floats, right: Flags, weights: Floats | None = None, ridge: float = RIDGE) -> Logistic:
    """Return the most likely weights under the penalty; the same for the same data.

    Args:
        rows: shape (rows, columns), finite; a constant column gets weight 0.
        right: shape (rows,); both classes must occur.
        weights: weight of each row; 1 each by default.

    Raises:
        ValueError: a class is missing, or a number is not finite.
    """
    if right.all() or not right.any():
        raise ValueError("all rows are of one class, so nothing can be fitted")
    if not np.isfinite(rows).all():
        raise ValueError("a feature is not a finite number")
    counts = np.ones(len(rows)) if weights is None else weights
    mean = np.average(rows, axis=0, weights=counts)
    spread = np.sqrt(np.average((rows - mean) ** 2, axis=0, weights=counts))
    scale = np.where(spread > _CLOSE, spread, np.inf)
    found = _newton(np.column_stack([np.ones(len(rows)), (rows - mean) / scale]), right, counts, ridge)
    slopes = found[1:] / scale
    return Logistic(
        tuple(round(float(slope), _DIGITS) for slope in slopes),
        round(float(found[0] - slopes @ mean), _DIGITS),
    )


def fit_choices(rows: Floats, right: Flags, starts: Places, ridge: float = RIDGE) -> Logistic:
    """Return the weights that maximise the likelihood of the right rows of each question.

    Args:
        rows: shape (rows, columns), finite; a column that is constant within every question gets weight 0.
        right: shape (rows,); each question has both classes.
        starts: the first row of each question, ascending.

    Raises:
        ValueError: a number is not finite.

    Source: D. McFadden, "Conditional Logit Analysis of Qualitative Choice Behavior", 1974; each correct row
        of a question is a separate choice.
    """
    if not np.isfinite(rows).all():
        raise ValueError("a feature is not a finite number")
    sizes = np.diff(np.append(starts, len(rows)))
    centred = rows - np.repeat(np.add.reduceat(rows, starts) / sizes[:, None], sizes, axis=0)
    spread = np.sqrt((centred**2).mean(axis=0))
    scale = np.where(spread > _CLOSE, spread, np.inf)
    found = _newton_choices(centred / scale, right, starts, sizes, ridge) / scale
    return Logistic(tuple(round(float(slope), _DIGITS) for slope in found), 0.0)


def probabilities(log_odds: Floats) -> Floats:
    """Return each value as a probability, without overflow."""
    answer: Floats = 0.5 * (1 + np.tanh(0.5 * log_odds))
    return answer


def _newton(design: Floats, right: Flags, counts: Floats, ridge: float) -> Floats:
    penalty = np.full(design.shape[1], ridge)
    penalty[0] = 1e-6
    found = np.zeros(design.shape[1])
    loss = _loss(design @ found, right, counts, penalty, found)
    for _ in range(_STEPS):
        likely = probabilities(design @ found)
        slope = design.T @ (counts * (likely - right)) + penalty * found
        curve = design.T @ (design * (counts * likely * (1 - likely))[:, None]) + np.diag(penalty)
        step = np.linalg.solve(curve, slope)
        while (tried := _loss(design @ (found - step), right, counts, penalty, found - step)) > loss + _CLOSE:
            step = step / 2
        found, loss = found - step, tried
        if np.abs(step).max() < _CLOSE:
            break
    return found


def _newton_choices(columns: Floats, right: Flags, starts: Places, sizes: Places, ridge: float) -> Floats:
    chosen = np.add.reduceat(right, starts, dtype=np.float64)
    expected = columns[right].sum(axis=0)

    def look(at: Floats) -> tuple[float, Floats]:
        """Return the loss, and the probability of each row within its question."""
        scores = columns @ at
        scores = scores - np.repeat(np.maximum.reduceat(scores, starts), sizes)
        raised = np.exp(scores)
        sums = np.add.reduceat(raised, starts)
        loss = float(chosen @ np.log(sums) - scores[right].sum() + 0.5 * ridge * at @ at)
        return loss, raised / np.repeat(sums, sizes)

    found = np.zeros(columns.shape[1])
    loss, likely = look(found)
    for _ in range(_STEPS):
        weighed = columns * (likely * np.repeat(chosen, sizes))[:, None]
        slope = weighed.sum(axis=0) - expected + ridge * found
        means = np.add.reduceat(columns * likely[:, None], starts)
        curve = columns.T @ weighed - means.T @ (means * chosen[:, None]) + ridge * np.eye(len(found))
        step = np.linalg.solve(curve, slope)
        while (tried := look(found - step))[0] > loss + _CLOSE:
            step = step / 2
        found, (loss, likely) = found - step, tried
        if np.abs(step).max() < _CLOSE:
            break
    return found


def _loss(log_odds: Floats, right: Flags, counts: Floats, penalty: Floats, at: Floats) -> float:
    misfit = np.logaddexp(0, np.where(right, -log_odds, log_odds))
    return float(counts @ misfit + 0.5 * penalty @ at**2)
