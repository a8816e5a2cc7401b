"""Secrets are masked in findings, in notices and in the reasons of what was not reviewed."""

from __future__ import annotations

from tests.processors.factory import added, finding, inputs, review
from wardround.findings import Edit, Span, Status, SuggestedFix
from wardround.processors.mask_secrets import MaskNotices, MaskSecrets

TEXT = 'password = "hunter2hunter2"\nprint(password)\n'
SECRET = finding(1, span=Span(1, 12, 1, 28), masked=True, message="a literal")


def test_a_secret_is_masked_in_the_messages_of_other_findings() -> None:
    other = finding(2, message="value 'hunter2hunter2' is printed")
    done = MaskSecrets().apply(review(SECRET, other), inputs(head={"a.py": TEXT}))
    assert [item.message for item in done.findings] == ["a literal", "value 'hu***' is printed"]
    assert done.mask_text("it fails at hunter2hunter2") == "it fails at hu***"


def test_a_finding_on_the_line_of_a_secret_shows_neither_line_nor_fix() -> None:
    fix = SuggestedFix("Remove", True, (Edit("a.py", Span(1, 1, 1, 2), ""),))
    other = finding(1, suggested_fix=fix)
    done = MaskSecrets().apply(review(SECRET, other), inputs(head={"a.py": TEXT}))
    assert (done.findings[1].masked, done.findings[1].suggested_fix) == (True, None)


def test_notices_are_masked_by_the_secrets_of_all_findings() -> None:
    notice = finding(1, file="b.py", message="suppression names no known rule: 'hunter2hunter2'")
    given = inputs(added("a.py"), added("b.py"), head={"a.py": TEXT, "b.py": "x\n"})
    done = MaskNotices().apply(review(SECRET, notices=(notice,)), given)
    assert [item.message for item in done.notices] == ["suppression names no known rule: 'hu***'"]
    assert done.findings == (SECRET,)


def test_without_notices_the_masks_of_the_findings_stay() -> None:
    given = inputs(head={"a.py": TEXT})
    masked = MaskSecrets().apply(review(SECRET, finding(2, status=Status.EXISTING)), given)
    assert MaskNotices().apply(masked, given) is masked
