"""The registry of recipe kinds: each implements the same steps, so the commands are the same.

A recipe names its kind in ``kind``; the default is choices.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wardround.errors import TrainingError
from wardround_lab.training.boosting_pipeline import TreeEnsemble
from wardround_lab.training.recipe import read_recipe, read_yaml

if TYPE_CHECKING:
    from wardround.inference.metadata import Metadata
    from wardround_lab.training.packaging import Shipped
    from wardround_lab.training.promote import Model

from wardround_lab.training.recipe_kind import AnyRecipe, Files, Progress, RecipeKind, RunSummary

CHOICE = "choice"


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


class TextClasses:
    """Classification of short texts."""

    metric = "macro-f1"

    def read(self, recipe: Path) -> AnyRecipe:
        from wardround_lab.training.text_classes.recipe import read_text_recipe

        return read_text_recipe(recipe)

    def train(
        self, recipe: Path, folder: Path, seed: int | None, files: Files, progress: Progress
    ) -> RunSummary:
        from wardround_lab.training.text_classes.train import train_texts

        return train_texts(
            recipe, folder, seed=seed, hub=files.hub, base_folder=files.base_folder, progress=progress
        )

    def finish(self, recipe: Path, folder: Path, files: Files, progress: Progress) -> Shipped:
        from wardround_lab.training.promote import required_base
        from wardround_lab.training.text_classes.export import finish_texts

        base = required_base(files.base)
        return finish_texts(folder, recipe, base, base_folder=files.base_folder, progress=progress)

    def evaluate(
        self, models: Sequence[Model], recipe: Path, base: Path | None, exempt: Mapping[str, str],
        progress: Progress,
    ) -> Metadata:  # fmt: skip
        from wardround_lab.training.promote import required_base
        from wardround_lab.training.text_classes.evaluate import evaluate_text_models

        return evaluate_text_models(models, recipe, required_base(base), exempt, progress)


class ChatModels:
    """Decoders that answer a request."""

    metric = "held-out loss"

    def read(self, recipe: Path) -> AnyRecipe:
        from wardround_lab.training.chat.recipe import read_chat_recipe

        return read_chat_recipe(recipe)

    def train(
        self, recipe: Path, folder: Path, seed: int | None, files: Files, progress: Progress
    ) -> RunSummary:
        from wardround_lab.training.chat.train import train_chat

        return train_chat(
            recipe, folder, seed=seed, hub=files.hub, base_folder=files.base_folder, progress=progress
        )

    def finish(self, recipe: Path, folder: Path, files: Files, progress: Progress) -> Shipped:
        from wardround_lab.training.chat.export import finish_chat

        return finish_chat(folder, base_folder=files.base_folder, progress=progress)

    def evaluate(
        self, models: Sequence[Model], recipe: Path, base: Path | None, exempt: Mapping[str, str],
        progress: Progress,
    ) -> Metadata:  # fmt: skip
        from wardround_lab.training.chat.evaluate import evaluate_chat_models

        return evaluate_chat_models(models, recipe, exempt, progress)


KINDS: Mapping[str, RecipeKind] = {
    "chat": ChatModels(),
    CHOICE: Choices(),
    "lines": LineDefectRun(),
    "texts": TextClasses(),
    "trees": TreeEnsemble(),
}


def kind_of(recipe: Path) -> RecipeKind:
    """Return the kind of a recipe.

    Raises:
        TrainingError: it cannot be read, or its kind is unknown.
    """
    name = read_yaml(recipe, dict[str, Any], "recipe").get("kind", CHOICE)
    kind = KINDS.get(name) if isinstance(name, str) else None
    if kind is None:
        raise TrainingError(
            f"{recipe}: kind {name!r} is unknown; correct the recipe, kinds are {', '.join(sorted(KINDS))}"
        )
    return kind
