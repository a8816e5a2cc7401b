"""A chart of values with their intervals, one below the other, as HTML in the colours of the page."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from markupsafe import Markup

from wardround.inference.metadata import Interval
from wardround_lab.dashboard.markup import render
from wardround_lab.experiments.comparison.run_table import in_words, number_in_words

_MARGIN = 0.04


class IntervalRow(msgspec.Struct, frozen=True):
    """A value with its interval; numbers are percent of the width."""

    name: str
    low: float
    value: float
    high: float
    text: str


class IntervalChart(msgspec.Struct, frozen=True):
    """A chart; ``zero`` is the position of 0, if it is marked."""

    title: str
    rows: Sequence[IntervalRow]
    zero: float | None
    left: str
    right: str


def interval_chart(
    title: str, rows: Sequence[tuple[str, Interval]], sign: str = "", *, has_zero: bool = False
) -> Markup:
    """Return a chart of values with their intervals.

    Args:
        sign: ``+`` for numbers with their sign, such as differences.
        has_zero: 0 is on the chart, and marked.
    """
    ends = [end for _, interval in rows for end in (interval.low, interval.high)] + [0.0] * has_zero
    margin = _MARGIN * ((max(ends) - min(ends)) or abs(max(ends)) or 1.0)
    left, right = min(ends) - margin, max(ends) + margin

    def percent(value: float) -> float:
        return 100 * (value - left) / (right - left)

    shown = [
        IntervalRow(
            name,
            percent(interval.low),
            percent(interval.value),
            percent(interval.high),
            in_words(interval, sign),
        )
        for name, interval in rows
    ]
    zero = percent(0.0) if has_zero else None
    ends_in_words = (number_in_words(left, sign), number_in_words(right, sign))
    return render("intervals.html", chart=IntervalChart(title, shown, zero, *ends_in_words))
