"""The stored vectors of symbols, in one database per repository next to the code graph.

A vector is stored under the digest of its text and of the model, so that an unchanged symbol of a changed or
moved file keeps it. The vectors of a tree are few enough to compare a query with all of them: an index of
their order would take longer to build than it saves (see ``evals/README.md``).
"""

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from wardround.retrieval.protocols import TextEmbedder
from wardround.storage import sqlite_file
from wardround.storage.digest import digest_key
from wardround.storage.paths import cache_dir
from wardround.storage.repository_database import DatabaseKind, RepositoryDatabase

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FORMAT = 1
"""Raised with every change of the texts or of the stored data."""
_SCHEMA = (
    "CREATE TABLE files (key BLOB PRIMARY KEY, symbols BLOB) WITHOUT ROWID",
    "CREATE TABLE vectors (id INTEGER PRIMARY KEY, key BLOB UNIQUE, data BLOB)",
)
_LIMIT_BYTES = 512 * 1024 * 1024
_KIND = DatabaseKind(_SCHEMA, FORMAT, _LIMIT_BYTES)
_KEY_BYTES = 16
_SYMBOL = struct.Struct(f">H{_KEY_BYTES}s")
_MOST_VECTORS = 200_000
"""The limit for one repository, about 170 MB; beyond it the store begins again."""


class StoredSymbol(NamedTuple):
    """The number of a symbol in its file, and the key of its vector."""

    number: int
    key: bytes


def text_key(model: str, text: str) -> bytes:
    """Return the key of the vector of a text; ``model`` is the digest of all other inputs."""
    return digest_key("symbol", model, text)[:_KEY_BYTES]


class VectorStore:
    """The vectors of a repository's symbols. No text is stored."""

    def __init__(self, file: RepositoryDatabase, most: int = _MOST_VECTORS) -> None:
        self._file = file
        self._most = most
        self._database = file.connection

    @classmethod
    def open(cls, git_dir: Path, folder: Path | None = None) -> VectorStore:
        """Open or create the store of the repository with this git folder."""
        return cls(RepositoryDatabase.open(_KIND, git_dir, folder or cache_dir() / "code-vectors"))

    def replaced(self, *, keep_file: bool) -> VectorStore:
        """Return an empty store for this one, which failed."""
        return VectorStore(self._file.replaced(keep_file=keep_file), self._most)

    def close(self) -> None:
        self._file.close()

    def files(self) -> dict[bytes, tuple[StoredSymbol, ...]]:
        """Return the symbols of all stored files by the key of the file."""
        try:
            return {
                key: tuple(StoredSymbol(*one) for one in _SYMBOL.iter_unpack(data))
                for key, data in self._database.execute("SELECT key, symbols FROM files")
            }
        except struct.error as cause:
            raise sqlite3.DatabaseError("the stored symbols of a file are damaged") from cause

    def keys(self) -> set[bytes]:
        """Return the keys of all stored vectors."""
        return {key for (key,) in self._database.execute("SELECT key FROM vectors")}

    def add_vectors(self, vectors: Mapping[bytes, NDArray[np.float16]]) -> None:
        """Store vectors by key; if there are too many, all others are removed first."""
        rows = [(key, vector.astype("<f2").tobytes()) for key, vector in vectors.items()]
        with sqlite_file.transaction(self._database):
            (count,) = self._database.execute("SELECT count(*) FROM vectors").fetchone()
            if count + len(rows) > self._most:
                self._database.execute("DELETE FROM files")
                self._database.execute("DELETE FROM vectors")
            self._database.executemany("INSERT OR IGNORE INTO vectors (key, data) VALUES (?, ?)", rows)

    def vectors(self, keys: Iterable[bytes]) -> dict[bytes, NDArray[np.float16]]:
        """Return the stored vectors of some keys."""
        import numpy as np

        query = "SELECT data FROM vectors WHERE key = ?"
        rows = ((key, self._database.execute(query, (key,)).fetchone()) for key in keys)
        return {key: np.frombuffer(row[0], "<f2") for key, row in rows if row is not None}

    def add_file(self, key: bytes, symbols: Sequence[StoredSymbol]) -> None:
        """Store the symbols of a file, whose vectors are stored."""
        data = b"".join(_SYMBOL.pack(*one) for one in symbols)
        self._database.execute("INSERT OR REPLACE INTO files VALUES (?, ?)", (key, data))

    def matrix(self, keys: Sequence[bytes]) -> NDArray[np.float32]:
        """Return vectors as one array of shape (keys, dimensions).

        Raises:
            sqlite3.DatabaseError: one is missing or has another size.
        """
        import numpy as np

        found = dict(self._database.execute("SELECT key, data FROM vectors"))
        blobs = [found.get(key, b"") for key in keys]
        sizes = {len(blob) for blob in blobs}
        if len(sizes) > 1 or 0 in sizes:
            raise sqlite3.DatabaseError("vectors are missing or of another size")
        every = np.frombuffer(b"".join(blobs), dtype="<f2").astype(np.float32)
        return every.reshape(len(keys), -1) if keys else np.zeros((0, 0), np.float32)


class StoredEmbedder:
    """An embedder with a store as its cache.

    All vectors are in half precision, stored or not, so that the store has no effect on a result; their
    cosines differ by less than 0.001.
    """

    def __init__(self, store: VectorStore, embedder: TextEmbedder) -> None:
        self._store = store
        self.embedder = embedder
        self.digest = embedder.digest

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return vectors of shape (texts, dimensions); a store that fails costs time only.

        Raises:
            ModelError: the embedder fails.
        """
        import numpy as np

        keys = [text_key(self.digest, text) for text in texts]
        found = self._stored(keys)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        if missing:
            made = self.embedder.embed(list(missing.values())).astype(np.float16)
            added = dict(zip(missing, made, strict=True))
            with suppress(sqlite3.Error):
                self._store.add_vectors(added)
            found |= added
        rows = [found[key] for key in keys]
        return np.stack(rows).astype(np.float32) if rows else self.embedder.embed([])

    def _stored(self, keys: Sequence[bytes]) -> dict[bytes, NDArray[np.float16]]:
        try:
            return self._store.vectors(dict.fromkeys(keys))
        except sqlite3.Error:
            return {}
