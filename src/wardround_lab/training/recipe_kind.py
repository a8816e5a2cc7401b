"""Kinds of recipes: the interface that each kind of training implements."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from wardround_lab.training.recipe import TrainingPart

if TYPE_CHECKING:
    from wardround.inference.metadata import Metadata
    from wardround_lab.training.packaging import Shipped
    from wardround_lab.training.promote import Model

Progress = Callable[[str], None]


class AnyRecipe(Protocol):
    """Fields of every recipe."""

    @property
    def name(self) -> str: ...

    @property
    def training(self) -> TrainingPart: ...


class RunSummary(Protocol):
    """Fields of every finished training."""

    @property
    def name(self) -> str: ...

    @property
    def steps(self) -> int: ...

    @property
    def seed(self) -> int: ...

    @property
    def seconds(self) -> float: ...

    @property
    def kept(self) -> int: ...

    @property
    def best(self) -> float | None: ...


@dataclass(frozen=True, slots=True)
class Files:
    """Locations of the files of the base, if not the default ones.

    Attributes:
        base: the exported frozen base.
        base_folder: the files of the base to train on; ``hub``: whether they may be downloaded.
    """

    base: Path | None = None
    base_folder: Path | None = None
    hub: bool = False


class RecipeKind(Protocol):
    """One kind of recipe."""

    metric: str
    """The name of the metric ``best`` of a run."""

    def read(self, recipe: Path) -> AnyRecipe:
        """Read the recipe in a file."""

    def train(
        self, recipe: Path, folder: Path, seed: int | None, files: Files, progress: Progress
    ) -> RunSummary:
        """Train it, or continue the training."""

    def finish(self, recipe: Path, folder: Path, files: Files, progress: Progress) -> Shipped:
        """Merge, export and quantise a finished training."""

    def evaluate(
        self, models: Sequence[Model], recipe: Path, base: Path | None, exempt: Mapping[str, str],
        progress: Progress,
    ) -> Metadata:  # fmt: skip
        """Evaluate models; write the result to the first."""
