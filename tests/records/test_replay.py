"""A verdict that does not follow from its evidence is named, with the part that differs."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from tests.planes.evidence_factory import evidence, finding
from tests.records.sample_reviews import review
from wardround.findings import Plane
from wardround.planes.evidence import Exchange
from wardround.planes.signal import PlaneStatus
from wardround.policy.conclude import Conclusion
from wardround.policy.verdict import VerdictName
from wardround.records.record import ReviewRecord, predicate_of, read_record
from wardround.records.replay import replay_evidence
from wardround.records.rerun import compare_rerun

RECORD = review(evidence(findings=(finding(), finding(Plane.PERF, "info", confidence=0.7))))


def differing(record: ReviewRecord) -> list[str]:
    return [difference.part for difference in replay_evidence(record).differences]


def test_a_record_follows_from_its_evidence_after_it_was_read_again() -> None:
    assert replay_evidence(read_record(predicate_of(RECORD))).agrees


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"verdict": replace(RECORD.verdict, name=VerdictName.AUTO_MERGE)}, "verdict.name"),
        ({"verdict": replace(RECORD.verdict, approvals=7)}, "verdict.approvals"),
        ({"verdict": replace(RECORD.verdict, reasons=())}, "verdict.reasons"),
        ({"signals": RECORD.signals[1:]}, "signals"),
        (
            {"signals": (replace(RECORD.signals[0], status=PlaneStatus.INCONCLUSIVE), *RECORD.signals[1:])},
            "signals[0].status",
        ),
        ({"gate": replace(RECORD.gate, outcome="blocked")}, "gate.outcome"),
        ({"context": replace(RECORD.context, id="sha256:0")}, "context.id"),
        ({"policy": replace(RECORD.policy, digest="sha256:0")}, "policy.digest"),
    ],
)
def test_each_part_is_compared(changes: dict[str, Any], part: str) -> None:
    assert differing(replace(RECORD, **changes)) == [part]


def test_dropping_a_finding_from_the_evidence_changes_the_signals() -> None:
    record = replace(RECORD, evidence=replace(RECORD.evidence, findings=RECORD.evidence.findings[1:]))
    assert "signals[2].severity" in differing(record)


def test_another_version_is_noted() -> None:
    older = replace(RECORD, components=replace(RECORD.components, version="0.0.1"))
    assert replay_evidence(older).note.startswith("the record is of version 0.0.1, this is ")


def drifts(after: ReviewRecord, before: ReviewRecord = RECORD) -> list[str]:
    found = Conclusion(after.context.document, after.evidence, after.signals, after.verdict, after.policies)
    return [f"{item.kind}: {item.text}" for item in compare_rerun(before, found, after.components)]


def test_the_same_review_has_no_drift() -> None:
    assert drifts(RECORD) == []


def test_a_score_inside_the_dead_band_is_not_a_drift() -> None:
    first, second = RECORD.evidence.findings
    for confidence, expected in ((0.71, []), (0.6, ["score: app.py:1: ruff/B006 has 0.6, recorded 0.7"])):
        scored = replace(RECORD.evidence, findings=(first, replace(second, confidence=confidence)))
        assert drifts(replace(RECORD, evidence=scored)) == expected


def test_everything_that_drifted_is_named() -> None:
    ruff = RECORD.evidence.tools[0]
    newer = replace(RECORD.evidence, tools=(replace(ruff, version="9.9"),), findings=())
    after = replace(review(newer), components=replace(RECORD.components, rules="sha256:1"))
    assert drifts(after) == [
        f"component: rules is sha256:1, recorded {RECORD.components.rules}",
        "tool: ruff is 9.9, recorded 0.17.6",
        "finding: app.py:1: ruff/B006 is gone",
        "finding: app.py:1: ruff/B006 is gone",
        "signal: semantic is reviewed (none), recorded reviewed (warn)",
        "signal: perf is reviewed (none), recorded reviewed (info)",
        "verdict: human-review (T2), recorded human-review (T3)",
    ]


def test_a_missing_tool_is_named() -> None:
    without = replace(RECORD, evidence=replace(RECORD.evidence, tools=()))
    assert drifts(without) == ["tool: ruff did not run"]


def test_an_exchange_with_a_language_model_that_differs_is_drift() -> None:
    first = Exchange(Plane.INTENT, "sha256:1", "m", 0, answer_digest="sha256:2")
    second = Exchange(Plane.PERF, "sha256:1", "m", 0)
    record = review(evidence(exchanges=(first, second)))
    assert replay_evidence(read_record(predicate_of(record))).agrees
    changed = replace(first, answer_digest="sha256:3", problem="status 500")
    assert drifts(review(evidence(exchanges=(changed,))), record) == [
        "exchange: intent: the answer digest of the language model differs",
        "exchange: intent: the problem of the language model differs",
        "exchange: perf: a language model is not used, and it is in the record",
        "signal: intent is inconclusive (none), recorded reviewed (none)",
        "verdict: escalate (T4), recorded human-review (T2)",
    ]
