"""The last recorded reviews of a repository, read from a store that a report may do without."""

from __future__ import annotations

import msgspec

from wardround.errors import UsageError
from wardround.findings import INTRODUCED
from wardround.records import envelope
from wardround.records.location import Location
from wardround.records.store import Query, RecordStore, StoredRecord, opened_if_present
from wardround.review_history import MOST_REVIEWS, PastReview, ReviewHistory, SeverityCounts


class _Finding(msgspec.Struct, frozen=True):
    severity: str
    status: str
    is_silenced: bool = False

    @property
    def is_introduced(self) -> bool:
        return self.is_silenced or self.status in INTRODUCED


class _Evidence(msgspec.Struct, frozen=True):
    findings: tuple[_Finding, ...] = ()


class _Predicate(msgspec.Struct, frozen=True):
    evidence: _Evidence


class _Statement(msgspec.Struct, frozen=True):
    """The part of a record that is counted; records of other versions have other fields besides it."""

    predicate: _Predicate


def read_history(location: Location, repository: str, context: str) -> ReviewHistory | None:
    """Return the last reviews of a repository; None if no store exists; none is created.

    Reviews of the present context are left out: a repeated review would otherwise be its own past.

    Args:
        repository: its name in the store.
        context: the id of the present context.
    """
    conditions = Query(repository=repository, other_context=context)
    try:
        with opened_if_present(location) as records:
            if records is None:
                return None
            found = records.query(conditions, MOST_REVIEWS)
            return ReviewHistory(tuple(_past_review(records, record) for record in reversed(found)))
    except UsageError as cause:
        return ReviewHistory(problem=str(cause))


def _past_review(records: RecordStore, record: StoredRecord) -> PastReview:
    counts = _counts(records.data(record))
    return PastReview(str(record.created), str(record.head), str(record.verdict), str(record.tier), counts)


def _counts(data: bytes) -> SeverityCounts | None:
    """Count the findings of a record; None if it cannot be read, since a report verifies nothing."""
    try:
        payload = envelope.parse(data.partition(b"\n")[0]).payload
        evidence = msgspec.json.decode(payload, type=_Statement).predicate.evidence
    except (ValueError, msgspec.MsgspecError):
        return None
    return SeverityCounts.of(finding.severity for finding in evidence.findings if finding.is_introduced)
