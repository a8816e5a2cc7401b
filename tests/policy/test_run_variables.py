"""The variables of a run are positive evidence: a policy never becomes milder because nothing ran."""

from __future__ import annotations

from typing import Any

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
from wardround.findings import Plane
from wardround.planes.signal import PlaneStatus, Signal
from wardround.policy.decide import decide
from wardround.policy.run_variables import run_variables
from wardround.policy.schema import PolicyRule, convert_policy
from wardround.policy.tiers import decide_tier
from wardround.policy.verdict import Tier, VerdictName

REVIEWED = tuple(Signal(plane, PlaneStatus.REVIEWED, confidence=1.0) for plane in Plane)
COVERED = 'tier == "T1" && (run.tests.state != "complete" || run.tests.failed > 0 || run.lines_uncovered > 0)'


def verdict(run: RunEvidence | None, condition: str = COVERED) -> VerdictName:
    rule = PolicyRule("covered", condition, "T1 needs covered lines")
    tiers = {
        "T1": "auto-merge",
        "T2": "human-review",
        "T3": "human-review",
        "T4": "escalate",
        "T5": "escalate",
    }
    policy = convert_policy(
        {"schema": "wardround.policy/1", "name": "covered", "version": 1, "tiers": tiers}, "policy"
    )
    context = document() if run is None else replace(document(), run=run)
    return decide(REVIEWED, context, evidence(), (replace(policy, rules=(rule,)),)).name


def test_a_clean_run_in_a_sandbox_satisfies_a_policy() -> None:
    assert verdict(CLEAN) is VerdictName.AUTO_MERGE


@pytest.mark.parametrize(
    "run",
    [
        None,
        RunEvidence(),
        RunEvidence(behaviour=run_of_behaviour()),
        RunEvidence(tests=run_of_tests(conditions=UNISOLATED)),
        RunEvidence(tests=run_of_tests(conditions=REFUSED)),
        RunEvidence(tests=run_of_tests(lines=())),
    ],
)
def test_anything_less_does_not(run: RunEvidence | None) -> None:
    assert verdict(run) is VerdictName.HUMAN_REVIEW


@pytest.mark.parametrize(
    "condition",
    [
        "run.lines_uncovered > 0",
        "run.tests.failed > 0",
        "run.tests.flaky != 0",
        "run.behaviour.differences > 0",
        "run.tests.passed == 0 || run.tests.passed < 1",
        "!(run.lines_uncovered == 0)",
    ],
)
@pytest.mark.parametrize("run", [None, RunEvidence(run_of_tests(conditions=UNISOLATED))])
def test_a_condition_about_numbers_alone_applies_without_a_run(
    condition: str, run: RunEvidence | None
) -> None:
    assert verdict(run, condition) is VerdictName.HUMAN_REVIEW
    assert verdict(CLEAN, condition) is VerdictName.AUTO_MERGE


def test_the_numbers_are_those_of_the_run() -> None:
    before = replace(FAILED, id="a", base=TestOutcome.FAILED)
    flaky = replace(PASSED, id="b", outcome=TestOutcome.FLAKY)
    tests = run_of_tests(PASSED, FAILED, before, flaky, lines=(MISSED,), mutations=3)
    assert run_variables(RunEvidence(tests, run_of_behaviour(difference()))) == {
        "isolation": "bubblewrap",
        "lines_covered": 1,
        "lines_uncovered": 3,
        "tests": {
            "state": "complete", "failed": 1, "failed_before": 1, "flaky": 1, "passed": 1, "skipped": 0,
            "unnoticed": 0,
        },
        "behaviour": {"state": "complete", "compared": 1, "not_compared": 1, "differences": 1},
    }  # fmt: skip


def test_failures_count_in_any_run_and_passes_only_in_a_complete_one() -> None:
    found: dict[str, Any] = run_variables(
        RunEvidence(
            run_of_tests(PASSED, FAILED, conditions=TIMED_OUT),
            run_of_behaviour(difference(), conditions=UNISOLATED),
        )
    )
    assert (found["tests"]["state"], found["tests"]["failed"], found["tests"]["passed"]) == (
        "partial",
        1,
        None,
    )
    assert (found["behaviour"]["state"], found["behaviour"]["differences"]) == ("unisolated", 1)
    assert (found["isolation"], found["lines_covered"], found["lines_uncovered"]) == ("none", None, None)


def test_without_a_run_nothing_is_known() -> None:
    found = run_variables(RunEvidence())
    assert (found["isolation"], found["tests"]["state"], found["behaviour"]["state"]) == (
        "",
        "absent",
        "absent",
    )
    assert {found["tests"]["failed"], found["behaviour"]["differences"], found["lines_uncovered"]} == {None}


def test_lines_that_passing_tests_ran_count_as_much_as_a_changed_test() -> None:
    assert decide_tier(REVIEWED, evidence(PYTHON))[0] is Tier.T2
    assert decide_tier(REVIEWED, evidence(PYTHON), run_of_tests())[0] is Tier.T1


@pytest.mark.parametrize(
    ("run", "reason"),
    [
        (run_of_tests(lines=(MISSED,)), "3 changed lines did not run in passing tests"),
        (run_of_tests(conditions=UNISOLATED), "the tests of the change ran without isolation"),
        (
            run_of_tests(conditions=TIMED_OUT),
            "the tests of the change did not all run: 3 tests were not reached in 600 s",
        ),
        (
            run_of_tests(PASSED, replace(PASSED, id="b", outcome=TestOutcome.FLAKY)),
            "1 test of the change failed once and passed when repeated",
        ),
    ],
)
def test_a_run_with_a_gap_keeps_the_change_from_t1(run: Any, reason: str) -> None:
    tier, reasons = decide_tier(REVIEWED, evidence(), run)
    assert (tier, [item.text for item in reasons]) == (Tier.T2, [reason])


def test_a_note_of_a_run_about_tests_lowers_no_tier_and_any_other_finding_does() -> None:
    tests = Signal(Plane.TESTS, PlaneStatus.REVIEWED, "info", 1.0, ("n",))
    signals = tuple(tests if item.plane is Plane.TESTS else item for item in REVIEWED)
    note = finding(Plane.TESTS, "info", specialist="run", fingerprint="n", confidence=0.4)
    assert decide_tier(signals, evidence(findings=(note,)), run_of_tests())[0] is Tier.T1
    certain = replace(note, confidence=1.0)
    assert decide_tier(signals, evidence(findings=(certain,)), run_of_tests())[0] is Tier.T2
    assert decide_tier(signals, evidence(), run_of_tests())[0] is Tier.T2


def test_a_complete_run_without_coverage_leaves_the_code_graph_in_place() -> None:
    assert decide_tier(REVIEWED, evidence(PYTHON), run_of_tests(lines=()))[0] is Tier.T2
