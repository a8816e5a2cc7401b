"""The parts of stored records that tables count, decoded without the rest; records never change."""

from __future__ import annotations

import base64

import msgspec

from wardround.findings import INTRODUCED
from wardround.records.store import Query, RecordStore, StoredRecord

NEWEST = 1000
"""Records that are read for a table; with 40 kB each that takes half a second of processor time."""


class SignalContent(msgspec.Struct, frozen=True):
    """A signal, without its findings."""

    plane: str
    status: str
    severity: str = "none"


class FindingContent(msgspec.Struct, frozen=True):
    """A finding, without the reviewers and the claims behind it."""

    rule: str
    file: str
    line: int
    message: str
    status: str
    severity: str
    is_silenced: bool = False

    @property
    def is_introduced(self) -> bool:
        return self.status in INTRODUCED or self.is_silenced


class RecordContent(msgspec.Struct, frozen=True):
    """A record: its signals and its findings.

    Attributes:
        change_request: the number of the pull request in its origin; empty if it is not known.
    """

    change_request: str
    signals: tuple[SignalContent, ...]
    findings: tuple[FindingContent, ...]


class _Line(msgspec.Struct):
    payload: str


class _Evidence(msgspec.Struct):
    findings: tuple[FindingContent, ...] = ()


class _Origin(msgspec.Struct):
    change_request: str = ""


class _Predicate(msgspec.Struct):
    evidence: _Evidence
    signals: tuple[SignalContent, ...] = ()
    origin: _Origin | None = None


class _Statement(msgspec.Struct):
    predicate: _Predicate


_LINE = msgspec.json.Decoder(_Line)
_STATEMENT = msgspec.json.Decoder(_Statement)


def decode(data: bytes) -> RecordContent | None:
    """Return the content of a record's bytes; None if they are not those of a record, as after tampering."""
    try:
        payload = base64.b64decode(_LINE.decode(data.partition(b"\n")[0]).payload)
        predicate = _STATEMENT.decode(payload).predicate
    except (ValueError, msgspec.MsgspecError):
        return None
    return RecordContent(
        change_request="" if predicate.origin is None else predicate.origin.change_request,
        signals=predicate.signals,
        findings=predicate.evidence.findings,
    )


class RecordContents:
    """The contents of the newest records of a store, each decoded once.

    Args:
        most: the number of contents that stay in memory.
    """

    def __init__(self, most: int = 10 * NEWEST) -> None:
        self._most = most
        self._known: dict[str, RecordContent | None] = {}

    def newest(
        self, records: RecordStore, conditions: Query, limit: int = NEWEST
    ) -> list[tuple[StoredRecord, RecordContent]]:
        """Return the newest records that meet the conditions with their contents, the newest first."""
        found = ((record, self._content(records, record)) for record in records.query(conditions, limit))
        return [(record, content) for record, content in found if content is not None]

    def _content(self, records: RecordStore, record: StoredRecord) -> RecordContent | None:
        if record.digest not in self._known:
            if len(self._known) >= self._most:
                self._known.clear()
            self._known[record.digest] = decode(records.data(record))
        return self._known[record.digest]
