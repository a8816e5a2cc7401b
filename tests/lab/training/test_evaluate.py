from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import msgspec
import pytest

np = pytest.importorskip("numpy")

from tests.lab.training.judged import (  # noqa: E402
    CONCEPTS,
    MODEL,
    NEW_YEAR_2024,
    SEEN,
    TASK,
    Knower,
    Measurer,
    choices,
    digest,
    good,
    sides,
)
from wardround.errors import TrainingError  # noqa: E402
from wardround.inference.metadata import Evaluation, Interval, Metadata, PromotionState  # noqa: E402
from wardround.inference.similarity import fuse  # noqa: E402
from wardround.retrieval.protocols import TextEmbedder  # noqa: E402
from wardround.training_tasks import Choice, Task  # noqa: E402
from wardround_lab.training.evaluate import EvaluationSides, Measured, evaluate  # noqa: E402
from wardround_lab.training.promotion_gates import decide  # noqa: E402

MODELS = {1: MODEL, 2: digest("model of seed 2")}


def measured(
    split: EvaluationSides, one: TextEmbedder, two: TextEmbedder, base: TextEmbedder | None = None
) -> Measured:
    adapters = {1: one, 2: two}
    return evaluate(TASK, split, base or Knower(0.9), adapters, shipped=1, models=MODELS)


def judged(evaluation: Evaluation) -> Metadata:
    return msgspec.structs.replace(good(), evaluation=evaluation)


def gain(evaluation: Evaluation, over: str, metric: str = "mrr", of: str = "cheap+adapter") -> Interval:
    (found,) = (
        item.gain
        for item in evaluation.gains
        if (item.of, item.over, item.metric, item.seed) == (of, over, metric, 1)
    )
    return found


def test_a_model_that_knows_the_answer_passes() -> None:
    found = measured(sides(), Knower(0.05), Knower(0.1, "other seed"))
    metrics = found.evaluation.metrics
    assert metrics["cheap+adapter"]["mrr"].low > metrics["cheap"]["mrr"].high
    assert found.evaluation.leaks == 0
    assert found.evaluation.since == NEW_YEAR_2024
    assert found.evaluation.items == 320
    assert found.evaluation.base_rate == 0.25
    assert len(found.evaluation.repositories) == 8
    decision = decide(judged(found.evaluation), PromotionState.RANK, SEEN)
    assert decision.reasons == ()
    assert decision.state is PromotionState.RANK


def test_chance_is_computed_exactly() -> None:
    found = measured(sides(), Knower(0.1), Knower(0.1, "other")).evaluation.metrics["guess"]
    expected = (1 + 1 / 2 + 1 / 3 + 1 / 4) / 4
    assert found["mrr"].value == pytest.approx(expected, abs=1e-5)
    assert found["top-1"].value == 0.25
    assert found["auc"].value == 0.5


def test_a_model_no_better_than_the_base_stays_in_shadow() -> None:
    found = measured(sides(), Knower(0.3, "one"), Knower(0.3, "two"), base=Knower(0.3, "base"))
    decision = decide(judged(found.evaluation), PromotionState.RANK, SEEN)
    assert decision.state is PromotionState.SHADOW
    assert any("over 'cheap+base'" in reason and "not above zero" in reason for reason in decision.reasons)


def test_one_lucky_seed_is_not_enough() -> None:
    found = measured(sides(), Knower(0.05), Knower(1.0, "unlucky"))
    decision = decide(judged(found.evaluation), PromotionState.RANK, SEEN)
    assert decision.state is PromotionState.SHADOW
    assert all("on seed 2" in reason for reason in decision.reasons)


def test_a_model_that_reads_the_length_is_caught_by_the_size_control() -> None:
    split = sides(right_longer=True)
    found = measured(split, Measurer("one"), Measurer("two")).evaluation
    assert gain(found, "cheap").low > 0  # the customary comparison lets it through
    assert gain(found, "cheap+size", of="cheap+size+adapter").low <= 0
    assert gain(found, "cheap", "mrr, same size").value < gain(found, "cheap").value / 4
    decision = decide(judged(found), PromotionState.RANK, SEEN)
    assert decision.state is PromotionState.SHADOW
    assert any("over 'cheap+size'" in reason for reason in decision.reasons)


def test_shuffled_labels_have_no_signal() -> None:
    found = measured(sides(labels=lambda told, place: random.Random(told.random()).randrange(4)),
                     Knower(0.05), Knower(0.1, "two"))  # fmt: skip
    chance = found.evaluation.metrics["guess"]["mrr"].value
    for name, metrics in found.evaluation.metrics.items():
        assert metrics["mrr"].value == pytest.approx(chance, abs=0.06), name
        assert metrics["auc"].value == pytest.approx(0.5, abs=0.05), name
    assert decide(judged(found.evaluation), PromotionState.RANK, SEEN).state is PromotionState.SHADOW


def test_the_placebo_of_a_perfect_model_is_zero() -> None:
    found = measured(sides(), Knower(0.0), Knower(0.01, "two")).evaluation
    assert found.metrics["adapter"]["mrr"].value == 1.0
    assert abs(found.controls["placebo"].value) < 0.02


def test_the_same_input_gives_the_same_bytes() -> None:
    once, again = (
        msgspec.json.encode(measured(sides(), Knower(0.2), Knower(0.3, "two")).evaluation) for _ in range(2)
    )
    assert once == again


def test_a_score_for_each_candidate_comes_back_for_plots_and_calibration() -> None:
    found = measured(sides(), Knower(0.2), Knower(0.3, "two"))
    assert {len(rows) for rows in found.scores.values()} == {320 * 4}
    assert found.fusion.names == ("shared-words", "bm25", "cosine")
    assert found.fusion.weights[-1] > 0
    shared = [row[0] for item in sides().evaluation for row in TASK.features(item.query, item.candidates)]
    reported = zip(shared, found.scores["bm25"], strict=True)
    evidence = [{"shared-words": words, "bm25": score} for words, score in reported]
    at_run_time = fuse(found.fusion, found.scores["adapter"].tolist(), evidence)
    assert at_run_time == pytest.approx(found.scores["cheap+adapter"].tolist())


@pytest.mark.parametrize(
    ("side", "expected"),
    [
        # the repository and, of each of its five questions, the group and the answered question
        ("training", 1 + 5 + 5),
        ("validation", 1 + 5 + 5),
    ],
)
def test_overlaps_of_both_sides_are_counted(side: str, expected: int) -> None:
    split = sides()
    leaked = [*getattr(split, side), *split.evaluation[:5]]
    split = replace(split, **{side: leaked})
    found = measured(split, Knower(0.05), Knower(0.1, "two")).evaluation
    assert found.leaks == expected
    decision = decide(judged(found), PromotionState.RANK, SEEN)
    assert decision.state is PromotionState.SHADOW
    assert decision.reasons == (
        "The split leaks: 11 repositories, groups or texts of the evaluation are on the training side too.",
    )


def test_a_missing_validation_side_is_noted() -> None:
    split = sides()
    found = measured(EvaluationSides(split.training, (), split.evaluation), Knower(0.1), Knower(0.1, "two"))
    assert found.evaluation.notes[0] == (
        "the fused scores were fitted on the repositories the adapter was trained on, for want of others"
    )


def test_weeks_and_files_of_one_repository_are_resampled_and_files_must_not_leak() -> None:
    week = 7 * 24 * 3600

    def owned(side: Sequence[Choice], first: int, name: str) -> list[Choice]:
        return [
            msgspec.structs.replace(
                item, repository="acme/shop", group=f"{name}{at % 20}.py@{at}", time=first + (at % 30) * week
            )
            for at, item in enumerate(side)
        ]

    usual = sides()
    item = EvaluationSides(
        owned(usual.training, NEW_YEAR_2024 - 60 * week, "a"),
        owned(usual.validation, NEW_YEAR_2024 - 60 * week, "b"),
        owned(usual.evaluation, NEW_YEAR_2024, "c"),
        own=True,
    )
    found = measured(item, Knower(0.1), Knower(0.1, "other")).evaluation
    assert found.drawn == {"weeks": 30, "files": 20}
    assert found.repositories == ("acme/shop",)
    assert found.leaks == 0
    assert "the fused scores were fitted on 20 files of neither side" in found.notes
    leaking = replace(item, evaluation=owned(usual.evaluation, NEW_YEAR_2024, "a"))
    assert measured(leaking, Knower(0.1), Knower(0.1, "other")).evaluation.leaks >= 20


def test_progress_names_what_is_done() -> None:
    reported: list[str] = []
    evaluate(
        TASK, sides(), Knower(0.5), {1: Knower(0.1)}, shipped=1, models={1: MODEL}, progress=reported.append
    )
    assert reported[0] == "cheap evidence"
    assert reported[1].startswith("base: fusion: 0 of ")


def test_an_empty_side_is_rejected() -> None:
    split = sides()
    with pytest.raises(TrainingError, match="there are no evaluation questions; mine more repositories"):
        measured(EvaluationSides(split.training, (), ()), Knower(0.1), Knower(0.1))


def test_a_missing_seed_is_rejected() -> None:
    with pytest.raises(TrainingError, match="there is no adapter of seed 3"):
        evaluate(TASK, sides(), Knower(0.5), {1: Knower(0.1)}, shipped=3, models=MODELS)


@pytest.mark.parametrize("rows", [[[1.0]], [[1.0], [1.0], [1.0], []]])
def test_features_of_another_shape_are_rejected(rows: list[list[float]]) -> None:
    task = with_features(rows)
    with pytest.raises(TrainingError, match="features of another shape than 4 candidates by 1 names"):
        evaluate(task, sides(), Knower(0.5), {1: Knower(0.1)}, shipped=1, models={1: MODEL})


def test_features_that_are_no_numbers_are_rejected() -> None:
    task = with_features([[float("nan")]] * 4)
    with pytest.raises(TrainingError, match="not a finite number"):
        evaluate(task, sides(), Knower(0.5), {1: Knower(0.1)}, shipped=1, models={1: MODEL})


def with_features(rows: list[list[float]]) -> Task:
    return Task(
        TASK.name, TASK.specialist, TASK.title, TASK.mine, lambda query, texts: rows, TASK.feature_names
    )


def test_a_missing_candidate_of_similar_length_is_noted() -> None:
    def longer(repository: str, since: int) -> list:  # type: ignore[type-arg]
        return [
            msgspec.structs.replace(
                item,
                candidates=tuple(
                    text + " tail" * (60 if at in item.right else 0)
                    for at, text in enumerate(item.candidates)
                ),
            )
            for item in choices([repository], since=since)
        ]

    split = EvaluationSides(longer("old/a", 5), longer("held/a", 5), longer("new/a", NEW_YEAR_2024))
    found = measured(split, Knower(0.1), Knower(0.2, "two")).evaluation
    assert found.notes[-1] == "same size: no question has a wrong candidate as long as the right one"
    assert not [item for item in found.gains if item.metric.endswith("same size")]


def test_concepts_are_distinguished() -> None:
    assert Knower(0.0).embed(["c1 x", "q1 y", "c2 x"]).shape == (3, CONCEPTS)
