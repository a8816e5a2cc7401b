"""Importing an exported file into a storage."""

from __future__ import annotations

import msgspec

from wardround_lab.experiments.storage.model import Entry, Run, SequenceQuery
from wardround_lab.experiments.storage.sequence_storage import SequenceStorage
from wardround_lab.experiments.storage.transfer_file import (
    TransferError,
    TransferFile,
    TransferredRun,
    TransferredSequence,
)

_ANOTHER = "import it into another storage"


class Imported(msgspec.Struct, frozen=True):
    """The numbers of an import: runs, sequences and entries that were added."""

    runs: int = 0
    sequences: int = 0
    entries: int = 0


def import_file(storage: SequenceStorage, file: TransferFile) -> Imported:
    """Add what a storage lacks of a file; nothing is added if the file is damaged or contradicts the storage.

    An import that was interrupted is completed by the next one.

    Raises:
        TransferError: the file is damaged, or the storage has other entries under the same id.
        StorageError: the storage cannot be read or written.
    """
    _Import(storage, is_trial=True).run(file)
    return _Import(storage, is_trial=False).run(file)


class _Import:
    """One pass over the file; a trial compares without writing."""

    def __init__(self, storage: SequenceStorage, *, is_trial: bool) -> None:
        self._storage = storage
        self._is_trial = is_trial
        self._runs = {run.id: run for run in storage.runs()}
        self._known: dict[str, set[str]] = {}
        self._added = Imported()

    def run(self, file: TransferFile) -> Imported:
        for item in file.items():
            match item:
                case TransferredRun():
                    self._add_run(item)
                case TransferredSequence():
                    self._add_sequence(item)
        return self._added

    def _add_run(self, item: TransferredRun) -> None:
        stored = self._runs.setdefault(item.run.id, item.run)
        if stored != item.run:
            raise TransferError(
                f"{item.location}: the storage has another run with the id {item.run.id}; {_ANOTHER}"
            )
        if stored is item.run:
            self._write_run(item.run)

    def _write_run(self, run: Run) -> None:
        if not self._is_trial:
            self._storage.begin_run(run)
            self._added = msgspec.structs.replace(self._added, runs=self._added.runs + 1)

    def _add_sequence(self, item: TransferredSequence) -> None:
        stored = self._storage.entries(item.header.id)
        shared = min(len(stored), len(item.entries))
        if _identities(stored[:shared]) != _identities(item.entries[:shared]):
            raise TransferError(
                f"{item.location}: the storage has other entries of sequence {item.header.id}; {_ANOTHER}"
            )
        if not self._is_trial:
            self._write_sequence(item, len(stored))

    def _write_sequence(self, item: TransferredSequence, stored: int) -> None:
        known = self._known_sequences(item.header.run)
        is_new = item.header.id not in known
        if is_new:
            known.add(item.header.id)
            self._storage.begin(item.header)
        missing = item.entries[stored:]
        if missing:
            self._storage.append(item.header.id, stored, missing)
        self._added = Imported(
            self._added.runs, self._added.sequences + is_new, self._added.entries + len(missing)
        )

    def _known_sequences(self, run: str) -> set[str]:
        if run not in self._known:
            self._known[run] = {found.header.id for found in self._storage.find(SequenceQuery(run=run))}
        return self._known[run]


def _identities(entries: list[Entry]) -> list[tuple[str, str, str, str]]:
    return [(entry.kind, entry.name, entry.key, entry.digest) for entry in entries]
