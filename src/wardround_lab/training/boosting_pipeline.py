"""Train boosted trees by a recipe: from rows of numbers to a model directory.

A recipe of ``kind: trees`` has ``trees`` instead of a base and LoRA. The task creates the rows; ``inputs``
names their columns. The model is in the directory of the training, as a ranker's is.
"""

from __future__ import annotations

import datetime
import hashlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec
import numpy as np

from wardround.errors import TrainingError
from wardround.inference.metadata import File, Metadata, PromotionState, TrainingData, read_metadata
from wardround_lab.training import gradient_boosting, tabular_evaluation
from wardround_lab.training.choice_dataset import record_files, records_digest
from wardround_lab.training.promote import Model, copy_recipe, write
from wardround_lab.training.recipe import DataPart, TrainingPart, read_yaml, recipe_digest
from wardround_lab.training.run_directory import MODEL_FOLDER

if TYPE_CHECKING:
    from wardround_lab.training.packaging import Shipped
    from wardround_lab.training.recipe_kind import Files, Progress, RunSummary

MODEL_FILE = "model.onnx"
LICENCE = "MIT"


class TreeRecipe(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab", kw_only=True):
    """A recipe of trees.

    Attributes:
        inputs: the columns of a row, in order.
        trees: parameters of the boosting.
        data: ``records`` are the training rows.
        measured: the file of evaluation rows, relative to the recipe's directory.
        cheap: the inputs of the baseline that the model must beat.
        notes: facts about the rows that readers of the figures need, one sentence each.
    """

    kind: Literal["trees"]
    name: str
    specialist: str
    task: str
    title: str
    inputs: tuple[str, ...]
    data: DataPart
    measured: str = ""
    cheap: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    trees: gradient_boosting.BoostingRecipe = gradient_boosting.BoostingRecipe()

    @property
    def training(self) -> TrainingPart:
        return TrainingPart(seed=self.trees.seed, steps=self.trees.rounds)


@dataclass(frozen=True, slots=True)
class TreeRun:
    """A finished training; ``best`` is None, since all trees are used."""

    name: str
    steps: int
    seed: int
    seconds: float
    best: float | None = None

    @property
    def kept(self) -> int:
        return self.steps


class TreeEnsemble:
    """Boosted trees, as a kind of recipe; see ``recipe_registry.RecipeKind``."""

    metric = "auc"

    def read(self, recipe: Path) -> TreeRecipe:
        return read_tree_recipe(recipe)

    def train(
        self, recipe: Path, folder: Path, seed: int | None, files: Files, progress: Progress
    ) -> RunSummary:
        created = train_trees(recipe, folder, seed)
        return TreeRun(created.name, read_tree_recipe(recipe).trees.rounds, created.seed, created.seconds)

    def finish(self, recipe: Path, folder: Path, files: Files, progress: Progress) -> Shipped:
        from wardround_lab.training.packaging import Shipped

        return Shipped(folder / MODEL_FOLDER, read_metadata(folder / MODEL_FOLDER))

    def evaluate(
        self, models: Sequence[Model], recipe: Path, base: Path | None, exempt: Mapping[str, str],
        progress: Progress,
    ) -> Metadata:  # fmt: skip
        from wardround_lab.training.evaluate_shipped import evaluate_rows

        read = read_tree_recipe(recipe)
        if not read.measured or not read.cheap:
            raise TrainingError(f"{recipe}: `measured` rows or `cheap` inputs are missing; add them")
        (training,) = record_files(read.data, recipe.parent)
        measured = recipe.parent / read.measured
        found = evaluate_rows(models, measured, training, read.cheap, exempt, progress)
        return _add_notes(models[0].folder, found, read.notes)


def _add_notes(folder: Path, metadata: Metadata, notes: tuple[str, ...]) -> Metadata:
    """Write the metadata with the notes of the recipe among those of the evaluation, and return it."""
    assert metadata.evaluation is not None
    evaluation = msgspec.structs.replace(metadata.evaluation, notes=(*metadata.evaluation.notes, *notes))
    noted = msgspec.structs.replace(metadata, evaluation=evaluation)
    return write(folder, noted)


def read_tree_recipe(path: Path) -> TreeRecipe:
    """Read the recipe of trees in a file.

    Raises:
        TrainingError: it cannot be read, or is malformed; the message names file and key.
    """
    recipe = read_yaml(path, TreeRecipe, "recipe")
    if len(recipe.data.records) != 1:
        raise TrainingError(f"{path}: trees are trained on one file of rows, not {len(recipe.data.records)}")
    return recipe


def train_trees(recipe_file: Path, folder: Path, seed: int | None = None) -> Metadata:
    """Train, export and compare the export; the state of the model is shadow.

    Args:
        folder: folder of the training.
        seed: overrides the recipe's.

    Raises:
        TrainingError: the rows do not match the recipe.
    """
    started = time.monotonic()
    recipe = read_tree_recipe(recipe_file)
    files = record_files(recipe.data, recipe_file.parent)
    rows = [row for file in files for row in tabular_evaluation.read_rows(file)]
    audit = audit_result(rows, recipe, recipe_file)
    own = recipe.trees if seed is None else msgspec.structs.replace(recipe.trees, seed=seed)
    values = np.array([row.features for row in rows], dtype=np.float64)
    trees = gradient_boosting.train(values, np.array([row.right for row in rows]), recipe.inputs, own)
    model = gradient_boosting.export_trees(trees)
    target = folder / MODEL_FOLDER
    target.mkdir(parents=True, exist_ok=True)
    (target / MODEL_FILE).write_bytes(model)
    metadata = Metadata(
        schema="wardround.adapter/1",
        name=recipe.name,
        specialist=recipe.specialist,
        task=recipe.task,
        title=recipe.title,
        kind="table",
        state=PromotionState.SHADOW,
        licence=LICENCE,
        date=datetime.datetime.now(tz=datetime.UTC).date().isoformat(),
        model=File(name=MODEL_FILE, sha256=hashlib.sha256(model).hexdigest(), bytes=len(model)),
        inputs=recipe.inputs,
        data=TrainingData(
            recipe=recipe_digest(recipe_file),
            records=records_digest(files),
            repositories=tuple(sorted({row.repository for row in rows})),
            items=len(rows),
            until=recipe.data.until_seconds,
            audit=audit,
        ),
        seed=own.seed,
        seconds=round(time.monotonic() - started, 1),
        parity=(gradient_boosting.parity(trees, model, values),),
    )
    metadata = write(target, metadata)
    copy_recipe(target, recipe_file)
    return metadata


def audit_result(rows: Sequence[tabular_evaluation.FeatureRow], recipe: TreeRecipe, recipe_file: Path) -> str:
    """Return the result of the audit of the rows for the metadata. Rows are numbers: no texts are checked.

    Raises:
        TrainingError: a row has another width, is too recent, or is of a repository outside of the training.
    """
    known = {name.lower() for name in recipe.data.train}
    for row in rows:
        if len(row.features) != len(recipe.inputs):
            raise TrainingError(
                f"{recipe_file}: it names {len(recipe.inputs)} inputs and a row has {len(row.features)} "
                "numbers; mine the rows again"
            )
        if row.repository.lower() not in known:
            raise TrainingError(f"{recipe_file}: a row is of {row.repository}, which is not in data.train")
        if recipe.data.until and row.time >= recipe.data.until_seconds:
            raise TrainingError(f"{recipe_file}: a row of {row.repository} is more recent than data.until")
    reported = f"{len(rows)} rows, {len({row.repository for row in rows})} repositories, {recipe.data.until}"
    return f"passed, {hashlib.sha256(reported.encode()).hexdigest()[:16]}"
