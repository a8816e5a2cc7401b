"""Runs in the records of reviews: what ``wardround review --run`` recorded."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterator

import msgspec

from wardround.context.run_evidence import RunEvidence
from wardround.records.location import Location
from wardround.records.store import Query, RecordStore, opened_if_present
from wardround_lab.dashboard.views.recorded_run import RecordedRun

MOST = 100
"""Records that are read, the newest ones."""


class _Line(msgspec.Struct, frozen=True):
    """The first line of a record; that it is valid is checked by ``wardround verify``, not here."""

    payload: str


class _Document(msgspec.Struct, frozen=True):
    run: RunEvidence | None = None


class _Context(msgspec.Struct, frozen=True):
    document: _Document


class _Predicate(msgspec.Struct, frozen=True):
    context: _Context


class _Statement(msgspec.Struct, frozen=True):
    predicate: _Predicate


def run_records(location: Location) -> tuple[RecordedRun, ...]:
    """Return the runs of the newest records, the newest first; none without a store.

    Raises:
        StoreError: the store cannot be opened or read.
    """
    with opened_if_present(location) as records:
        return () if records is None else tuple(_runs(records))


def _runs(records: RecordStore) -> Iterator[RecordedRun]:
    for record in records.query(Query(), MOST):
        evidence = _evidence_of(records.data(record))
        if evidence is not None:
            yield RecordedRun(
                key=f"record/{record.digest}",
                origin=f"record {record.digest[:12]} of {record.repository}",
                created=record.created,
                evidence=evidence,
                base=record.base,
                head=record.head,
            )


def _evidence_of(data: bytes) -> RunEvidence | None:
    """Return the run of a record; None if there is none that this version can read."""
    try:
        payload = b64decode(msgspec.json.decode(data.partition(b"\n")[0], type=_Line).payload)
        evidence = msgspec.json.decode(payload, type=_Statement).predicate.context.document.run
    except (ValueError, msgspec.MsgspecError):
        return None
    return evidence if evidence is not None and evidence.parts else None
