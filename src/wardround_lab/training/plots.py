"""Plots of a card: small SVG or PNG files, the same bytes for the same figures, without a display."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from wardround.errors import TrainingError
from wardround.inference.locations import PLOT_FILES
from wardround_lab.svg_figure import INK, STYLES, figure
from wardround_lab.training.bootstrap import Flags, Floats, precision_recall
from wardround_lab.training.calibrate import Reliability

PRECISION_RECALL, SCORES, CALIBRATION, PROBABILITIES, TRAINING = PLOT_FILES

_MOST_POINTS = 160


@dataclass(frozen=True, slots=True)
class PlottedStep:
    """Progress of a training.

    Attributes:
        at: completed optimiser steps.
        loss: loss of the training batches since the previous record.
        held_out: the deciding metric on validation repositories; None if it was not computed.
    """

    at: int
    loss: float
    held_out: float | None


def draw_calibration(path: Path, reliability: Reliability, what: str) -> None:
    """Plot predicted against observed rates, one point per tenth of the rows."""
    with figure(path, f"{what}: calibration", "probability it said", "share that was right") as axes:
        reported = [group.said for group in reliability.bins]
        right = [group.right for group in reliability.bins]
        end = min(1.0, 1.15 * max(0.02, *reported, *right))
        axes.plot([0, end], [0, end], color=INK, linestyle=":", linewidth=1.2, label="as often as it said")
        colour, dash = STYLES[0]
        axes.plot(
            reported, right, color=colour, linestyle=dash, marker="o", label="on repositories not fitted on"
        )
        axes.set(xlim=(0, end), ylim=(0, end))
        axes.text(0.02, 0.94, f"error {reliability.error:.3f}, Brier {reliability.brier:.3f}",
                  transform=axes.transAxes, color=INK)  # fmt: skip


def draw_precision_recall(
    path: Path,
    scores: Mapping[str, Floats],
    right: Flags,
    what: str,
    weights: Floats | None = None,
) -> None:
    """Plot precision against recall of up to four scorers, and the base rate."""
    if len(scores) > len(STYLES):
        raise TrainingError(f"{what}: a plot shows at most {len(STYLES)} scorers, not {len(scores)}")
    with figure(path, f"{what}: precision and recall", "recall", "precision") as axes:
        for (name, rows), (colour, dash) in zip(scores.items(), STYLES, strict=False):
            _, precision, recall = precision_recall(rows, right, weights)
            retained = _thin_indices(recall)
            axes.plot(recall[retained], precision[retained], color=colour, linestyle=dash, label=name)
        rate = float(np.average(right, weights=weights))
        axes.axhline(rate, color=INK, linestyle=":", linewidth=1.2, label=f"all of them: {rate:.1%}")
        axes.set(xlim=(0, 1), ylim=(0, 1.02))


def draw_scores(
    path: Path, scores: Floats, right: Flags, what: str, threshold: float | None = None, unit: str = "score"
) -> None:
    """Plot the distributions of the scores of right and wrong rows."""
    edges = np.linspace(float(scores.min()), float(scores.max()) + 1e-9, 41)
    with figure(path, f"{what}: scores", unit, "share of its kind per bin (%)") as axes:
        for (name, rows), (colour, dash) in zip(
            (("right", scores[right]), ("wrong", scores[~right])), STYLES, strict=False
        ):
            heights = np.histogram(rows, edges)[0] / max(len(rows), 1) * 100
            axes.stairs(heights, edges, color=colour, linestyle=dash, linewidth=1.8, fill=False,
                        label=f"{name} ({len(rows):,})")  # fmt: skip
            axes.stairs(heights, edges, color=colour, fill=True, alpha=0.15)
        if threshold is not None:
            axes.axvline(threshold, color=INK, linestyle=":", label=f"threshold {threshold:.3f}")
        axes.set_ylim(bottom=0)


def draw_training(path: Path, steps: Sequence[PlottedStep], what: str, metric: str = "mrr") -> None:
    """Plot the training loss, and the metric on held-out repositories, over the steps."""
    with figure(path, f"{what}: training", "optimiser steps", "training loss (nats)") as axes:
        (colour, dash), (other, other_dash) = STYLES[:2]
        retained = steps[:: max(1, len(steps) // _MOST_POINTS)]
        axes.plot([point.at for point in retained], [point.loss for point in retained],
                  color=colour, linestyle=dash,
                  label="training loss (left)")  # fmt: skip
        axes.set_ylim(bottom=0)
        used = [(step.at, step.held_out) for step in steps if step.held_out is not None]
        if used:
            right = axes.twinx()
            right.spines["right"].set_visible(True)
            right.grid(visible=False)
            right.plot(*zip(*used, strict=True), color=other, linestyle=other_dash, marker="o",
                       label=f"{metric} on held-out repositories (right)")  # fmt: skip
            right.set_ylabel(f"{metric} (0 to 1)")


def _thin_indices(values: Floats) -> slice | list[int]:
    """Return the indices of about ``_MOST_POINTS`` points, evenly spaced along the horizontal axis."""
    if len(values) <= _MOST_POINTS:
        return slice(None)
    expected = np.linspace(float(values[0]), float(values[-1]), _MOST_POINTS)
    locations = np.minimum(np.searchsorted(values, expected), len(values) - 1)
    return sorted({0, *map(int, locations), len(values) - 1})
