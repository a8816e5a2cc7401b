"""A reported merge conflict replaces the errors that its markers cause."""

from __future__ import annotations

from tests.processors.factory import finding, inputs, review
from wardround.findings import MERGE_CONFLICT, SYNTAX_ERROR, Finding, Severity, Status
from wardround.processors.conflict_echoes import DropConflictEchoes

TEXT = "<<<<<<< ours\na = 1\n=======\na = 2\n>>>>>>> theirs\n"
CONFLICT = finding(rule="text/TX001", defect_class=MERGE_CONFLICT, severity=Severity.ERROR)


def _rules(*findings: Finding) -> list[str]:
    done = DropConflictEchoes().apply(review(*findings), inputs(head={"a.py": TEXT}))
    return [item.rule for item in done.findings]


def test_syntax_errors_of_the_file_are_excluded() -> None:
    echo = finding(2, rule="ruff/E999", defect_class=SYNTAX_ERROR, severity=Severity.ERROR)
    assert _rules(CONFLICT, echo) == ["text/TX001"]


def test_findings_on_a_marker_are_excluded_and_others_stay() -> None:
    on_marker, elsewhere = finding(3, rule="ruff/E225"), finding(2, rule="ruff/F821")
    assert _rules(CONFLICT, on_marker, elsewhere) == ["text/TX001", "ruff/F821"]


def test_worse_findings_and_secrets_stay() -> None:
    conflict = finding(rule="text/TX001", defect_class=MERGE_CONFLICT, severity=Severity.WARN)
    worse = finding(3, rule="ruff/E1", severity=Severity.ERROR)
    secret = finding(3, rule="secrets/SE001", masked=True)
    assert _rules(conflict, worse, secret) == ["text/TX001", "ruff/E1", "secrets/SE001"]


def test_a_conflict_that_existed_before_replaces_nothing() -> None:
    existing = finding(rule="text/TX001", defect_class=MERGE_CONFLICT, status=Status.EXISTING)
    assert _rules(existing, finding(3, rule="ruff/E225")) == ["text/TX001", "ruff/E225"]
