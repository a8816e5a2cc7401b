"""Kinds of recipes: each implements the same steps, so the commands are the same.

A recipe names its kind in ``kind``; the default is choices.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from wardround.errors import TrainingError
from wardround_lab.training.boosting_pipeline import TreeEnsemble
from wardround_lab.training.recipe import TrainingPart, decoded, read_recipe

if TYPE_CHECKING:
    from wardround.inference.metadata import Metadata
    from wardround_lab.training.packaging import Shipped
    from wardround_lab.training.promote import Model

CHOICE = "choice"
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


class Choices:
    """Choices among candidates."""

    metric = "mrr"

    def read(self, recipe: Path) -> AnyRecipe:
        return read_recipe(recipe)

    def train(
        self, recipe: Path, folder: Path, seed: int | None, files: Files, progress: Progress
    ) -> RunSummary:
        from wardround_lab.training.train import train

        return train(
            recipe, folder, seed=seed, hub=files.hub, base_folder=files.base_folder, progress=progress
        )

    def finish(self, recipe: Path, folder: Path, files: Files, progress: Progress) -> Shipped:
        from wardround_lab.training.packaging import finish, shipped_base

        base = shipped_base(folder, files.base, base_folder=files.base_folder, progress=progress)
        return finish(folder, base, base_folder=files.base_folder, progress=progress)

    def evaluate(
        self, models: Sequence[Model], recipe: Path, base: Path | None, exempt: Mapping[str, str],
        progress: Progress,
    ) -> Metadata:  # fmt: skip
        from wardround_lab.training.evaluate_shipped import evaluate_choices

        return evaluate_choices(models, recipe, base, exempt, progress)


class LineDefectRun:
    """Classification of the lines of a change."""

    metric = "pairwise"

    def read(self, recipe: Path) -> AnyRecipe:
        from wardround_lab.training.line_defects.recipe import read_line_recipe

        return read_line_recipe(recipe)

    def train(
        self, recipe: Path, folder: Path, seed: int | None, files: Files, progress: Progress
    ) -> RunSummary:
        from wardround_lab.training.line_defects.train import train_lines

        return train_lines(
            recipe, folder, seed=seed, hub=files.hub, base_folder=files.base_folder, progress=progress
        )

    def finish(self, recipe: Path, folder: Path, files: Files, progress: Progress) -> Shipped:
        from wardround_lab.training.line_defects.export import finish_lines

        return finish_lines(folder, recipe, base_folder=files.base_folder, progress=progress)

    def evaluate(
        self, models: Sequence[Model], recipe: Path, base: Path | None, exempt: Mapping[str, str],
        progress: Progress,
    ) -> Metadata:  # fmt: skip
        from wardround_lab.training.line_defects.evaluate_shipped import evaluate_line_models

        return evaluate_line_models(models, recipe, base, exempt, progress)


KINDS: Mapping[str, RecipeKind] = {CHOICE: Choices(), "lines": LineDefectRun(), "trees": TreeEnsemble()}


def kind_of(recipe: Path) -> RecipeKind:
    """Return the kind of a recipe.

    Raises:
        TrainingError: it cannot be read, or its kind is unknown.
    """
    name = decoded(recipe, dict[str, Any], "recipe").get("kind", CHOICE)
    kind = KINDS.get(name) if isinstance(name, str) else None
    if kind is None:
        raise TrainingError(
            f"{recipe}: kind {name!r} is unknown; correct the recipe, kinds are {', '.join(sorted(KINDS))}"
        )
    return kind
