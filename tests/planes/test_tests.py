"""The tests plane rests on tests of the changed source, by one source or another."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tests.planes.evidence_factory import PYTHON, TEST, document, evidence, finding
from wardround.context.change_tests import (
    ChangeCoverage,
    ChangeTests,
    CoverageFile,
    CoverageState,
    CoveredFile,
    ReachedFunction,
    ReachingTest,
)
from wardround.findings import Plane
from wardround.planes.claims import MeasuredPrecision, SourceKind
from wardround.planes.evidence import Evidence
from wardround.planes.signal import PlaneStatus, Signal
from wardround.planes.tests import TESTS

UNTESTED = replace(TEST, tests_change=False)
RESOLVED = ReachingTest("test_app.py", 3, "test_f", 1, is_resolved=True)
NAMED = replace(RESOLVED, is_resolved=False)
PRECISION = {
    "reaching-tests": MeasuredPrecision(SourceKind.RETRIEVAL, 95, 100, "evals/a.py"),
    "reaching-tests-by-name": MeasuredPrecision(SourceKind.RETRIEVAL, 7, 10, "evals/a.py"),
    "line-coverage": MeasuredPrecision(SourceKind.COVERAGE, 1, 1, "evals/a.py"),
}


def functions(*tests: tuple[ReachingTest, ...]) -> ChangeTests:
    found = [
        ReachedFunction("app.py", 1 + at, 2 + at, f"f{at}", "function", some) for at, some in enumerate(tests)
    ]
    return ChangeTests(tuple(found))


def signal(known: Evidence) -> Signal:
    return TESTS.analyse(document(), known)


def confidence(tests: ChangeTests, *, has_test: bool = False) -> float:
    files = (PYTHON, TEST if has_test else UNTESTED)
    return signal(evidence(*files, tests=tests, precision=PRECISION)).confidence


def test_a_changed_test_of_the_source_is_certain() -> None:
    assert confidence(ChangeTests(), has_test=True) == 1.0


def test_untested_source_leaves_nothing_to_rest_on() -> None:
    assert confidence(ChangeTests()) == 0.0


@pytest.mark.parametrize(
    ("tests", "expected"),
    [
        (functions((RESOLVED,), (RESOLVED, NAMED)), 0.95),
        (functions((RESOLVED,), (NAMED,)), 0.7),
        (functions((RESOLVED,), ()), 0.0),
        (replace(functions((RESOLVED,)), omitted=1), 0.0),
    ],
)
def test_reaching_tests_count_by_their_measured_precision(tests: ChangeTests, expected: float) -> None:
    assert confidence(tests) == expected


def test_a_source_without_a_measurement_counts_nothing() -> None:
    known = evidence(PYTHON, UNTESTED, tests=functions((RESOLVED,)))
    assert signal(known).confidence == 0.0


def test_the_sources_are_named_with_their_evaluation() -> None:
    found = signal(evidence(tests=functions((RESOLVED,)), precision=PRECISION))
    (claim,) = [item for item in found.claims if "tested" in item.text]
    assert [(item.name, item.precision, item.derived_from) for item in claim.sources] == [
        ("reaching-tests", 0.95, "95 of 100, evals/a.py"),
        ("tests, a changed test asserts something about the changed source", 1.0, "static"),
    ]


def test_coverage_is_shown_and_raises_nothing() -> None:
    fresh = CoverageFile("coverage.xml", "cobertura", CoverageState.FRESH)
    covered = ChangeTests(coverage=ChangeCoverage((fresh,), (CoveredFile("app.py", 3),)))
    found = signal(evidence(PYTHON, UNTESTED, tests=covered, precision=PRECISION))
    assert found.confidence == 0.0
    assert found.derivation[-1] == "3 of 3 changed lines ran: line-coverage 1"


def test_a_change_without_source_needs_no_test() -> None:
    assert signal(evidence(TEST)).confidence == 1.0


def test_a_change_that_the_plane_does_not_judge_has_no_claims() -> None:
    readme = replace(PYTHON, path="README.md", specialists=("secrets",), reviewers=("secrets",))
    assert signal(evidence(readme)) == Signal(Plane.TESTS, PlaneStatus.NOT_APPLICABLE, is_required=False)


def test_a_finding_does_not_make_untested_source_certain() -> None:
    known = evidence(PYTHON, UNTESTED, findings=(finding(Plane.TESTS, "info"),))
    assert (signal(known).severity, signal(known).confidence) == ("info", 0.0)
