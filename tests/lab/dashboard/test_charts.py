"""Charts of HTML: their geometry and their text."""

from __future__ import annotations

import pytest

from tests.installed import require_installed

require_installed("jinja2")

from wardround_lab.dashboard import charts  # noqa: E402
from wardround_lab.dashboard.charts import Line, Scale, Series  # noqa: E402


def test_bars_stack_their_values_in_percent_of_the_rounded_largest_total() -> None:
    chart = charts.stacked_bars(
        "Verdicts", ["01-07", "01-14"], [Series("good", [3, 1]), Series("bad", [1, 0], 4)]
    )
    assert "height:60.00%;background:var(--wr-1)" in chart  # 3 of 5
    assert "height:20.00%;background:var(--wr-4)" in chart
    assert 'title="01-07: 3 good, 1 bad"' in chart
    assert 'title="01-14: 1 good"' in chart


def test_a_chart_without_values_is_drawn() -> None:
    assert "none" in charts.stacked_bars("Empty", ["01-07"], [Series("good", [0])])
    assert "<figure" in charts.lines("Empty", "step", "loss", [])
    assert "<figure" in charts.lines("One", "step", "loss", [Line("a", [1], [2])])


def test_lines_fill_the_range_of_their_points_and_intervals() -> None:
    line = Line("a", [0, 10], [1, 2], low=[0, 1], high=[2, 4])
    assert Scale.around([line]) == Scale(0, 10, 0, 4)
    chart = charts.lines("Loss", "step", "loss", [line])
    assert 'points="0.00,75.00 100.00,50.00"' in chart
    assert 'points="0.00,50.00 100.00,0.00 100.00,75.00 0.00,100.00"' in chart


def test_text_of_a_chart_is_escaped() -> None:
    assert "<b>" not in charts.stacked_bars("<b>", ["<b>"], [Series("<b>", [1])])
    assert "<b>" not in charts.lines("<b>", "<b>", "<b>", [Line("<b>", [1], [1])])


@pytest.mark.parametrize(("value", "end"), [(0, 1), (1, 1), (3, 5), (9, 10), (12, 20), (0.5, 1), (501, 1000)])
def test_an_axis_ends_at_a_round_number(value: float, end: float) -> None:
    assert charts.rounded_up(value) == end
