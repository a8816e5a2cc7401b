"""Disposable SQLite files: opened with a schema of one version, removed when damaged."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path


def connect(name: str, schema: Sequence[str], version: int, *, timeout_s: float) -> sqlite3.Connection:
    """Open a database whose tables are those of a schema; tables of another version are dropped.

    Every statement is its own transaction unless ``transaction`` is used. Any thread may use the
    connection, one at a time.

    Args:
        name: a path, or ``:memory:``.
        timeout_s: how long to wait for another writer.

    Raises:
        sqlite3.OperationalError: the database cannot be opened, locked or written.
        sqlite3.DatabaseError: the file is not a database, or is damaged.
    """
    database = sqlite3.connect(name, timeout=timeout_s, isolation_level=None, check_same_thread=False)
    try:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("PRAGMA synchronous=OFF")
        if _version(database) != version:
            with transaction(database):
                _create(database, schema, version)
    except BaseException:
        database.close()
        raise
    return database


def _version(database: sqlite3.Connection) -> int:
    (found,) = database.execute("PRAGMA user_version").fetchone()
    return int(found)


def _create(database: sqlite3.Connection, schema: Sequence[str], version: int) -> None:
    """Replace the tables, unless another process did so before this one got the lock."""
    if _version(database) == version:
        return
    own = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'"
    for (table,) in database.execute(own).fetchall():
        database.execute(f'DROP TABLE IF EXISTS "{table}"')  # a full-text table drops its own
    for statement in schema:
        database.execute(statement)
    database.execute(f"PRAGMA user_version = {version}")


@contextmanager
def transaction(database: sqlite3.Connection) -> Iterator[None]:
    """Run one transaction that locks out other writers: all of it is stored, or nothing."""
    database.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        database.execute("ROLLBACK")
        raise
    database.execute("COMMIT")


def is_damaged(error: sqlite3.DatabaseError) -> bool:
    """Return True if the content of a database is at fault, not a lock, a full disk or its permissions."""
    return not isinstance(error, sqlite3.OperationalError) or "no such" in str(error)


def remove(file: Path) -> None:
    """Remove a database file and the files SQLite keeps next to it."""
    for name in (file, file.with_name(f"{file.name}-wal"), file.with_name(f"{file.name}-shm")):
        with suppress(OSError):
            name.unlink()
