"""Evaluate exported chat models on held-out repositories: right and valid answers, as of rules and base."""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np

from wardround.errors import TrainingError, UsageError
from wardround.inference.metadata import Evaluation, Improvement, Interval, Metadata, PromotionState
from wardround.inference.promotion_policy import RIGHT_ANSWERS, VALID_ANSWERS
from wardround_lab.corpora.records import rows_of
from wardround_lab.training.bootstrap import Figure, Floats, Repositories
from wardround_lab.training.chat.decoder import load_plain
from wardround_lab.training.chat.examples import BuiltFiles, Example, training_examples
from wardround_lab.training.chat.export import require_runtime
from wardround_lab.training.chat.greedy import ExportedDecoder, greedy_answers
from wardround_lab.training.chat.merge import TrainedChat
from wardround_lab.training.chat.recipe import AnswerPart
from wardround_lab.training.choice_dataset import spread
from wardround_lab.training.encoder import silence_transformers
from wardround_lab.training.evaluate_shipped import require_trained_by
from wardround_lab.training.promote import Model, copy_recipe, write
from wardround_lab.training.trainer import Progress

_SHUFFLES = 30
_OVER = ("rules", "base", "size")


class RuleAnswer(msgspec.Struct, frozen=True):
    """The answer of the rules to one request; empty if they have none."""

    answer: str


@dataclass(frozen=True, slots=True)
class Answers:
    """The answers of all scorers to the requests of the evaluation, in their order.

    Attributes:
        models: seed -> answers of the exported model.
        others: of ``base``, ``rules`` and ``size``.
    """

    expected: tuple[str, ...]
    models: Mapping[int, tuple[str, ...]]
    others: Mapping[str, tuple[str, ...]]


def evaluate_chat_models(
    models: Sequence[Model], recipe_file: Path, exempt: Mapping[str, str], progress: Progress
) -> Metadata:
    """Evaluate models of one chat recipe; write the result to the first.

    Raises:
        TrainingError: they are not of this recipe and these examples, or two have the same seed.
        UsageError: onnxruntime-genai is missing.
    """
    require_runtime()
    first = models[0]
    trained = TrainedChat.read(first.folder.parent)
    built = BuiltFiles.read(Path(trained.run.examples))
    require_trained_by(models, recipe_file, built.data_part(()), "chat")
    examples = list(spread(trained.requests, trained.recipe.answer.items))
    fitted = training_examples(built, trained.recipe, trained.tokenizer)
    others = {"base": _base_answers(trained, examples, progress), "size": _size_answers(fitted, examples)}
    if trained.recipe.data.rules:
        others["rules"] = _rule_answers(recipe_file.parent / trained.recipe.data.rules, trained, examples)
    answers = Answers(
        tuple(_squeeze(example.text) for example in examples),
        {model.metadata.seed: _model_answers(model, trained, examples, progress) for model in models},
        others,
    )
    evaluation = msgspec.structs.replace(
        evaluate_answers(examples, answers, models, trained.recipe.answer),
        leaks=_leaks(fitted, examples),
        exempt=dict(exempt),
        notes=tuple(_notes(trained, answers)),
    )
    metadata = msgspec.structs.replace(
        first.metadata, evaluation=evaluation, state=PromotionState.SHADOW, reasons=()
    )
    metadata = write(first.folder, metadata)
    copy_recipe(first.folder, recipe_file)
    return metadata


def evaluate_answers(
    examples: Sequence[Example], answers: Answers, models: Sequence[Model], part: AnswerPart
) -> Evaluation:
    """Return the figures of all scorers on the requests of the evaluation."""
    shipped = models[0].metadata.seed
    units = Repositories.resample([example.origin.repository for example in examples])
    of_models = {_scorer_name(seed, shipped): found for seed, found in answers.models.items()}
    named = {**answers.others, **of_models}
    figures = {name: _share(units, answers.expected, found) for name, found in named.items()}
    metrics = {name: {RIGHT_ANSWERS: figure.interval()} for name, figure in figures.items()}
    if part.pattern:
        for name in ("base", *of_models):
            metrics[name][VALID_ANSWERS] = _valid_share(units, named[name], part.pattern)
    most_common = max(Counter(answers.expected).values())
    return Evaluation(
        repositories=units.names,
        since=min(example.origin.time for example in examples),
        items=len(examples),
        base_rate=most_common / len(examples),
        metrics=metrics,
        gains=tuple(_gains(figures, sorted(answers.models), shipped)),
        controls={
            "size": metrics["size"][RIGHT_ANSWERS],
            "placebo": _placebo(units, answers.expected, answers.models[shipped]),
        },
        models={str(model.metadata.seed): model.metadata.weights_sha256 for model in models},
        records=_digest(examples),
    )


def _scorer_name(seed: int, shipped: int) -> str:
    return "model" if seed == shipped else f"model@{seed}"


def _gains(figures: Mapping[str, Figure], seeds: Sequence[int], shipped: int) -> list[Improvement]:
    return [
        Improvement(
            of="model", over=over, metric=RIGHT_ANSWERS, seed=seed,
            gain=figures[_scorer_name(seed, shipped)].difference(figures[over]).interval(),
        )
        for over in _OVER
        if over in figures
        for seed in seeds
    ]  # fmt: skip


# --- figures


def _share(units: Repositories, expected: Sequence[str], found: Sequence[str]) -> Figure:
    return units.mean(
        np.array([one == other for one, other in zip(expected, found, strict=True)], dtype=float)
    )


def _valid_share(units: Repositories, found: Sequence[str], pattern: str) -> Interval:
    valid = re.compile(pattern)
    return units.mean(np.array([valid.fullmatch(text) is not None for text in found], dtype=float)).interval()


def _placebo(units: Repositories, expected: Sequence[str], found: Sequence[str]) -> Interval:
    """Return the share of right answers above chance when those expected are shuffled in a repository."""
    draw = np.random.Generator(np.random.PCG64(0))
    drawn = [_share(units, _shuffle(expected, units, draw), found) for _ in range(_SHUFFLES)]
    value = float(np.mean([figure.value for figure in drawn]))
    shuffled = Figure(value, np.mean([figure.draws for figure in drawn], axis=0))
    return shuffled.difference(units.mean(_chance(expected, found, units))).interval()


def _chance(expected: Sequence[str], found: Sequence[str], units: Repositories) -> Floats:
    """Return for each answer the share of requests of its repository that expect it."""
    counts: defaultdict[int, Counter[str]] = defaultdict(Counter)
    for place, text in zip(units.of_row.tolist(), expected, strict=True):
        counts[place][text] += 1
    return np.array(
        [
            counts[place][text] / counts[place].total()
            for place, text in zip(units.of_row.tolist(), found, strict=True)
        ]
    )


def _shuffle(expected: Sequence[str], units: Repositories, draw: np.random.Generator) -> list[str]:
    found = np.array(expected, dtype=object)
    for place in range(len(units.names)):
        rows = np.flatnonzero(units.of_row == place)
        found[rows] = found[draw.permutation(rows)]
    return [str(text) for text in found]


# --- answers


def _base_answers(trained: TrainedChat, examples: Sequence[Example], progress: Progress) -> tuple[str, ...]:
    """Return the answers of the base alone, which was never trained on this."""
    progress("answers of the base")
    model = load_plain(trained.located)
    tokenizer, most = trained.tokenizer, trained.recipe.answer.tokens
    with silence_transformers():
        found = greedy_answers(model, examples, most, tokenizer.stop)
    return tuple(_squeeze(tokenizer.text(answer.tokens)) for answer in found)


def _model_answers(
    model: Model, trained: TrainedChat, examples: Sequence[Example], progress: Progress
) -> tuple[str, ...]:
    """Return the answers of an exported model, by the runtime of a review."""
    progress(f"{model.metadata.name}, seed {model.metadata.seed}: answers")
    decoder = ExportedDecoder(model.folder)
    tokenizer, most = trained.tokenizer, trained.recipe.answer.tokens
    return tuple(
        _squeeze(tokenizer.text(decoder.answer(example.prompt, most, tokenizer.stop))) for example in examples
    )


def _size_answers(fitted: Sequence[Example], examples: Sequence[Example]) -> tuple[str, ...]:
    """Return the most common answer among training requests of a similar length."""
    counts: defaultdict[int, Counter[str]] = defaultdict(Counter)
    for example in fitted:
        counts[_size(example)][_squeeze(example.text)] += 1
    every = Counter(_squeeze(example.text) for example in fitted)
    return tuple((counts.get(_size(example)) or every).most_common(1)[0][0] for example in examples)


def _size(example: Example) -> int:
    return len(example.prompt).bit_length()


def _rule_answers(file: Path, trained: TrainedChat, examples: Sequence[Example]) -> tuple[str, ...]:
    """Return the answers of the rules to the requests that are evaluated.

    Raises:
        TrainingError: the file cannot be read, or has another number of lines than ``eval.jsonl``.
    """
    try:
        rows = list(rows_of(file, RuleAnswer))
    except UsageError as cause:
        raise TrainingError(str(cause)) from cause
    lines = trained.evaluation_lines
    if len(rows) != lines:
        raise TrainingError(
            f"{file}: it has {len(rows)} answers, and eval.jsonl has {lines} requests; write one for each"
        )
    return tuple(_squeeze(rows[example.line].answer) for example in examples)


def _squeeze(text: str) -> str:
    return " ".join(text.split())


def _leaks(fitted: Sequence[Example], examples: Sequence[Example]) -> int:
    """Count repositories and requests of the evaluation that were trained on too."""
    repositories = {example.origin.repository.lower() for example in fitted} & {
        example.origin.repository.lower() for example in examples
    }
    requests = {tuple(example.prompt) for example in fitted} & {tuple(example.prompt) for example in examples}
    return len(repositories) + len(requests)


def _notes(trained: TrainedChat, answers: Answers) -> list[str]:
    run = trained.run
    notes = [
        f"Held-out loss per token of an answer: {run.best:.3f}, of the base alone {run.base_loss:.3f}.",
        f"An answer is right if it is the expected one, apart from white space; {len(answers.expected)} of "
        f"{len(trained.requests)} requests were answered.",
    ]
    if "rules" not in answers.others:
        notes.append("The recipe names no answers of the rules, so whether it is better is not known.")
    return notes


def _digest(examples: Sequence[Example]) -> str:
    digest = hashlib.sha256()
    for example in examples:
        digest.update(msgspec.json.encode((example.prompt, example.text, example.origin)))
    return digest.hexdigest()
