"""A plane is reviewed only where every required result exists."""

from __future__ import annotations

import msgspec
import pytest
from msgspec.structs import replace

from tests.planes.evidence_factory import PYTHON, TEST, document, evidence, finding, missing
from wardround import host
from wardround.config.config_files import tools_for
from wardround.findings import Plane, Status
from wardround.planes.contract import CONTRACT
from wardround.planes.coverage import MOST_REASONS
from wardround.planes.evidence import Evidence, FileEvidence, FileRole, PartialEvidence
from wardround.planes.security import SECURITY
from wardround.planes.semantic import SEMANTIC
from wardround.planes.signal import PlaneAnalysis, PlaneStatus, Signal
from wardround.planes.tests import TESTS


def signal(known: Evidence, plane: PlaneAnalysis = SEMANTIC) -> Signal:
    return plane.analyse(document(), known)


def test_complete_results_are_positive_evidence() -> None:
    found = signal(evidence())
    assert (found.status, found.severity, found.confidence) == (PlaneStatus.REVIEWED, "none", 1.0)


def test_a_plane_without_files_of_its_kinds_is_not_applicable() -> None:
    readme = FileEvidence("README.md", FileRole.DOCUMENTATION, ("secrets",), ("secrets",), 1)
    found = signal(evidence(readme))
    assert (found.status, found.confidence, found.is_required) == (PlaneStatus.NOT_APPLICABLE, 0.0, False)
    assert signal(evidence(readme), SECURITY).status is PlaneStatus.REVIEWED


@pytest.mark.parametrize("reviewer", ["python", "ruff"])
def test_a_missing_required_result_is_inconclusive(reviewer: str) -> None:
    others = tuple(name for name in PYTHON.reviewers if name != reviewer)
    found = signal(evidence(replace(PYTHON, reviewers=others)))
    assert (found.status, found.confidence) == (PlaneStatus.INCONCLUSIVE, 0.0)
    assert found.reasons == (f"app.py: no result of {reviewer}",)


@pytest.mark.parametrize("tool", ["ty", "python", "git"])
def test_a_failed_tool_that_contributes_is_inconclusive(tool: str) -> None:
    found = signal(evidence(missing=(missing(tool=tool),)))
    assert found.status is PlaneStatus.INCONCLUSIVE
    assert found.reasons == (f"app.py: {tool}: timed out after 10 s",)


def test_a_failed_tool_of_another_plane_does_not_matter() -> None:
    assert signal(evidence(missing=(missing(tool="gitleaks"),))).status is PlaneStatus.REVIEWED


def test_checks_of_the_entire_change_must_have_run() -> None:
    assert signal(evidence(), TESTS).status is PlaneStatus.REVIEWED
    found = signal(evidence(change_reviewers=()), TESTS)
    assert found.reasons == ("no result of the checks of tests for the entire change",)


def test_checks_of_the_entire_change_that_ran_in_part_leave_their_plane_inconclusive() -> None:
    known = evidence(partial=(PartialEvidence("contract", "the code graph was not built because x"),))
    found = signal(known, CONTRACT)
    assert (found.status, found.reasons) == (
        PlaneStatus.INCONCLUSIVE,
        ("the code graph was not built because x",),
    )
    assert all(signal(known, plane).status is PlaneStatus.REVIEWED for plane in (SEMANTIC, TESTS, SECURITY))


def test_the_most_severe_finding_decides() -> None:
    found = signal(evidence(findings=(finding(severity="info"), finding(severity="error"))))
    assert found.severity == "error"
    assert found.findings == ("semantic-error", "semantic-info")


@pytest.mark.parametrize("status", [Status.SUPPRESSED, Status.EXISTING])
def test_only_introduced_findings_count(status: Status) -> None:
    assert signal(evidence(findings=(finding(status=status),))).severity == "none"


def test_findings_of_other_planes_do_not_count() -> None:
    assert signal(evidence(findings=(finding(Plane.SECURITY, "error"),))).severity == "none"


def test_confidence_is_that_of_the_most_certain_of_the_most_severe_findings() -> None:
    uncertain = [finding(confidence=0.5, rule="a"), finding(confidence=0.6, rule="b")]
    found = signal(evidence(findings=(*uncertain, finding(severity="info", rule="c"))))
    assert (found.confidence, found.derivation) == (0.6, ("findings at warn: a 0.5, b 0.6",))


def test_a_plane_without_findings_names_the_results_it_rests_on() -> None:
    found = signal(evidence())
    assert found.derivation == ("no finding in 2 files, 0 required results missing: python 1, ruff 1",)
    assert [(source.kind.value, source.derived_from) for source in found.claims[0].sources] == [
        ("check", "static"),
        ("tool", "static"),
    ]


def test_many_reasons_are_counted() -> None:
    files = [replace(PYTHON, path=f"m{number:02}.py", reviewers=("ruff",)) for number in range(50)]
    found = signal(evidence(*files))
    assert len(found.reasons) == MOST_REASONS
    assert found.reasons[-1] == "31 more"


def test_every_contributing_tool_is_known_to_its_planes() -> None:
    """A failed tool must leave each plane inconclusive to which one of its codes belongs."""
    tools = {tool.name: tool for tool in tools_for(host.load().specialists)}
    for rule in host.load().catalogue.all_rules():
        tool = tools.get(rule.id.partition("/")[0]) if "/" in rule.id else None
        assert tool is None or rule.plane in tool.planes, f"{rule.id} is of {rule.plane}"


@pytest.mark.parametrize("plane", [SEMANTIC, CONTRACT, TESTS, SECURITY])
def test_evidence_of_older_records_has_the_reviewers_of_their_version(plane: PlaneAnalysis) -> None:
    for known in (evidence(), evidence(missing=(missing(tool="ty"),)), evidence(change_reviewers=())):
        assert signal(replace(known, plane_reviewers=msgspec.UNSET), plane) == signal(known, plane)


def test_a_required_result_is_missing_in_an_older_record_too() -> None:
    older = evidence(replace(PYTHON, reviewers=("python",)), plane_reviewers=msgspec.UNSET)
    assert signal(older).reasons == ("app.py: no result of ruff",)


def test_test_files_count_for_the_planes_of_their_language() -> None:
    alone = signal(evidence(replace(TEST, reviewers=("secrets", "tests"))))
    assert alone.status is PlaneStatus.INCONCLUSIVE
