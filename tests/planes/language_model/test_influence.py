"""A language model can make a verdict stricter, never milder."""

from __future__ import annotations

import random
from typing import Any

import pytest
from msgspec.structs import replace

from tests.planes.evidence_factory import document, evidence, finding, missing, random_evidence
from tests.planes.run_factory import ran
from wardround.findings import LANGUAGE_MODEL, Plane, Status
from wardround.planes.evidence import Evidence, Exchange, FindingEvidence
from wardround.planes.language_model.influence import without_model
from wardround.planes.run import run_planes
from wardround.planes.signal import PlaneStatus, Signal
from wardround.policy.conclude import conclude
from wardround.policy.loading import bundled_policy, parse_policy
from wardround.policy.schema import Policy
from wardround.policy.verdict import Verdict, VerdictName

WEIRD = b"""\
schema: wardround.policy/1
name: weird
version: 1
description: Conditions that more findings can make false.
tiers: {T1: auto-merge, T2: auto-approve, T3: human-review, T4: human-review, T5: human-review}
rules:
  - {id: none, when: 'size(findings) == 0', at-least: escalate, because: nothing was found}
  - {id: warn, when: 'signals.semantic.severity == "warn"', at-least: declined, because: a warning}
  - {id: gate, when: 'gate != "blocked"', at-least: human-review, because: not blocked, approvals: 2}
  - {id: sure, when: 'signals.security.confidence > 0.9', at-least: escalate, because: it is certain}
  - {id: model, when: '!language_model_failed', at-least: human-review, because: the model worked}
"""
REQUIRING = b"""\
schema: wardround.policy/1
name: requiring
version: 1
description: Every plane needs the answer of its model.
tiers: {T1: auto-merge, T2: human-review, T3: human-review, T4: human-review, T5: human-review}
rules:
  - {id: model, when: language_model_failed, at-least: human-review, because: the model failed}
"""


def from_model(plane: Plane = Plane.SEMANTIC, severity: str = "warn", **values: Any) -> FindingEvidence:
    defaults: dict[str, Any] = {
        "fingerprint": f"model-{plane}-{severity}",
        "rule": f"{LANGUAGE_MODEL}/{plane}",
        "specialist": LANGUAGE_MODEL,
        "confidence": 0.5,
    }
    return finding(plane, severity, **(defaults | values))


def exchange(plane: Plane = Plane.SEMANTIC, **values: Any) -> Exchange:
    return Exchange(plane, "sha256:0", "m", 0, **values)


def signal(known: Evidence, plane: Plane = Plane.SEMANTIC) -> Signal:
    return next(item for item in run_planes(document(), known)[0] if item.plane is plane)


def test_a_finding_raises_the_severity_and_lowers_the_confidence() -> None:
    found = signal(evidence(findings=(from_model(),), exchanges=(exchange(findings=1),)))
    assert (found.status, found.severity, found.confidence) == (PlaneStatus.REVIEWED, "warn", 0.5)
    assert found.findings == ("model-semantic-warn",)
    assert found.derivation[-1] == "language model: 1 claim, 1 upheld"


def test_a_finding_of_several_planes_counts_in_each_of_them() -> None:
    sources = ("language-model/semantic", "language-model/tests")
    known = evidence(findings=(from_model(sources=sources),))
    for plane in (Plane.SEMANTIC, Plane.TESTS):
        found = signal(known, plane)
        assert (found.severity, found.confidence, found.findings) == ("warn", 0.5, ("model-semantic-warn",))
    assert signal(known, Plane.PERF) == signal(evidence(), Plane.PERF)


def test_a_signal_states_what_became_of_the_claims() -> None:
    discarded = {"refuted": 3, "refuted without evidence": 1, "no quote": 1, "quote not in the input": 2}
    second = exchange(step="refutation")
    found = signal(evidence(exchanges=(exchange(findings=2, discarded=discarded, omitted_hunks=1), second)))
    assert found.derivation.count(
        "language model: 9 claims, 2 upheld, 3 refuted, 1 refuted without evidence, "
        "3 discarded (1 no quote, 2 quote not in the input), 1 hunks not in the input"
    )
    assert sum("language model: " in line for line in found.derivation) == 1


def test_a_finding_never_raises_the_confidence() -> None:
    static = finding(severity="info", confidence=0.7)
    alone = signal(evidence(findings=(static,)))
    both = signal(evidence(findings=(static, from_model(severity="info"), from_model(severity="info"))))
    assert (both.severity, both.confidence) == (alone.severity, alone.confidence) == ("info", 0.7)


def test_a_finding_reviews_nothing_that_tools_did_not() -> None:
    known = evidence(missing=(missing(),), findings=(from_model(),))
    assert signal(known).status is PlaneStatus.INCONCLUSIVE


@pytest.mark.parametrize("problem", ["timed out after 60 s", "status 401"])
def test_a_plane_without_the_answer_of_its_model_is_inconclusive(problem: str) -> None:
    failed = signal(evidence(exchanges=(exchange(problem=problem),)))
    assert (failed.status, failed.confidence) == (PlaneStatus.INCONCLUSIVE, 0.0)
    assert failed.reasons == (f"language model: {problem}",)
    assert f"language model: no usable answer: {problem}" in failed.derivation
    policies = (bundled_policy("default"),)
    assert conclude(document(), evidence(profile="commit"), policies).verdict.tier == "T1"
    known = evidence(profile="commit", exchanges=(exchange(problem=problem),))
    assert conclude(document(), known, policies).verdict.tier == "T5"


def test_a_change_of_which_the_model_did_not_see_every_hunk_is_not_in_the_first_tier() -> None:
    known = evidence(exchanges=(exchange(omitted_hunks=1),))
    assert (signal(known).status, signal(known).confidence) == (PlaneStatus.REVIEWED, 0.0)
    assert conclude(document(), known, (bundled_policy("default"),)).verdict.tier == "T2"


def test_a_plane_that_does_not_apply_needs_no_answer() -> None:
    alone = signal(evidence(files=()))
    failed = signal(evidence(files=(), exchanges=(exchange(problem="status 401"),)))
    assert failed.status is alone.status is PlaneStatus.NOT_APPLICABLE


def test_an_exchange_of_one_plane_changes_no_other_signal() -> None:
    known = evidence(findings=(from_model(Plane.PERF),), exchanges=(exchange(Plane.PERF, findings=1),))
    alone = run_planes(document(), evidence())[0]
    both = run_planes(document(), known)[0]
    assert [item.plane for item, other in zip(alone, both, strict=True) if item != other] == [Plane.PERF]


@pytest.mark.parametrize(
    ("static", "gaps", "gate"),
    [((), (), "pass"), ((), (missing(),), "inconclusive"), ((finding(severity="error"),), (), "blocked")],
)
def test_the_gate_without_a_model_is_derived(
    static: tuple[FindingEvidence, ...], gaps: tuple[Any, ...], gate: str
) -> None:
    known = evidence(findings=(*static, from_model(severity="error")), missing=gaps, gate="blocked")
    assert without_model(known).gate == gate


def test_the_default_policy_queries_people_about_a_warning_of_a_model() -> None:
    policies = (bundled_policy("default"),)
    assert conclude(ran(document()), evidence(), policies).verdict.name is VerdictName.AUTO_APPROVE
    known = evidence(findings=(from_model(),))
    assert conclude(document(), known, policies).verdict.name is VerdictName.HUMAN_REVIEW


def test_a_policy_can_require_the_model() -> None:
    policy = parse_policy(REQUIRING, "requiring")
    failed = evidence(exchanges=(exchange(problem="status 401"),))
    assert (
        conclude(ran(document()), evidence(exchanges=(exchange(),)), (policy,)).verdict.name == "auto-merge"
    )
    assert conclude(document(), failed, (policy,)).verdict.name == "human-review"


@pytest.mark.parametrize("policy", ["default", "strict", "advisory", "weird"])
def test_no_finding_and_no_failure_of_a_model_makes_a_verdict_milder(policy: str) -> None:
    chosen = parse_policy(WEIRD, "weird") if policy == "weird" else bundled_policy(policy)
    source = random.Random(policy)
    for _ in range(60):
        static = _with_findings(random_evidence(source), source)
        before = conclude(document(), static, (chosen,)).verdict
        after = conclude(document(), _with_model(static, source), (chosen,)).verdict
        assert _is_at_least(after, before), (static, after, before)


def test_the_conclusion_is_the_same_again() -> None:
    source = random.Random(1)
    chosen: tuple[Policy, ...] = (parse_policy(WEIRD, "weird"),)
    for _ in range(20):
        known = _with_model(_with_findings(random_evidence(source), source), source)
        first = conclude(document(), known, chosen)
        assert conclude(document(), first.evidence, chosen) == first


def _with_findings(known: Evidence, source: random.Random) -> Evidence:
    found = [
        finding(
            source.choice(list(Plane)), source.choice(("info", "warn", "error")), confidence=source.random()
        )
        for _ in range(source.randrange(4))
    ]
    everything = (*known.findings, *found)
    blocked = any(item.severity == "error" for item in found)
    gate = "blocked" if blocked else "inconclusive" if known.missing else "pass"
    return replace(known, findings=everything, gate=gate)


def _with_model(known: Evidence, source: random.Random) -> Evidence:
    found = [
        from_model(
            source.choice(list(Plane)),
            source.choice(("info", "warn", "error")),
            confidence=source.random(),
            status=source.choice((Status.NEW, Status.NEW, Status.SUPPRESSED)),
        )
        for _ in range(source.randrange(1, 5))
    ]
    blocks = any(item.severity == "error" and item.is_introduced for item in found)
    exchanges = tuple(exchange(plane, problem=source.choice(("", "status 500"))) for plane in Plane)
    return replace(
        known,
        findings=(*known.findings, *found),
        exchanges=exchanges,
        gate="blocked" if blocks else known.gate,
    )


def _is_at_least(verdict: Verdict, other: Verdict) -> bool:
    return (
        verdict.name.strictness >= other.name.strictness
        and verdict.tier.number >= other.tier.number
        and verdict.approvals >= other.approvals
    )
