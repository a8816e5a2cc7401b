"""The variables of policies, for changes with and without tests and coverage."""

from __future__ import annotations

from msgspec.structs import replace

from tests.planes.evidence_factory import COVERED, LOST, REACHED, document, evidence
from wardround.context.change_tests import ChangeTests, CoverageState, CoveredFile
from wardround.policy.variables import condition_variables
from wardround.policy.verdict import Tier


def variable(tests: ChangeTests) -> dict[str, object]:
    found: dict[str, object] = condition_variables(Tier.T1, (), document(), evidence(tests=tests))["tests"]
    return found


def test_a_change_without_functions_and_coverage_has_none() -> None:
    assert variable(ChangeTests()) == {
        "functions": 0,
        "unreached": 0,
        "lost": 0,
        "coverage": "none",
        "changed_lines": 0,
        "changed_lines_covered": 0,
    }


def test_functions_tests_and_lines_are_counted() -> None:
    coverage = replace(COVERED, lines=(CoveredFile("app.py", 3, ((7, 8),)), CoveredFile("b.py", 1)))
    functions = (REACHED, replace(REACHED, tests=()))
    assert variable(ChangeTests(functions, omitted=2, lost=(LOST,), coverage=coverage)) == {
        "functions": 4,
        "unreached": 3,
        "lost": 1,
        "coverage": "fresh",
        "changed_lines": 6,
        "changed_lines_covered": 4,
    }


def test_a_required_file_that_is_not_a_evidence_makes_the_coverage_stale() -> None:
    stale = replace(COVERED.files[0], path="b.xml", state=CoverageState.STALE)
    assert (
        variable(ChangeTests(coverage=replace(COVERED, files=(*COVERED.files, stale))))["coverage"] == "stale"
    )
