"""What added ignore comments hide is reported if it would block the change."""

from __future__ import annotations

import pytest

from tests.processors.factory import candidate, inputs
from wardround.findings import Severity, Status
from wardround.processors.hidden_findings import RevealHiddenFindings
from wardround.processors.model import Candidate, ReviewFindings


def _lines(*candidates: Candidate, fail_level: str = "error") -> list[int]:
    review = ReviewFindings(candidates=candidates)
    done = RevealHiddenFindings().apply(review, inputs(fail_level=fail_level))
    return [one.finding.span.line for one in done.candidates]


@pytest.mark.parametrize(
    ("fail_level", "severity", "expected"),
    [
        ("error", Severity.ERROR, [1]),
        ("error", Severity.WARN, []),
        ("warn", Severity.WARN, [1]),
        ("none", Severity.ERROR, [1]),
        ("none", Severity.WARN, []),
    ],
)
def test_a_hidden_finding_is_reported_from_the_blocking_severity_on(
    fail_level: str, severity: Severity, expected: list[int]
) -> None:
    assert _lines(candidate(severity=severity, is_hidden=True), fail_level=fail_level) == expected


def test_one_that_existed_before_stays_hidden() -> None:
    assert _lines(candidate(severity=Severity.ERROR, status=Status.EXISTING, is_hidden=True)) == []


def test_one_that_is_reported_anyway_is_not_repeated() -> None:
    shown = candidate(1, severity=Severity.ERROR)
    assert _lines(shown, candidate(1, severity=Severity.ERROR, is_hidden=True)) == [1]


def test_other_findings_are_kept_at_any_severity() -> None:
    assert _lines(candidate(1, severity=Severity.INFO), candidate(2, status=Status.EXISTING)) == [1, 2]
