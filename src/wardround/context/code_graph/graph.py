"""The code graph of a repository: its interface, and the life of its store."""

from __future__ import annotations

import math
import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

import msgspec

from wardround.context.code_graph.evidence import ChangeEvidence, Evidence
from wardround.context.code_graph.extraction import FileRecord, read_file
from wardround.context.code_graph.links import Links
from wardround.context.code_graph.model import (
    FileFacts,
    Importer,
    Link,
    Neighbour,
    Reach,
    SimilarSymbol,
    Symbol,
)
from wardround.context.code_graph.neighbours import nearest
from wardround.context.code_graph.resolution import Resolver
from wardround.context.code_graph.store import GraphStore, Role, StoredFile, file_key, today
from wardround.context.code_graph.tree_facts import TreeFacts
from wardround.context.code_graph.tree_files import SourceTree
from wardround.context.code_graph.word_search import symbols_with_words
from wardround.retrieval.commit_signals import CommitIndex
from wardround.retrieval.hunk_search import ChangedCode
from wardround.retrieval.index import IndexedFile
from wardround.storage import sqlite_file

_BATCH = 64
"""Files written in one transaction, which an interrupted run loses."""
_SPARE = 4
"""Files stored for each one of the present tree, so that another revision is cheap."""
_LEAST_SPARED = 1000
Answer = TypeVar("Answer")


class GraphUpdate(msgspec.Struct, frozen=True):
    """The result of an update.

    Attributes:
        files: files of the tree that the graph indexes.
        read: those whose facts were not stored yet.
        left: files that were not read within the time limit; the graph has no facts about them.
        unparsed: the files that have no facts, or not all of them, each with the reason.
    """

    files: int
    read: int
    unparsed: tuple[tuple[str, str], ...]
    left: int = 0


class _Queries:
    """The queries over one tree, which share their resolved names."""

    def __init__(self, store: GraphStore, rows: dict[str, StoredFile]) -> None:
        self.facts = TreeFacts(store, rows)

    @cached_property
    def links(self) -> Links:
        return Links(self.facts, Resolver(self.facts))

    @cached_property
    def evidence(self) -> ChangeEvidence:
        return ChangeEvidence(self.facts, self.links)


class CodeGraph:
    """The symbols of a repository and their uses, in the tree of the last ``update``.

    Nothing is executed. A store that turns out to be damaged is built again; one that cannot be written is
    replaced by one in memory. Use it as a context manager, in one thread.
    """

    def __init__(self, store: GraphStore) -> None:
        self._store = store
        self._tree: SourceTree | None = None
        self._queries = _Queries(store, {})

    @classmethod
    def open(cls, git_dir: Path, folder: Path | None = None) -> Self:
        """Open or create the graph of a repository.

        Args:
            git_dir: ``Repository.git_dir``.
            folder: folder of the stores of all repositories; by default in the user's cache folder.
        """
        return cls(GraphStore.open(git_dir, folder))

    @classmethod
    def in_memory(cls) -> Self:
        """Create a graph that is never stored."""
        return cls(GraphStore.in_memory())

    @property
    def file(self) -> Path | None:
        """The file of the store; None for one in memory."""
        return self._store.file

    def missing(self, tree: SourceTree) -> int:
        """Return the number of files of a tree whose facts are not stored: the work of an update."""
        known = self._store.stored_files()
        return sum(file_key(entry) not in known for entry in tree.entries)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._store.close()

    def update(self, tree: SourceTree, seconds: float = math.inf) -> GraphUpdate:
        """Read the files of a tree that are not stored yet; later queries are about this tree.

        Args:
            seconds: processor time after which no further file is read.
        """
        self._tree = tree
        end = time.thread_time() + seconds
        try:
            return self._update_tree(tree, end)
        except sqlite3.DatabaseError as trouble:
            self._store = self._store.recreate(keep_file=not sqlite_file.is_damaged(trouble))
            return self._update_tree(tree, end)

    def _update_tree(self, tree: SourceTree, end: float = math.inf) -> GraphUpdate:
        keys = {entry.path: file_key(entry) for entry in tree.entries}
        known = self._store.stored_files()
        missing = [entry for entry in tree.entries if keys[entry.path] not in known]
        read = self._read(tree, missing, end)
        if read:
            known = self._store.stored_files()
        rows = {path: known[key] for path, key in keys.items() if key in known}
        self._queries = _Queries(self._store, rows)
        self._shrink(known, rows)
        return GraphUpdate(len(keys), read, self._queries.facts.unparsed, len(missing) - read)

    def _read(self, tree: SourceTree, missing: Sequence[IndexedFile], end: float) -> int:
        """Store the facts of files, and return how many of them until a processor time."""
        read = 0
        while read < len(missing) and time.thread_time() < end:
            batch = missing[read : read + _BATCH]
            tree.fetch(batch)
            self._store.add([(entry, _record(entry, tree)) for entry in batch])
            read += len(batch)
        return read

    def _shrink(self, known: dict[bytes, StoredFile], rows: dict[str, StoredFile]) -> None:
        """Record the files in use, and remove the others once there are many more of them."""
        self._store.mark_used(row.id for row in rows.values() if row.day != today())
        if len(known) > _SPARE * max(len(rows), _LEAST_SPARED):
            used = {row.id for row in rows.values()}
            self._store.drop([row.id for row in known.values() if row.id not in used])

    # Queries

    def facts(self, path: str) -> FileFacts:
        """Return the symbols, imports and uses of a file as they were read."""
        return self._query(lambda queries: queries.facts.facts(path))

    def symbols_in(self, path: str) -> tuple[Symbol, ...]:
        """Return the symbols of a file in source order, without the module itself."""
        return self.facts(path).symbols[1:]

    def callers(self, symbol: Symbol) -> tuple[Link, ...]:
        """Return the uses of a symbol by other symbols, resolved ones first, then by path and line."""
        return self._query(lambda queries: queries.links.callers(symbol))

    def callees(self, symbol: Symbol) -> tuple[Link, ...]:
        """Return the definitions that a symbol uses, resolved ones first, then by line."""
        return self._query(lambda queries: queries.links.callees(symbol))

    def uses_of(self, name: str) -> tuple[Link, ...]:
        """Return every use of a name, by path and line; the symbol is the one around the use."""
        return self._query(lambda queries: queries.links.uses_of(name))

    def files_defining(self, name: str) -> list[str]:
        """Return the paths of the files that define a name."""
        return self._query(lambda queries: queries.facts.files_with(name, Role.DEFINES))

    def importers(self, path: str) -> tuple[Importer, ...]:
        """Return the files that import a file, by path."""
        return self._query(lambda queries: queries.links.importers(path))

    def imported_files(self, path: str) -> tuple[str, ...]:
        """Return the files that a file imports, by path."""
        return self._query(lambda queries: queries.links.imported_files(path))

    def tests_reaching(self, symbol: Symbol, *, is_resolved: bool = False) -> tuple[Reach, ...]:
        """Return the tests that reach a symbol over at most three uses, nearest first.

        Args:
            is_resolved: exclude tests reached by equal names only.
        """
        return self._query(lambda queries: queries.links.tests_reaching(symbol, is_resolved=is_resolved))

    def siblings(self, symbol: Symbol) -> tuple[Symbol, ...]:
        """Return adjacent symbols of the same kind, and those of the same name and kind elsewhere."""
        return self._query(lambda queries: queries.links.siblings(symbol))

    def similar(self, symbol: Symbol) -> tuple[SimilarSymbol, ...]:
        """Return the functions with similar syntax, whatever their names, the most similar first."""
        return self._query(lambda queries: queries.links.similar(symbol))

    def changed_symbols(self, hunks: Sequence[ChangedCode]) -> list[Symbol]:
        """Return the innermost symbols that hunks are in, those with the most changed lines first."""
        return self._query(lambda queries: queries.evidence.changed_symbols(hunks))

    def symbols_with_words(self, words: Mapping[str, int], limit: int) -> list[Symbol]:
        """Return the symbols that share the most rare words with other code, the best first."""
        return self._query(lambda queries: symbols_with_words(queries.facts, words, limit))

    def neighbours(
        self, hunks: Sequence[ChangedCode], past: Sequence[CommitIndex] = (), limit: int = 20
    ) -> tuple[Neighbour, ...]:
        """Return the files that are near a change and not part of it, the nearest first.

        Args:
            hunks: the hunks of the change; line numbers refer to the tree that the graph indexes.
            past: the commits before the change, newest first; without them, only links and words are ranked.
        """
        return self._query(
            lambda queries: nearest(
                queries.evidence.columns(hunks, past),
                lambda path, number: queries.facts.outline(path).symbols[number],
                limit,
            )
        )

    def evidence(
        self, hunks: Sequence[ChangedCode], past: Sequence[CommitIndex] = ()
    ) -> dict[str, dict[str, Evidence]]:
        """Return the evidence that files are near a change, by ranker and path; see ``neighbours``."""
        return self._query(lambda queries: queries.evidence.columns(hunks, past))

    def _query(self, query: Callable[[_Queries], Answer]) -> Answer:
        """Run a query; a damaged store is built again, once."""
        try:
            return query(self._queries)
        except sqlite3.DatabaseError as trouble:
            if self._tree is None:
                raise
            self._store = self._store.recreate(keep_file=not sqlite_file.is_damaged(trouble))
            self._update_tree(self._tree)
            return query(self._queries)


def _record(entry: IndexedFile, tree: SourceTree) -> FileRecord:
    return read_file(entry.path, tree.read(entry))
