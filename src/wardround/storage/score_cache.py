"""What models said about content they have seen: kept in the user's cache folder, never in the repository.

Vectors and scores are kept as bytes under a digest of everything they depend on: the model's files, how it is
run, and the content. Each has a check sum, so damage costs time, nothing else, and so does a cache that
cannot be opened or written. No text is kept.
"""

from __future__ import annotations

import hashlib
import sqlite3
import threading
import time
from array import array
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

from wardround.storage.paths import cache_dir
from wardround.storage.result_cache import digest_key

LIMIT_BYTES = 64 * 1024 * 1024
_DAY_S = 86_400
_CHUNK = 500
_SUM_BYTES = 8
_SCHEMA = "CREATE TABLE IF NOT EXISTS scores (key BLOB PRIMARY KEY, value BLOB, day INTEGER) WITHOUT ROWID"

Numbers: TypeAlias = "array[float]"
"""Of type code ``f``."""


class ScoreCache:
    """Numbers by key, for all threads of a process; opened when it is first asked."""

    def __init__(self, folder: Path | None = None, limit_bytes: int = LIMIT_BYTES) -> None:
        self._path = (folder or cache_dir()) / "scores.sqlite"
        self._limit = limit_bytes
        self._lock = threading.Lock()
        self._opened = False
        self._database: sqlite3.Connection | None = None

    def get(self, keys: Sequence[bytes]) -> dict[bytes, Numbers]:
        """The entries that exist and are sound."""
        found: dict[bytes, Numbers] = {}
        today = int(time.time() // _DAY_S)
        stale: list[bytes] = []
        with self._lock, suppress(sqlite3.Error):
            database = self._open()
            for start in range(0, len(keys) if database is not None else 0, _CHUNK):
                assert database is not None
                chunk = keys[start : start + _CHUNK]
                marks = ",".join("?" * len(chunk))
                rows = database.execute(
                    f"SELECT key, value, day FROM scores WHERE key IN ({marks})",  # noqa: S608  (marks only)
                    chunk,
                )
                for name, value, day in rows:
                    numbers = _unpacked(name, value)
                    if numbers is not None:
                        found[name] = numbers
                        stale += [name] if day != today else []
            if database is not None and stale:
                database.executemany("UPDATE scores SET day = ? WHERE key = ?", [(today, n) for n in stale])
        return found

    def put(self, entries: Mapping[bytes, Numbers]) -> None:
        """Keep entries; what cannot be written is forgotten."""
        if not entries:
            return
        today = int(time.time() // _DAY_S)
        rows = [(name, _packed(name, numbers), today) for name, numbers in entries.items()]
        with self._lock, suppress(sqlite3.Error):
            database = self._open()
            if database is not None:
                with database:
                    database.execute("BEGIN")
                    database.executemany("INSERT OR REPLACE INTO scores VALUES (?, ?, ?)", rows)
                self._shrink(database)

    def _open(self) -> sqlite3.Connection | None:
        if self._opened:
            return self._database
        self._opened = True
        database = None
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._path.touch(mode=0o600)
            database = sqlite3.connect(self._path, timeout=0.5, isolation_level=None, check_same_thread=False)
            database.execute("PRAGMA journal_mode=WAL")
            database.execute("PRAGMA synchronous=OFF")
            database.execute(_SCHEMA)
        except (sqlite3.Error, OSError) as cause:
            if database is not None:
                database.close()
            if "not a database" in str(cause) or "malformed" in str(cause):
                with suppress(OSError):
                    self._path.unlink()
            return None
        self._database = database
        return database

    def _shrink(self, database: sqlite3.Connection) -> None:
        """Drop the entries unused for longest once the file is past its limit."""
        (pages,) = database.execute("PRAGMA page_count").fetchone()
        (size,) = database.execute("PRAGMA page_size").fetchone()
        if pages * size <= self._limit:
            return
        database.execute(
            "DELETE FROM scores WHERE key IN "
            "(SELECT key FROM scores ORDER BY day LIMIT (SELECT count(*) / 2 FROM scores))"
        )
        database.execute("VACUUM")

    def close(self) -> None:
        with self._lock, suppress(sqlite3.Error):
            if self._database is not None:
                self._database.close()
            self._database = None


def text_key(model: str, text: str) -> bytes:
    """The key of a text's vector; ``model`` is the digest of everything else it depends on."""
    return digest_key("text", model, text)


def row_key(model: str, row: Sequence[float]) -> bytes:
    """The key of a row's score."""
    return digest_key("row", model, array("d", row).tobytes())


def _packed(name: bytes, numbers: Numbers) -> bytes:
    content = numbers.tobytes()
    return _sum(name, content) + content


def _unpacked(name: bytes, value: object) -> Numbers | None:
    """The numbers of an entry, or None if it is damaged."""
    if not isinstance(value, bytes) or len(value) % 4 or len(value) <= _SUM_BYTES:
        return None
    if value[:_SUM_BYTES] != _sum(name, value[_SUM_BYTES:]):
        return None
    return array("f", value[_SUM_BYTES:])


def _sum(name: bytes, content: bytes) -> bytes:
    return hashlib.blake2b(content, key=name[:32], digest_size=_SUM_BYTES).digest()
