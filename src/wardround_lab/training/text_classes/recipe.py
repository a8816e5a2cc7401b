"""The recipe of a text classifier."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from wardround_lab.training.recipe import DataPart, LoraPart, TrainingPart, _demand, _Strict, read_yaml


class SamplePart(_Strict, frozen=True):
    """The training sample of texts: all of each class, up to limits.

    Attributes:
        per_class: maximum number of texts of a class.
        per_repository: maximum number of texts of a class from one repository.
        per_evaluated_repository: the same in validation and evaluation.
        words: the linear model over words is fitted on this many times as many texts.
    """

    per_class: int = 4000
    per_repository: int = 300
    per_evaluated_repository: int = 100
    words: int = 3

    def __post_init__(self) -> None:
        for name in ("per_class", "per_repository", "per_evaluated_repository", "words"):
            _demand(getattr(self, name) >= 1, f"{name.replace('_', '-')} {getattr(self, name)} is below 1")


class WordsPart(_Strict, frozen=True):
    """Parameters of the linear model over words.

    Attributes:
        inverse_penalty: scikit-learn's ``C``.
    """

    inverse_penalty: float = 1.0

    def __post_init__(self) -> None:
        _demand(0 < self.inverse_penalty < 1e6, f"inverse-penalty {self.inverse_penalty} is not positive")


class TextRecipe(_Strict, frozen=True):
    """A recipe of kind ``texts``; shared keys have the same meaning as in other kinds.

    Attributes:
        training: ``batch`` counts texts; ``candidates`` and ``temperature`` are ignored.
        smoothing: label smoothing, since labels of authors are habits.
        precision_wanted: the threshold is the lowest probability with this precision on validation.
    """

    kind: Literal["texts"]
    name: str
    specialist: str
    task: str
    data: DataPart
    title: str = ""
    base: str = "minilm"
    window: int = 64
    lora: LoraPart = LoraPart()
    training: TrainingPart = TrainingPart()
    sample: SamplePart = SamplePart()
    words: WordsPart = WordsPart()
    smoothing: float = 0.05
    precision_wanted: float = 0.9

    def __post_init__(self) -> None:
        _demand(self.data.own is None, "scope is for choices; name the repositories of each side")
        _demand(self.window >= 8, f"window {self.window} is below 8 tokens")
        _demand(0 <= self.smoothing < 1, f"smoothing {self.smoothing} is not in [0, 1)")
        _demand(0 < self.precision_wanted < 1, f"precision-wanted {self.precision_wanted} is no share")


def read_text_recipe(path: Path) -> TextRecipe:
    """Read the recipe in a file.

    Raises:
        TrainingError: it cannot be read, or is malformed; the message names file and key.
    """
    return read_yaml(path, TextRecipe, "recipe")
