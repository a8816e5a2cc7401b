"""The audit page has every part of the record that an auditor needs, and counts what it leaves out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from tests.planes.evidence_factory import evidence, finding, missing
from tests.records.sample_reviews import FACTS, MOMENT, public, review, signer
from wardround.findings import Status
from wardround.records import bundle
from wardround.records.audit_page import Section, audit_page
from wardround.records.audit_text import markdown, plain_text
from wardround.records.record import RecordedOrigin, ReviewRecord, predicate_of
from wardround.records.verify import verify_record

ORIGIN = RecordedOrigin(
    "https://github.com/acme/shop", "12", "https://github.com/acme/shop/actions/runs/7", "ada",
    "acme/shop/.github/workflows/ci.yml@refs/heads/main", "f" * 40,
)  # fmt: skip
ADA = signer()


def page(record: ReviewRecord) -> tuple[Section, ...]:
    data = bundle.write(predicate_of(record), FACTS, ADA, MOMENT).data
    found = verify_record(data, public(ADA))
    assert found.problem is None
    return audit_page(record, found, 1)


def rows(sections: Sequence[Section], title: str) -> list[tuple[str, str]]:
    (section,) = (section for section in sections if section.title == title)
    return [(row.label, row.value) for row in section.rows]


def test_the_page_names_repository_request_workflow_run_and_actor() -> None:
    found = dict(rows(page(replace(review(evidence()), origin=ORIGIN)), "Reviewed"))
    assert found["repository"] == "https://github.com/acme/shop"
    assert found["change request"] == "12"
    assert found["workflow"] == f"acme/shop/.github/workflows/ci.yml@refs/heads/main at {'f' * 40}"
    assert found["run"] == "https://github.com/acme/shop/actions/runs/7"
    assert found["actor"] == "ada"
    assert found["time"] == "2030-01-31T12:00:05Z, as the signer states it"


def test_a_local_review_states_that_its_repository_is_not_named() -> None:
    found = dict(rows(page(review(evidence())), "Reviewed"))
    assert found["repository"].startswith("not named")
    assert "actor" not in found


def test_the_lines_of_the_policy_that_decide_are_on_the_page() -> None:
    record = review(evidence(findings=(finding(),)))
    deciding = {reason.policy for reason in record.verdict.reasons if reason.policy}
    found = rows(page(record), "Policy")
    assert {value.partition(": ")[0] for label, value in found if label == "decides"} == deciding
    assert found[0] == ("repository", f"default {record.policy.digest}")
    assert record.floor is not None
    assert found[1] == ("floor", f"strict {record.floor.digest}")


def test_findings_that_people_waived_are_on_the_page_with_their_reason() -> None:
    dismissed = replace(finding(), status=Status.SUPPRESSED, waiver="the input is trusted")
    suppressed = replace(finding(), status=Status.SUPPRESSED)
    known = replace(finding(), status=Status.EXISTING)
    found = rows(page(review(evidence(findings=(dismissed, suppressed, known)))), "Waived")
    endings = [value.rpartition("[")[2] for _, value in found]
    assert endings[:3] == [
        "dismissed: the input is trusted]",
        "suppressed in the source, where the reason is]",
        "accepted in the baseline]",
    ]


@pytest.mark.parametrize(("count", "last"), [(8, None), (9, "and 1 more, which"), (30, "and 22 more, which")])
def test_what_is_left_out_is_counted(count: int, last: str | None) -> None:
    known = evidence(missing=tuple(missing() for _ in range(count)), gate="inconclusive")
    found = [value for _, value in rows(page(review(known)), "Not reviewed")]
    assert found[-1].startswith(last) if last else len(found) == count


def test_the_verdict_is_derived_again() -> None:
    record = review(evidence())
    assert rows(page(record), "Derived again")[0][1].startswith("the same, derived from the evidence")
    milder = replace(record, verdict=replace(record.verdict, approvals=7))
    found = rows(page(milder), "Derived again")
    assert found[0][1].startswith("different")
    assert found[1][0] == "difference"
    assert found[1][1].startswith("verdict.approvals: recorded 7")


def test_the_page_of_an_ordinary_review_has_at_most_60_lines() -> None:
    text = plain_text("title", page(replace(review(evidence(findings=(finding(),))), origin=ORIGIN)))
    assert len(text.splitlines()) <= 60
    assert max(map(len, text.splitlines())) <= 118


@pytest.mark.parametrize("render", [plain_text, markdown])
def test_text_of_the_change_is_neither_markup_nor_control_sequence(render: Any) -> None:
    hostile = replace(finding(), file="a\x1b[2J\n# b.py", message="<script> @acme [x](https://evil.example)")
    text = render("title", page(review(evidence(findings=(hostile,)))))
    assert "\x1b" not in text
    assert "\n# b.py" not in text
    if render is markdown:
        assert "<script>" not in text
        assert "](https://evil" not in text
