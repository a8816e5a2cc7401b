"""Charts as HTML in the colours of the page: for light and dark, wide and narrow, without a script."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from markupsafe import Markup

from wardround_lab.dashboard.markup import render

COLOURS = 6
"""Series with colours of their own; further ones repeat them."""
_STEPS = (1, 2, 5, 10)
_LABEL_ROOM = 90
"""Characters of labels below the bars of a wide page; a narrow one has every other label."""


class Series(msgspec.Struct, frozen=True):
    """Numbers under one name.

    Attributes:
        colour: the number of a colour from 1 to 6; by default the place of the series.
    """

    name: str
    values: Sequence[float]
    colour: int | None = None


class Line(msgspec.Struct, frozen=True):
    """Points of a line, by rising x; ``low`` and ``high`` bound an interval around each y, if any."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] = ()
    high: Sequence[float] = ()
    colour: int | None = None


def stacked_bars(title: str, categories: Sequence[str], series: Sequence[Series]) -> Markup:
    """Return bars side by side, one for each category, with the values of the series stacked."""
    totals = [sum(values) for values in zip(*(item.values for item in series), strict=True)]
    top = rounded_up(max(totals, default=0))
    bars = [
        Bar(category, total, [Segment(item.name, item.values[index], 100 * item.values[index] / top, colour)
                              for item, colour in zip(series, _colours(series), strict=True)])
        for index, (category, total) in enumerate(zip(categories, totals, strict=True))
    ]  # fmt: skip
    label = 1 + max(map(len, categories), default=0)
    step = -(-len(bars) * label // _LABEL_ROOM)
    return render(
        "bars.html", title=title, bars=bars, top=top, step=step, label=label, legend=_legend(series)
    )


class Segment(msgspec.Struct, frozen=True):
    """A part of a bar; ``percent`` is of the height of the chart."""

    name: str
    value: float
    percent: float
    colour: int


class Bar(msgspec.Struct, frozen=True):
    """A bar with its parts, from below."""

    category: str
    total: float
    segments: Sequence[Segment]


class Path(msgspec.Struct, frozen=True):
    """A line as coordinates in a square of 100, and the outline of its interval."""

    name: str
    points: str
    outline: str
    colour: int


def lines(title: str, across: str, up: str, drawn: Sequence[Line]) -> Markup:
    """Return lines over a common x axis, each with the interval around it.

    Args:
        across, up: labels of the axes.
    """
    scale = Scale.around(drawn)
    paths = [
        Path(
            line.name,
            scale.points(line.x, line.y),
            scale.points([*line.x, *reversed(line.x)], [*line.high, *reversed(line.low)]) if line.low else "",
            colour,
        )
        for line, colour in zip(drawn, _colours(drawn), strict=True)
    ]
    return render(
        "lines.html", title=title, across=across, up=up, scale=scale, paths=paths, legend=_legend(drawn)
    )


class Scale(msgspec.Struct, frozen=True):
    """The range of both axes."""

    left: float
    right: float
    bottom: float
    top: float

    @classmethod
    def around(cls, drawn: Sequence[Line]) -> Scale:
        """Return the smallest scale that shows all points and intervals."""
        x = [value for line in drawn for value in line.x] or [0.0]
        y = [value for line in drawn for value in (*line.y, *line.low, *line.high)] or [0.0]
        return cls(min(x), max(x), min(y), max(y))

    def points(self, x: Sequence[float], y: Sequence[float]) -> str:
        """Return coordinates in a square of 100, as an SVG polyline has them; its y axis points down."""
        wide, high = self.right - self.left or 1, self.top - self.bottom or 1
        return " ".join(
            f"{100 * (across - self.left) / wide:.2f},{100 - 100 * (up - self.bottom) / high:.2f}"
            for across, up in zip(x, y, strict=True)
        )


def rounded_up(value: float) -> float:
    """Return the next 1, 2 or 5 times a power of ten, for the end of an axis."""
    if value <= 0:
        return 1
    power = 1.0
    while power * _STEPS[-1] < value:
        power *= 10
    return next(step * power for step in _STEPS if step * power >= value)


def _colours(series: Sequence[Series | Line]) -> list[int]:
    return [item.colour or index % COLOURS + 1 for index, item in enumerate(series)]


def _legend(series: Sequence[Series | Line]) -> list[tuple[str, int]]:
    return [(item.name, colour) for item, colour in zip(series, _colours(series), strict=True)]
