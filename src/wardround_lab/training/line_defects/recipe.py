"""The recipe of a line model."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from wardround_lab.training.recipe import DataPart, LoraPart, TrainingPart, _demand, _Strict, read_yaml


class PhasesPart(_Strict, frozen=True):
    """The two phases of a training.

    Attributes:
        balanced: share of the steps on pairs of injected defects, as many broken windows as correct ones, by
            a cross-entropy with equal weights of both classes of lines.
        gamma: gamma of the focal loss in the remaining steps, in which most windows are correct.
        real: there, the share of windows that are real edits.
        broken: there, the share of windows with a defect.
    """

    balanced: float = 0.62
    gamma: float = 2.0
    real: float = 0.5
    broken: float = 0.2

    def __post_init__(self) -> None:
        for name in ("balanced", "real", "broken"):
            _demand(0 <= getattr(self, name) <= 1, f"{name} {getattr(self, name)} is no share")
        _demand(0 <= self.gamma <= 10, f"gamma {self.gamma} is not between 0 and 10")


class LineRecipe(_Strict, frozen=True):
    """A recipe of kind ``lines``; shared keys have the same meaning as in other kinds.

    Attributes:
        training: ``batch`` counts windows; ``candidates`` and ``temperature`` are ignored.
        window: maximum number of tokens; lines far from the change are dropped until it fits.
    """

    kind: Literal["lines"]
    name: str
    specialist: str
    task: str
    data: DataPart
    title: str = ""
    base: str = "minilm"
    window: int = 0
    marker_position: Literal["start", "end"] | None = None
    lora: LoraPart = LoraPart()
    training: TrainingPart = TrainingPart()
    phases: PhasesPart = PhasesPart()

    def __post_init__(self) -> None:
        _demand(self.data.own is None, "scope is for choices; name the repositories of each side")
        _demand(self.window == 0 or self.window >= 32, f"window {self.window} is below 32 tokens")


def read_line_recipe(path: Path) -> LineRecipe:
    """Read the recipe in a file.

    Raises:
        TrainingError: it cannot be read, or is malformed; the message names file and key.
    """
    return read_yaml(path, LineRecipe, "recipe")
