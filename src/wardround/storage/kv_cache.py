"""A key-value cache in an SQLite file: an entry is correct or absent, and a failing cache costs time only.

A key covers everything its value depends on, so an entry is never wrong, only unused. Each value has a check
sum. A file that is damaged or of another version is replaced by an empty one; if a file cannot be opened or
written (read-only home, full disk, a lock that is held too long), values are not stored. Several processes
may
use one file.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path

from wardround.storage import sqlite_file
from wardround.storage.digest import sha256

LIMIT_BYTES = 64 * 1024 * 1024
_DAY_S = 86_400
_LOCK_TIMEOUT_S = 0.5
_CHUNK = 500
"""Keys in one query; SQLite before 3.32 accepts 999 parameters."""
_SUM_BYTES = 8
_VERSION = 1
"""Raised with the table and with the form of its values."""
_SCHEMA = ("CREATE TABLE entries (key BLOB PRIMARY KEY, value BLOB, day INTEGER) WITHOUT ROWID",)


class KeyValueCache:
    """Bytes by key, for all threads of a process; the file is opened at the first use.

    Args:
        file: created with its folder if absent, readable by the user only.
        limit_bytes: past this size of the file, the half of the entries unused for longest is dropped.
    """

    def __init__(self, file: Path, limit_bytes: int = LIMIT_BYTES) -> None:
        self._file = file
        self._limit = limit_bytes
        self._lock = threading.Lock()
        self._database: sqlite3.Connection | None = None
        self._is_closed = False
        self._trouble: str | None = None

    @property
    def trouble(self) -> str | None:
        """The reason why nothing is stored; None if the file is in use."""
        with self._session():
            return self._trouble

    def get(self, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        """Return the entries that exist and are undamaged."""
        found: dict[bytes, bytes] = {}
        remaining = iter(keys)
        with self._session() as database:
            while database is not None and (chunk := list(islice(remaining, _CHUNK))):
                found |= _read(database, chunk)
        return found

    def put(self, entries: Mapping[bytes, bytes]) -> None:
        """Store entries; one that cannot be written is lost."""
        today = _today()
        rows = [(key, _check_sum(key, value) + value, today) for key, value in entries.items()]
        if not rows:
            return
        with self._session() as database:
            if database is not None:
                with sqlite_file.transaction(database):
                    database.executemany("INSERT OR REPLACE INTO entries VALUES (?, ?, ?)", rows)
                self._shrink(database)

    def close(self) -> None:
        """Close the file; nothing is returned or stored afterwards."""
        with self._lock:
            self._is_closed = True
            self._disconnect()

    @contextmanager
    def _session(self) -> Iterator[sqlite3.Connection | None]:
        """Return the open database for one operation, which its errors end; None if there is none."""
        with self._lock:
            try:
                yield self._open_database()
            except sqlite3.DatabaseError as error:
                if sqlite_file.is_damaged(error):
                    self._disconnect()
                    sqlite_file.remove(self._file)

    def _open_database(self) -> sqlite3.Connection | None:
        if self._database is None and not self._is_closed and self._trouble is None:
            try:
                self._database = self._connect()
            except (sqlite3.Error, OSError) as cause:
                self._trouble = f"{self._file}: {cause}"
        return self._database

    def _connect(self) -> sqlite3.Connection:
        self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not self._file.exists():
            self._file.touch(mode=0o600)
        try:
            return sqlite_file.connect(str(self._file), _SCHEMA, _VERSION, timeout_s=_LOCK_TIMEOUT_S)
        except sqlite3.DatabaseError as error:
            if not sqlite_file.is_damaged(error):
                raise
            sqlite_file.remove(self._file)
        self._file.touch(mode=0o600)
        return sqlite_file.connect(str(self._file), _SCHEMA, _VERSION, timeout_s=_LOCK_TIMEOUT_S)

    def _disconnect(self) -> None:
        if self._database is not None:
            with suppress(sqlite3.Error):
                self._database.close()
            self._database = None

    def _shrink(self, database: sqlite3.Connection) -> None:
        (pages,) = database.execute("PRAGMA page_count").fetchone()
        (size,) = database.execute("PRAGMA page_size").fetchone()
        if pages * size <= self._limit:
            return
        database.execute(
            "DELETE FROM entries WHERE key IN "
            "(SELECT key FROM entries ORDER BY day LIMIT (SELECT count(*) / 2 FROM entries))"
        )
        database.execute("VACUUM")


def _read(database: sqlite3.Connection, keys: Sequence[bytes]) -> dict[bytes, bytes]:
    """Return the undamaged entries among some keys; they count as used today."""
    today = _today()
    marks = ",".join("?" * len(keys))
    rows = database.execute(
        f"SELECT key, value, day FROM entries WHERE key IN ({marks})",  # noqa: S608  (marks only)
        keys,
    ).fetchall()
    sound = [(key, value[_SUM_BYTES:], day) for key, value, day in rows if _is_sound(key, value)]
    stale = [(today, key) for key, _, day in sound if day != today]
    if stale:
        with suppress(sqlite3.OperationalError), sqlite_file.transaction(database):
            database.executemany("UPDATE entries SET day = ? WHERE key = ?", stale)
    return {key: value for key, value, _ in sound}


def _is_sound(key: bytes, value: object) -> bool:
    return isinstance(value, bytes) and value[:_SUM_BYTES] == _check_sum(key, value[_SUM_BYTES:])


def _check_sum(key: bytes, value: bytes) -> bytes:
    return sha256(key + value).digest()[:_SUM_BYTES]


def _today() -> int:
    return int(time.time() // _DAY_S)
