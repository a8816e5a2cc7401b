from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.installed import require_installed

require_installed("matplotlib")
import numpy as np  # noqa: E402

from wardround.errors import TrainingError  # noqa: E402
from wardround_lab.training import plots  # noqa: E402
from wardround_lab.training.calibrate import reliability  # noqa: E402

_TOLD = np.random.default_rng(7)
RIGHT = _TOLD.random(5000) < 0.1
SCORES = _TOLD.normal(size=5000) + 2 * RIGHT
LIKELY = 1 / (1 + np.exp(-SCORES))
STEPS = [plots.PlottedStep(n, 3.0 / (n + 1) + 0.5, 0.6 if n % 50 == 0 else None) for n in range(1000)]

DRAWN: dict[str, tuple[Callable[[Path], None], set[str]]] = {
    "calibration": (
        lambda path: plots.draw_calibration(path, reliability(LIKELY, RIGHT), "made"),
        {"made: calibration", "probability it said", "share that was right", "as often as it said"},
    ),
    "precision-recall": (
        lambda path: plots.draw_precision_recall(path, {"model": SCORES, "cheap": -SCORES}, RIGHT, "made"),
        {"made: precision and recall", "recall", "precision", "model", "cheap",
         f"all of them: {RIGHT.mean():.1%}"},
    ),
    "scores": (
        lambda path: plots.draw_scores(path, LIKELY, RIGHT, "made", 0.8, "probability"),
        {"made: scores", "probability", "share of its kind per bin (%)", f"right ({RIGHT.sum()})",
         "threshold 0.800"},
    ),
    "training": (
        lambda path: plots.draw_training(path, STEPS, "made"),
        {"made: training", "optimiser steps", "training loss (nats)", "mrr (0 to 1)",
         "mrr on held-out repositories (right)"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", DRAWN)
def test_a_plot_has_its_labels_and_is_small(name: str, tmp_path: Path) -> None:
    draw, expected = DRAWN[name]
    draw(tmp_path / "one.svg")
    root = ElementTree.parse(tmp_path / "one.svg").getroot()
    texts = {"".join(node.itertext()).strip() for node in root.iter("{http://www.w3.org/2000/svg}text")}
    assert expected <= texts
    assert root.get("width") == "432pt"
    assert (tmp_path / "one.svg").stat().st_size < 40_000


@pytest.mark.parametrize("name", DRAWN)
@pytest.mark.parametrize("ending", ["svg", "png"])
def test_a_plot_is_reproducible(name: str, ending: str, tmp_path: Path) -> None:
    draw = DRAWN[name][0]
    for item in ("one", "two"):
        draw(tmp_path / f"{item}.{ending}")
    content = (tmp_path / f"one.{ending}").read_bytes()
    assert content == (tmp_path / f"two.{ending}").read_bytes()
    assert b"<dc:date>" not in content
    assert b"Matplotlib v" not in content


def test_a_png_is_600_pixels_wide(tmp_path: Path) -> None:
    DRAWN["scores"][0](tmp_path / "one.png")
    head = (tmp_path / "one.png").read_bytes()[:24]
    assert int.from_bytes(head[16:20], "big") == 600


def test_a_training_without_validation_is_plotted_too(tmp_path: Path) -> None:
    plots.draw_training(
        tmp_path / "one.svg", [plots.PlottedStep(1, 2.0, None), plots.PlottedStep(2, 1.0, None)], "made"
    )
    assert "held-out" not in (tmp_path / "one.svg").read_text()


def test_scores_that_are_all_the_same_are_drawn_too(tmp_path: Path) -> None:
    plots.draw_scores(tmp_path / "one.svg", np.ones(10), np.arange(10) < 5, "made")
    assert (tmp_path / "one.svg").exists()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("one.pdf", "one.pdf: plots are written as .svg or .png"),
        ("none/one.svg", "No such file or directory"),
    ],
)
def test_an_impossible_position_is_rejected(name: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match=message):
        plots.draw_training(tmp_path / name, STEPS, "made")


def test_too_many_scorers_are_rejected(tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match="at most 4 scorers, not 5"):
        plots.draw_precision_recall(tmp_path / "one.svg", {str(n): SCORES for n in range(5)}, RIGHT, "made")
