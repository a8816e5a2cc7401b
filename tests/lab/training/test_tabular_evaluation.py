from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

np = pytest.importorskip("numpy")

from dataclasses import replace  # noqa: E402

from tests.lab.training.judged import MODEL, NEW_YEAR_2024, SEEN, digest, good  # noqa: E402
from wardround.errors import TrainingError  # noqa: E402
from wardround.inference.metadata import Evaluation, Interval, PromotionState  # noqa: E402
from wardround_lab.training.promotion_gates import decide  # noqa: E402
from wardround_lab.training.tabular_evaluation import (  # noqa: E402
    FeatureRow,
    FeatureTable,
    cheap_scores,
    evaluate_table,
    leaks,
    read_rows,
)

INPUTS = ("size", "content")


def rows(prefix: str, repositories: int, *, each: int = 200, size_tells: float = 1.0) -> list[FeatureRow]:
    """A row is correct by its content and, to the given degree, by its size."""
    reported = np.random.default_rng(len(prefix) * repositories)
    found = []
    for repository in range(repositories):
        for number in range(each):
            size, content = int(reported.integers(0, 10)), float(reported.normal())
            chance = 1 / (1 + np.exp(-(size_tells * (size - 5) / 2 + 1.5 * content - 2)))
            found.append(
                FeatureRow(
                    repository=f"{prefix}/r{repository}",
                    time=NEW_YEAR_2024 + number,
                    group=f"{prefix}/r{repository}/{number}",
                    right=bool(reported.random() < chance),
                    features=(float(size), content),
                    bin=size,
                )
            )
    return found


def measured(scores: dict[int, np.ndarray], kept: list[FeatureRow]) -> Evaluation:
    training = rows("old", 12)
    return evaluate_table(
        FeatureTable.of(kept),
        scores,
        cheap_scores(training, kept, INPUTS, ["size"]),
        shipped=1,
        digests={1: MODEL, 2: digest("model of seed 2")},
        records=digest("rows"),
        leaks=leaks(training, kept),
    )


def gain(evaluation: Evaluation, over: str, metric: str) -> Interval:
    (found,) = (
        item.gain for item in evaluation.gains if (item.over, item.metric, item.seed) == (over, metric, 1)
    )
    return found


def judge(evaluation: Evaluation) -> tuple[str, ...]:
    metadata = msgspec.structs.replace(good(), kind="table", base=None, evaluation=evaluation)
    decision = decide(metadata, PromotionState.RANK, replace(SEEN, base=None))
    assert (decision.state is PromotionState.RANK) == (not decision.reasons)
    return decision.reasons


def test_a_model_that_reads_the_content_passes() -> None:
    retained = rows("new", 8)
    content = np.array([row.features[0] / 2 + 1.5 * row.features[1] for row in retained])
    found = measured({1: content, 2: content + 0.01 * np.arange(len(retained)) % 3}, retained)
    assert judge(found) == ()
    assert found.leaks == 0
    assert found.since == NEW_YEAR_2024
    assert found.metrics["model"]["precision at 5% recall"].value > found.metrics["cheap"]["auc"].value / 2


def test_a_model_that_reads_the_size_is_rejected() -> None:
    retained = rows("new", 8)
    size = np.array([row.features[0] for row in retained])
    found = measured({1: size, 2: size * 2}, retained)
    assert found.metrics["model"]["auc, same size"].value == 0.5
    assert any("over 'size'" in reason for reason in judge(found))


def test_the_placebo_of_a_good_model_is_zero() -> None:
    retained = rows("new", 8)
    best = np.array([float(row.right) for row in retained])
    found = measured({1: best, 2: best}, retained)
    assert found.metrics["model"]["auc"].value == 1.0
    assert abs(found.controls["placebo"].value) < 0.02


def test_sampled_rows_are_weighted() -> None:
    retained = rows("new", 8)
    content = np.array([row.features[1] for row in retained])
    complete = measured({1: content}, retained)
    thin = [msgspec.structs.replace(row, weight=1.0 if row.right else 3.0)
            for at, row in enumerate(retained) if row.right or at % 3 == 0]  # fmt: skip
    part = measured({1: np.array([row.features[1] for row in thin])}, thin)
    assert part.base_rate == pytest.approx(complete.base_rate, abs=0.02)
    name = "precision at 10% recall"
    assert part.metrics["model"][name].value == pytest.approx(complete.metrics["model"][name].value, abs=0.12)


def test_rows_of_both_sides_are_counted() -> None:
    training, retained = rows("old", 2), rows("new", 2)
    assert leaks(training, retained) == 0
    assert leaks([*training, *retained[:3]], retained) == 1 + 3


def test_rows_are_read_back(tmp_path: Path) -> None:
    retained = rows("new", 1, each=3)
    file = tmp_path / "rows.jsonl"
    file.write_bytes(b"".join(msgspec.json.encode(row) + b"\n" for row in retained))
    assert read_rows(file) == retained


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file has no rows; mine more repositories"),
        (b'{"repository": "a/a"}\n', r"rows.jsonl:1: .*; mine the rows again"),
        (b"\xff\n", r"rows.jsonl:1: .*; mine the rows again"),
    ],
)
def test_invalid_rows_are_named(tmp_path: Path, content: bytes, message: str) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_bytes(content)
    with pytest.raises(TrainingError, match=message):
        read_rows(file)
    with pytest.raises(TrainingError, match="No such file"):
        read_rows(tmp_path / "other.jsonl")


def test_a_cheap_input_that_does_not_exist_is_rejected() -> None:
    retained = rows("new", 1)
    with pytest.raises(TrainingError, match=r"some of size, content; \['colour'\] is not"):
        cheap_scores(retained, retained, INPUTS, ["colour"])


def test_a_table_without_a_baseline_is_rejected() -> None:
    retained = rows("new", 2)
    with pytest.raises(TrainingError, match="a table needs a baseline named 'cheap'"):
        evaluate_table(
            FeatureTable.of(retained),
            {1: np.zeros(len(retained))},
            {},
            shipped=1,
            digests={},
            records="",
            leaks=0,
        )
