"""The words and vectors of a repository's files, and the messages of its commits.

They are stored in the user's cache folder and never in the repository.

One database for each repository. A document is the content of a blob at a path, so that known content is
never read again after a checkout. A database that is damaged or of another format is recreated; if none can
be stored (a read-only home, a full disk) an in-memory one only costs time.
"""

from __future__ import annotations

import hashlib
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec

from wardround.retrieval import bm25
from wardround.retrieval.commit_signals import CommitIndex
from wardround.retrieval.documents import file_texts
from wardround.retrieval.protocols import TextEmbedder
from wardround.storage import sqlite_file
from wardround.storage.paths import cache_dir
from wardround.storage.repository_database import LIMIT_BYTES, DatabaseKind, RepositoryDatabase
from wardround.text.search_terms import count_words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FORMAT = 2
"""Incremented with every change of the stored data: the words, the text forms, the tables."""
PATH_TIMES = 3
"""The number of times that the words of a path count."""
_SCHEMA = (
    "CREATE TABLE docs (id INTEGER PRIMARY KEY, key BLOB UNIQUE, length INTEGER, day INTEGER)",
    "CREATE TABLE words (id INTEGER PRIMARY KEY, word TEXT UNIQUE)",
    "CREATE TABLE postings (word INTEGER, doc INTEGER, times INTEGER, PRIMARY KEY (word, doc)) WITHOUT ROWID",
    "CREATE TABLE vectors (doc INTEGER, model TEXT, data BLOB, PRIMARY KEY (model, doc))",
    "CREATE TABLE texts (key BLOB PRIMARY KEY, data BLOB, day INTEGER)",
    "CREATE TABLE commits (id TEXT PRIMARY KEY, data BLOB, day INTEGER)",
)
_DAY_S = 86_400
_BATCH = 32
"""Documents written in one transaction, which an interrupted run loses."""
_SPARE = 4
"""Documents stored for each one of the present tree, so that switching between branches is cheap."""
_NEAREST = 0.7
"""The weight of a file's closest text in its similarity; the rest is that of the mean of all."""
_LIMIT_TEXTS = 20_000
_LIMIT_COMMITS = 20_000
_LIMIT_BYTES = LIMIT_BYTES

Progress = Callable[[str], None]
ReadCommits = Callable[[Sequence[str]], Iterable[tuple[str, str, Sequence[str]]]]
Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True, order=True)
class IndexedFile:
    """A file of a tree: its path and the object id of its content."""

    path: str
    blob: str

    @property
    def key(self) -> bytes:
        name = self.path.encode("utf-8", "surrogateescape")
        return hashlib.sha256(self.blob.encode() + b"\0" + name).digest()[:16]


@dataclass(frozen=True, slots=True)
class _Document:
    id: int
    length: int
    day: int


class SearchIndex:
    """A search index of the files and commits of a repository, with words and vectors, stored in SQLite."""

    def __init__(self, file: RepositoryDatabase) -> None:
        self._file = file
        self._database = file.connection

    @classmethod
    def open(cls, repository: Path, folder: Path | None = None) -> SearchIndex:
        """Open or create the index of the repository with this git folder."""
        kind = DatabaseKind(_SCHEMA, FORMAT, _LIMIT_BYTES)
        return cls(RepositoryDatabase.open(kind, repository, folder or cache_dir() / "retrieval"))

    def recreate(self, *, keep: bool) -> SearchIndex:
        """Return an empty index that replaces this one, which failed: in the same file, or in memory if the
        file cannot be replaced.
        """
        return SearchIndex(self._file.recreate(keep_file=keep))

    def close(self) -> None:
        self._file.close()

    # Updates

    def update(
        self,
        entries: Sequence[IndexedFile],
        read: Callable[[IndexedFile], str | None],
        embedder: TextEmbedder | None,
        progress: Progress = lambda text: None,
    ) -> None:
        """Add the missing entries of a tree: words, and vectors if there is an embedder.

        Args:
            read: the text of an entry, or None if it has none; then it counts as empty.
        """
        self._take_in(entries, read, progress)
        if embedder is not None:
            self._embed_entries(entries, read, embedder, progress)
        self._shrink(entries)

    def _take_in(
        self, entries: Sequence[IndexedFile], read: Callable[[IndexedFile], str | None], progress: Progress
    ) -> None:
        known = self._indexed_documents()
        missing = [entry for entry in entries if entry.key not in known]
        if not missing:
            return
        ids = dict(self._database.execute("SELECT word, id FROM words"))
        for at in range(0, len(missing), _BATCH):
            progress(f"reading files: {at} of {len(missing)}")
            batch = [(e.key, document(e.path, read(e) or "")) for e in missing[at : at + _BATCH]]
            with sqlite_file.transaction(self._database):
                for key, words in batch:
                    self._add(key, words, ids)

    def _add(self, key: bytes, words: Mapping[str, int], ids: dict[str, int]) -> None:
        today = int(time.time() // _DAY_S)
        row = self._database.execute(
            "INSERT OR IGNORE INTO docs (key, length, day) VALUES (?, ?, ?)",
            (key, sum(words.values()), today),
        )
        if row.rowcount == 0:  # another run was faster
            return
        for word in words:
            if word not in ids:
                ids[word] = self._word_id(word)
        rows = sorted((ids[word], row.lastrowid, times) for word, times in words.items())
        self._database.executemany("INSERT INTO postings VALUES (?, ?, ?)", rows)

    def _word_id(self, word: str) -> int:
        done = self._database.execute("INSERT OR IGNORE INTO words (word) VALUES (?)", (word,))
        if done.rowcount and done.lastrowid is not None:
            return done.lastrowid
        (known,) = self._database.execute("SELECT id FROM words WHERE word = ?", (word,)).fetchone()
        return int(known)

    def _embed_entries(
        self,
        entries: Sequence[IndexedFile],
        read: Callable[[IndexedFile], str | None],
        embedder: TextEmbedder,
        progress: Progress,
    ) -> None:
        known = self._indexed_documents()
        done = self._database.execute("SELECT doc FROM vectors WHERE model = ?", (embedder.digest,))
        have = {doc for (doc,) in done}
        missing = [entry for entry in entries if known[entry.key].id not in have]
        began = time.monotonic()
        for at in range(0, len(missing), _BATCH):
            progress(_format_progress(at, len(missing), time.monotonic() - began))
            rows = []
            for entry in missing[at : at + _BATCH]:
                vectors = embedder.embed(file_texts(entry.path, read(entry) or ""))
                rows.append((known[entry.key].id, embedder.digest, _pack(vectors)))
            with sqlite_file.transaction(self._database):
                self._database.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", rows)

    def _shrink(self, entries: Sequence[IndexedFile]) -> None:
        """Record the entries in use, and remove the others once there are many more of them."""
        today = int(time.time() // _DAY_S)
        known = self._indexed_documents()
        stale = [(today, known[entry.key].id) for entry in entries if known[entry.key].day != today]
        if stale:
            with sqlite_file.transaction(self._database):
                self._database.executemany("UPDATE docs SET day = ? WHERE id = ?", stale)
        if len(known) > _SPARE * max(len(entries), 1000):
            with sqlite_file.transaction(self._database):
                self._database.execute("DELETE FROM docs WHERE day < ?", (today,))
                self._database.execute("DELETE FROM postings WHERE doc NOT IN (SELECT id FROM docs)")
                self._database.execute("DELETE FROM vectors WHERE doc NOT IN (SELECT id FROM docs)")
        (texts,) = self._database.execute("SELECT count(*) FROM texts").fetchone()
        if texts > _LIMIT_TEXTS:
            with sqlite_file.transaction(self._database):
                self._database.execute("DELETE FROM texts WHERE day < ?", (today,))

    def past(self, commits: Sequence[str], read: ReadCommits) -> list[CommitIndex]:
        """Return the words and paths of some commits, in their order.

        Args:
            read: (id, message, paths) of the commits the index does not know yet.
        """
        known = self._stored_commits(frozenset(commits))
        missing = [commit for commit in commits if commit not in known]
        if missing:
            made = {commit: CommitIndex.of(message, paths) for commit, message, paths in read(missing)}
            with suppress(sqlite3.OperationalError), sqlite_file.transaction(self._database):
                self._store_commits(made)
            known |= made
        return [known[commit] for commit in commits if commit in known]

    def _stored_commits(self, commits: Set[str]) -> dict[str, CommitIndex]:
        rows = self._database.execute("SELECT id, data FROM commits")
        try:
            return {commit: CommitIndex.from_bytes(data) for commit, data in rows if commit in commits}
        except msgspec.MsgspecError as cause:
            raise sqlite3.DatabaseError("the stored commits are damaged") from cause

    def _store_commits(self, commits: Mapping[str, CommitIndex]) -> None:
        """Store commits, and remove those of earlier days if there are too many."""
        today = int(time.time() // _DAY_S)
        rows = [(commit, index.to_bytes(), today) for commit, index in commits.items()]
        self._database.executemany("INSERT OR REPLACE INTO commits VALUES (?, ?, ?)", rows)
        (count,) = self._database.execute("SELECT count(*) FROM commits").fetchone()
        if count > _LIMIT_COMMITS:
            self._database.execute("DELETE FROM commits WHERE day < ?", (today,))

    # Queries

    def words_scores(self, query: Mapping[str, int], entries: Sequence[IndexedFile]) -> list[float]:
        """Return the BM25 of each entry, over these entries alone; the index must contain all of them."""
        known = self._indexed_documents()
        locations = {known[entry.key].id: at for at, entry in enumerate(entries)}
        lengths = [known[entry.key].length for entry in entries]
        average = max(sum(lengths) / max(len(lengths), 1), 1.0)
        answers = [0.0] * len(entries)
        for word, requested in query.items():
            rows = self._database.execute(
                "SELECT doc, times FROM postings WHERE word = (SELECT id FROM words WHERE word = ?)", (word,)
            )
            holding = [(locations[doc], times) for doc, times in rows if doc in locations]
            weight = requested * bm25.idf(len(entries), len(holding))
            for at, times in holding:
                answers[at] += weight * bm25.term_weight(times, lengths[at], average)
        return answers

    def similarity(
        self, queries: Sequence[str], entries: Sequence[IndexedFile], embedder: TextEmbedder
    ) -> list[float]:
        """Return each entry's similarity: 0.7 of its closest text and 0.3 of their mean, over all queries."""
        import numpy as np

        requested = self.vectors(queries, embedder)
        known = self._indexed_documents()
        rows = self._database.execute("SELECT doc, data FROM vectors WHERE model = ?", (embedder.digest,))
        packed: dict[int, bytes] = dict(rows)
        blobs = [packed.get(known[entry.key].id, b"") for entry in entries]
        row = 2 * requested.shape[1]
        if any(not blob or len(blob) % row for blob in blobs):
            raise sqlite3.DatabaseError("vectors are missing or of another size")
        starts = np.cumsum([0, *(len(blob) // row for blob in blobs)])
        every = np.frombuffer(b"".join(blobs), dtype=np.float16).reshape(-1, requested.shape[1])
        products = every.astype(np.float32) @ requested.T
        nearest = np.maximum.reduceat(products, starts[:-1])
        mean = np.add.reduceat(products, starts[:-1]) / np.diff(starts)[:, None]
        return [round(float(score), 5) for score in (_NEAREST * nearest + (1 - _NEAREST) * mean).mean(axis=1)]

    def vectors(self, texts: Sequence[str], embedder: TextEmbedder) -> NDArray[np.float32]:
        """Return the vectors of texts, shape (texts, dimensions); known ones come from the database."""
        import numpy as np

        keys = [
            hashlib.sha256(f"{embedder.digest}\0{text}".encode("utf-8", "replace")).digest() for text in texts
        ]
        found: dict[bytes, NDArray[np.float32]] = {}
        for key in keys:
            row = self._database.execute("SELECT data FROM texts WHERE key = ?", (key,)).fetchone()
            if row is not None:
                found[key] = np.frombuffer(row[0], dtype=np.float16).astype(np.float32)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        if missing:
            created = embedder.embed(list(missing.values())).astype(np.float16)
            today = int(time.time() // _DAY_S)
            with suppress(sqlite3.OperationalError), sqlite_file.transaction(self._database):
                rows = [(key, vector.tobytes(), today) for key, vector in zip(missing, created, strict=True)]
                self._database.executemany("INSERT OR REPLACE INTO texts VALUES (?, ?, ?)", rows)
            found.update(zip(missing, created.astype(np.float32), strict=True))
        return np.stack([found[key] for key in keys])

    # The database

    def _indexed_documents(self) -> dict[bytes, _Document]:
        rows = self._database.execute("SELECT key, id, length, day FROM docs")
        return {key: _Document(number, length, day) for key, number, length, day in rows}


@dataclass(frozen=True, slots=True)
class CachedEmbedder:
    """An embedder with an index as its cache."""

    embedder: TextEmbedder
    index: SearchIndex

    @property
    def digest(self) -> str:
        return self.embedder.digest

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self.index.vectors(texts, self.embedder)


def using(repository: Path, work: Callable[[SearchIndex], Answer], folder: Path | None = None) -> Answer:
    """Run a function with the index of the repository with this git folder.

    If the database turns out to be damaged, the function runs once more with a new one; if it can no longer
    be written, with an in-memory one.
    """
    index = SearchIndex.open(repository, folder)
    try:
        return work(index)
    except sqlite3.DatabaseError as trouble:
        index = index.recreate(keep=not sqlite_file.is_damaged(trouble))
        return work(index)
    finally:
        index.close()


def document(path: str, text: str) -> Counter[str]:
    """Return the words of a file with those of its path, which count ``PATH_TIMES``."""
    words = count_words(text)
    for word, times in count_words(path).items():
        words[word] += PATH_TIMES * times
    return words


def _pack(vectors: NDArray[np.float32]) -> bytes:
    import numpy as np

    return bytes(vectors.astype(np.float16).tobytes())


def _format_progress(done: int, of: int, seconds: float) -> str:
    left = f", {seconds / done * (of - done):.0f} s left" if done else ""
    return f"reading files with the model, once: {done} of {of}{left}"
