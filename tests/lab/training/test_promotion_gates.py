from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import msgspec
import pytest

from tests.lab.training.judged import MODEL, NEW_YEAR_2024, SEEN, around, digest, evaluated, good
from wardround.inference.metadata import (
    Calibration,
    Evaluation,
    File,
    HumanReview,
    Improvement,
    Interval,
    Metadata,
    PromotionState,
    SharedTensor,
)
from wardround.inference.promotion_policy import min_state
from wardround_lab.training.promotion_gates import FileDigests, decide

Made = tuple[Metadata, FileDigests]


def with_parts(**parts: Any) -> Callable[[], Made]:
    return lambda: (msgspec.structs.replace(good(), **parts), SEEN)


def with_data(**parts: Any) -> Callable[[], Made]:
    return with_parts(data=msgspec.structs.replace(good().data, **parts))


def with_evaluation(**parts: Any) -> Callable[[], Made]:
    return with_parts(evaluation=msgspec.structs.replace(evaluated(), **parts))


def with_calibration(**parts: Any) -> Callable[[], Made]:
    return with_parts(calibration=msgspec.structs.replace(good().calibration, **parts))


def with_gain(of: str, over: str, metric: str, seed: int, gain: Interval) -> Callable[[], Made]:
    return with_evaluation(
        gains=tuple(
            msgspec.structs.replace(item, gain=gain)
            if (item.of, item.over, item.metric, item.seed) == (of, over, metric, seed)
            else item
            for item in evaluated().gains
        )
    )


def seen(**parts: Any) -> Callable[[], Made]:
    return lambda: (good(), replace(SEEN, **parts))


def without(key: str, kept: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in kept.items() if name != key}


METRICS = evaluated().metrics
CONTROLS = evaluated().controls

REFUSED: dict[str, tuple[Callable[[], Made], str]] = {
    "another model file": (
        seen(model=digest("changed")),
        f"The model file has digest {digest('changed')[:12]}, but the metadata says {MODEL[:12]}.",
    ),
    "no model file": (seen(model=None), "The model file is not at hand, so its digest cannot be checked."),
    "another base": (
        seen(base=digest("other")),
        f"The base has digest {digest('other')[:12]}, but the metadata says {digest('base')[:12]}.",
    ),
    "another recipe": (
        seen(recipe=digest("other")),
        f"The recipe has digest {digest('other')[:12]}, but the metadata says {digest('recipe')[:12]}.",
    ),
    "other records": (
        seen(records=digest("other")),
        f"The file of records has digest {digest('other')[:12]}, but the metadata says "
        f"{digest('records')[:12]}.",
    ),
    "another tokenizer": (
        with_parts(tokenizer=File(name="tokenizer.json", sha256=digest("tokenizer"), bytes=1)),
        "The tokenizer is not at hand, so its digest cannot be checked.",
    ),
    "other shared tensors": (
        lambda: (
            msgspec.structs.replace(
                good(), shared=(SharedTensor(name="weight", offset=0, dtype="int8", shape=(1,)),)
            ),
            replace(SEEN, shared=digest("other")),
        ),
        f"The file of shared tensors has digest {digest('other')[:12]}, but the metadata says nothing.",
    ),
    "no base named": (with_parts(base=None), "The metadata names no base."),
    "no audit": (with_data(audit=""), "The training data was not audited; run `wardround data audit`."),
    "failed audit": (with_data(audit="2 secrets"), "The audit of the training data failed: 2 secrets."),
    "no split by repository": (
        with_data(repositories=()),
        "There is no split by repository: one side names none.",
    ),
    "a repository on both sides": (
        with_data(repositories=("old/r0", "NEW/r3")),
        "The split leaks: new/r3 is trained on and evaluated on.",
    ),
    "a repository on both sides, once without its owner": (
        with_data(repositories=("old/r0", "r3")),
        "The split leaks: new/r3 is trained on and evaluated on.",
    ),
    "a group on both sides": (
        with_evaluation(leaks=1),
        "The split leaks: 1 repository, group or text of the evaluation are on the training side too.",
    ),
    "nobody looked for leaks": (
        with_evaluation(leaks=None),
        "The split was not audited for groups on both sides.",
    ),
    "too few repositories": (
        with_evaluation(repositories=("new/a", "new/b")),
        "It was evaluated on 2 repositories; 5 are needed.",
    ),
    "no split by time": (with_data(until=0), "There is no split by time: one side has no date."),
    "trained on younger items": (
        with_data(until=NEW_YEAR_2024 + 1),
        "The split by time leaks: the evaluation items begin before the training items end.",
    ),
    "no evaluation": (
        with_parts(evaluation=None),
        "It was not evaluated; run `wardround adapters evaluate`.",
    ),
    "no cheap baseline": (
        with_evaluation(metrics=without("cheap", METRICS)),
        "There is no baseline 'cheap' to compare with.",
    ),
    "no frozen base": (
        with_evaluation(metrics=without("cheap+base", METRICS)),
        "There is no baseline 'cheap+base' to compare with.",
    ),
    "no figures of its own": (
        with_evaluation(metrics=without("cheap+adapter", METRICS)),
        "There are no figures for 'cheap+adapter', the scorer that would be used.",
    ),
    "no interval around a figure": (
        with_evaluation(metrics=METRICS | {"cheap": {"mrr": Interval(value=0.6, low=math.nan, high=0.7)}}),
        "The mrr of 'cheap' has no confidence interval.",
    ),
    "no interval around a gain": (
        with_gain("cheap+adapter", "cheap", "mrr", 1, around(0.05, 0)),
        "The gain of 'cheap+adapter' over 'cheap' (mrr) has no confidence interval on seed 1.",
    ),
    "another model was evaluated": (
        with_evaluation(models={"1": digest("older"), "2": digest("model of seed 2")}),
        "The evaluation measured another model file; evaluate again.",
    ),
    "one file for two seeds": (
        with_evaluation(models={"1": MODEL, "2": MODEL}),
        "Two seeds have the same model file, so they are one run.",
    ),
    "one seed": (
        with_evaluation(gains=tuple(g for g in evaluated().gains if g.seed == 1 or g.over != "cheap")),
        "The gain of 'cheap+adapter' over 'cheap' (mrr) was measured on 1 seed; 2 are needed.",
    ),
    "other seeds than its own": (
        with_parts(seed=3, evaluation=msgspec.structs.replace(
            evaluated(), models={"3": MODEL, "1": digest("1"), "2": digest("2")})),
        "The gain of 'cheap+adapter' over 'cheap' (mrr) was not measured on this model's own seed.",
    ),
    "no size control": (
        with_evaluation(controls=without("size", CONTROLS)),
        "There is no size control, and no reason why it does not apply.",
    ),
    "no placebo": (
        with_evaluation(controls=without("placebo", CONTROLS)),
        "There is no placebo control, and no reason why it does not apply.",
    ),
    "a placebo that finds something": (
        with_evaluation(controls=CONTROLS | {"placebo": around(0.1)}),
        "The placebo failed: with right answers drawn at random +0.100 [+0.080, +0.120] remains above "
        "chance, so the figures are an artefact of the measurement.",
    ),
    "no gain over the base": (
        with_gain("cheap+adapter", "cheap+base", "mrr", 2, around(0.01)),
        "The gain of 'cheap+adapter' over 'cheap+base' (mrr) is +0.010 [-0.010, +0.030] on seed 2: "
        "its lower bound is not above zero.",
    ),
    "a gain that may be zero": (
        with_gain("cheap+adapter", "cheap", "mrr", 1, Interval(value=0.02, low=0.0, high=0.04)),
        "The gain of 'cheap+adapter' over 'cheap' (mrr) is +0.020 [+0.000, +0.040] on seed 1: "
        "its lower bound is not above zero.",
    ),
    "no gain over another cheap baseline": (
        with_gain("cheap+adapter", "bm25", "mrr", 1, around(-0.1)),
        "The gain of 'cheap+adapter' over 'bm25' (mrr) is -0.100 [-0.120, -0.080] on seed 1: "
        "its lower bound is not above zero.",
    ),
    "nothing beside size": (
        with_gain("cheap+size+adapter", "cheap+size", "mrr", 1, around(0.0)),
        "The gain of 'cheap+size+adapter' over 'cheap+size' (mrr) is +0.000 [-0.020, +0.020] on seed 1: "
        "its lower bound is not above zero.",
    ),
    "nothing where size is equal": (
        with_gain("cheap+adapter", "cheap", "mrr, same size", 1, around(0.0)),
        "The gain of 'cheap+adapter' over 'cheap' (mrr, same size) is +0.000 [-0.020, +0.020] on seed 1: "
        "its lower bound is not above zero.",
    ),
}  # fmt: skip


def test_a_model_that_passes_every_gate_may_report() -> None:
    assert decide(good(), PromotionState.RANK, SEEN).state is PromotionState.RANK
    decision = decide(good(), PromotionState.REPORT, SEEN)
    assert decision.reasons == ()
    assert decision.state is PromotionState.REPORT


def test_every_model_may_be_shadow() -> None:
    metadata = msgspec.structs.replace(good(), evaluation=None, data=None)
    assert decide(metadata, PromotionState.SHADOW, SEEN).reasons == ()


@pytest.mark.parametrize("case", REFUSED)
def test_the_gate_to_rank_rejects(case: str) -> None:
    make, sentence = REFUSED[case]
    for expected in (PromotionState.RANK, PromotionState.REPORT):
        decision = decide(*make()[:1], expected, make()[1])
        assert decision.state is PromotionState.SHADOW
        assert sentence in decision.reasons


@pytest.mark.parametrize("case", sorted(set(REFUSED) - {"no evaluation", "no split by repository"}))
def test_a_refusal_prints_nothing_else(case: str) -> None:
    metadata, files = REFUSED[case][0]()
    reasons = decide(metadata, PromotionState.RANK, files).reasons
    allowed = 2 if case in ("one file for two seeds", "no frozen base", "one seed") else 1
    if case == "other seeds than its own":
        allowed = 7  # each of the gains
    assert len(reasons) <= allowed, reasons


READS = {
    "no calibration": (
        with_parts(calibration=Calibration(method="none")),
        "It is not calibrated; run `wardround adapters calibrate`.",
    ),
    "a calibration of another file": (
        with_calibration(model=digest("older")),
        "The calibration was fitted on the scores of another model file; calibrate again.",
    ),
    "an unchecked calibration": (
        with_calibration(checked=()),
        "The calibration was not checked on other repositories.",
    ),
    "a calibration on training repositories": (
        with_calibration(repositories=("old/r1", "cal/b")),
        "The calibration is not on repositories split from training: old/r1.",
    ),
    "a calibration checked where it was fitted": (
        with_calibration(checked=("cal/a",)),
        "The calibration was checked on repositories it was fitted on.",
    ),
    "no threshold": (with_parts(thresholds={}), "There is no threshold for a required rate of alarms."),
    "no rate of alarms": (with_parts(alarm_rate=0.0), "There is no threshold for a required rate of alarms."),
    "nobody read": (
        with_evaluation(read=None),
        "Nobody read its findings; its precision is unknown.",
    ),
    "few were read": (
        with_evaluation(read=HumanReview(items=49, right=49, note="")),
        "49 findings were read; 50 are needed.",
    ),
    "too few were right": (
        with_evaluation(read=HumanReview(items=50, right=34, note="")),
        "34 of 50 findings read were right (68%); 70% are needed.",
    ),
}


@pytest.mark.parametrize("case", READS)
def test_the_gate_to_report_rejects_what_may_rank(case: str) -> None:
    make, sentence = READS[case]
    metadata, files = make()
    decision = decide(metadata, PromotionState.REPORT, files)
    assert decision.state is PromotionState.RANK
    assert decision.reasons == (sentence,)
    assert decide(metadata, PromotionState.RANK, files).state is PromotionState.RANK


def table(**parts: Any) -> Metadata:
    """The metadata of a table model: no base, and its own names of scorers."""
    gains = tuple(
        msgspec.structs.replace(item, of="model", over=over, metric=metric)
        for item in evaluated().gains
        if (item.over, item.metric) == ("cheap", "mrr")
        for over in ("cheap", "size")
        for metric in ("auc", "auc, same size")
    )
    evaluation: Evaluation = msgspec.structs.replace(
        evaluated(), metrics={name: {"auc": around(0.7)} for name in ("size", "cheap", "model")}, gains=gains
    )
    return msgspec.structs.replace(
        good(), kind="table", base=None, evaluation=msgspec.structs.replace(evaluation, **parts)
    )


def test_a_table_is_compared_with_its_baseline() -> None:
    assert decide(table(), PromotionState.REPORT, replace(SEEN, base=None)).reasons == ()
    less = tuple(item for item in table().evaluation.gains if item.metric == "auc")  # type: ignore[union-attr]
    assert decide(table(gains=less), PromotionState.RANK, SEEN).reasons == (
        "The gain of 'model' over 'cheap' (auc, same size) was measured on 0 seeds; 2 are needed.",
    )


def test_a_control_that_does_not_apply_needs_a_reason() -> None:
    gains = tuple(item for item in table().evaluation.gains if item.metric == "auc")  # type: ignore[union-attr]
    controls = without("size", CONTROLS)
    exempt = {"size": "every row is one step of a pipeline"}
    assert (
        decide(table(gains=gains, controls=controls, exempt=exempt), PromotionState.RANK, SEEN).state
        is PromotionState.RANK
    )
    assert (
        decide(table(gains=gains, controls=controls, exempt={"size": ""}), PromotionState.RANK, SEEN).state
        is PromotionState.SHADOW
    )


def own(**parts: Any) -> Metadata:
    """The metadata of a model for one repository that meets all requirements."""
    evaluation = msgspec.structs.replace(
        evaluated(), repositories=("acme/shop",), drawn={"weeks": 12, "files": 20}, **parts
    )
    data = msgspec.structs.replace(good().data, repositories=("Acme/shop",))
    return msgspec.structs.replace(
        good(),
        scope="acme/shop",
        data=data,
        evaluation=evaluation,
        calibration=msgspec.structs.replace(
            good().calibration, repositories=("src/conftest.py",), checked=("conftest.py",)
        ),
    )


def test_a_model_for_one_repository_may_be_trained_on_it() -> None:
    assert decide(own(), PromotionState.REPORT, SEEN).reasons == ()
    elsewhere = msgspec.structs.replace(own(), scope="")
    assert (
        "The split leaks: acme/shop is trained on and evaluated on."
        in decide(elsewhere, PromotionState.RANK, SEEN).reasons
    )


@pytest.mark.parametrize(
    ("parts", "sentence"),
    [
        (
            {"repositories": ("acme/shop", "acme/other")},
            "It is for acme/shop alone, but was trained or evaluated on acme/other.",
        ),
        (
            {"drawn": {}},
            "The evaluation does not state how many weeks and files its intervals were drawn over.",
        ),
        ({"drawn": {"weeks": 7, "files": 9}}, "It was evaluated on 7 weeks; 8 are needed."),
        ({"drawn": {"weeks": 9, "files": 1}}, "It was evaluated on 1 file; 8 are needed."),
        (
            {"leaks": 2},
            "The split leaks: 2 repositories, groups or texts of the evaluation are on the training side "
            "too.",
        ),
        (
            {"since": NEW_YEAR_2024 - 5},
            "The split by time leaks: the evaluation items begin before the training items end.",
        ),
    ],
)
def test_a_model_for_one_repository_is_evaluated_on_later_commits_and_other_files(
    parts: dict[str, Any], sentence: str
) -> None:
    metadata = own()
    assert metadata.evaluation is not None
    metadata = msgspec.structs.replace(
        metadata, evaluation=msgspec.structs.replace(metadata.evaluation, **parts)
    )
    decision = decide(metadata, PromotionState.RANK, SEEN)
    assert (decision.state, decision.reasons) == (PromotionState.SHADOW, (sentence,))


def test_files_a_calibration_was_fitted_on_cannot_check_it() -> None:
    calibration = msgspec.structs.replace(own().calibration, checked=("src/conftest.py",))
    decision = decide(msgspec.structs.replace(own(), calibration=calibration), PromotionState.REPORT, SEEN)
    assert decision.reasons == ("The calibration was checked on files it was fitted on, or names none.",)


def lines(value: float = 0.7, items: int = 600, gain: float = 0.05) -> Metadata:
    """The metadata of a model of lines."""
    metric = "pairwise, same size"
    gains = tuple(
        Improvement(of="model", over=over, metric=metric, seed=seed, gain=around(gain))
        for seed in (1, 2)
        for over in ("cheap", "size")
    )
    metrics = {"cheap": 0.55, "size": 0.5, "model": value}
    evaluation = msgspec.structs.replace(
        evaluated(),
        items=items,
        gains=gains,
        metrics={name: {metric: around(figure)} for name, figure in metrics.items()},
    )
    return msgspec.structs.replace(good(), kind="lines", evaluation=evaluation)


def test_a_line_model_has_its_own_threshold() -> None:
    assert decide(lines(), PromotionState.RANK, SEEN).reasons == ()
    assert decide(lines(value=0.64), PromotionState.RANK, SEEN).reasons == (
        "Its pairwise, same size is 0.640; 0.65 is needed.",
    )
    assert decide(lines(items=499), PromotionState.RANK, SEEN).reasons == (
        "It was evaluated on 499 items; 500 are needed.",
    )
    assert len(decide(lines(gain=0.0), PromotionState.RANK, SEEN).reasons) == 4


def test_the_lower_state_allows_less() -> None:
    assert min_state(PromotionState.REPORT, PromotionState.SHADOW) is PromotionState.SHADOW
    assert min_state(PromotionState.RANK, PromotionState.REPORT) is PromotionState.RANK
