"""The record of a review that ran the change: a replay needs no sandbox, and finds what was altered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from msgspec import UNSET, to_builtins
from msgspec.structs import replace

from tests.planes.evidence_factory import document, evidence, finding
from tests.planes.run_factory import (
    CLEAN,
    FAILED,
    MISSED,
    PASSED,
    REFUSED,
    UNISOLATED,
    difference,
    run_of_behaviour,
    run_of_tests,
)
from tests.records.sample_reviews import review
from wardround.context.document import ContextDocument, document_id
from wardround.context.run_evidence import RunEvidence, TestOutcome
from wardround.findings import Plane
from wardround.planes.evidence import Evidence
from wardround.planes.signal import PlaneStatus
from wardround.records.acceptance import differences
from wardround.records.record import RecordedContext, ReviewRecord, predicate_of, read_record
from wardround.records.replay import replay_evidence
from wardround.records.rerun import run_drifts

FAILURE = finding(Plane.TESTS, "error", rule="run/failed-test", specialist="run", fingerprint="f")
FAILING = RunEvidence(run_of_tests(PASSED, FAILED), run_of_behaviour(difference()))
RECORD = review(evidence(findings=(FAILURE,), gate="blocked"), FAILING)


def differing(record: ReviewRecord) -> list[str]:
    return [difference.part for difference in replay_evidence(record).differences]


def altered(run: RunEvidence | Any, known: Evidence | None = None) -> ReviewRecord:
    """The record with another run, whose context id is computed again."""
    context = replace(RECORD.context.document, run=run)
    return replace(
        RECORD, context=RecordedContext(document_id(context), context), evidence=known or RECORD.evidence
    )


def test_a_record_follows_from_its_evidence_after_it_was_read_again() -> None:
    again = read_record(predicate_of(RECORD))
    assert again == RECORD
    assert replay_evidence(again).agrees


def test_the_id_of_the_context_covers_the_run() -> None:
    assert document_id(replace(document(), run=CLEAN)) != document_id(document())
    changed = replace(RECORD, context=replace(RECORD.context, document=altered(CLEAN).context.document))
    assert "context.id" in differing(changed)


def test_the_id_of_a_review_without_a_run_is_as_before() -> None:
    assert "run" not in to_builtins(document())
    assert document_id(document()) == (
        "sha256:5c856b432877ac66ab9bf437ff8d974c616273a42bd703bf2f9acaaefcbc7b57"
    )


@pytest.mark.parametrize(
    ("run", "parts"),
    [
        (CLEAN, {"signals[3].derivation[1]", "signals[2].derivation[1]"}),
        (replace(FAILING, tests=run_of_tests(PASSED, FAILED, conditions=REFUSED)), {"signals[3].status"}),
        (
            replace(FAILING, tests=run_of_tests(PASSED, FAILED, conditions=UNISOLATED)),
            {"signals[3].derivation"},
        ),
        (replace(FAILING, tests=None), {"request.run"}),
        (replace(FAILING, behaviour=None), {"request.run"}),
        (UNSET, {"request.run"}),
    ],
)
def test_another_run_does_not_lead_to_the_recorded_signals(run: Any, parts: set[str]) -> None:
    assert parts <= set(differing(altered(run)))


def test_a_failed_test_cannot_be_excluded_of_the_findings() -> None:
    known = replace(RECORD.evidence, findings=(), gate="pass")
    found = review(known, FAILING)
    assert found.signals[3].status is PlaneStatus.INCONCLUSIVE
    assert "signals[3].status" in differing(altered(FAILING, known))


def test_a_record_with_an_unknown_part_of_a_run_is_rejected() -> None:
    values = predicate_of(RECORD)
    values["context"]["document"]["run"]["seconds"] = 1
    with pytest.raises(ValueError, match="unknown field"):
        read_record(values)


def drifts(found: RunEvidence) -> list[str]:
    return [drift.text for drift in run_drifts(FAILING, found)]


def test_the_same_run_has_no_drift() -> None:
    excerpt = replace(FAILED, excerpt="other text")
    assert drifts(replace(FAILING, tests=run_of_tests(PASSED, excerpt))) == []


@pytest.mark.parametrize(
    ("found", "texts"),
    [
        (
            RunEvidence(),
            ["tests did not run, and did in the record", "behaviour did not run, and did in the record"],
        ),
        (
            replace(FAILING, tests=run_of_tests(replace(FAILED, outcome=TestOutcome.PASSED))),
            [
                "test_app.py::test_f is not chosen, recorded passed",
                "test_app.py::test_g is passed, recorded failed",
            ],
        ),
        (
            replace(FAILING, tests=run_of_tests(PASSED, FAILED, lines=(MISSED,), conditions=UNISOLATED)),
            [
                "tests: the isolation is none, recorded bubblewrap",
                "the changed lines that the tests ran differ",
            ],
        ),
        (replace(FAILING, behaviour=run_of_behaviour()), ["app.py: parse_port does not differ now"]),
    ],
)  # fmt: skip
def test_a_run_that_shows_something_else_has_drifted(found: RunEvidence, texts: list[str]) -> None:
    assert drifts(found) == texts


def test_a_part_that_only_runs_now_has_drifted() -> None:
    assert [drift.text for drift in run_drifts(RunEvidence(), RunEvidence(tests=run_of_tests()))] == [
        "tests ran, and did not in the record"
    ]


def test_no_record_is_accepted_instead_of_a_run(present_of: Callable[[ReviewRecord], Any]) -> None:
    present = present_of(RECORD)
    assert "the change is to be run, and a record does not show what a run would show now" in (
        list(differences(RECORD, present))
    )


@pytest.fixture
def present_of() -> Callable[[ReviewRecord], Any]:
    from wardround.records.acceptance import PresentReview

    def present(record: ReviewRecord) -> PresentReview:
        context: ContextDocument = replace(record.context.document, run=UNSET)
        return PresentReview(
            context=document_id(context),
            profile="ci",
            fail_level="error",
            target_branch="main",
            policy_file="",
            request=record.request,
            policies=((record.policy.name, record.policy.digest),),
            components=record.components,
            programs=frozenset(),
            models={},
            required_models=frozenset(),
            uses_language_model=False,
        )

    return present


def test_a_requested_mutation_has_no_outcome_of_its_own() -> None:
    request = replace(RECORD.request, run=(*RECORD.request.run, "mutations"))
    assert replay_evidence(replace(RECORD, request=request)).agrees
