"""Evaluate shipped text classifiers on repositories and times that no model was trained on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np

from wardround.inference.metadata import Evaluation, Improvement, Interval, Metadata, PromotionState
from wardround.training_tasks import LabelledText
from wardround_lab.training import plots
from wardround_lab.training.bootstrap import Figure, Flags, Floats, Places, Repositories
from wardround_lab.training.evaluate_shipped import require_trained_by, text_task_of
from wardround_lab.training.promote import Model, copy_recipe, write
from wardround_lab.training.run_directory import MODEL_FOLDER, read_steps
from wardround_lab.training.text_classes.base_vectors import frozen_vectors
from wardround_lab.training.text_classes.export import (
    STATED,
    TrainedClassifier,
    probabilities,
    read_classifier,
)
from wardround_lab.training.text_classes.measures import (
    chance_macro_f1,
    macro_f1_figure,
    share_figure,
)
from wardround_lab.training.text_classes.recipe import TextRecipe, read_text_recipe
from wardround_lab.training.text_classes.samples import TextSides, sampled_sides
from wardround_lab.training.text_classes.words import fit_words, linear_logits
from wardround_lab.training.trainer import Progress

METRIC = "macro-f1"
PRECISION = "precision above the threshold"
COVERAGE = "share above the threshold"
_SHUFFLES = 30


@dataclass(frozen=True, slots=True)
class Scores:
    """The probabilities, or logits, of the evaluation texts by scorer and seed; shape (texts, classes)."""

    baselines: Mapping[str, Floats]
    adapters: Mapping[int, Floats]
    models: Mapping[int, Floats]


def evaluate_text_models(
    models: Sequence[Model],
    recipe_file: Path,
    base: Path,
    exempt: Mapping[str, str],
    progress: Progress,
) -> Metadata:
    """Evaluate models of one recipe of texts; write the result to the first.

    Raises:
        TrainingError: they are not of this recipe and these records, or two have the same seed.
        ModelError: a file does not match its metadata.
    """
    recipe, first = read_text_recipe(recipe_file), models[0]
    require_trained_by(models, recipe_file, recipe.data, "texts")
    sides = sampled_sides(recipe, recipe_file.parent)
    classes = text_task_of(recipe.task).classes
    scores = Scores(
        _baselines(recipe, sides, classes, models[0], progress),
        {model.metadata.seed: _adapter(model, recipe, sides, progress) for model in models},
        {model.metadata.seed: _model_probabilities(model, base, sides, progress) for model in models},
    )
    evaluation = evaluate_scores(sides, scores, classes, models, exempt)
    metadata = msgspec.structs.replace(
        first.metadata, evaluation=evaluation, state=PromotionState.SHADOW, reasons=()
    )
    metadata = write(first.folder, metadata)
    copy_recipe(first.folder, recipe_file)
    steps = [plots.PlottedStep(step.step, step.loss, step.mrr) for step in read_steps(first.folder.parent)]
    if steps and first.folder.name == MODEL_FOLDER:
        plots.draw_training(first.folder / plots.TRAINING, steps, metadata.name)
    return metadata


def evaluate_scores(
    sides: TextSides, scores: Scores, classes: Sequence[str], models: Sequence[Model],
    exempt: Mapping[str, str],
) -> Evaluation:  # fmt: skip
    """Return the figures of all scorers on the evaluation texts."""
    texts, shipped = sides.evaluation, models[0].metadata
    labels = [classes.index(text.label) for text in texts]
    units = Repositories.resample([text.repository for text in texts])
    named = dict(scores.baselines)
    for name, of_seeds in (("adapter", scores.adapters), ("model", scores.models)):
        named |= {_scorer_name(name, seed, shipped.seed): found for seed, found in of_seeds.items()}
    figures = {
        name: macro_f1_figure(units, labels, found.argmax(axis=1), len(classes))
        for name, found in named.items()
    }
    metrics = {name: {METRIC: figure.interval()} for name, figure in figures.items()}
    for model in models:
        found = scores.models[model.metadata.seed]
        stated = found.max(axis=1) >= model.metadata.thresholds[STATED]
        right = found.argmax(axis=1) == np.array(labels)
        own = metrics[_scorer_name("model", model.metadata.seed, shipped.seed)]
        own[COVERAGE] = units.mean(stated.astype(np.float64)).interval()
        if stated.any():
            own[PRECISION] = share_figure(units, right, stated).interval()
    return Evaluation(
        repositories=units.names,
        since=min(text.time for text in texts),
        items=len(texts),
        base_rate=max(labels.count(label) for label in set(labels)) / len(labels),
        metrics=metrics,
        gains=tuple(_gains(figures, sorted(scores.models), shipped.seed)),
        controls={
            "size": metrics["size"][METRIC],
            "placebo": _placebo(units, scores, labels, len(classes), shipped.seed),
        },
        notes=tuple(_notes(sides, labels, scores.models[shipped.seed], classes)),
        models={str(model.metadata.seed): model.metadata.model.sha256 for model in models},
        records=_digest(texts),
        leaks=_leaks([*sides.words, *sides.validation], texts),
        exempt=dict(exempt),
    )


def _scorer_name(name: str, seed: int, shipped: int) -> str:
    return name if seed == shipped else f"{name}@{seed}"


def _gains(figures: Mapping[str, Figure], seeds: Sequence[int], shipped: int) -> list[Improvement]:
    return [
        Improvement(
            of=of, over=over, metric=METRIC, seed=seed,
            gain=figures[_scorer_name(of, seed, shipped)].difference(figures[over]).interval(),
        )
        for of in ("model", "adapter")
        for over in ("cheap", "words", "base", "size")
        for seed in seeds
    ]  # fmt: skip


def _placebo(
    units: Repositories, scores: Scores, labels: Sequence[int], classes: int, shipped: int
) -> Interval:
    """Return the macro-F1 above chance when the labels are shuffled within repositories."""
    draw = np.random.Generator(np.random.PCG64(0))
    answers = scores.models[shipped].argmax(axis=1)
    expected = np.array(labels)
    drawn = [
        macro_f1_figure(units, _shuffle_labels(expected, units.of_row, draw), answers, classes)
        for _ in range(_SHUFFLES)
    ]
    value = float(np.mean([figure.value for figure in drawn]))
    shuffled = Figure(value, np.mean([figure.draws for figure in drawn], axis=0))
    return shuffled.difference(chance_macro_f1(units, expected, answers, classes)).interval()


def _shuffle_labels(labels: Places, groups: Places, draw: np.random.Generator) -> Places:
    found = labels.copy()
    for group in np.unique(groups):
        locations = np.flatnonzero(groups == group)
        found[locations] = labels[draw.permutation(locations)]
    return found


def _baselines(
    recipe: TextRecipe, sides: TextSides, classes: Sequence[str], model: Model, progress: Progress,
) -> dict[str, Floats]:  # fmt: skip
    """Return the scores of the baselines: words on the larger and on the same sample, base, size."""
    texts = [text.text for text in sides.evaluation]
    penalty = recipe.words.inverse_penalty
    found = {}
    for name, sample in (("cheap", sides.words), ("words", sides.training)):
        progress(f"baseline {name}")
        labels = [classes.index(text.label) for text in sample]
        fitted = fit_words([text.text for text in sample], labels, len(classes), penalty)
        found[name] = fitted.logits(texts)
    labels = [classes.index(text.label) for text in sides.training]
    progress("baseline base")
    trained, measured = (
        frozen_vectors(model.folder.parent, [text.text for text in side])
        for side in (sides.training, sides.evaluation)
    )
    found["base"] = linear_logits(trained, labels, measured)
    found["size"] = linear_logits(_sizes(sides.training), labels, _sizes(sides.evaluation))
    return found


def _sizes(texts: Sequence[LabelledText]) -> Floats:
    """Return the logarithms of the numbers of characters and words of texts."""
    return np.array([[np.log1p(len(text.text)), np.log1p(len(text.text.split()))] for text in texts])


def _adapter(model: Model, recipe: TextRecipe, sides: TextSides, progress: Progress) -> Floats:
    """Return the logits of the adapter without words, in float32."""
    progress(f"{model.metadata.name}, seed {model.metadata.seed}: the adapter alone")
    trained = TrainedClassifier.read(model.folder.parent, recipe, sides, None)
    return trained.logits(trained.merged, sides.evaluation)


def _model_probabilities(model: Model, base: Path, sides: TextSides, progress: Progress) -> Floats:
    label = f"{model.metadata.name}, seed {model.metadata.seed}"
    loaded = read_classifier(model.folder, model.metadata, base)
    return probabilities(loaded, sides.evaluation, lambda text: progress(f"{label}: {text}"))


def _notes(sides: TextSides, labels: Sequence[int], found: Floats, classes: Sequence[str]) -> list[str]:
    """Return the F1 of each class, and the size of the samples."""
    expected, answers = np.array(labels), found.argmax(axis=1)
    own = ", ".join(
        f"{name} {_f1(expected == at, answers == at):.2f} of {int((expected == at).sum())}"
        for at, name in enumerate(classes)
    )
    return [
        f"F1 by class, with the number of texts: {own}.",
        f"The adapter learnt from {len(sides.training)} texts, the model over words from {len(sides.words)}.",
        "Labels are the prefixes that authors chose: habits, with an unknown agreement between people.",
    ]


def _f1(expected: Flags, given: Flags) -> float:
    both = float((expected & given).sum())
    return 2 * both / max(1.0, float(expected.sum() + given.sum()))


def _leaks(fitted: Sequence[LabelledText], measured: Sequence[LabelledText]) -> int:
    """Count repositories and groups of the evaluation that were fitted on too."""
    repositories = {text.repository.lower() for text in fitted} & {
        text.repository.lower() for text in measured
    }
    groups = {(text.repository, text.group) for text in fitted} & {
        (text.repository, text.group) for text in measured
    }
    return len(repositories) + len(groups)


def _digest(texts: Sequence[LabelledText]) -> str:
    import hashlib

    digest = hashlib.sha256()
    for text in texts:
        digest.update(msgspec.json.encode(text))
    return digest.hexdigest()
