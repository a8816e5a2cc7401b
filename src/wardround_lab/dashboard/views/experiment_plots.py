"""Plots of runs as images for a page."""

from __future__ import annotations

import tempfile
from base64 import b64encode
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Lock

from wardround_lab.experiments.comparison.plots import draw_differences, draw_reward
from wardround_lab.experiments.comparison.results import ConfigurationResults
from wardround_lab.experiments.comparison.reward_differences import RewardDifference

_DRAWING = Lock()
"""Matplotlib has one set of settings for all threads."""


def reward_plot(results: Sequence[ConfigurationResults], reward: str) -> str:
    """Return the address of an image with a reward of each configuration.

    Raises:
        TrainingError: matplotlib is missing.
    """
    return _image(lambda path: draw_reward(path, results, reward))


def difference_plot(differences: Sequence[RewardDifference]) -> str:
    """Return the address of an image with the differences; see ``reward_plot``."""
    return _image(lambda path: draw_differences(path, differences, "Differences of rewards, A less B"))


def _image(draw: Callable[[Path], None]) -> str:
    """Return a plot as a ``data:`` address: in an image no script of a name runs."""
    with _DRAWING, tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "plot.svg"
        draw(path)
        return f"data:image/svg+xml;base64,{b64encode(path.read_bytes()).decode()}"
