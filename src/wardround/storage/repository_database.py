"""Disposable databases in a cache folder, one per repository, limited in total.

A database that is damaged or of another version is replaced by an empty one. If none can be stored (a
read-only home, a full disk) an in-memory one only costs time. Several processes may use one file.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from wardround.storage import sqlite_file
from wardround.storage.digest import sha256

LIMIT_BYTES = 1024 * 1024 * 1024
"""Maximum number of databases of one kind; a new one evicts those unused for longest."""
_LOCK_TIMEOUT_S = 10


class DatabaseKind(NamedTuple):
    """The tables of a kind of database, and the version that is raised with every change of its data."""

    schema: Sequence[str]
    version: int
    limit_bytes: int = LIMIT_BYTES


class RepositoryDatabase:
    """An open database.

    Attributes:
        file: None for one in memory.
        problem: the reason why the database is in memory although a file was requested; else empty.
    """

    def __init__(
        self, kind: DatabaseKind, connection: sqlite3.Connection, file: Path | None, problem: str = ""
    ) -> None:
        self._kind = kind
        self.connection = connection
        self.file = file
        self.problem = problem

    @classmethod
    def open(cls, kind: DatabaseKind, repository: Path, folder: Path) -> RepositoryDatabase:
        """Open or create the database of the repository with this git folder."""
        name = sha256(str(repository).encode("utf-8", "surrogateescape")).hexdigest()[:24]
        file = folder / f"{name}.sqlite"
        problem = ""
        for _ in range(2):
            try:
                folder.mkdir(parents=True, exist_ok=True, mode=0o700)
                if not file.exists():
                    _make_room(folder, kind.limit_bytes)
                    file.touch(mode=0o600)
                connection = _connect(kind, str(file))
                os.utime(file)
                return cls(kind, connection, file)
            except (OSError, sqlite3.OperationalError) as cause:
                problem = _unwritable(folder, cause)
                break
            except sqlite3.DatabaseError as cause:
                problem = _unwritable(folder, cause)
                sqlite_file.remove(file)
        return cls(kind, _connect(kind, ":memory:"), None, problem)

    @classmethod
    def in_memory(cls, kind: DatabaseKind) -> RepositoryDatabase:
        """Return an empty database that is never stored."""
        return cls(kind, _connect(kind, ":memory:"), None)

    def recreate(self, *, keep_file: bool) -> RepositoryDatabase:
        """Return an empty database that replaces this one, which failed: in the same file, or in memory."""
        self.close()
        if self.file is not None and not keep_file:
            sqlite_file.remove(self.file)
            with suppress(OSError, sqlite3.Error):
                self.file.touch(mode=0o600)
                return RepositoryDatabase(self._kind, _connect(self._kind, str(self.file)), self.file)
        return RepositoryDatabase(self._kind, _connect(self._kind, ":memory:"), None)

    def close(self) -> None:
        with suppress(sqlite3.Error):
            self.connection.close()


def _unwritable(folder: Path, cause: OSError | sqlite3.Error) -> str:
    why = cause.strerror if isinstance(cause, OSError) else str(cause)
    return f"{folder} cannot be written ({why}); make it writable, or set XDG_CACHE_HOME"


def _connect(kind: DatabaseKind, name: str) -> sqlite3.Connection:
    return sqlite_file.connect(name, kind.schema, kind.version, timeout_s=_LOCK_TIMEOUT_S)


def _make_room(folder: Path, limit_bytes: int) -> None:
    """Remove the least recently used databases while all of them together exceed the limit."""
    files = sorted(folder.glob("*.sqlite"), key=lambda file: (file.stat().st_mtime, file.name))
    size = sum(file.stat().st_size for file in files)
    for file in files:
        if size <= limit_bytes:
            return
        size -= file.stat().st_size
        sqlite_file.remove(file)
