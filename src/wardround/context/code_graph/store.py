"""The stored facts of files, in one database per repository outside the work tree.

A file is stored under its path and the object id of its content, so that known content is never read again,
in any tree. Names lead to the files that define, use or import them; the facts of a file are decoded when a
query needs them. Full-text search is by SQLite's FTS5 and only finds rows: their order is computed over the
files of one tree, so that other stored files have no effect.
"""

from __future__ import annotations

import enum
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec
from msgspec.structs import replace

from wardround.context.code_graph import normal_form
from wardround.context.code_graph.extraction import FileRecord, is_only_searched
from wardround.context.code_graph.import_names import imported_names
from wardround.context.code_graph.manifests import Manifest
from wardround.context.code_graph.model import FileFacts, Use, UseKind, used_name
from wardround.retrieval.index import IndexedFile
from wardround.storage import sqlite_file
from wardround.storage.digest import digest_key, sha256
from wardround.storage.paths import cache_dir
from wardround.storage.repository_database import DatabaseKind, RepositoryDatabase

FORMAT = 10
"""Raised with every change of the readers or of the stored data."""
_SCHEMA = (
    "CREATE TABLE files (id INTEGER PRIMARY KEY AUTOINCREMENT, key BLOB UNIQUE, facts BLOB, uses BLOB, "
    "manifest BLOB, words INTEGER, problem TEXT, day INTEGER)",
    "CREATE TABLE occurrences (name INTEGER, role INTEGER, file INTEGER, PRIMARY KEY (name, role, file)) "
    "WITHOUT ROWID",
    "CREATE TABLE shapes (hash INTEGER, row INTEGER, PRIMARY KEY (hash, row)) WITHOUT ROWID",
    "CREATE VIRTUAL TABLE texts USING fts5(words, detail=none, "
    "tokenize=\"unicode61 remove_diacritics 0 tokenchars '_'\")",
)
_KIND = DatabaseKind(_SCHEMA, FORMAT)
_DAY_S = 86_400
_ROW_BITS = 16
_NUMBER = (1 << _ROW_BITS) - 1
"""The low bits of a row are the number of the symbol; the others are the file."""
_SHAPE_KEYS = 8
"""The smallest hashes of a sketch that are searched."""
_LEAST_SHARED = 3
"""Two bodies that share half of their runs have three keys in common in 97 of 100 cases (simulated); others
only if they share common runs.
"""
_KEY_BYTES = 16
Found = TypeVar("Found")


class Role(enum.IntEnum):
    """The part of a name in a file. ``renames``: it is imported under another name."""

    DEFINES = 0
    USES = 1
    IMPORTS = 2
    RENAMES = 3


class StoredFile(NamedTuple):
    """A row of a file; ``words`` is the sum over its symbols of the number of distinct words."""

    id: int
    words: int
    problem: str
    has_manifest: bool
    day: int


def file_key(entry: IndexedFile) -> bytes:
    """Return the key of the facts of a file; it is another once a missing grammar is installed."""
    reading = ("searched",) if is_only_searched(entry.path) else ()
    return digest_key(entry.path, entry.blob, *reading)[:_KEY_BYTES]


class GraphStore:
    """The facts of a repository's files."""

    def __init__(self, file: RepositoryDatabase) -> None:
        self._file = file
        self._database = file.connection
        self._encode = msgspec.msgpack.Encoder().encode
        self._facts = msgspec.msgpack.Decoder(FileFacts).decode
        self._uses = msgspec.msgpack.Decoder(tuple[Use, ...]).decode
        self._manifests = msgspec.msgpack.Decoder(Manifest).decode

    @classmethod
    def open(cls, git_dir: Path, folder: Path | None = None) -> GraphStore:
        """Open or create the store of the repository with this git folder."""
        return cls(RepositoryDatabase.open(_KIND, git_dir, folder or cache_dir() / "code-graph"))

    @classmethod
    def in_memory(cls) -> GraphStore:
        """Return an empty store that is never written to the disk."""
        return cls(RepositoryDatabase.in_memory(_KIND))

    @property
    def file(self) -> Path | None:
        """The file of the database; None for one in memory."""
        return self._file.file

    def recreate(self, *, keep_file: bool) -> GraphStore:
        """Return an empty store for this one, which failed."""
        return GraphStore(self._file.recreate(keep_file=keep_file))

    def close(self) -> None:
        self._file.close()

    # Updates

    def stored_files(self) -> dict[bytes, StoredFile]:
        """Return all stored files by key."""
        rows = self._database.execute("SELECT key, id, words, problem, manifest IS NOT NULL, day FROM files")
        return {
            key: StoredFile(number, words, problem, bool(manifest), day)
            for key, number, words, problem, manifest, day in rows
        }

    def add(self, records: Sequence[tuple[IndexedFile, FileRecord]]) -> None:
        """Store the records of some files in one transaction."""
        with sqlite_file.transaction(self._database):
            for entry, record in records:
                self._add(file_key(entry), record)

    def _add(self, key: bytes, record: FileRecord) -> None:
        facts = record.facts
        manifest = None if record.manifest is None else self._encode(record.manifest)
        done = self._database.execute(
            "INSERT OR IGNORE INTO files (key, facts, uses, manifest, words, problem, day) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            (key, self._encode(replace(facts, uses=())), self._encode(facts.uses), manifest,
             sum(map(len, record.words)), facts.problem, today()),
        )  # fmt: skip
        if done.rowcount == 0 or done.lastrowid is None:  # another process was faster
            return
        number = done.lastrowid
        self._database.executemany(
            "INSERT OR IGNORE INTO occurrences VALUES (?, ?, ?)",
            sorted((name_key(name), role, number) for name, role in set(_occurrences(facts))),
        )
        rows = [number << _ROW_BITS | at for at in range(len(facts.symbols))]
        self._database.executemany(
            "INSERT OR IGNORE INTO shapes VALUES (?, ?)",
            ((value, row) for row, symbol in zip(rows, facts.symbols, strict=True)
             for value in normal_form.hashes(symbol.shape)[:_SHAPE_KEYS]),
        )  # fmt: skip
        self._database.executemany(
            "INSERT INTO texts (rowid, words) VALUES (?, ?)",
            ((row, " ".join(sorted(words))) for row, words in zip(rows, record.words, strict=False)),
        )

    def mark_used(self, files: Iterable[int]) -> None:
        """Record that files are in use today."""
        rows = [(today(), file) for file in files]
        if rows:
            with sqlite_file.transaction(self._database):
                self._database.executemany("UPDATE files SET day = ? WHERE id = ?", rows)

    def drop(self, files: Sequence[int]) -> None:
        """Remove files with all that refers to them."""
        rows = [(file,) for file in files]
        spans = [(file << _ROW_BITS, (file + 1) << _ROW_BITS) for file in files]
        with sqlite_file.transaction(self._database):
            self._database.executemany("DELETE FROM files WHERE id = ?", rows)
            self._database.executemany("DELETE FROM texts WHERE rowid >= ? AND rowid < ?", spans)
            retained = "SELECT id FROM files"
            self._database.execute(f"DELETE FROM occurrences WHERE file NOT IN ({retained})")  # noqa: S608
            self._database.execute(f"DELETE FROM shapes WHERE row >> {_ROW_BITS} NOT IN ({retained})")  # noqa: S608

    # Queries

    def uses(self, number: int) -> tuple[Use, ...]:
        """Return the uses of a file."""
        query = "SELECT uses FROM files WHERE id = ?"
        return self._decode_row(self._uses, self._database.execute(query, (number,)).fetchone())

    def outline(self, number: int) -> FileFacts:
        """Return the facts of a file without its uses, which are most of them."""
        query = "SELECT facts FROM files WHERE id = ?"
        return self._decode_row(self._facts, self._database.execute(query, (number,)).fetchone())

    def manifest(self, number: int) -> Manifest:
        """Return the settings of a file that has some."""
        query = "SELECT manifest FROM files WHERE id = ?"
        return self._decode_row(self._manifests, self._database.execute(query, (number,)).fetchone())

    def _decode_row(self, decode: Callable[[bytes], Found], row: tuple[bytes] | None) -> Found:
        try:
            return decode(row[0] if row is not None else b"")
        except (TypeError, msgspec.MsgspecError) as cause:
            raise sqlite3.DatabaseError("the stored facts of a file are damaged") from cause

    def files_with(self, name: str, role: Role) -> list[int]:
        """Return the files in which a name has a role."""
        query = "SELECT file FROM occurrences WHERE name = ? AND role = ?"
        return [file for (file,) in self._database.execute(query, (name_key(name), role))]

    def rows_with_word(self, word: str) -> list[tuple[int, int]]:
        """Return the file and number of each symbol whose text has a search term."""
        quoted = '"' + word.replace('"', '""') + '"'
        rows = self._database.execute("SELECT rowid FROM texts WHERE texts MATCH ?", (quoted,))
        return [(row >> _ROW_BITS, row & _NUMBER) for (row,) in rows]

    def rows_with_shape(self, shape: bytes) -> list[tuple[int, int, int]]:
        """Return the file and number of each symbol that shares three of the first hashes of a sketch.

        The third value is the number of hashes that they share.
        """
        shared: Counter[int] = Counter()
        for value in normal_form.hashes(shape)[:_SHAPE_KEYS]:
            rows = self._database.execute("SELECT row FROM shapes WHERE hash = ?", (value,))
            shared.update([row for (row,) in rows])
        found = ((row, times) for row, times in shared.items() if times >= _LEAST_SHARED)
        return [(row >> _ROW_BITS, row & _NUMBER, times) for row, times in found]


def today() -> int:
    return int(time.time() // _DAY_S)


def name_key(name: str) -> int:
    """Return the number that a name is stored as; equal numbers of unequal names cost time only."""
    return int.from_bytes(sha256(name.encode("utf-8", "surrogatepass")).digest()[:7], "big")


def _occurrences(facts: FileFacts) -> Iterator[tuple[str, Role]]:
    for symbol in facts.symbols[1:]:
        yield symbol.own_name, Role.DEFINES
    for use in facts.uses:
        yield use.name, Role.USES
        if use.kind is UseKind.LITERAL:
            yield used_name(use), Role.USES
    for import_ in facts.imports:
        for name in imported_names(facts.path, import_):
            yield name, Role.IMPORTS
        if import_.name not in ("", import_.alias):
            yield import_.name, Role.RENAMES
