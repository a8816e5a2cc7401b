"""Numbered migrations of a store's tables; applied in order, each once, never edited.

Several kinds of store may share one database: each has a schema with a table of its own for the numbers of
its migrations.
"""

from __future__ import annotations

import msgspec

from wardround.databases.database import Database

Migrations = tuple[tuple[str, ...], ...]
"""The statements of each migration; the first has the number 1."""


class Schema(msgspec.Struct, frozen=True):
    """The tables of one kind of store in one kind of database.

    Attributes:
        applied: the table with the numbers of the migrations that were applied.
    """

    applied: str
    migrations: Migrations


class NewerSchema(Exception):
    """The tables were made by a newer version of wardround."""


def is_migrated(database: Database, schema: Schema) -> bool:
    """Return True if the database has the tables of a store, of any version."""
    return database.has_table(schema.applied)


def migrate(database: Database, schema: Schema) -> None:
    """Bring the tables to the current version; a database that has it is not written.

    Raises:
        NewerSchema: it has migrations that this version does not know.
    """
    if _last_migration(database, schema) == len(schema.migrations):
        return
    with database.transaction():
        database.execute(f"CREATE TABLE IF NOT EXISTS {schema.applied} (number INTEGER PRIMARY KEY)")
        first = _last_migration(database, schema)  # another process may have been first to get the lock
        if first > len(schema.migrations):
            raise NewerSchema(
                f"its tables have version {first}; this wardround knows {len(schema.migrations)}"
            )
        for number in range(first + 1, len(schema.migrations) + 1):
            _apply(database, schema, number)


def _apply(database: Database, schema: Schema, number: int) -> None:
    for statement in schema.migrations[number - 1]:
        database.execute(statement)
    insert = f"INSERT INTO {schema.applied} (number) VALUES (:number)"  # noqa: S608  (name of a table)
    database.execute(insert, {"number": number})


def _last_migration(database: Database, schema: Schema) -> int:
    """Return the number of the last migration; 0 for an empty database."""
    if not is_migrated(database, schema):
        return 0
    last = f"SELECT coalesce(max(number), 0) FROM {schema.applied}"  # noqa: S608  (name of a table)
    ((number,),) = database.execute(last)
    return int(number)
