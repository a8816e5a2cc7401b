"""The files of a tree that the graph indexes, read from git objects.

Nothing is read from the work tree, except the changed files if a change of the work tree is reviewed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from wardround.change.change_source import ChangeSource
from wardround.change.diff import Change, ChangedFile, FileStatus
from wardround.change.repository import INDEX, WORKTREE, Repository
from wardround.context.code_graph.extraction import is_indexed
from wardround.retrieval.index import IndexedFile

_SHA1_HEX = 40


class SourceTree(Protocol):
    """The indexed files of a tree, and their contents."""

    @property
    def entries(self) -> Sequence[IndexedFile]:
        """The files by path."""

    def fetch(self, entries: Sequence[IndexedFile]) -> None:
        """Announce files that ``read`` will be called for."""

    def read(self, entry: IndexedFile) -> bytes:
        """Return the content of a file; empty if it is missing."""


@dataclass(frozen=True)
class TreeFiles:
    """The indexed files of a tree.

    Attributes:
        entries: by path.
        contents: object id -> content, of files that git has no object of.
    """

    repository: Repository
    entries: Sequence[IndexedFile]
    contents: Mapping[str, bytes] = field(default_factory=dict)

    def fetch(self, entries: Sequence[IndexedFile]) -> None:
        """Read the contents of several files with one request, for ``read``."""
        self.repository.blobs.fetch(entry.blob for entry in entries if entry.blob not in self.contents)

    def read(self, entry: IndexedFile) -> bytes:
        """Return the content of a file; empty if its object is missing."""
        if entry.blob in self.contents:
            return self.contents[entry.blob]
        return self.repository.blobs.get(entry.blob) or b""


def tree_at(repository: Repository, revision: str, includes: Callable[[str], bool] = is_indexed) -> TreeFiles:
    """Return the files of a commit, or of the index.

    Args:
        revision: an object id, or ``INDEX``.
        includes: returns True for the paths to list; by default those that the graph indexes.
    """
    if revision == repository.empty_tree:
        return TreeFiles(repository, ())
    found = (IndexedFile(path, blob) for path, blob in repository.blobs_of(revision) if includes(path))
    return TreeFiles(repository, tuple(found))


def reviewed_tree(
    repository: Repository,
    change: Change,
    source: ChangeSource,
    includes: Callable[[str], bool] = is_indexed,
) -> TreeFiles:
    """Return the files of the reviewed version of a change.

    For the index and the work tree it is the tree of the base with the changed files, so that git reads no
    index of many thousand entries, and no file that is not under review is read from the disk.
    """
    if change.head not in (INDEX, WORKTREE):
        return tree_at(repository, change.head, includes)
    base = tree_at(repository, change.base, includes)
    entries = {entry.path: entry for entry in base.entries}
    contents: dict[str, bytes] = {}
    for file in change.files:
        if file.base_path is not None and file.status is not FileStatus.COPIED:
            entries.pop(file.base_path, None)
        if not _is_included(file, includes):
            entries.pop(file.path, None)
            continue
        blob = file.head_blob if change.head == INDEX else None
        if blob is None:
            content = source.content(file) or b""
            blob = _object_id(repository, content)
            contents[blob] = content
        entries[file.path] = IndexedFile(file.path, blob)
    return TreeFiles(repository, tuple(sorted(entries.values())), contents)


def _is_included(file: ChangedFile, includes: Callable[[str], bool]) -> bool:
    return file.status is not FileStatus.DELETED and file.is_regular and includes(file.path)


def _object_id(repository: Repository, content: bytes) -> str:
    """Return the id that git gives to content, so that committing it changes no key."""
    data = b"blob %d\0" % len(content) + content
    if len(repository.empty_tree) == _SHA1_HEX:
        return hashlib.sha1(data, usedforsecurity=False).hexdigest()
    return hashlib.sha256(data).hexdigest()
