"""The review that is acted on: a report whose verdict a verified record confirms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from wardround.delivery.code_hosts.model import ChangeRequestReference
from wardround.delivery.code_hosts.reference import repository_path
from wardround.delivery.reported_review import ReportedReview
from wardround.errors import WardroundError
from wardround.policy.decide import lines_of
from wardround.records.reading import evidence_fault, parse_record
from wardround.records.record import RecordedOrigin, ReviewRecord
from wardround.records.verify import verify_record
from wardround.storage.digest import sha256

if TYPE_CHECKING:
    from securesystemslib.signer import Key

_MILD = {"auto-merge", "auto-approve"}


class NotVerified(WardroundError):
    """The record of a review does not hold, or is not that of the report."""


class VerifiedReview(msgspec.Struct, frozen=True):
    """A review with what only its record knows; without a record, nobody confirms the report.

    Attributes:
        record: digest of the record; empty without one.
        target: the branch that the review was for; empty if it is not known.
        repository, change_request: its address and number, as the run of a CI system names them; empty if
            they are not known.
        people, teams: the reviewers that the applying rules of the policy name.
    """

    report: ReportedReview
    record: str = ""
    target: str = ""
    repository: str = ""
    change_request: str = ""
    people: tuple[str, ...] = ()
    teams: tuple[str, ...] = ()

    def require_about(self, reference: ChangeRequestReference) -> None:
        """Require that the review is that of a change request, as far as its record names one.

        A fork has the same commits, and other rules.

        Raises:
            NotVerified: it is that of another one, or of another repository.
        """
        if self.change_request not in ("", str(reference.number)):
            raise NotVerified(
                f"the review is that of change request {self.change_request}, not of {reference.number}; "
                "name the report of this one"
            )
        reviewed = repository_path(self.repository, reference.api)
        if reviewed not in ("", reference.repository.lower()):
            raise NotVerified(
                f"the review is that of the repository {self.repository}, not of {reference.repository}; "
                "name the report of this one"
            )

    @property
    def can_succeed(self) -> bool:
        """True if the check can succeed, once enough people have approved."""
        return self.report.verdict.name != "declined" and self.report.gate.outcome == "pass"

    @property
    def is_mild(self) -> bool:
        """True if the verdict lets a machine approve or merge."""
        return self.report.verdict.name in _MILD and self.report.gate.outcome == "pass"


def verified_review(
    report: ReportedReview, data: bytes, name: str, accepted: Sequence[Key]
) -> VerifiedReview:
    """Verify a record, and return the review with the verdict of the record.

    Args:
        name: of the record, for messages.
        accepted: the public keys whose signatures count.

    Raises:
        NotVerified: it does not hold, is not that of the report, or its verdict cannot be acted on.
    """
    problem = verify_record(data, accepted, (evidence_fault,)).problem
    if problem is not None:
        raise NotVerified(f"{name} does not hold: {problem}")
    record = parse_record(data, name)
    _require_of_report(record, report, name)
    origin = record.origin or RecordedOrigin()
    reviewers = tuple(dict.fromkeys(_reviewers(record)))
    review = VerifiedReview(
        report=_report_of(record, report),
        record=f"sha256:{sha256(data).hexdigest()}",
        target=record.evidence.target_branch,
        repository=origin.repository,
        change_request=origin.change_request,
        people=tuple(reviewer for reviewer in reviewers if "/" not in reviewer),
        teams=tuple(reviewer for reviewer in reviewers if "/" in reviewer),
    )
    if review.can_succeed:
        _require_complete(record, name)
    return review


def _require_of_report(record: ReviewRecord, report: ReportedReview, name: str) -> None:
    """Require that a record is that of a report.

    Raises:
        NotVerified: it is that of another one.
    """
    for part, of_report, of_record in _parts_of_both(report, record):
        if of_report != of_record:
            raise NotVerified(
                f"{name} is not the record of this report: {part} is {of_record}, not {of_report}"
            )


def _require_complete(record: ReviewRecord, name: str) -> None:
    """Require a review under the rules of the target with all planes, before a check can succeed.

    Otherwise a change could lower the number of approvals that it needs.

    Raises:
        NotVerified: the review is another one.
    """
    if record.request.trusted_side != "target":
        raise NotVerified(
            f"{name}: the review used the configuration and the policy of the change itself, so nothing is "
            "done by it; review with --config-from base"
        )
    if record.evidence.profile != "ci":
        raise NotVerified(
            f"{name}: the review has the profile {record.evidence.profile}, which requires fewer results, so "
            "nothing is done by it; review with --profile ci"
        )


def _parts_of_both(report: ReportedReview, record: ReviewRecord) -> Iterator[tuple[str, str, str]]:
    """Yield the parts of a review with their values in the report and in the record."""
    yield "the context", report.context.id, record.context.id
    yield "the commit", report.context.head, record.context.document.head
    yield "the verdict", report.verdict.name, record.verdict.name.value
    yield "the tier", report.verdict.tier, record.verdict.tier.value
    yield "the policy", report.verdict.policy, record.verdict.policy
    yield "the number of approvals", str(report.verdict.approvals), str(record.verdict.approvals)
    yield "the gate", report.gate.outcome, record.gate.outcome


def _report_of(record: ReviewRecord, report: ReportedReview) -> ReportedReview:
    """Return the report with the reasons of the record: those of the report are not compared."""
    reasons = tuple(reason.text for reason in record.verdict.reasons)
    verdict = replace(report.verdict, reasons=reasons, approvals=record.verdict.approvals)
    gate = replace(report.gate, fail_level=record.gate.fail_level, reasons=tuple(_gate_reasons(record)))
    return replace(report, verdict=verdict, gate=gate, findings=(), notes=())


def _gate_reasons(record: ReviewRecord) -> Iterator[str]:
    """Yield the rules of the findings, with their number, and the missing results."""
    rules = Counter(finding.rule for finding in record.evidence.introduced)
    yield from (f"{rule}: {count}" for rule, count in sorted(rules.items()))
    yield from (f"{gap.file}: {gap.tool}: {gap.reason}" for gap in record.evidence.missing)


def _reviewers(record: ReviewRecord) -> Iterator[str]:
    """Yield the reviewers of the rules that apply."""
    context, evidence = record.context.document, record.evidence
    for policy in record.policies:
        for line in lines_of(policy, record.verdict.tier, record.signals, context, evidence):
            if line.applies:
                yield from line.reviewers
