"""Evaluate a model over numbers, such as boosted trees: against baselines, and within bins of size."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np

from wardround.errors import TrainingError
from wardround.inference.metadata import Evaluation, Improvement, Interval
from wardround_lab.training import conditional_logit
from wardround_lab.training.bootstrap import (
    Figure,
    Flags,
    Floats,
    Places,
    Repositories,
    precision_at_recall,
)

DECIDING = "auc"
BINNED = "auc, same size"
RECALLS = (0.05, 0.10, 0.20)
"""Recalls at which the precision is reported: the findings that a user would see first."""
_SHUFFLES = 30
_DRAWS_OF_PRECISION = 500
"""Each needs a pass over all rows."""


class FeatureRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One line of a file of rows.

    Attributes:
        repository: ``owner/name``.
        time: seconds since 1970.
        group: the unit that must be in one part of a split, such as ``path@commit``.
        features: in the order of the model's ``inputs``.
        bin: rows of one bin are equal in properties that must not decide.
        weight: the number of real rows that it represents.
    """

    repository: str
    time: int
    group: str
    right: bool
    features: tuple[float, ...]
    bin: int = 0
    weight: float = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class FeatureTable:
    """Rows of repositories never trained on.

    Attributes:
        right: shape (rows,).
        repositories: shape (rows,), the repository of each row.
        bins: shape (rows,), rows of one bin are equal in properties that must not decide (size, length of the
            text ...).
        weights: the number of original rows that each sampled row represents; all are 1 without sampling.
        since: seconds since 1970; no row is older.
    """

    right: Flags
    repositories: tuple[str, ...]
    bins: Places
    weights: Floats
    since: int

    def __post_init__(self) -> None:
        if not len(self.right) == len(self.repositories) == len(self.bins) == len(self.weights) > 0:
            raise ValueError("a table needs a label, a repository, a bin and a weight for each row")

    @classmethod
    def of(cls, rows: Sequence[FeatureRow]) -> FeatureTable:
        """Build a table of rows, in order."""
        return cls(
            right=np.array([row.right for row in rows]),
            repositories=tuple(row.repository for row in rows),
            bins=np.array([row.bin for row in rows], dtype=np.int64),
            weights=np.array([row.weight for row in rows], dtype=np.float64),
            since=min(row.time for row in rows),
        )


def read_rows(file: Path) -> list[FeatureRow]:
    """Read the rows of a file of JSON lines.

    Raises:
        TrainingError: it cannot be read, or has none; the message names file and line.
    """
    decoder, rows = msgspec.json.Decoder(FeatureRow), []
    try:
        with file.open("rb") as stream:
            for number, line in enumerate(stream, 1):
                rows.append(_row(decoder, line, f"{file}:{number}"))
    except OSError as cause:
        raise TrainingError(f"{file}: {cause.strerror}; pass a file of rows") from cause
    if not rows:
        raise TrainingError(f"{file}: the file has no rows; mine more repositories")
    return rows


def _row(decoder: msgspec.json.Decoder[FeatureRow], line: bytes, place: str) -> FeatureRow:
    try:
        return decoder.decode(line)
    except (msgspec.MsgspecError, ValueError) as cause:
        raise TrainingError(f"{place}: {cause}; mine the rows again") from cause


def leaks(training: Sequence[FeatureRow], rows: Sequence[FeatureRow]) -> int:
    """Count repositories and groups of the evaluation that were trained on too."""
    keys: tuple[Callable[[FeatureRow], str], ...] = (
        lambda row: row.repository.lower(),
        lambda row: row.group,
    )
    return sum(len({key(row) for row in training} & {key(row) for row in rows}) for key in keys)


def cheap_scores(
    training: Sequence[FeatureRow], rows: Sequence[FeatureRow], inputs: Sequence[str], cheap: Sequence[str]
) -> dict[str, Floats]:
    """Return logistic regressions on the ``cheap`` inputs, and on the bin alone as ``size``, fitted on
    training rows.

    Raises:
        TrainingError: an input of this name does not exist, or a class of row is missing.
    """
    unknown = [name for name in cheap if name not in inputs]
    if unknown or not cheap:
        raise TrainingError(f"the cheap inputs are some of {', '.join(inputs)}; {unknown or 'none'} is not")
    locations = [inputs.index(name) for name in cheap]
    right = np.array([row.right for row in training])
    weights = np.array([row.weight for row in training])

    def score(columns: Callable[[FeatureRow], list[float]]) -> Floats:
        fitted, requested = (np.array([columns(row) for row in side]) for side in (training, rows))
        try:
            return conditional_logit.fit(fitted, right, weights).scores(requested)
        except ValueError as cause:
            raise TrainingError(f"the cheap baseline cannot be fitted: {cause}; mine more rows") from cause

    return {
        "cheap": score(lambda row: [row.features[at] for at in locations]),
        "size": score(lambda row: [float(row.bin), float(row.bin) ** 2]),
    }


def evaluate_table(
    table: FeatureTable,
    models: Mapping[int, Floats],
    cheap: Mapping[str, Floats],
    *,
    shipped: int,
    digests: Mapping[int, str],
    records: str,
    leaks: int,
) -> Evaluation:
    """Evaluate the scores of a model and of the baselines it must beat.

    Args:
        models: seed -> scores of the model as shipped; the shipped one is named ``model``.
        cheap: name -> scores; one must be ``cheap``, the best baseline without a model. ``size`` only uses
            the size.
        digests: seed -> SHA-256 of the model file.
        records: SHA-256 of the rows.
        leaks: groups and rows in both parts of the split.

    Raises:
        TrainingError: there is no baseline, or a class of row is missing.
    """
    if "cheap" not in cheap or shipped not in models:
        raise TrainingError("a table needs a baseline named 'cheap' and a seed that is shipped")
    if table.right.all() or not table.right.any():
        raise TrainingError("all rows are of one class, so nothing can be evaluated")
    scores = dict(cheap)
    for seed, rows in sorted(models.items()):
        scores["model" if seed == shipped else f"model@{seed}"] = rows
    repositories = Repositories.resample(table.repositories)
    figures = {name: _measure(table, rows, repositories) for name, rows in scores.items()}
    controls = {"placebo": _placebo(table, scores, repositories).interval()}
    if "size" in cheap:
        controls["size"] = figures["size"][DECIDING].interval()
    return Evaluation(
        repositories=repositories.names,
        since=table.since,
        items=len(table.right),
        base_rate=round(float(np.average(table.right, weights=table.weights)), 6),
        metrics={
            name: {
                **{metric: sample.interval() for metric, sample in found.items()},
                **_precisions(table, scores[name]),
            }
            for name, found in figures.items()
        },
        gains=tuple(_gains(figures, sorted(models), tuple(cheap), shipped)),
        controls=controls,
        notes=("precision at a recall goes by the label, not by what a user would say",),
        models={str(seed): digest for seed, digest in sorted(digests.items())},
        records=records,
        leaks=leaks,
    )


def _measure(table: FeatureTable, rows: Floats, repositories: Repositories) -> dict[str, Figure]:
    return {
        DECIDING: repositories.auc(rows, table.right, weights=table.weights),
        BINNED: repositories.auc(rows, table.right, bins=table.bins, weights=table.weights),
    }


def _precisions(table: FeatureTable, rows: Floats) -> dict[str, Interval]:
    drawn = Repositories.resample(table.repositories, draws=_DRAWS_OF_PRECISION)

    def precision(recall: float) -> Callable[[Floats], float]:
        return lambda counts: precision_at_recall(rows, table.right, recall, counts * table.weights)

    return {
        f"precision at {recall:.0%} recall": drawn.drawn_again(precision(recall)).interval()
        for recall in RECALLS
    }


def _gains(
    figures: Mapping[str, Mapping[str, Figure]], seeds: list[int], cheap: tuple[str, ...], shipped: int
) -> list[Improvement]:
    return [
        Improvement(of="model", over=over, metric=metric, seed=seed,
             gain=figures["model" if seed == shipped else f"model@{seed}"][metric]
             .difference(figures[over][metric]).interval())
        for seed in seeds for over in cheap for metric in (DECIDING, BINNED)
    ]  # fmt: skip


def _placebo(table: FeatureTable, scores: Mapping[str, Floats], repositories: Repositories) -> Figure:
    """Return the advantage of the best scorer over one half when labels are permuted within repository and
    bin.
    """
    generator = np.random.Generator(np.random.PCG64(0))
    pairs = np.column_stack([repositories.of_row, table.bins])
    cells = np.unique(pairs, axis=0, return_inverse=True)[1].reshape(-1)
    home = np.argsort(cells, kind="stable")
    drawn = []
    for _ in range(_SHUFFLES):
        shuffled = np.empty_like(table.right)
        shuffled[home] = table.right[np.lexsort((generator.random(len(cells)), cells))]
        drawn.append(shuffled)
    found = []
    for name in sorted(scores):
        figures = [
            repositories.auc(scores[name], flags, bins=cells, weights=table.weights) for flags in drawn
        ]
        value = float(np.mean([figure.value for figure in figures])) - 0.5
        found.append(Figure(value, np.mean([figure.draws for figure in figures], axis=0) - 0.5))
    return max(found, key=lambda figure: figure.value)
