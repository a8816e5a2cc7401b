"""What tools said about content they have seen: kept in the user's cache folder, never in the repository.

A key covers everything an answer depends on (tool, version, configuration, path, content), so an entry is
never wrong, only unused. A cache that cannot be opened or written (read-only home, full disk) costs time,
nothing else.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

import msgspec

from wardround.findings import RawFinding
from wardround.storage.digest import sha256
from wardround.storage.paths import cache_dir

_LIMIT_BYTES = 64 * 1024 * 1024
_DAY_S = 86_400
_CHUNK = 500
_SCHEMA = "CREATE TABLE IF NOT EXISTS results (key BLOB PRIMARY KEY, value BLOB, day INTEGER) WITHOUT ROWID"

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(list[RawFinding]).decode


def digest_key(*parts: str | bytes) -> bytes:
    """A digest over parts, none of which can run into the next."""
    digest = sha256()
    for part in parts:
        data = part if isinstance(part, bytes) else part.encode("utf-8", "surrogateescape")
        digest.update(b"%d:" % len(data))
        digest.update(data)
    return digest.digest()


class ResultCache:
    """Results by key. Without a database it remembers nothing."""

    def __init__(self, database: sqlite3.Connection | None, trouble: str | None = None) -> None:
        self._database = database
        self.trouble = trouble

    @classmethod
    def open(cls, folder: Path | None = None) -> ResultCache:
        """Open or make the cache; if that cannot be, one that keeps nothing and says why."""
        path = (folder or cache_dir()) / "results.sqlite"
        database = None
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            database = sqlite3.connect(path, timeout=0.5, isolation_level=None)
            database.execute("PRAGMA journal_mode=WAL")
            database.execute("PRAGMA synchronous=OFF")
            database.execute(_SCHEMA)
        except (sqlite3.Error, OSError) as cause:
            if database is not None:
                database.close()
            if "not a database" in str(cause) or "malformed" in str(cause):
                with suppress(OSError):
                    path.unlink()
            return cls(None, f"{path}: {cause}")
        return cls(database)

    def get(self, keys: Iterable[bytes]) -> dict[bytes, list[RawFinding]]:
        """The entries that exist and can be read."""
        found: dict[bytes, list[RawFinding]] = {}
        if self._database is None:
            return found
        wanted = list(keys)
        today = int(time.time() // _DAY_S)
        stale: list[bytes] = []
        with suppress(sqlite3.Error):
            for start in range(0, len(wanted), _CHUNK):
                chunk = wanted[start : start + _CHUNK]
                marks = ",".join("?" * len(chunk))
                rows = self._database.execute(
                    f"SELECT key, value, day FROM results WHERE key IN ({marks})",  # noqa: S608  (marks only)
                    chunk,
                )
                for name, value, day in rows:
                    with suppress(msgspec.MsgspecError, ValueError):
                        found[name] = _decode(value)
                        if day != today:
                            stale.append(name)
            self._database.executemany(
                "UPDATE results SET day = ? WHERE key = ?", [(today, name) for name in stale]
            )
        return found

    def put(self, entries: Mapping[bytes, list[RawFinding]]) -> None:
        """Keep entries; what cannot be written is forgotten."""
        if self._database is None or not entries:
            return
        today = int(time.time() // _DAY_S)
        rows = []
        for name, results in entries.items():
            with suppress(UnicodeEncodeError):  # the name of a file is not UTF-8
                rows.append((name, _encode(results), today))
        with suppress(sqlite3.Error), self._database:
            self._database.execute("BEGIN")
            self._database.executemany("INSERT OR REPLACE INTO results VALUES (?, ?, ?)", rows)
        with suppress(sqlite3.Error):
            self._shrink()

    def _shrink(self) -> None:
        """Drop the entries unused for longest once the file is past its limit."""
        assert self._database is not None
        (pages,) = self._database.execute("PRAGMA page_count").fetchone()
        (size,) = self._database.execute("PRAGMA page_size").fetchone()
        if pages * size <= _LIMIT_BYTES:
            return
        self._database.execute(
            "DELETE FROM results WHERE key IN "
            "(SELECT key FROM results ORDER BY day LIMIT (SELECT count(*) / 2 FROM results))"
        )
        self._database.execute("VACUUM")

    def close(self) -> None:
        if self._database is not None:
            with suppress(sqlite3.Error):
                self._database.close()
            self._database = None
