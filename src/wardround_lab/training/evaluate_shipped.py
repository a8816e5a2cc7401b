"""Evaluate and calibrate models as shipped: the verified files, run as a review runs them.

A new evaluation resets the state of a model; ``promote`` applies the gates again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec
import numpy as np

from wardround import host
from wardround.errors import TrainingError
from wardround.inference import promotion_policy
from wardround.inference.metadata import Metadata, PromotionState, read_metadata
from wardround.inference.registry import ModelRegistry
from wardround.inference.runtime import detect_runtime
from wardround.inference.tabular import raw_score
from wardround.retrieval.protocols import TextEmbedder
from wardround.training_tasks import Choice, LineTask, Task, TextTask
from wardround_lab.corpora.within_repository_split import unit_of
from wardround_lab.training import conditional_logit, plots, tabular_evaluation
from wardround_lab.training.bootstrap import Flags, Floats
from wardround_lab.training.calibrate import Calibrated, Method, calibrate, probability
from wardround_lab.training.choice_dataset import record_files, records_digest, split
from wardround_lab.training.evaluate import EvaluationSides, Measured, Progress, cosines, evaluate, evidence
from wardround_lab.training.promote import Model, copy_recipe, write
from wardround_lab.training.recipe import DataPart, Recipe, read_recipe, recipe_digest
from wardround_lab.training.run_directory import MODEL_FOLDER, read_steps

OneTask = TypeVar("OneTask", Task, LineTask, TextTask)
REPORT = "report"
"""The threshold from which a model may make findings."""


# --- choices


def evaluate_choices(
    models: Sequence[Model],
    recipe_file: Path,
    base: Path | None,
    exempt: Mapping[str, str],
    progress: Progress,
) -> Metadata:
    """Evaluate adapters of one recipe, trained from different seeds; write the result to the first.

    Raises:
        TrainingError: they are not of this recipe and these records, or two have the same seed.
        ModelError: a file does not match its metadata.
    """
    recipe, first = read_recipe(recipe_file), models[0]
    _require_same(models, recipe_file, recipe)
    task, found = task_of(recipe.task), split(recipe, recipe_file.parent)
    measured = evaluate(
        task,
        EvaluationSides(found.training, found.validation, found.evaluation, own=recipe.data.own is not None),
        embedder(_base_model(base, first), None),
        {model.metadata.seed: embedder(model, base) for model in models},
        shipped=first.metadata.seed,
        models={model.metadata.seed: model.metadata.model.sha256 for model in models},
        progress=progress,
    )
    metadata = msgspec.structs.replace(
        first.metadata,
        title=first.metadata.title or task.title,
        evaluation=msgspec.structs.replace(measured.evaluation, exempt=dict(exempt)),
        fusion=measured.fusion,
        state=PromotionState.SHADOW,
        reasons=(),
    )
    metadata = write(first.folder, metadata)
    copy_recipe(first.folder, recipe_file)
    _draw_choices(first.folder, metadata.name, measured)
    return metadata


def task_of(name: str) -> Task:
    """Return the task of a name, from the plugin that contributes it.

    Raises:
        TrainingError: there is none.
    """
    return _named_task(name, Task)


def line_task_of(name: str) -> LineTask:
    """Return the line task of a name.

    Raises:
        TrainingError: no plugin contributes it.
    """
    return _named_task(name, LineTask)


def text_task_of(name: str) -> TextTask:
    """Return the text task of a name.

    Raises:
        TrainingError: no plugin contributes it.
    """
    return _named_task(name, TextTask)


def require_trained_by(models: Sequence[Model], recipe_file: Path, data: DataPart, kind: str) -> None:
    """Require models of one kind that were trained by a recipe on its records, each with another seed.

    Raises:
        TrainingError: one was not, or two have the same seed.
    """
    inputs = (recipe_digest(recipe_file), records_digest(record_files(data, recipe_file.parent)))
    for model in models:
        trained = model.metadata.data
        if model.metadata.kind != kind or trained is None or (trained.recipe, trained.records) != inputs:
            raise TrainingError(
                f"{model.folder}: it was trained by another recipe than {recipe_file}, or on other records"
            )
    if len({model.metadata.seed for model in models}) < len(models):
        raise TrainingError("two of these models have the same seed; train the recipe with another")


def _named_task(name: str, kind: type[OneTask]) -> OneTask:
    tasks = [task for task in host.load_tasks() if isinstance(task, kind)]
    for task in tasks:
        if task.name == name:
            return task
    known = ", ".join(task.name for task in tasks) or "none"
    raise TrainingError(f"task {name!r}: no plugin contributes it; choose one of {known}")


def embedder(model: Model, base: Path | None) -> TextEmbedder:
    """Return a text model as shipped, on the CPU with one thread, as in a review.

    Raises:
        ModelError: a file does not match its metadata, or models cannot be run here.
    """
    shelf = ModelRegistry.of([model.folder.absolute(), *([] if base is None else [base.absolute()])])
    return shelf.embedder(model.metadata.name, detect_runtime("cpu"))


def _base_model(base: Path | None, first: Model) -> Model:
    if base is None:
        raise TrainingError("there is no frozen base to compare with; pass its directory with --base")
    model = Model(base, read_metadata(base))
    if model.metadata.data is not None:
        raise TrainingError(f"{base}: this is a trained model, not a frozen base; pass the base with --base")
    ours, theirs = first.metadata.base, model.metadata.base
    if ours is None or theirs is None or ours.digest != theirs.digest:
        raise TrainingError(f"{first.folder}: it was trained on another base than the one in {base}")
    return model


def _require_same(models: Sequence[Model], recipe_file: Path, recipe: Recipe) -> None:
    records = records_digest(record_files(recipe.data, recipe_file.parent))
    data = models[0].metadata.data
    if data is None or data.recipe != recipe_digest(recipe_file):
        raise TrainingError(f"{models[0].folder}: it was trained by another recipe than {recipe_file}")
    for model in models:
        if model.metadata.data is None or model.metadata.data.records != records:
            raise TrainingError(f"{model.folder}: it was trained on other records than {recipe_file} names")
        if model.metadata.task != recipe.task:
            raise TrainingError(
                f"{model.folder}: it was trained for {model.metadata.task}, not {recipe.task}"
            )
    seeds = [model.metadata.seed for model in models]
    if len(set(seeds)) < len(seeds):
        raise TrainingError("two of these models have the same seed; train the recipe with another")


def _draw_choices(folder: Path, name: str, measured: Measured) -> None:
    """Plot scores relative to their question, since they are not comparable across questions."""
    right = measured.questions.right
    shown = {
        ranker: measured.questions.standardise(measured.scores[ranker])
        for ranker in ("cheap+adapter", "cheap+base", "cheap", "bm25")
    }
    plots.draw_precision_recall(folder / plots.PRECISION_RECALL, shown, right, name)
    unit = "fused score (standard deviations within the question)"
    plots.draw_scores(folder / plots.SCORES, shown["cheap+adapter"], right, name, unit=unit)
    steps = [plots.PlottedStep(step.step, step.loss, step.mrr) for step in read_steps(folder.parent)]
    if steps and folder.name == MODEL_FOLDER:
        plots.draw_training(folder / plots.TRAINING, steps, name)


def fused_scores(model: Model, base: Path | None, choices: Sequence[Choice], progress: Progress) -> Floats:
    """Return the fused score of each candidate as the metadata defines it, by which a review orders.

    Raises:
        TrainingError: it was not evaluated, so there is no fused score.
    """
    fusion = model.metadata.fusion
    if fusion is None:
        raise TrainingError(f"{model.folder}: there is no fused score yet; run `wardround adapters evaluate`")
    near = cosines(embedder(model, base), choices, progress, "candidates")
    columns = np.column_stack([evidence(task_of(model.metadata.task), choices), near])
    return conditional_logit.Logistic(fusion.weights, fusion.bias).scores(columns)


# --- tables


def raw_scores(model: Model, rows: Sequence[tabular_evaluation.FeatureRow], progress: Progress) -> Floats:
    """Return the raw score of each row, computed separately as in a review.

    Raises:
        TrainingError: the rows have other columns than the model's inputs.
        ModelError: a file does not match its metadata.
    """
    width = len(model.metadata.inputs)
    if any(len(row.features) != width for row in rows):
        raise TrainingError(
            f"{model.folder}: it has {width} inputs, and the rows have other columns; mine the rows again"
        )
    shelf = ModelRegistry.of([model.folder.absolute()])
    session = shelf.load(shelf.get(model.metadata.name), detect_runtime("cpu")).session
    progress(f"{len(rows)} rows")
    return np.array([raw_score(session, row.features) for row in rows])


def evaluate_rows(
    models: Sequence[Model],
    rows_file: Path,
    training_file: Path,
    cheap: Sequence[str],
    exempt: Mapping[str, str],
    progress: Progress,
) -> Metadata:
    """Evaluate models over numbers against a regression on the ``cheap`` inputs; write the result to the
    first.

    Raises:
        TrainingError: the rows do not match the models, or a class of row is missing.
        ModelError: a file does not match its metadata.
    """
    first = models[0]
    rows, training = tabular_evaluation.read_rows(rows_file), tabular_evaluation.read_rows(training_file)
    table, scores = (
        tabular_evaluation.FeatureTable.of(rows),
        {m.metadata.seed: raw_scores(m, rows, progress) for m in models},
    )
    baselines = tabular_evaluation.cheap_scores(training, rows, first.metadata.inputs, cheap)
    evaluation = tabular_evaluation.evaluate_table(
        table,
        scores,
        baselines,
        shipped=first.metadata.seed,
        digests={model.metadata.seed: model.metadata.model.sha256 for model in models},
        records=records_digest([rows_file]),
        leaks=tabular_evaluation.leaks(training, rows),
    )
    evaluation = msgspec.structs.replace(evaluation, exempt=dict(exempt))
    metadata = msgspec.structs.replace(
        first.metadata, evaluation=evaluation, state=PromotionState.SHADOW, reasons=()
    )
    metadata = write(first.folder, metadata)
    shown = {"model": scores[first.metadata.seed], **baselines}
    target = first.folder / plots.PRECISION_RECALL
    plots.draw_precision_recall(target, shown, table.right, metadata.name, table.weights)
    plots.draw_scores(
        first.folder / plots.SCORES, shown["model"], table.right, metadata.name, unit="raw score"
    )
    return metadata


# --- probabilities


def calibrate_choices(
    model: Model, recipe_file: Path, base: Path | None, method: Method, alarm_rate: float, progress: Progress
) -> tuple[Metadata, Calibrated]:
    """Calibrate a ranker's fused score on the evaluation questions of its recipe."""
    recipe = read_recipe(recipe_file)
    _require_same([model], recipe_file, recipe)
    choices = split(recipe, recipe_file.parent).evaluation
    scores = fused_scores(model, base, choices, progress)
    right = np.array([at in choice.right for choice in choices for at in range(len(choice.candidates))])
    own = recipe.data.own is not None
    units = [unit_of(choice.group, choice.time) if own else choice.repository for choice in choices]
    of_rows = [unit for unit, choice in zip(units, choices, strict=True) for _ in choice.candidates]
    return _calibrate(model, scores, right, of_rows, None, method, alarm_rate)


def calibrate_rows(
    model: Model, rows_file: Path, method: Method, alarm_rate: float, progress: Progress
) -> tuple[Metadata, Calibrated]:
    """Calibrate a model over numbers on rows at the natural rate."""
    rows = tabular_evaluation.read_rows(rows_file)
    scores = raw_scores(model, rows, progress)
    right, weights = np.array([row.right for row in rows]), np.array([row.weight for row in rows])
    return _calibrate(model, scores, right, [row.repository for row in rows], weights, method, alarm_rate)


def _calibrate(
    model: Model,
    scores: Floats,
    right: Flags,
    of_rows: Sequence[str],
    weights: Floats | None,
    method: Method,
    alarm_rate: float,
) -> tuple[Metadata, Calibrated]:
    known = model.metadata
    trained = known.data.repositories if known.data and not known.scope else ()
    both = promotion_policy.shared_repositories(trained, of_rows)
    if both:
        raise TrainingError(
            f"{both[0]} is in the training data, so it cannot calibrate; pass items of other repositories"
        )
    digest = known.model.sha256
    found = calibrate(
        scores, right, of_rows, method=method, alarm_rate=alarm_rate, model=digest, weights=weights
    )
    metadata = msgspec.structs.replace(
        known,
        calibration=found.calibration,
        thresholds={**known.thresholds, REPORT: found.threshold},
        alarm_rate=alarm_rate,
        state=promotion_policy.min_state(known.state, PromotionState.RANK),
    )
    metadata = write(model.folder, metadata)
    likely = probability(found.calibration, scores)
    plots.draw_calibration(model.folder / plots.CALIBRATION, found.reliability, known.name)
    plots.draw_scores(
        model.folder / plots.PROBABILITIES, likely, right, known.name, found.threshold, "probability"
    )
    return metadata, found
