"""One review as its record has it: signals, findings, reasons, the policy's lines, and who signed it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from wardround.planes.evidence import FindingEvidence
from wardround.planes.signal import Signal
from wardround.policy.decide import PolicyLine, decide, lines_of
from wardround.policy.verdict import Verdict
from wardround.records import envelope, keys
from wardround.records.reading import evidence_fault, parse_record
from wardround.records.record import ReviewRecord
from wardround.records.store import RecordStore, StoredRecord
from wardround.records.verify import content_problem, verify_record

Effect = Literal["decides", "applies", "does not apply"]


class ExplainedLine(msgspec.Struct, frozen=True):
    """A line of the policy, and its effect on the verdict."""

    line: PolicyLine
    effect: Effect


class SignatureCheck(msgspec.Struct, frozen=True):
    """The result of ``wardround verify``.

    Attributes:
        state: ``valid`` only with the signature of a trusted key.
        detail: the ids of the keys, or the reason.
    """

    state: Literal["valid", "not signed", "not trusted", "not valid"]
    detail: str


class Review(msgspec.Struct, frozen=True):
    """One review.

    Attributes:
        lines: those of the repository's policy and of the organisation's floor, if there is one.
        size: of the record's file, in bytes.
    """

    stored: StoredRecord
    record: ReviewRecord
    lines: Sequence[ExplainedLine]
    signature: SignatureCheck
    size: int

    @property
    def verdict(self) -> Verdict:
        return self.record.verdict

    @property
    def signals(self) -> Sequence[Signal]:
        return self.record.signals

    @property
    def findings(self) -> Sequence[FindingEvidence]:
        """All findings, the most severe first."""
        return sorted(
            self.record.evidence.findings,
            key=lambda finding: (-finding.level, finding.file, finding.line, finding.rule),
        )


def review(records: RecordStore, digest: str) -> Review:
    """Return the review whose record begins with some digits.

    Raises:
        RecordNotFound: none or more than one does.
        UsageError: its bytes are not the record of a review.
    """
    stored = records.get(digest)
    data = records.data(stored)
    record = parse_record(data, f"record {stored.digest[:12]}")
    return Review(stored, record, explained_lines(record), signature_check(data), len(data))


def explained_lines(record: ReviewRecord) -> list[ExplainedLine]:
    """Return the lines of the policies of a record with their effects."""
    document, evidence = record.context.document, record.evidence
    verdict = decide(record.signals, document, evidence, record.policies)
    deciding = {reason.policy for reason in verdict.reasons if reason.policy}
    lines = [
        line
        for policy in record.policies
        for line in lines_of(policy, verdict.tier, record.signals, document, evidence)
    ]
    return [ExplainedLine(line, _effect(line, line.line in deciding)) for line in lines]


def _effect(line: PolicyLine, is_deciding: bool) -> Effect:
    if is_deciding:
        return "decides"
    return "applies" if line.applies else "does not apply"


def signature_check(data: bytes) -> SignatureCheck:
    """Verify the bytes of a record with the keys that this user trusts."""
    own = keys.own_public_key()
    known = (own[1],) if own else ()
    trusted = keys.trusted_keys()
    found = verify_record(data, trusted, (evidence_fault,), known=known)
    if found.problem is None:
        return SignatureCheck("valid", f"signed by {', '.join(found.signers)}")
    fault = content_problem(data)
    if fault is not None:
        return SignatureCheck("not valid", str(fault))
    signers = _signers(data)
    if not signers:
        return SignatureCheck("not signed", "anyone can have written this record")
    if found.problem.untrusted or not signers <= {key.keyid for key in (*trusted, *known)}:
        advice = f"; to trust your own key: wardround keys trust {own[0]}" if own else ""
        return SignatureCheck("not trusted", f"signed by {', '.join(sorted(signers))}{advice}")
    return SignatureCheck("not valid", str(found.problem))


def _signers(data: bytes) -> set[str]:
    lines = map(envelope.parse, data.splitlines())
    return {signature.key_id for line in lines for signature in line.signatures}
