"""The open findings of a review are ranked by measured rates; without the option, nothing is."""

from __future__ import annotations

from tests.processors.factory import finding, inputs, review
from wardround.findings import Severity, Status
from wardround.processors.dismissals_file import Dismissal, Dismissals
from wardround.processors.rank import RankFindings
from wardround.processors.triage import FOLD_AFTER

LATE = finding(1, fingerprint="a" * 16, rule="acme/A1", sources=("acme/A1",))
EARLY = finding(2, fingerprint="b" * 16, severity=Severity.ERROR)
TEXTS = {"a.py": "x = 1\ny = 2\n"}


def test_the_more_severe_comes_first() -> None:
    triage = RankFindings().apply(review(LATE, EARLY), inputs(head=TEXTS)).triage
    assert triage is not None
    assert triage.order == {EARLY.fingerprint: 0, LATE.fingerprint: 1}


def test_existing_findings_are_counted_and_not_ranked() -> None:
    old = finding(1, fingerprint="c" * 16, status=Status.EXISTING)
    triage = RankFindings().apply(review(old, EARLY), inputs(head=TEXTS)).triage
    assert triage is not None
    assert set(triage.order) == {EARLY.fingerprint}


def test_a_rule_that_was_dismissed_often_folds() -> None:
    given = inputs(head=TEXTS)
    dismissals = Dismissals(
        tuple(
            Dismissal("b.py", "acme/A1", f"{number:016x}", given.today, "seen")
            for number in range(int(FOLD_AFTER))
        )
    )
    triage = RankFindings().apply(review(LATE), inputs(head=TEXTS, dismissals=dismissals)).triage
    assert triage is not None
    assert triage.folded == {LATE.fingerprint}


def test_a_review_without_open_findings_or_with_everything_shown_has_no_ranking() -> None:
    assert RankFindings().apply(review(LATE), inputs(head=TEXTS, ranks=False)).triage is None
    assert RankFindings().apply(review(), inputs()).triage is None
