"""The two kinds of record store, for tests that hold for both."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import pytest

from tests.postgresql_server import PostgresServer
from wardround.records.location import Location, PostgresUrl

if TYPE_CHECKING:
    import psycopg

UNDEFINED_TABLE = {"sqlite": "no such table: nowhere", "postgresql": 'relation "nowhere" does not exist'}


class Place(Protocol):
    """An empty place for a store."""

    kind: str
    text: str
    """The value of the option ``--store``."""

    @property
    def location(self) -> Location: ...

    def execute(self, statement: str) -> None:
        """Run a statement as the owner of the place, besides the store."""

    def tamper(self, *statements: str) -> None:
        """Run statements as the owner of the place, without triggers and constraints."""


class FilePlace:
    kind = "sqlite"

    def __init__(self, file: Path) -> None:
        self.location = file
        self.text = str(file)

    def execute(self, statement: str) -> None:
        with sqlite3.connect(self.location) as database:
            database.execute(statement)
        database.close()

    def tamper(self, *statements: str) -> None:
        with sqlite3.connect(self.location) as database:
            triggers = database.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall()
            for (name,) in triggers:
                database.execute(f"DROP TRIGGER {name}")
            database.execute("PRAGMA writable_schema=ON")
            database.execute(
                "UPDATE sqlite_master SET sql = replace(sql, 'NOT NULL', '') WHERE name = 'records'"
            )
        database.close()
        with sqlite3.connect(self.location) as database:
            for statement in statements:
                database.execute(statement)
        database.close()


class ServerPlace:
    kind = "postgresql"

    def __init__(self, server: PostgresServer, database: str) -> None:
        self.server, self.database = server, database
        self.text = server.url(database)
        self.location = PostgresUrl(self.text)

    def execute(self, statement: str) -> None:
        with self.server.connect(self.database) as connection:
            connection.execute(statement)  # type: ignore[call-overload]  # a constant of a test
        connection.close()

    def tamper(self, *statements: str) -> None:
        with self.server.connect(self.database) as connection:
            for statement in (*_unlocked(connection), *statements):
                connection.execute(statement)  # type: ignore[call-overload]  # a constant of a test
        connection.close()


def _unlocked(connection: psycopg.Connection[Any]) -> Iterator[str]:
    yield "DROP FUNCTION wardround_append_only(), wardround_pruned_only() CASCADE"
    yield "ALTER TABLE record_rules DROP CONSTRAINT record_rules_sequence_fkey"
    found = connection.execute(
        "SELECT column_name FROM information_schema.columns WHERE table_name = 'records'"
        " AND column_name <> 'sequence'"
    )
    for (column,) in found.fetchall():
        yield f"ALTER TABLE records ALTER {column} DROP NOT NULL"


@pytest.fixture(params=["sqlite", "postgresql"])
def store_place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """An empty place for a store: a file, and a database of a server."""
    if request.param == "sqlite":
        return FilePlace(tmp_path / "state" / "records.sqlite")
    server = request.getfixturevalue("postgres_server")
    return ServerPlace(server, request.getfixturevalue("postgres_database"))
