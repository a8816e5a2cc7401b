"""Evaluate a ranking model against chance, size, word overlap and the frozen base, on unseen code.

All fitted parts are fitted on other repositories than those of the evaluation. The deciding metric is fixed
beforehand: the gain in ``mrr`` of the fused score, by repository.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from wardround.errors import TrainingError
from wardround.inference.metadata import Evaluation, Fusion, Improvement, Interval
from wardround.inference.similarity import GRID
from wardround.retrieval import bm25
from wardround.retrieval.protocols import TextEmbedder
from wardround.text import search_terms
from wardround.training_tasks import Choice, Task
from wardround_lab.corpora.within_repository_split import unit_of
from wardround_lab.training import conditional_logit
from wardround_lab.training.bootstrap import Figure, Floats, ResampledUnits
from wardround_lab.training.ranking_metrics import RankedQuestions, Ranking

DECIDING = "mrr"
METRICS = ("mrr", "top-1", "auc")
LIKE_SIZE = "same size"
"""Suffix of the name of a metric among candidates of similar size."""
_FUSED = (("cheap+adapter", "cheap+base"), ("cheap+adapter", "cheap"))
_PAIRS = (
    *_FUSED,
    ("cheap+adapter", "bm25"),
    ("cheap+adapter", "size"),
    ("cheap+size+adapter", "cheap+size"),
    ("adapter", "base"),
)
"""The compared pairs of scorers; among candidates of similar size ``_FUSED`` only."""
_SHUFFLES = 30
_AT_ONCE = 64

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class EvaluationSides:
    """The questions of the three parts of a split.

    Attributes:
        training: the training data of the adapters; the weights of the inexpensive features are fitted on it.
        validation: questions of repositories in neither other part; the two weights of a model and the
            inexpensive score are fitted on it. Without one, on ``training``, which overestimates an adapter.
        evaluation: questions of repositories never trained on, later than all training.
        own: all parts are of one repository; each of its files is in one part, and its weeks and files are
            resampled for the intervals.
    """

    training: Sequence[Choice]
    validation: Sequence[Choice]
    evaluation: Sequence[Choice]
    own: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """Results of an evaluation, with the data of the plots and the calibration.

    Attributes:
        scores: scorer -> one score per row of ``questions``.
    """

    evaluation: Evaluation
    fusion: Fusion
    questions: RankedQuestions
    scores: Mapping[str, Floats]


def evaluate(
    task: Task,
    sides: EvaluationSides,
    base: TextEmbedder,
    adapters: Mapping[int, TextEmbedder],
    *,
    shipped: int,
    models: Mapping[int, str],
    progress: Progress = lambda text: None,
) -> Measured:
    """Evaluate the adapters of one task.

    Args:
        adapters: by the seed of their training; as shipped, since quantisation changes scores.
        shipped: the seed of the adapter whose figures come first.
        models: seed -> SHA-256 of the model file.

    Raises:
        TrainingError: a part is empty, or the features do not match the task's names.
    """
    if not sides.evaluation or not sides.training:
        missing = "evaluation" if not sides.evaluation else "training"
        raise TrainingError(f"{task.name}: there are no {missing} questions; mine more repositories")
    if shipped not in adapters or set(models) != set(adapters):
        raise TrainingError(f"{task.name}: there is no adapter of seed {shipped}, or one has no digest")
    questions = RankedQuestions.of(sides.evaluation, own=sides.own)
    scores, fusion = _score_task(task, sides, questions, base, _name_adapters(adapters, shipped), progress)
    return Measured(_figures(questions, scores, sides, models, shipped), fusion, questions, scores)


def records_digest(choices: Sequence[Choice]) -> str:
    """Return the SHA-256 of the questions, in order."""
    import msgspec

    digest = hashlib.sha256()
    for choice in choices:
        digest.update(msgspec.json.encode(choice) + b"\n")
    return digest.hexdigest()


def leaks(fitted: Sequence[Choice], evaluation: Sequence[Choice], *, own: bool = False) -> int:
    """Count repositories, groups and answered questions of the evaluation that were fitted on too.

    Args:
        own: all are of one repository; its files, or else weeks, are counted instead of repositories.
    """
    complete = _split_unit if own else _repository
    keys: tuple[Callable[[Choice], object], ...] = (complete, lambda choice: choice.group, _answered_question)
    return sum(
        len({key(choice) for choice in fitted} & {key(choice) for choice in evaluation}) for key in keys
    )


def _repository(choice: Choice) -> str:
    return choice.repository.lower()


def _split_unit(choice: Choice) -> str:
    return unit_of(choice.group, choice.time)


def _answered_question(choice: Choice) -> bytes:
    """Return a question with its correct answers, with normalised white space."""
    texts = (choice.query, *(choice.candidates[at] for at in choice.right))
    return hashlib.sha256("\0".join(" ".join(text.split()) for text in texts).encode()).digest()


def _name_adapters(adapters: Mapping[int, TextEmbedder], shipped: int) -> dict[str, TextEmbedder]:
    """Name the shipped adapter ``adapter`` and others with their seed as suffix."""
    named = {"adapter": adapters[shipped]}
    return named | {f"adapter@{seed}": adapters[seed] for seed in sorted(adapters) if seed != shipped}


# --- scores


def _score_task(
    task: Task,
    sides: EvaluationSides,
    questions: RankedQuestions,
    base: TextEmbedder,
    adapters: Mapping[str, TextEmbedder],
    progress: Progress,
) -> tuple[dict[str, Floats], Fusion]:
    fitting = sides.validation or sides.training
    training, fitted_on = RankedQuestions.of(sides.training), RankedQuestions.of(fitting)
    progress("cheap evidence")
    cheap, reported, learned = (evidence(task, side) for side in (sides.evaluation, fitting, sides.training))
    size, size_told, size_learned = _size(questions), _size(fitted_on), _size(training)
    judge = _fit(learned, training)
    judge_size = _fit(np.column_stack([learned, size_learned]), training)
    scores = {
        "guess": np.zeros(len(questions.right)),
        "size": _fit(size_learned, training).scores(size),
        "bm25": cheap[:, -1],
        "cheap": judge.scores(cheap),
        "cheap+size": judge_size.scores(np.column_stack([cheap, size])),
    }
    fitted = {
        "cheap": judge.scores(reported),
        "cheap+size": judge_size.scores(np.column_stack([reported, size_told])),
    }
    shipped = conditional_logit.Logistic((), 0.0)
    for name, embedder in {"base": base, **adapters}.items():
        near = cosines(embedder, fitting, progress, f"{name}: fusion")
        scores[name] = cosines(embedder, sides.evaluation, progress, f"{name}: evaluation")
        for kind, before in fitted.items():
            pair = _fit(np.column_stack([before, near]), fitted_on)
            scores[f"{kind}+{name}"] = pair.scores(np.column_stack([scores[kind], scores[name]]))
            if (kind, name) == ("cheap", "adapter"):
                shipped = pair
    weight, of_cosine = shipped.weights
    weights = (*(round(weight * share, 9) for share in judge.weights), of_cosine)
    return scores, Fusion((*task.feature_names, "bm25", "cosine"), weights, 0.0)


def _fit(columns: Floats, questions: RankedQuestions) -> conditional_logit.Logistic:
    return conditional_logit.fit_choices(columns, questions.right, questions.starts)


def evidence(task: Task, choices: Sequence[Choice]) -> Floats:
    """Return the task's features and BM25, one row per candidate.

    Raises:
        TrainingError: the features do not match the task's names.
    """
    rows: list[list[float]] = []
    for choice in choices:
        found = task.features(choice.query, choice.candidates)
        if len(found) != len(choice.candidates) or {len(row) for row in found} != {len(task.feature_names)}:
            raise TrainingError(
                f"{task.name}: {choice.group} has features of another shape than {len(choice.candidates)} "
                f"candidates by {len(task.feature_names)} names"
            )
        lexical = bm25.scores(
            search_terms.count_words(choice.query),
            [search_terms.count_words(text) for text in choice.candidates],
        )
        rows += [[*map(float, row), score] for row, score in zip(found, lexical, strict=True)]
    table = np.array(rows, dtype=np.float64)
    if not np.isfinite(table).all():
        raise TrainingError(f"{task.name}: a feature is not a finite number")
    return table


def _size(questions: RankedQuestions) -> Floats:
    """Return features of length and position only: a baseline that reads no words."""
    logs = np.log1p(questions.lengths)
    mean = np.add.reduceat(logs, questions.starts) / questions.sizes
    apart = logs - mean[questions.question]
    longer = Ranking.by(questions.lengths, questions).better / questions.sizes[questions.question]
    location = questions.places()
    return np.column_stack([logs, apart, apart**2, longer, location, location == 0, location == 1])


def cosines(embedder: TextEmbedder, choices: Sequence[Choice], progress: Progress, what: str) -> Floats:
    """Return the cosine of each candidate with its query, rounded as in a review; each text is embedded
    once.
    """
    location: dict[str, int] = {}
    for choice in choices:
        for text in (choice.query, *choice.candidates):
            location.setdefault(text, len(location))
    vectors = _vectors(embedder, list(location), progress, what)
    near = [
        vectors[[location[text] for text in choice.candidates]] @ vectors[location[choice.query]]
        for choice in choices
    ]
    return np.round(np.concatenate(near), GRID)


def _vectors(embedder: TextEmbedder, texts: Sequence[str], progress: Progress, what: str) -> Floats:
    parts = []
    for start in range(0, len(texts), _AT_ONCE):
        progress(f"{what}: {start} of {len(texts)} texts")
        parts.append(np.asarray(embedder.embed(texts[start : start + _AT_ONCE]), dtype=np.float64))
    return np.concatenate(parts)


# --- figures


def _figures(
    questions: RankedQuestions,
    scores: Mapping[str, Floats],
    sides: EvaluationSides,
    models: Mapping[int, str],
    shipped: int,
) -> Evaluation:
    figures = _measure(questions, scores)
    alike, retained = questions.of_like_size()
    gains = _gains(figures, models, shipped, _PAIRS, METRICS)
    notes = [f"the fused scores were fitted on {_fitted_on(sides)}"]
    if len(alike.starts):
        of_alike = _measure(alike, {name: rows[retained] for name, rows in scores.items()})
        gains += _gains(of_alike, models, shipped, _FUSED, (DECIDING,), f", {LIKE_SIZE}")
        notes.append(
            f"same size: lengths within a quarter, as many longer as shorter: {len(alike.starts)} of "
            f"{len(questions.starts)} questions, in {describe_units(alike)}"
        )
    else:
        notes.append("same size: no question has a wrong candidate as long as the right one")
    return Evaluation(
        repositories=tuple(sorted({choice.repository for choice in sides.evaluation})),
        since=min(choice.time for choice in sides.evaluation),
        items=len(questions.starts),
        base_rate=round(float(questions.right.mean()), 6),
        metrics={
            name: {metric: sample.interval() for metric, sample in found.items()}
            for name, found in figures.items()
        },
        gains=tuple(gains),
        controls={"size": figures["size"][DECIDING].interval(), "placebo": placebo(questions, scores)},
        notes=tuple(notes),
        models={str(seed): digest for seed, digest in sorted(models.items())},
        records=records_digest(sides.evaluation),
        leaks=leaks([*sides.training, *sides.validation], sides.evaluation, own=sides.own),
        drawn={kind: len(set(names)) for kind, names in questions.units.items()} if sides.own else {},
    )


def describe_units(questions: RankedQuestions) -> str:
    """Describe the number of units of each kind."""
    return " and ".join(f"{len(set(names))} {kind}" for kind, names in questions.units.items())


def _fitted_on(sides: EvaluationSides) -> str:
    if not sides.validation:
        what = "the questions" if sides.own else "the repositories"
        return f"{what} the adapter was trained on, for want of others"
    if sides.own:
        return f"{len({_split_unit(choice) for choice in sides.validation})} files of neither side"
    return f"{len({choice.repository for choice in sides.validation})} repositories of neither side"


def _measure(questions: RankedQuestions, scores: Mapping[str, Floats]) -> dict[str, dict[str, Figure]]:
    """Compute every metric of every scorer, on the same samples."""
    drawn = ResampledUnits.of(questions.units)
    found: dict[str, dict[str, Figure]] = {}
    for name, rows in scores.items():
        ranking = Ranking.by(rows, questions)
        found[name] = {
            "mrr": drawn.mean(ranking.reciprocal_ranks()),
            "top-1": drawn.mean(ranking.top1()),
            "auc": drawn.mean(ranking.ordered_pairs()),
        }
    return found


def _gains(
    figures: Mapping[str, Mapping[str, Figure]],
    models: Mapping[int, str],
    shipped: int,
    pairs: Sequence[tuple[str, str]],
    metrics: Sequence[str],
    suffix: str = "",
) -> list[Improvement]:
    """Compute the gain of each adapter; in ``pairs`` it is named ``adapter``."""
    return [
        Improvement(
            of=of,
            over=over,
            metric=f"{metric}{suffix}",
            seed=seed,
            gain=figures[of if seed == shipped else f"{of}@{seed}"][metric]
            .difference(figures[over][metric])
            .interval(),
        )
        for of, over in pairs
        for metric in metrics
        for seed in sorted(models)
    ]


def placebo(questions: RankedQuestions, scores: Mapping[str, Floats]) -> Interval:
    """Return the advantage of the best scorer over chance when the right answers are randomised.

    Any value but about 0 means that the evaluation itself produces the figures.
    """
    generator = np.random.Generator(np.random.PCG64(0))
    shuffled = [questions.shuffle(generator) for _ in range(_SHUFFLES)]
    drawn = ResampledUnits.of(questions.units)
    chance = Ranking.by(np.zeros(len(questions.right)), questions).reciprocal_ranks()
    found = []
    for name in sorted(scores):
        ranking = Ranking.by(scores[name], questions)
        reached = np.mean([ranking.reciprocal_ranks(right) for right in shuffled], axis=0)
        found.append(drawn.mean(reached - chance))
    return max(found, key=lambda figure: figure.value).interval()
