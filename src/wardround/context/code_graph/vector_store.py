"""The stored vectors of symbols, in one database per repository next to the code graph.

A vector is stored under the digest of its text and of the model, so that a symbol has the same vector until
its code changes, also in another file. No text is stored.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from wardround.retrieval.protocols import TextEmbedder
from wardround.storage import sqlite_file
from wardround.storage.digest import digest_key
from wardround.storage.paths import cache_dir
from wardround.storage.repository_database import DatabaseKind, RepositoryDatabase

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FORMAT = 1
"""Incremented with every change of the texts or of the stored data."""
_SCHEMA = ("CREATE TABLE vectors (id INTEGER PRIMARY KEY, key BLOB UNIQUE, data BLOB)",)
_LIMIT_BYTES = 512 * 1024 * 1024
_KIND = DatabaseKind(_SCHEMA, FORMAT, _LIMIT_BYTES)
_KEY_BYTES = 16
_MOST_VECTORS = 100_000
"""Size limit for one repository, about 85 MB; beyond it the store is emptied."""


def text_key(model: str, text: str) -> bytes:
    """Return the key of the vector of a text; ``model`` is the digest of all other inputs."""
    return digest_key("symbol", model, text)[:_KEY_BYTES]


class VectorStore:
    """The vectors of a repository's symbols."""

    def __init__(self, file: RepositoryDatabase, most: int = _MOST_VECTORS) -> None:
        self._file = file
        self._most = most
        self._database = file.connection

    @classmethod
    def open(cls, git_dir: Path, folder: Path | None = None) -> VectorStore:
        """Open or create the store of the repository with this git folder."""
        return cls(RepositoryDatabase.open(_KIND, git_dir, folder or cache_dir() / "code-vectors"))

    def close(self) -> None:
        self._file.close()

    def add(self, vectors: Mapping[bytes, NDArray[np.float16]]) -> None:
        """Store vectors by key; if there are too many, all others are removed first."""
        rows = [(key, vector.astype("<f2").tobytes()) for key, vector in vectors.items()]
        with sqlite_file.transaction(self._database):
            (count,) = self._database.execute("SELECT count(*) FROM vectors").fetchone()
            if count + len(rows) > self._most:
                self._database.execute("DELETE FROM vectors")
            self._database.executemany("INSERT OR IGNORE INTO vectors (key, data) VALUES (?, ?)", rows)

    def get(self, keys: Iterable[bytes]) -> dict[bytes, NDArray[np.float16]]:
        """Return the stored vectors of some keys."""
        import numpy as np

        query = "SELECT data FROM vectors WHERE key = ?"
        rows = ((key, self._database.execute(query, (key,)).fetchone()) for key in keys)
        return {key: np.frombuffer(row[0], "<f2") for key, row in rows if row is not None}


class StoredEmbedder:
    """An embedder with a store as its cache.

    All vectors are in half precision, stored or not, so that the store has no effect on a result; their
    cosines differ by less than 0.001.
    """

    def __init__(self, store: VectorStore, embedder: TextEmbedder) -> None:
        self._store = store
        self._embedder = embedder
        self.digest = embedder.digest

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return vectors of shape (texts, dimensions); a store that fails only costs time.

        Raises:
            ModelError: the embedder fails.
        """
        import numpy as np

        keys = [text_key(self.digest, text) for text in texts]
        found = self._stored_vectors(keys)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        if missing:
            created = self._embedder.embed(list(missing.values())).astype(np.float16)
            added = dict(zip(missing, created, strict=True))
            with suppress(sqlite3.Error):
                self._store.add(added)
            found |= added
        rows = [found[key] for key in keys]
        return np.stack(rows).astype(np.float32) if rows else self._embedder.embed([])

    def _stored_vectors(self, keys: Sequence[bytes]) -> dict[bytes, NDArray[np.float16]]:
        try:
            return self._store.get(dict.fromkeys(keys))
        except (sqlite3.Error, ValueError):  # a value of another size is damaged
            return {}
