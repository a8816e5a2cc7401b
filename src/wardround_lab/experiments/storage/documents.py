"""The storage of sequences in a document database.

Documents by collection:

* runs: a run by the digest of its id, which may have characters that ids of documents cannot have;
* places: sequence -> the id of its summary;
* summaries: what a query needs of a sequence, by time of its begin and id, so that ids have the order of
  results, and no query needs more than equal fields and a range of ids;
* segments: the entries of one append, by sequence and position; contents only by their digest;
* contents: a part of a content, by digest and number of the part.

An append is one commit: the next segment, the summary if it has the version of the last append, and the
contents. A database without rules for its clients cannot reject changes; no method here makes one, but for
the summary.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any

import msgspec

from wardround.storage.digest import sha256
from wardround_lab.experiments.storage.conditions import EQUAL, is_selected
from wardround_lab.experiments.storage.document_contents import DocumentContents
from wardround_lab.experiments.storage.document_store import (
    Create,
    Document,
    DocumentStore,
    DocumentStoreError,
    Field,
    Replace,
    WriteConflict,
)
from wardround_lab.experiments.storage.entry_checks import (
    check_append,
    check_same_run,
    missing_sequence,
    reward_value,
)
from wardround_lab.experiments.storage.model import (
    Entry,
    EntryKind,
    Run,
    SequenceHeader,
    SequenceQuery,
    SequenceSummary,
)
from wardround_lab.experiments.storage.sequence_storage import StorageError

_RUNS = "wardround_lab_runs"
_PLACES = "wardround_lab_places"
_SUMMARIES = "wardround_lab_summaries"
_SEGMENTS = "wardround_lab_segments"
_SEPARATOR = "~"
_LAST = "~~"
"""Greater than a separator with a position."""
_SEGMENT_ENTRIES = 1000
_DIGITS = 9


class _State(msgspec.Struct, frozen=True):
    """A sequence as this process knows it; another one may have appended since."""

    place: str
    summary: SequenceSummary
    version: Any


class _SegmentEntry(msgspec.Struct, frozen=True, array_like=True):
    kind: EntryKind
    name: str
    key: str
    digest: str
    size: int


class DocumentStorage:
    """A ``SequenceStorage`` over a document database.

    Args:
        location: where the database is, for messages.
    """

    def __init__(self, store: DocumentStore, location: str) -> None:
        self._store = store
        self._location = location
        self._contents = DocumentContents(store)
        self._states: dict[str, _State] = {}

    def begin_run(self, run: Run) -> None:
        name = sha256(run.id.encode()).hexdigest()
        with self._errors():
            try:
                self._store.commit([Create(_RUNS, name, {"run": _encode(run)})])
            except WriteConflict:
                stored = self._store.get(_RUNS, [name])[name]
                check_same_run(_decode(stored, "run", Run), run)

    def runs(self) -> list[Run]:
        with self._errors():
            found = [_decode(document, "run", Run) for document in self._store.query(_RUNS, {})]
        found.sort(key=lambda run: run.id)
        return sorted(found, key=lambda run: run.created, reverse=True)  # of one time they remain by id

    def begin(self, header: SequenceHeader) -> None:
        place = f"{header.created}{_SEPARATOR}{header.id}"
        fields = _summary_fields(SequenceSummary(header, {}, "", 0))
        writes = (Create(_PLACES, header.id, {"place": place}), Create(_SUMMARIES, place, fields))
        with self._errors():
            try:
                self._store.commit(writes)
            except WriteConflict:
                self._read_state(header.id)  # it is there already

    def append(self, sequence: str, position: int, entries: Sequence[Entry]) -> None:
        with self._errors():
            state = self._state(sequence, position)
            summary = state.summary
            check_append(sequence, summary.entries, summary.outcome or None, position, entries)
            if entries:
                self._append(state, sequence, entries)

    def entries(self, sequence: str) -> list[Entry]:
        if not _is_id(sequence):
            return []
        with self._errors():
            found = [
                entry
                for segment in self._store.query(
                    _SEGMENTS, {}, f"{sequence}{_SEPARATOR}", f"{sequence}{_LAST}"
                )
                for entry in _decode(segment, "entries", list[_SegmentEntry])
            ]
            contents = self._contents.read({entry.digest: entry.size for entry in found})
        return [
            Entry(entry.kind, entry.name, msgspec.Raw(contents[entry.digest]), entry.key) for entry in found
        ]

    def find(self, query: SequenceQuery) -> Iterator[SequenceSummary]:
        return islice(self._matches(query), query.limit)

    def close(self) -> None:
        self._store.close()

    def _matches(self, query: SequenceQuery) -> Iterator[SequenceSummary]:
        """Yield all sequences that meet the conditions; the database checks some of them."""
        equal: dict[str, Field] = {name: getattr(query, name) for name in EQUAL if getattr(query, name)}
        if query.is_complete is not None:
            equal["is_complete"] = query.is_complete
        with self._errors():
            for document in self._store.query(_SUMMARIES, equal, query.since or "", query.until or ""):
                summary = _decode(document, "summary", SequenceSummary)
                if is_selected(summary, query):
                    yield summary

    def _state(self, sequence: str, position: int) -> _State:
        """Return the state of a sequence, the known one only if it has that number of entries."""
        known = self._states.get(sequence)
        if known is None or known.summary.entries != position:
            known = self._states[sequence] = self._read_state(sequence)
        return known

    def _read_state(self, sequence: str) -> _State:
        if not _is_id(sequence):
            raise missing_sequence(sequence)
        places = self._store.get(_PLACES, [sequence])
        if sequence not in places:
            raise missing_sequence(sequence)
        place = str(places[sequence].fields["place"])
        document = self._store.get(_SUMMARIES, [place])[place]
        return _State(place, _decode(document, "summary", SequenceSummary), document.version)

    def _append(self, state: _State, sequence: str, entries: Sequence[Entry]) -> None:
        summary = _summary_after(state.summary, entries)
        writer = secrets.token_hex(8)
        segments = _segments(sequence, state.summary.entries, entries, writer)
        replacement = Replace(_SUMMARIES, state.place, _summary_fields(summary), state.version)
        try:
            with self._contents.writes(entries, len(segments) + 1) as contents:
                version, *_ = self._store.commit([replacement, *segments, *contents])
        except WriteConflict:
            self._check_conflict(sequence, state.summary.entries, entries, segments[0])
        else:
            self._states[sequence] = _State(state.place, summary, version)
        if summary.outcome:
            self._states.pop(sequence, None)

    def _check_conflict(
        self, sequence: str, position: int, entries: Sequence[Entry], segment: Create
    ) -> None:
        """Do nothing if the segment is ours: the answer to an earlier try was lost.

        Raises:
            StorageError: another process appended.
        """
        stored = self._store.get(_SEGMENTS, [segment.id]).get(segment.id)
        known = self._states[sequence] = self._read_state(sequence)
        if stored is None or stored.fields["writer"] != segment.fields["writer"]:
            outcome = known.summary.outcome or None
            check_append(sequence, known.summary.entries, outcome, position, entries)
            raise StorageError(f"sequence {sequence} was changed during the append; run it again")

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except DocumentStoreError as cause:
            raise StorageError(f"the storage {self._location}: {cause}") from cause


def _is_id(sequence: str) -> bool:
    """Return True if a sequence can have this id: it is a digest, and no other text names a document."""
    return sequence.isascii() and sequence.isalnum()


def _segments(sequence: str, position: int, entries: Sequence[Entry], writer: str) -> list[Create]:
    """Return the writes of entries.

    Args:
        writer: a random text, by which a writer recognizes them.
    """
    return [
        _segment(sequence, position + first, entries[first : first + _SEGMENT_ENTRIES], writer)
        for first in range(0, len(entries), _SEGMENT_ENTRIES)
    ]


def _segment(sequence: str, position: int, entries: Sequence[Entry], writer: str) -> Create:
    listed = [
        _SegmentEntry(entry.kind, entry.name, entry.key, entry.digest, len(bytes(entry.content)))
        for entry in entries
    ]
    segment = f"{sequence}{_SEPARATOR}{position:0{_DIGITS}d}"
    return Create(_SEGMENTS, segment, {"writer": writer, "entries": _encode(listed)})


def _summary_after(summary: SequenceSummary, entries: Sequence[Entry]) -> SequenceSummary:
    rewards = {entry.name: reward_value(entry) for entry in entries if entry.kind is EntryKind.REWARD}
    outcomes = [entry.name for entry in entries if entry.kind is EntryKind.OUTCOME]
    return SequenceSummary(
        summary.header,
        {**summary.rewards, **rewards},
        outcomes[-1] if outcomes else summary.outcome,
        summary.entries + len(entries),
    )


def _summary_fields(summary: SequenceSummary) -> dict[str, Field]:
    indexed: dict[str, Field] = {name: getattr(summary.header, name) for name in EQUAL}
    return {**indexed, "is_complete": summary.outcome != "", "summary": _encode(summary)}


def _encode(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _decode(document: Document, field: str, kind: type[Any]) -> Any:
    return msgspec.json.decode(str(document.fields[field]), type=kind)
