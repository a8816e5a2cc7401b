"""A record replaces a review only if all inputs that it names are unchanged."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from tests.planes.evidence_factory import evidence
from tests.records.sample_reviews import MOMENT, review
from wardround.findings import Plane
from wardround.planes.evidence import Exchange, MissingEvidence, ToolEvidence
from wardround.records.acceptance import PresentReview, age_fault, differences, missing_evidence
from wardround.records.record import RecordedPlugin, RecordedRequest, ReviewRecord

RUFF = ToolEvidence("ruff", "0.17.6", f"sha256:{'a' * 64}")
MODEL = ToolEvidence("model secrets", "0123456789ab onnxruntime 1.20")
OWN = ToolEvidence("python", "0.3.0")


def recorded(**changes: Any) -> ReviewRecord:
    return review(evidence(tools=(RUFF, MODEL, OWN), **changes))


def present(record: ReviewRecord, **changes: Any) -> PresentReview:
    """The state in which the review was recorded, but for some fields."""
    assert record.floor is not None
    same = PresentReview(
        context=record.context.id,
        profile=record.evidence.profile,
        fail_level=record.evidence.fail_level,
        target_branch=record.evidence.target_branch,
        policy_file=record.evidence.policy_file,
        request=record.request,
        policies=tuple((item.name, item.digest) for item in (record.policy, record.floor)),
        components=record.components,
        programs=frozenset({(RUFF.tool, RUFF.version, RUFF.digest)}),
        models={MODEL.tool: MODEL.version},
        required_models=frozenset({MODEL.tool}),
        uses_language_model=False,
    )
    return replace(same, **changes)


def test_a_record_of_the_present_state_differs_in_nothing() -> None:
    record = recorded()
    assert list(differences(record, present(record))) == []
    assert list(missing_evidence(record)) == []


OTHER = f"sha256:{'b' * 64}"


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"context": OTHER}, f"the context is {OTHER}, recorded "),
        ({"profile": "commit"}, "the profile is 'commit', recorded 'ci'"),
        ({"fail_level": "none"}, "the fail level is 'none', recorded 'error'"),
        ({"target_branch": "release"}, "the target branch is 'release', recorded "),
        ({"policy_file": "policy.yml"}, "the policy file is 'policy.yml', recorded ''"),
        ({"request": RecordedRequest("head")}, "the options of the review differ"),
        ({"request": RecordedRequest("target", only=("sql",))}, "the options of the review differ"),
        ({"request": RecordedRequest("target", models=False)}, "the options of the review differ"),
        ({"programs": frozenset()}, "the tool ruff would not run now"),
        (
            {"programs": frozenset({(RUFF.tool, RUFF.version, OTHER)})},
            f"the tool ruff is 0.17.6 {OTHER}, recorded 0.17.6 {RUFF.digest}",
        ),
        (
            {"programs": frozenset({(RUFF.tool, RUFF.version, RUFF.digest), ("ty", "1", OTHER)})},
            "the tool ty 1 did not run in the record",
        ),
        ({"models": {}}, "the model secrets is not used, recorded 0123456789ab onnxruntime 1.20"),
        (
            {"models": {MODEL.tool: "other"}},
            "the model secrets is other, recorded 0123456789ab onnxruntime 1.20",
        ),
        (
            {
                "models": {MODEL.tool: MODEL.version, "model tests": "1"},
                "required_models": frozenset({MODEL.tool, "model tests"}),
            },
            "the model tests is 1, recorded none",
        ),
        (
            {"coverage_file": "coverage.xml"},
            "the coverage file coverage.xml may count, and a record does not name its content",
        ),
        ({"uses_language_model": True}, "a language model is used, and not in the record"),
    ],
)
def test_each_part_that_differs_is_named(changes: dict[str, Any], reason: str) -> None:
    record = recorded()
    (found,) = differences(record, present(record, **changes))
    assert found.startswith(reason)


@pytest.mark.parametrize(
    "changes",
    [
        {"version": "9"},
        {"engine": "other"},
        {"rules": "other"},
        {"configuration": "other"},
        {"models": {"mode": "on", "threads": 1}},
        {"plugins": (RecordedPlugin("python", "wardround", "9", OTHER),)},
    ],
)
def test_each_program_of_ours_that_differs_is_named(changes: dict[str, Any]) -> None:
    record = recorded()
    current = present(record, components=replace(record.components, **changes))
    assert len(list(differences(record, current))) == 1


def test_every_field_of_the_present_state_counts() -> None:
    record = recorded()
    same = present(record)
    compared = {field.name for field in msgspec.structs.fields(PresentReview)} - {
        "required_models",
        "missing",
    }
    other: dict[str, Any] = dict.fromkeys(compared, "other") | {
        "policies": (("other", OTHER),), "programs": frozenset({("x", "1", OTHER)}), "models": {},
        "components": replace(record.components, engine="x"), "request": RecordedRequest("head"),
        "uses_language_model": True,
    }  # fmt: skip
    for name in sorted(compared):
        assert list(differences(record, replace(same, **{name: other[name]}))), name


def test_an_older_policy_and_another_floor_are_named() -> None:
    record = recorded()
    assert record.floor is not None
    own, floor = ((item.name, item.digest) for item in (record.policy, record.floor))
    newer = list(differences(record, present(record, policies=(("default", OTHER), floor))))
    assert newer == [f"the policy is default@{OTHER}, recorded default@{own[1]}"]
    without = list(differences(record, present(record, policies=(own,))))
    assert without == [f"the policy floor is none, recorded strict@{floor[1]}"]
    unfloored = replace(record, floor=None)
    added = list(differences(unfloored, present(record)))
    assert added == [f"the policy floor is strict@{floor[1]}, recorded none"]


@pytest.mark.parametrize(
    ("known", "reason"),
    [
        ({"gate": "inconclusive"}, "it is inconclusive"),
        ({"missing": (MissingEvidence("a.py", "python", "ruff", "gone"),)}, "ruff did not review a.py"),
        ({"plane_failures": {Plane.SECURITY: "crashed"}}, "its plane security is inconclusive"),
    ],
)
def test_a_record_that_lacks_evidence_is_inconclusive(known: dict[str, Any], reason: str) -> None:
    assert reason in list(missing_evidence(recorded(**known)))


def test_a_record_with_a_language_model_is_not_that_of_a_review_without() -> None:
    record = recorded(exchanges=(Exchange(Plane.SECURITY, OTHER, "model", 0),))
    assert "a language model is not used now" in list(differences(record, present(record)))


def test_a_record_has_a_greatest_age_and_is_not_of_the_future() -> None:
    week = timedelta(days=7)
    assert age_fault(MOMENT, MOMENT + week, week) is None
    assert age_fault(MOMENT, MOMENT + week + timedelta(seconds=1), week) == "it is older than 7 days"
    assert age_fault(MOMENT + timedelta(minutes=5), MOMENT, week) is None
    assert age_fault(MOMENT + timedelta(minutes=6), MOMENT, week) == "it is dated in the future"
