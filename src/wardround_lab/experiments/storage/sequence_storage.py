"""The interface of a storage of sequences.

A contributed one is a callable that takes the URL and returns a storage: plugin hook
``wardround_sequence_storages``, scheme of the URL -> ``module:attribute``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from wardround.errors import UsageError
from wardround_lab.experiments.storage.model import Entry, Run, SequenceHeader, SequenceQuery, SequenceSummary


class StorageError(UsageError):
    """A storage cannot be opened, read or written; the message has the cause and what to do."""


class StorageMissing(StorageError):
    """A storage does not exist yet at the location."""


class SequenceStorage(Protocol):
    """Append-only storage; what a method stored is durable when it returns.

    All methods raise ``StorageError``. Contents of entries are stored once, under their digest.
    """

    def begin_run(self, run: Run) -> None:
        """Store a run; it is an error if another one has its id, and no effect if it is there already."""
        ...

    def runs(self) -> list[Run]:
        """Return all runs, the newest first; of one time by id."""
        ...

    def begin(self, header: SequenceHeader) -> None:
        """Store a sequence without entries; no effect if it is there already."""
        ...

    def append(self, sequence: str, position: int, entries: Sequence[Entry]) -> None:
        """Append entries, all or none.

        Args:
            sequence: id of a sequence.
            position: the number of entries that it has; another one is an error, as another process
                appended to it.
        """
        ...

    def entries(self, sequence: str) -> list[Entry]:
        """Return the entries of a sequence, in their order; none of a sequence that was not begun."""
        ...

    def find(self, query: SequenceQuery) -> Iterator[SequenceSummary]:
        """Yield the sequences that meet all conditions, by time of their begin, then by id."""
        ...

    def close(self) -> None:
        """Release connections."""
        ...
