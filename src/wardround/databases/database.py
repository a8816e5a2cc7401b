"""The narrow interface that stores need of a database, and its implementation on SQLite.

sqlite3 is used directly, so that a local store needs no SQLAlchemy, whose import takes 0.12 s.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Protocol

NO_PARAMETERS: Mapping[str, Any] = {}
LOCK_TIMEOUT_S = 10.0
"""Seconds to wait for another process, which holds the lock for a few rows only."""


class Database(Protocol):
    """A relational database that runs statements with ``:named`` parameters."""

    def execute(self, sql: str, parameters: Mapping[str, Any] = NO_PARAMETERS) -> list[tuple[Any, ...]]:
        """Run one statement and return its rows; outside of a transaction it is its own."""

    def execute_each(self, sql: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Run one statement once for each row of parameters, inside of a transaction."""

    def transaction(self) -> AbstractContextManager[None]:
        """Lock out other writers: all statements inside are stored, or none."""

    def has_table(self, name: str) -> bool:
        """Return True if there is a table with this name."""

    def close(self) -> None:
        """Release the connection."""


class DatabaseError(Exception):
    """A database cannot be opened, read or written; the message is the cause and what to do."""


class SQLiteDatabase:
    """A database in one file, safe for several processes.

    Args:
        file: created with its folder if absent, accessible to its owner only.
        has_log: use a write-ahead log, one wait for the disk per transaction instead of four; all processes
            must be on one machine. The rollback journal also works on network homes.

    Raises:
        DatabaseError: it cannot be opened.
    """

    def __init__(self, file: Path, *, has_log: bool = False) -> None:
        with _errors():
            file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            if not file.exists():
                file.touch(mode=0o600)
            self._connection = sqlite3.connect(
                file, timeout=LOCK_TIMEOUT_S, isolation_level=None, check_same_thread=False
            )
        self._connection.text_factory = _decode_stored
        try:
            if has_log:
                self.execute("PRAGMA journal_mode=WAL")
            self.execute("PRAGMA synchronous=FULL")
            self.execute("PRAGMA recursive_triggers=ON")  # so that REPLACE fires the triggers against DELETE
        except DatabaseError:
            self.close()
            raise

    def execute(self, sql: str, parameters: Mapping[str, Any] = NO_PARAMETERS) -> list[tuple[Any, ...]]:
        with _errors():
            return self._connection.execute(sql, dict(parameters)).fetchall()

    def execute_each(self, sql: str, rows: Sequence[Mapping[str, Any]]) -> None:
        with _errors():
            self._connection.executemany(sql, rows)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        self.execute("BEGIN IMMEDIATE")
        try:
            yield
            self.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:  # a full disk ends the transaction by itself
                self.execute("ROLLBACK")
            raise

    def has_table(self, name: str) -> bool:
        return bool(self.execute("SELECT 1 FROM sqlite_master WHERE name = :name", {"name": name}))

    def close(self) -> None:
        self._connection.close()


def _decode_stored(stored: bytes) -> str:
    """Decode text that may have been changed to bytes that are not UTF-8."""
    return stored.decode("utf-8", "surrogateescape")


@contextmanager
def _errors() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as cause:
        raise DatabaseError(_add_advice(str(cause))) from cause
    except OSError as cause:
        raise DatabaseError(_add_advice(cause.strerror or str(cause))) from cause


def _add_advice(text: str) -> str:
    return next((f"{text}; {advice}" for known, advice in _ADVICE.items() if known in text.lower()), text)


_FOLDER = "set XDG_STATE_HOME to a folder that can be written"
_ROOM = "make room, then run it again"
_MOVE = "move the file away, then a new one is made"
_ADVICE: Mapping[str, str] = {
    "full": _ROOM,
    "no space": _ROOM,
    "readonly": _FOLDER,
    "read-only": _FOLDER,
    "unable to open": _FOLDER,
    "permission denied": _FOLDER,
    "not a directory": _FOLDER,
    "file exists": _FOLDER,
    "locked": "another process uses it; run it again",
    "not a database": _MOVE,
    "malformed": _MOVE,
}
"""The advice for an error, by a part of its message in lower case."""
