"""The verdict that is acted on is that of a record that holds and equals the report."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from msgspec.structs import replace
from securesystemslib.signer import CryptoSigner

from tests.delivery.github_merge_api import HEAD
from tests.delivery.reviews_to_act_on import POLICY, reported, signed_review
from tests.records.sample_reviews import public, signer
from wardround.delivery.acting.verified_review import NotVerified, VerifiedReview, verified_review
from wardround.delivery.code_hosts.model import ChangeRequestReference
from wardround.delivery.reported_review import ReportedReview, parse_report
from wardround.records.record import RecordedOrigin, RecordedRequest

REQUEST = ChangeRequestReference("github", "https://api.github.com", "acme/shop", 7)
REPORT = reported()
FOR_PEOPLE = (
    POLICY.replace("auto-merge", "human-review")
    + """\
rules:
  - {id: app, when: touches("app.py"), approvals: 2, reviewers: [ben, acme/payments], because: money}
  - {id: again, when: "true", reviewers: [chloe, ben], because: always}
  - {id: other, when: touches("other.py"), reviewers: [nobody], because: it is another file}
"""
)


@pytest.fixture(scope="module")
def ada() -> CryptoSigner:
    return signer()


def read(report: dict[str, Any]) -> ReportedReview:
    return parse_report(msgspec.json.encode(report), "report.json")


def verify(signed: tuple[dict[str, Any], bytes], *trusted: CryptoSigner) -> VerifiedReview:
    report, record = signed
    return verified_review(read(report), record, "the record", public(*trusted))


def test_a_review_has_the_branch_the_change_request_and_the_reviewers_of_its_record(
    ada: CryptoSigner,
) -> None:
    origin = RecordedOrigin("https://github.com/acme/shop", "7", "", "ada")
    report, record = signed_review(ada, policy=FOR_PEOPLE, origin=origin)
    report["verdict"]["reasons"] = ["two people"]
    found = verify((report, record), ada)
    assert (found.report.commit, found.target, found.change_request) == (HEAD, "main", "7")
    assert (found.people, found.teams) == (("ben", "chloe"), ("acme/payments",))
    assert (found.report.verdict.name, found.report.verdict.approvals) == ("human-review", 2)
    assert found.record.startswith("sha256:")
    assert "two people" not in found.report.verdict.reasons
    assert {"money", "always"} <= set(found.report.verdict.reasons)
    found.require_about(REQUEST)
    with pytest.raises(NotVerified, match="that of change request 7, not of 8"):
        found.require_about(replace(REQUEST, number=8))


@pytest.mark.parametrize(
    "address",
    [
        "https://github.com/Acme/shop",
        "https://github.com/acme/shop.git",
        "git@github.com:acme/shop.git",
        "ssh://git@github.com/acme/shop",
        "",
    ],
)
def test_the_address_of_a_repository_has_several_forms(address: str) -> None:
    VerifiedReview(REPORT, repository=address).require_about(REQUEST)


def test_a_gitlab_below_a_path_has_that_path_in_its_addresses() -> None:
    reference = replace(REQUEST, host="gitlab", api="https://example.com/git/api/v4")
    VerifiedReview(REPORT, repository="https://example.com/git/acme/shop").require_about(reference)


@pytest.mark.parametrize(
    "address",
    ["https://github.com/guest/shop", "https://gitlab.com/x/acme/shop", "git@github.com:guest/shop.git"],
)
def test_a_review_of_another_repository_is_not_acted_on(address: str) -> None:
    with pytest.raises(NotVerified, match=r"that of the repository .*, not of acme/shop"):
        VerifiedReview(REPORT, repository=address).require_about(REQUEST)


def test_a_record_that_is_not_signed_by_a_trusted_key_does_not_hold(ada: CryptoSigner) -> None:
    with pytest.raises(NotVerified, match="the record does not hold: line 1: not signed"):
        verify(signed_review(None), ada)
    with pytest.raises(NotVerified, match="is not trusted"):
        verify(signed_review(signer()), ada)


@pytest.mark.parametrize(
    ("part", "value", "message"),
    [
        (("verdict", "name"), "escalate", "the verdict is auto-merge, not escalate"),
        (("verdict", "tier"), "T5", "the tier is T2, not T5"),
        (("verdict", "approvals"), 3, "the number of approvals is 0, not 3"),
        (("verdict", "policy"), "other", "the policy is team@"),
        (("gate", "outcome"), "blocked", "the gate is pass, not blocked"),
        (("context", "head"), "9" * 40, f"the commit is {HEAD}, not {'9' * 40}"),
        (("context", "id"), "sha256:0", "the context is sha256:"),
    ],
)
def test_a_report_that_differs_from_the_record_is_not_acted_on(
    ada: CryptoSigner, part: tuple[str, str], value: Any, message: str
) -> None:
    report, record = signed_review(ada)
    report[part[0]][part[1]] = value
    with pytest.raises(NotVerified, match=f"is not the record of this report: {message}"):
        verify((report, record), ada)


def test_a_review_under_the_settings_of_the_change_lets_no_check_succeed(ada: CryptoSigner) -> None:
    request = RecordedRequest("head")
    with pytest.raises(NotVerified, match="the configuration and the policy of the change itself"):
        verify(signed_review(ada, request=request), ada)
    with pytest.raises(NotVerified, match="the configuration and the policy of the change itself"):
        verify(signed_review(ada, policy=FOR_PEOPLE, request=request), ada)
    declining = POLICY.replace("auto-merge", "declined")
    assert not verify(signed_review(ada, policy=declining, request=request), ada).can_succeed


def test_a_review_at_commit_lets_no_check_succeed(ada: CryptoSigner) -> None:
    with pytest.raises(NotVerified, match="the review has the profile commit, which requires fewer results"):
        verify(signed_review(ada, profile="commit"), ada)
