"""Writing runs and sequences as lines of JSON."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from wardround_lab.experiments.storage.model import SequenceQuery, SequenceSummary
from wardround_lab.experiments.storage.sequence_storage import SequenceStorage
from wardround_lab.experiments.storage.transfer_lines import (
    CountLine,
    Line,
    RunLine,
    SchemaLine,
    SequenceLine,
    entry_line,
)


def exported_lines(storage: SequenceStorage, query: SequenceQuery) -> Iterator[bytes]:
    """Yield the lines of a file with the sequences that meet a query, and with their runs.

    Without conditions, the runs without sequences are there, too.

    Raises:
        StorageError: the storage cannot be read.
    """
    export = _Export(storage, has_all_runs=query == SequenceQuery())
    for line in export.lines(query):
        yield msgspec.json.encode(line) + b"\n"


class _Export:
    def __init__(self, storage: SequenceStorage, *, has_all_runs: bool) -> None:
        self._storage = storage
        self._has_all_runs = has_all_runs
        self._runs = {run.id: run for run in storage.runs()}
        self._counts = CountLine(0, 0, 0)

    def lines(self, query: SequenceQuery) -> Iterator[Line]:
        yield SchemaLine()
        for summary in self._storage.find(query):
            yield from self._run(summary.header.run)
            yield from self._sequence(summary)
        if self._has_all_runs:
            for run in list(self._runs):
                yield from self._run(run)
        yield self._counts

    def _run(self, run: str) -> Iterator[Line]:
        """Yield a run unless it was before; a sequence may be without one."""
        found = self._runs.pop(run, None)
        if found is not None:
            self._count(runs=1)
            yield RunLine(found)

    def _sequence(self, summary: SequenceSummary) -> Iterator[Line]:
        entries = self._storage.entries(summary.header.id)
        self._count(sequences=1, entries=len(entries))
        yield SequenceLine(summary.header, len(entries))
        for entry in entries:
            yield entry_line(entry)

    def _count(self, runs: int = 0, sequences: int = 0, entries: int = 0) -> None:
        counts = self._counts
        self._counts = CountLine(counts.runs + runs, counts.sequences + sequences, counts.entries + entries)
