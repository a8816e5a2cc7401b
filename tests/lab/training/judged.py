"""Synthetic data with known answers: a candidate's first word determines its concept."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wardround.inference.metadata import (
    BaseModel,
    Calibration,
    Evaluation,
    File,
    HumanReview,
    Improvement,
    Interval,
    Metadata,
    PromotionState,
    TrainingData,
)
from wardround.training_tasks import Choice, Task
from wardround_lab.training.evaluate import EvaluationSides
from wardround_lab.training.promotion_gates import FileDigests

CONCEPTS = 40
NEW_YEAR_2024 = 1_704_067_200
_FILLER = (
    "copy",
    "fold",
    "merge",
    "split",
    "store",
    "fetch",
    "clear",
    "group",
    "rotate",
    "scale",
    "trim",
    "wrap",
)


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Knower:
    """Embeds a text by its concept, with a wrong concept for a share of the texts."""

    mistakes: float
    digest: str = "knower"

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        rows = np.zeros((len(texts), CONCEPTS), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            reported = random.Random(f"{self.digest}{text}")
            concept = int(text.split()[0][1:])
            row[reported.randrange(CONCEPTS) if reported.random() < self.mistakes else concept] = 1
        return rows


@dataclass(frozen=True, slots=True)
class Measurer:
    """Scores a candidate by its length only."""

    digest: str = "measurer"

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        angles = [0.0 if text.startswith("q") else 1.5 - min(len(text), 400) / 400 for text in texts]
        return np.array([[np.cos(angle), np.sin(angle)] for angle in angles], dtype=np.float32)


def _shares(query: str, candidates: Sequence[str]) -> list[list[float]]:
    requested = set(query.split())
    return [[float(len(requested & set(text.split())))] for text in candidates]


def _mine(history: object) -> Iterator[Choice]:
    raise AssertionError("these worlds are not mined")


TASK = Task(
    name="concepts",
    specialist="tests",
    title="which text means what the query means",
    mine=_mine,
    features=_shares,
    feature_names=("shared-words",),
)


def _text(told: random.Random, concept: int, words: int) -> str:
    return " ".join([f"c{concept}", *told.choices(_FILLER, k=words)])


def choices(
    repositories: Sequence[str],
    *,
    each: int = 40,
    since: int = NEW_YEAR_2024,
    right_longer: bool = False,
    labels: Callable[[random.Random, int], int] = lambda told, place: place,
) -> list[Choice]:
    """Questions with four candidates, one of which has the query's concept; half of them share a word."""
    found = []
    for repository in repositories:
        told = random.Random(repository)
        for number in range(each):
            concept, *others = told.sample(range(CONCEPTS), 4)
            place = told.randrange(4)
            texts = [_text(told, other, told.randrange(3, 9)) for other in others]
            words = told.randrange(3, 9) if not right_longer else told.randrange(7, 13)
            texts.insert(place, _text(told, concept, words))
            hint = texts[place].split()[1] if told.random() < 0.5 else told.choice(_FILLER)
            found.append(
                Choice(
                    repository=repository,
                    time=since + number,
                    group=f"{repository}/{number}",
                    query=f"q{concept} {hint} {number}",
                    candidates=tuple(texts),
                    right=(labels(told, place),),
                )
            )
    return found


def sides(**how: object) -> EvaluationSides:
    """Ten repositories for training, six to fit the fusion, eight, and newer ones, for the evaluation."""
    return EvaluationSides(
        training=choices([f"old/r{n}" for n in range(10)], since=NEW_YEAR_2024 - 10_000, **how),  # type: ignore[arg-type]
        validation=choices([f"held/r{n}" for n in range(6)], since=NEW_YEAR_2024 - 10_000, **how),  # type: ignore[arg-type]
        evaluation=choices([f"new/r{n}" for n in range(8)], **how),  # type: ignore[arg-type]
    )


MODEL = digest("model of seed 1")
SEEN = FileDigests(model=MODEL, base=digest("base"), recipe=digest("recipe"), records=digest("records"))


def around(value: float, width: float = 0.02) -> Interval:
    return Interval(value=value, low=value - width, high=value + width)


def _gains() -> tuple[Improvement, ...]:
    expected = [
        *(("cheap+adapter", over, "mrr") for over in ("cheap+base", "cheap", "bm25", "size")),
        ("cheap+size+adapter", "cheap+size", "mrr"),
        *(("cheap+adapter", over, "mrr, same size") for over in ("cheap+base", "cheap")),
    ]
    return tuple(
        Improvement(of=of, over=over, metric=metric, seed=seed, gain=around(0.05))
        for seed in (1, 2)
        for of, over, metric in expected
    )


def evaluated() -> Evaluation:
    """An evaluation that meets all requirements."""
    scorers = ("size", "bm25", "cheap", "base", "adapter", "cheap+base", "cheap+adapter")
    return Evaluation(
        repositories=tuple(f"new/r{n}" for n in range(8)),
        since=NEW_YEAR_2024,
        items=320,
        base_rate=0.25,
        metrics={name: {"mrr": around(0.6), "top-1": around(0.5), "auc": around(0.7)} for name in scorers},
        gains=_gains(),
        controls={"size": around(0.4), "placebo": around(0.001, 0.005)},
        notes=("the fused scores were fitted on 6 repositories of neither side",),
        models={"1": MODEL, "2": digest("model of seed 2")},
        records=digest("evaluation"),
        leaks=0,
        read=HumanReview(items=50, right=40, note="one reader, drawn at random above the threshold"),
    )


def good() -> Metadata:
    """The metadata of an adapter that earned everything."""
    return Metadata(
        schema="wardround.adapter/1",
        name="concepts",
        specialist="tests",
        task="concepts",
        kind="embedder",
        state=PromotionState.SHADOW,
        licence="MIT",
        date="2024-03-01",
        model=File(name="model.onnx", sha256=MODEL, bytes=5),
        base=BaseModel(id="made/base", revision="r1", digest=digest("base"), licence="Apache-2.0"),
        window=128,
        data=TrainingData(
            recipe=digest("recipe"),
            records=digest("records"),
            repositories=tuple(f"old/r{n}" for n in range(10)),
            items=400,
            until=NEW_YEAR_2024 - 1,
            audit="passed",
        ),
        seed=1,
        seconds=600.0,
        evaluation=evaluated(),
        title="which text means what the query means",
        calibration=Calibration(
            method="platt",
            slope=3.0,
            bias=-2.0,
            items=200,
            model=MODEL,
            repositories=("cal/a", "cal/b"),
            checked=("cal/c",),
            base_rate=0.01,
            error=0.01,
            brier=0.02,
        ),
        thresholds={"report": 0.8},
        alarm_rate=0.003,
    )
