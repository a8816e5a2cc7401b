"""How probable each operator is, by the way in which the failing test ends."""

from __future__ import annotations

from collections.abc import Mapping

from wardround.authoring.repair.failure_kind import FailureKind

DEFAULT_WEIGHT = 0.5
WEIGHTS: Mapping[str, tuple[float, float, float]] = {}
"""Operator -> weights for an exception, a wrong value, and an exception that was not raised."""
EXCEPTION_FACTORS: Mapping[str, Mapping[str, float]] = {}

_COLUMNS = {FailureKind.EXCEPTION: 0, FailureKind.WRONG_VALUE: 1, FailureKind.NOT_RAISED: 2}


def weight_of(operator: str, kind: FailureKind, exception: str) -> float:
    """Return the weight of an operator; only the ratio of two weights has a meaning."""
    weights = WEIGHTS.get(operator)
    base = DEFAULT_WEIGHT if weights is None else weights[_COLUMNS[kind]]
    return base * EXCEPTION_FACTORS.get(exception, {}).get(operator, 1.0)
