"""Intervals of proportions."""

from __future__ import annotations

import pytest

from wardround.rules.intervals import wilson


@pytest.mark.parametrize(
    ("hits", "of", "low", "high"),
    [
        (0, 0, 0.0, 1.0),
        (0, 10, 0.0, 0.2775),
        (10, 10, 0.7225, 1.0),
        (5, 10, 0.2366, 0.7634),
        (1, 100, 0.0018, 0.0545),
    ],
)
def test_the_published_values(hits: int, of: int, low: float, high: float) -> None:
    assert wilson(hits, of) == pytest.approx((low, high), abs=5e-4)
