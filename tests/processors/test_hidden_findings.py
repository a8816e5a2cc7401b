"""A finding hidden by an added ignore comment is reported if it would block the change, and waived
otherwise.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.processors.factory import candidate, inputs
from wardround.findings import Finding, Severity, Status
from wardround.processors.hidden_findings import RevealHiddenFindings
from wardround.processors.model import Candidate, ReviewFindings


def _revealed(*candidates: Candidate, **values: Any) -> list[Finding]:
    review = ReviewFindings(candidates=candidates)
    done = RevealHiddenFindings().apply(review, inputs(**values))
    return [item.finding for item in done.candidates]


def _lines(*candidates: Candidate) -> list[int]:
    return [finding.span.line for finding in _revealed(*candidates)]


@pytest.mark.parametrize(
    ("fail_level", "severity", "is_trusted", "status"),
    [
        ("error", Severity.ERROR, False, Status.NEW),
        ("error", Severity.WARN, False, Status.SUPPRESSED),
        ("warn", Severity.WARN, False, Status.NEW),
        ("none", Severity.ERROR, False, Status.NEW),
        ("none", Severity.WARN, False, Status.SUPPRESSED),
        ("error", Severity.ERROR, True, Status.SUPPRESSED),
    ],
)
def test_a_hidden_finding_that_does_not_block_is_silenced(
    fail_level: str, severity: Severity, status: Status, *, is_trusted: bool
) -> None:
    hidden = candidate(severity=severity, is_hidden=True)
    (found,) = _revealed(hidden, fail_level=fail_level, is_trusted=is_trusted)
    assert (found.status, found.is_silenced) == (status, status is Status.SUPPRESSED)
    assert found.is_introduced


def test_one_that_existed_before_stays_hidden() -> None:
    assert _lines(candidate(severity=Severity.ERROR, status=Status.EXISTING, is_hidden=True)) == []


def test_one_that_is_reported_anyway_is_not_repeated() -> None:
    shown = candidate(1, severity=Severity.ERROR)
    assert _lines(shown, candidate(1, severity=Severity.ERROR, is_hidden=True)) == [1]


def test_other_findings_are_retained_at_any_severity() -> None:
    assert _lines(candidate(1, severity=Severity.INFO), candidate(2, status=Status.EXISTING)) == [1, 2]
