"""Plots of runs and comparisons as SVG: one point with its interval for each row."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from wardround.inference.metadata import Interval
from wardround_lab.experiments.comparison.results import ConfigurationResults
from wardround_lab.experiments.comparison.reward_differences import RewardDifference
from wardround_lab.experiments.comparison.run_table import reward_interval
from wardround_lab.svg_figure import INK, STYLES, figure

_ROW_INCHES = 0.34
_OTHER_INCHES = 1.5
_WIDTH_INCHES = 7.2


def draw_reward(path: Path, results: Sequence[ConfigurationResults], reward: str) -> None:
    """Plot the mean of a reward with its interval for each configuration.

    Raises:
        TrainingError: matplotlib is missing, or the file cannot be written.
    """
    rows = [
        (found.name, interval)
        for found in results
        if (interval := reward_interval(found, reward)) is not None
    ]
    _draw_rows(path, f"{reward} by configuration", f"{reward}, mean with 95% interval", rows, None)


def draw_differences(path: Path, differences: Sequence[RewardDifference], title: str) -> None:
    """Plot the differences of rewards with their intervals, each in units of the larger mean.

    Raises:
        TrainingError: matplotlib is missing, or the file cannot be written.
    """
    rows = [(difference.reward, relative_difference(difference)) for difference in differences]
    _draw_rows(path, title, "A less B, as a share of the larger mean, with 95% interval", rows, 0.0)


def relative_difference(difference: RewardDifference) -> Interval:
    """Return a difference with its interval in units of the larger mean."""
    unit = max(abs(difference.first), abs(difference.second)) or 1.0
    interval = difference.difference.interval
    return Interval(value=interval.value / unit, low=interval.low / unit, high=interval.high / unit)


def _draw_rows(
    path: Path, title: str, label: str, rows: Sequence[tuple[str, Interval]], reference: float | None
) -> None:
    size = (_WIDTH_INCHES, _OTHER_INCHES + _ROW_INCHES * len(rows))
    colour = STYLES[0][0]
    with figure(path, title, label, "", size) as axes:
        for row, (_, interval) in enumerate(rows):
            axes.plot([interval.low, interval.high], [row, row], color=colour, linewidth=2)
            axes.plot([interval.value], [row], color=colour, marker="o")
        if reference is not None:
            axes.axvline(reference, color=INK, linestyle=":", linewidth=1.2)
        axes.set_yticks(range(len(rows)), [name for name, _ in rows])
        axes.set_ylim(len(rows) - 0.5, -0.5)
