"""The storage of sequences in a relational database: a file of SQLite, or a PostgreSQL server."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from wardround.databases.database import Database, DatabaseError, SQLiteDatabase
from wardround.databases.migrations import NewerSchema, Schema, migrate
from wardround.databases.postgres_url import PostgresUrl
from wardround_lab.experiments.storage import queries
from wardround_lab.experiments.storage.comparable import comparable_values
from wardround_lab.experiments.storage.entry_checks import (
    check_append,
    check_same_run,
    missing_sequence,
    reward_value,
)
from wardround_lab.experiments.storage.migrations import POSTGRESQL, SQLITE
from wardround_lab.experiments.storage.model import (
    Entry,
    EntryKind,
    Run,
    SequenceHeader,
    SequenceQuery,
    SequenceSummary,
)
from wardround_lab.experiments.storage.sequence_storage import StorageError

_WRITER_LOCK = b"wardrlab"
_PAGE = 200
"""Sequences that a query reads at a time; also the largest number of parameters of one kind."""


def open_sql_storage(location: Path | PostgresUrl) -> SqlStorage:
    """Open the storage at a location, which is created if absent.

    Raises:
        StorageError: it cannot be opened, or a newer version of wardround made it.
    """
    with _errors(location):
        database, schema = _connect(location)
        try:
            migrate(database, schema)
        except BaseException:
            database.close()
            raise
    return SqlStorage(database, location)


def _connect(location: Path | PostgresUrl) -> tuple[Database, Schema]:
    if isinstance(location, Path):
        return SQLiteDatabase(location, has_log=True), SQLITE
    from wardround.databases.postgresql import PostgreSQLDatabase  # only where a storage has a URL

    return PostgreSQLDatabase(location, _WRITER_LOCK), POSTGRESQL


@contextmanager
def _errors(location: Path | PostgresUrl) -> Iterator[None]:
    try:
        yield
    except NewerSchema as cause:
        raise StorageError(f"the storage {location}: {cause}; upgrade wardround") from cause
    except DatabaseError as cause:
        raise StorageError(f"the storage {location}: {cause}") from cause


class SqlStorage:
    """A ``SequenceStorage`` over a database with the tables of sequences.

    Args:
        location: where the database is, for messages.
    """

    def __init__(self, database: Database, location: Path | PostgresUrl) -> None:
        self._database = database
        self._location = location

    def begin_run(self, run: Run) -> None:
        with self._transaction():
            rows = self._database.execute(queries.RUN, {"id": run.id})
            for (stored,) in rows:
                check_same_run(msgspec.json.decode(stored, type=Run), run)
            if not rows:
                values = {"id": run.id, "created": run.created, "run": _encode(run)}
                self._database.execute(queries.ADD_RUN, values)

    def runs(self) -> list[Run]:
        rows = self._execute(queries.RUNS, {})
        return [msgspec.json.decode(content, type=Run) for (content,) in rows]

    def begin(self, header: SequenceHeader) -> None:
        with self._transaction():
            if not self._database.execute(queries.LENGTH, {"sequence": header.id}):
                self._add_sequence(header)

    def append(self, sequence: str, position: int, entries: Sequence[Entry]) -> None:
        with self._transaction():
            rows = self._database.execute(queries.LENGTH, {"sequence": sequence})
            if not rows:
                raise missing_sequence(sequence)
            ((length, outcome),) = rows
            check_append(sequence, length, outcome, position, entries)
            self._add_entries(_Rows(sequence, position, entries))

    def entries(self, sequence: str) -> list[Entry]:
        rows = self._execute(queries.ENTRIES, {"sequence": sequence})
        return [Entry(EntryKind(kind), name, msgspec.Raw(content), key) for kind, name, content, key in rows]

    def find(self, query: SequenceQuery) -> Iterator[SequenceSummary]:
        remaining = query.limit
        after: tuple[str, str] | None = None
        while remaining is None or remaining > 0:
            limit = _PAGE if remaining is None else min(remaining, _PAGE)
            rows = self._execute(*queries.summaries(query, after, limit))
            yield from self._summaries(rows)
            if len(rows) < limit:
                return
            after = rows[-1][0], rows[-1][1]
            remaining = None if remaining is None else remaining - len(rows)

    def close(self) -> None:
        self._database.close()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with _errors(self._location), self._database.transaction():
            yield

    def _execute(self, sql: str, parameters: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        with _errors(self._location):
            return self._database.execute(sql, parameters)

    def _add_sequence(self, header: SequenceHeader) -> None:
        values = {name: getattr(header, name) for name in _INDEXED}
        self._database.execute(queries.ADD_SEQUENCE, {**values, "header": _encode(header)})
        self._database.execute_each(
            queries.ADD_CONFIGURATION,
            [
                {"sequence": header.id, "name": name, "value": value}
                for name, value in comparable_values(header.configuration).items()
            ],
        )

    def _add_entries(self, rows: _Rows) -> None:
        self._database.execute_each(queries.ADD_CONTENT, rows.contents())
        self._database.execute_each(queries.ADD_ENTRY, rows.entries())
        self._database.execute_each(queries.ADD_REWARD, rows.rewards())
        self._database.execute_each(queries.ADD_OUTCOME, rows.outcomes())

    def _summaries(self, rows: Sequence[tuple[Any, ...]]) -> Iterator[SequenceSummary]:
        if not rows:
            return
        rewards: dict[str, dict[str, float]] = {}
        for sequence, name, value in self._execute(*queries.rewards(row[1] for row in rows)):
            rewards.setdefault(sequence, {})[name] = value
        for _, sequence, header, outcome, entries in rows:
            found = msgspec.json.decode(header, type=SequenceHeader)
            yield SequenceSummary(found, rewards.get(sequence, {}), outcome or "", entries)


_INDEXED = ("id", "run", "experiment", "instance", "repository", "created")


class _Rows:
    """The rows of entries that are appended."""

    def __init__(self, sequence: str, position: int, entries: Sequence[Entry]) -> None:
        self._sequence = sequence
        self._entries = list(enumerate(entries, position))

    def contents(self) -> list[dict[str, Any]]:
        return [{"digest": entry.digest, "content": bytes(entry.content)} for _, entry in self._entries]

    def entries(self) -> list[dict[str, Any]]:
        return [
            {
                "sequence": self._sequence,
                "position": position,
                "kind": str(entry.kind),
                "name": entry.name,
                "key": entry.key,
                "digest": entry.digest,
            }
            for position, entry in self._entries
        ]

    def rewards(self) -> list[dict[str, Any]]:
        return [
            {
                "sequence": self._sequence,
                "name": entry.name,
                "position": position,
                "value": reward_value(entry),
            }
            for position, entry in self._entries
            if entry.kind is EntryKind.REWARD
        ]

    def outcomes(self) -> list[dict[str, Any]]:
        return [
            {"sequence": self._sequence, "outcome": entry.name}
            for _, entry in self._entries
            if entry.kind is EntryKind.OUTCOME
        ]


def _encode(value: msgspec.Struct) -> bytes:
    return msgspec.json.encode(value)
