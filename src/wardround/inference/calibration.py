"""Conversion of raw scores to probabilities, by a model's metadata."""

from __future__ import annotations

import math
from bisect import bisect_right

from wardround.inference.metadata import Calibration


def probability(calibration: Calibration, score: float) -> float:
    """Return the probability of a raw score, 0 to 1; without a calibration the score itself, clipped."""
    if calibration.method == "platt":
        return _logistic(calibration.slope * score + calibration.bias)
    if calibration.method == "isotonic" and calibration.points:
        return _interpolate(calibration.points, score)
    return min(max(score, 0.0), 1.0)


def _logistic(value: float) -> float:
    """1 / (1 + exp(-value)), without overflow for large absolute values."""
    if value >= 0:
        return 1.0 / (1.0 + math.exp(-value))
    small = math.exp(value)
    return small / (1.0 + small)


def _interpolate(points: tuple[tuple[float, float], ...], score: float) -> float:
    """Interpolate linearly between the points, constant before the first and after the last."""
    at = bisect_right(points, score, key=lambda point: point[0])
    if at == 0:
        return points[0][1]
    if at == len(points):
        return points[-1][1]
    (left, low), (right, high) = points[at - 1], points[at]
    return low + (high - low) * (score - left) / (right - left)
