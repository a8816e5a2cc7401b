"""A run shows the affected planes its events, and no more than that."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tests.planes.evidence_factory import PYTHON, document, evidence, finding
from tests.planes.run_factory import (
    CLEAN,
    FAILED,
    MISSED,
    PASSED,
    REFUSED,
    TIMED_OUT,
    UNISOLATED,
    difference,
    run_of_behaviour,
    run_of_tests,
)
from wardround.context.run_evidence import RunEvidence, TestOutcome
from wardround.context.run_summary import failures
from wardround.findings import Plane
from wardround.planes.claims import MeasuredPrecision, SourceKind
from wardround.planes.evidence import Evidence, FileEvidence, FileRole
from wardround.planes.run import run_planes
from wardround.planes.signal import PlaneStatus, Signal

FAILURE = finding(Plane.TESTS, "error", rule="run/failed-test", specialist="run", fingerprint="f")
MEASURED = {"run-line-coverage": MeasuredPrecision(SourceKind.RUN, 96, 100, "evals/x.py")}


def signals(run: RunEvidence, known: Evidence | None = None) -> dict[Plane, Signal]:
    context = replace(document(), run=run)
    return {signal.plane: signal for signal in run_planes(context, known or evidence())[0]}


def test_a_clean_run_leaves_all_planes_reviewed() -> None:
    assert {signal.status for signal in signals(CLEAN).values()} == {PlaneStatus.REVIEWED}


def test_the_tests_plane_names_what_ran_and_where() -> None:
    (line,) = [item for item in signals(CLEAN)[Plane.TESTS].derivation if item.startswith("tests that ran")]
    assert line == "tests that ran in bubblewrap: 1 passed; 3 of 3 changed lines ran in passing tests"


@pytest.mark.parametrize("conditions", [REFUSED, TIMED_OUT])
def test_a_run_that_is_not_complete_leaves_its_planes_inconclusive(conditions: object) -> None:
    run = RunEvidence(run_of_tests(conditions=conditions), run_of_behaviour(conditions=conditions))
    found = signals(run)
    inconclusive = {plane for plane, item in found.items() if item.status is PlaneStatus.INCONCLUSIVE}
    assert inconclusive == {Plane.TESTS, Plane.SEMANTIC, Plane.CONTRACT}
    assert found[Plane.SECURITY] == signals(RunEvidence())[Plane.SECURITY]


def test_the_reason_is_that_of_the_run() -> None:
    found = signals(RunEvidence(tests=run_of_tests(conditions=REFUSED)))
    (reason,) = found[Plane.TESTS].reasons
    assert reason == "the run was refused: bubblewrap is not installed; install the package bubblewrap"
    assert found[Plane.SEMANTIC].status is PlaneStatus.REVIEWED


def test_a_complete_run_with_a_test_that_did_not_run_is_inconclusive() -> None:
    left = replace(PASSED, id="test_app.py::test_h", outcome=TestOutcome.NOT_RUN)
    found = signals(RunEvidence(tests=run_of_tests(PASSED, left)))[Plane.TESTS]
    assert (found.status, found.reasons) == (
        PlaneStatus.INCONCLUSIVE,
        ("1 test of the change did not run",),
    )


def test_a_failed_test_sets_the_severity() -> None:
    run = RunEvidence(tests=run_of_tests(PASSED, FAILED))
    found = signals(run, evidence(findings=(FAILURE,)))[Plane.TESTS]
    assert (found.status, found.severity, found.findings) == (PlaneStatus.REVIEWED, "error", ("f",))
    assert found.confidence == 1


def test_a_failed_test_without_a_finding_is_inconclusive() -> None:
    found = signals(RunEvidence(tests=run_of_tests(PASSED, FAILED)))[Plane.TESTS]
    assert found.reasons == ("1 failed test without a finding",)
    assert found.confidence == 0


def test_a_test_that_failed_before_the_change_needs_no_finding() -> None:
    before = replace(FAILED, base=TestOutcome.FAILED)
    found = signals(RunEvidence(tests=run_of_tests(PASSED, before)))[Plane.TESTS]
    assert found.status is PlaneStatus.REVIEWED
    assert "1 of them failed before the change, too" in found.derivation[1]


def test_lines_that_passing_tests_ran_support_the_claim_with_their_measured_precision() -> None:
    known = evidence(PYTHON, precision=MEASURED)
    (claim, coverage) = [
        item
        for item in signals(CLEAN, known)[Plane.TESTS].claims
        if "tested" in item.text or "ran" in item.text
    ]
    assert (claim.confidence, claim.counts) == (0.96, True)
    assert (coverage.text, coverage.counts) == ("3 of 3 changed lines ran in passing tests", False)


def test_a_run_that_was_not_measured_supports_nothing() -> None:
    assert signals(CLEAN, evidence(PYTHON))[Plane.TESTS].confidence == 0


@pytest.mark.parametrize(
    "run",
    [
        run_of_tests(lines=(MISSED,)),
        run_of_tests(conditions=UNISOLATED),
        run_of_tests(PASSED, FAILED),
        run_of_tests(lines=()),
    ],
)
def test_a_run_without_isolation_or_with_gaps_supports_nothing(run: object) -> None:
    known = evidence(PYTHON, precision=MEASURED, findings=(FAILURE,))
    assert isinstance(run, type(run_of_tests()))
    claims = signals(RunEvidence(tests=run), known)[Plane.TESTS].claims
    assert [source.name for item in claims for source in item.sources if source.name.startswith("run-")] == []


def test_a_run_without_isolation_is_named_so() -> None:
    found = signals(RunEvidence(tests=run_of_tests(conditions=UNISOLATED)))[Plane.TESTS]
    assert "tests that ran without isolation, so no evidence: 1 passed" in found.derivation[1]


def test_a_note_about_behaviour_changes_no_confidence() -> None:
    note = finding(Plane.SEMANTIC, "info", rule="run/behaviour", specialist="run", confidence=0.0)
    run = RunEvidence(behaviour=run_of_behaviour(difference()))
    found = signals(run, evidence(findings=(note,)))[Plane.SEMANTIC]
    assert (found.severity, found.confidence, found.findings) == ("info", 1.0, (note.fingerprint,))
    assert (
        "behaviour compared in bubblewrap: 1 function on 12 inputs, results that differ: 1, not compared: 1"
        in (found.derivation)
    )


def test_a_warning_about_behaviour_has_its_own_confidence() -> None:
    warning = finding(Plane.SEMANTIC, "warn", rule="run/unstated-behaviour", specialist="run", confidence=0.9)
    run = RunEvidence(behaviour=run_of_behaviour(difference()))
    found = signals(run, evidence(findings=(warning,)))[Plane.SEMANTIC]
    assert (found.severity, found.confidence) == ("warn", 0.9)


def test_a_plane_that_judges_no_file_stays_not_applicable() -> None:
    readme = FileEvidence("README.md", FileRole.DOCUMENTATION, ("text",), ("text",), 1)
    found = signals(RunEvidence(tests=run_of_tests(conditions=REFUSED)), evidence(readme))
    assert found[Plane.TESTS].status is PlaneStatus.NOT_APPLICABLE


def test_chosen_tests_that_are_all_skipped_are_no_review() -> None:
    skipped = replace(PASSED, outcome=TestOutcome.SKIPPED)
    found = signals(RunEvidence(tests=run_of_tests(skipped)))[Plane.TESTS]
    assert (found.status, found.reasons) == (PlaneStatus.INCONCLUSIVE, ("none of 1 chosen test ran",))
    assert signals(RunEvidence(tests=run_of_tests(PASSED, skipped)))[Plane.TESTS].reasons == ()


def test_a_new_test_that_fails_as_others_did_before_is_not_a_finding_and_leaves_the_plane_inconclusive() -> (
    None
):
    before = replace(FAILED, base=TestOutcome.FAILED)
    new = replace(FAILED, id="test_app.py::test_new")
    run = run_of_tests(PASSED, before, new)
    assert failures(run) == ()
    found = signals(RunEvidence(tests=run))[Plane.TESTS]
    assert (found.status, found.reasons) == (
        PlaneStatus.INCONCLUSIVE,
        ("1 new test failed with the error of tests that failed before",),
    )
    other = replace(new, excerpt="E  KeyError: 1")
    assert failures(run_of_tests(before, other)) == (other,)


def test_edits_that_could_not_run_leave_the_plane_inconclusive() -> None:
    run = run_of_tests(mutation_problem="bubblewrap is not installed")
    found = signals(RunEvidence(tests=run))[Plane.TESTS]
    assert (found.status, found.reasons) == (
        PlaneStatus.INCONCLUSIVE,
        ("the small edits of the changed lines did not run: bubblewrap is not installed",),
    )
