"""A review that runs the change: findings, planes, gate and reports follow from the outcome."""

from __future__ import annotations

import json

import pytest
from msgspec.structs import replace

from tests.conftest import GitRepository
from tests.planes.run_factory import (
    FAILED,
    PASSED,
    REFUSED,
    difference,
    run_of_behaviour,
    run_of_tests,
)
from tests.run_reviews import LINES, SETTINGS, Runner, committed, reviewed
from wardround.context.run_evidence import RunEvidence
from wardround.findings import Plane
from wardround.planes.signal import PlaneStatus
from wardround.policy.gate import GateOutcome
from wardround.tools.tool import Profile

CLEAN = RunEvidence(run_of_tests(lines=(replace(LINES, covered=(6, 7), uncovered=()),)), run_of_behaviour())
BROKEN = RunEvidence(
    run_of_tests(PASSED, replace(FAILED, places=("app.py:6",)), lines=(LINES,)),
    run_of_behaviour(difference(line=4, callers=("cli.py:3",))),
)
LINES_OF_RUN = [
    ("run/behaviour", "info", 4),
    ("run/failed-test", "error", 6),
    ("run/uncovered-lines", "info", 7),
]


@pytest.fixture
def shop(repo: GitRepository) -> GitRepository:
    committed(repo)
    return repo


def test_what_ran_leads_to_findings_and_blocks(shop: GitRepository) -> None:
    review = reviewed(shop, Runner(BROKEN))
    assert [item[:3] for item in review.of_run] == LINES_OF_RUN
    assert (review.result.gate.outcome, review.result.exit_status) == (GateOutcome.BLOCKED, 1)
    assert review.result.conclusion.context.ran == BROKEN
    assert [review.signal(plane).severity for plane in (Plane.TESTS, Plane.SEMANTIC)] == ["error", "info"]


def test_the_identity_of_a_finding_does_not_follow_from_the_text_of_a_failure(shop: GitRepository) -> None:
    other = replace(FAILED, places=("app.py:6",), excerpt="E  other at 0x1")
    again = replace(BROKEN, tests=run_of_tests(PASSED, other, lines=(LINES,)))
    results = [reviewed(shop, Runner(run)).result for run in (BROKEN, again)]
    assert len({tuple(finding.fingerprint for finding in result.findings) for result in results}) == 1


def test_a_clean_run_adds_nothing(shop: GitRepository) -> None:
    review = reviewed(shop, Runner(CLEAN))
    assert review.of_run == []
    assert "no test of parse_port" not in str(review.result.conclusion.verdict.reasons)
    assert "no test of parse_port" in str(
        reviewed(shop, Runner(CLEAN), run=()).result.conclusion.verdict.reasons
    )


def test_a_run_without_a_sandbox_is_inconclusive_with_the_reason(shop: GitRepository) -> None:
    review = reviewed(
        shop, Runner(RunEvidence(run_of_tests(conditions=REFUSED), run_of_behaviour(conditions=REFUSED)))
    )
    assert (review.result.gate.outcome, review.result.exit_status) == (GateOutcome.INCONCLUSIVE, 4)
    assert review.result.gate.reasons == (
        f"run of behaviour: the run was refused: {REFUSED.detail}",
        f"run of tests: the run was refused: {REFUSED.detail}",
    )
    signals = review.result.conclusion.signals
    inconclusive = {signal.plane for signal in signals if signal.status is PlaneStatus.INCONCLUSIVE}
    assert inconclusive == {Plane.TESTS, Plane.SEMANTIC, Plane.CONTRACT}
    text = " ".join(review.printed["text"].split())
    assert f".: run of tests: the run was refused: {REFUSED.detail}" in text
    planes = "contract, semantic, tests"
    assert f"{planes}: required and not reviewed: the run was refused: {REFUSED.detail}" in text


def test_a_change_that_states_that_nothing_changes_is_warned_about(repo: GitRepository) -> None:
    committed(repo, "refactor: simplify the parser")
    (found,) = reviewed(repo, Runner(RunEvidence(behaviour=run_of_behaviour(difference(line=4))))).of_run
    assert found == (
        "run/unstated-behaviour",
        "warn",
        4,
        "the result changed for this input: parse_port('') returned None; "
        "it raises ValueError('no port') now; the change states refactoring",
    )


def test_a_published_function_with_callers_is_about_the_contract(repo: GitRepository) -> None:
    repo.commit({"pyproject.toml": "[build-system]\nrequires = []\n[project]\nname = 'app'\nversion = '1'\n"})
    committed(repo)
    called = difference(line=4, callers=("b.py:1",))
    (found,) = reviewed(repo, Runner(RunEvidence(behaviour=run_of_behaviour(called)))).of_run
    assert found[0] == "run/published-behaviour"


def test_the_configuration_of_the_base_decides_in_ci_alone(repo: GitRepository) -> None:
    committed(repo, settings=SETTINGS + "run = ['tests']\n")
    for settings, expected in (
        ({"run": None}, [("tests",)]),
        ({"run": None, "profile": Profile.COMMIT}, []),
        ({"run": None, "config_from": "head"}, []),
        ({"run": ()}, []),
        ({}, [("tests", "behaviour")]),
    ):
        runner = Runner(CLEAN)
        reviewed(repo, runner, **settings)
        assert runner.requested == expected, settings


def test_a_change_cannot_make_its_own_code_run(repo: GitRepository) -> None:
    repo.commit({"app.py": "a = 1\n"})
    repo.commit({"app.py": "a = 2\n", ".wardround.toml": "run = true\n"})
    runner = Runner(CLEAN)
    reviewed(repo, runner, run=None)
    assert runner.requested == []


def test_the_reports_show_what_ran(shop: GitRepository) -> None:
    review = reviewed(shop, Runner(BROKEN))
    text = " ".join(review.printed["text"].split())
    assert "run: tests that ran in bubblewrap: 1 passed, 1 failed; 1 of 2 changed lines ran" in text
    assert "run: behaviour compared in bubblewrap: 1 function on 12 inputs" in text
    assert "results that differ: 1, not compared: 1" in text
    assert "run: not compared: app.py main: no test called it" in text
    report = json.loads(review.printed["json"])
    counts = report["run"]["counts"]
    assert counts["tests"]["outcomes"] == {"passed": 1, "failed": 1}
    assert counts["tests"]["isolated"] is True
    assert counts["behaviour"]["functions_not_compared"] == 1
    assert report["run"]["behaviour"]["differences"][0]["call"] == "parse_port('')"
    sarif = json.loads(review.printed["sarif"])["runs"][0]
    assert sarif["properties"]["run"]["behaviour"]["functions_differing"] == 1
    assert {item["ruleId"] for item in sarif["results"]} >= {"run/failed-test", "run/behaviour"}
    assert "::error file=app.py,line=6,endLine=6" in review.printed["github"]


def test_a_review_without_a_run_reports_none(shop: GitRepository) -> None:
    review = reviewed(shop, Runner(CLEAN), run=())
    assert "run" not in json.loads(review.printed["json"])
    assert "run: " not in review.printed["text"]


def test_a_rule_can_be_disabled_and_a_failure_then_leaves_the_plane_inconclusive(
    repo: GitRepository,
) -> None:
    committed(repo, settings=SETTINGS + "[rules]\n'run/failed-test' = 'off'\n'run/behaviour' = 'warn'\n")
    review = reviewed(repo, Runner(BROKEN))
    assert [item[:2] for item in review.of_run] == [
        ("run/behaviour", "warn"),
        ("run/uncovered-lines", "info"),
    ]
    assert review.signal(Plane.TESTS).reasons == ("1 failed test without a finding",)


def test_a_review_that_leaves_a_configured_run_out_states_so(repo: GitRepository) -> None:
    committed(repo, settings=SETTINGS + "run = ['tests']\n")
    left = "the configuration requests a run of the change (tests), which this review leaves out"
    assert left in " ".join(reviewed(repo, Runner(CLEAN), run=()).printed["text"].split())
    assert "leaves out" not in reviewed(repo, Runner(CLEAN), run=None).printed["text"]
    assert "leaves out" not in reviewed(repo, Runner(CLEAN), run=(), profile=Profile.COMMIT).printed["text"]


def test_tests_that_are_found_by_name_are_not_listed_where_a_run_shows_the_lines(shop: GitRepository) -> None:
    assert "tests: found for" in reviewed(shop, Runner(CLEAN), run=()).printed["text"]
    assert "tests: found for" not in reviewed(shop, Runner(CLEAN)).printed["text"]
