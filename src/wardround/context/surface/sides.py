"""Base and head as the comparisons read them: the paths of each tree, and the contents on request."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from wardround.change.change_source import GitChangeSource, decode_text
from wardround.change.diff import Change
from wardround.context.code_graph.tree_files import TreeFiles, reviewed_tree, tree_at
from wardround.retrieval.index import IndexedFile

MOST_BYTES = 6_000_000
"""Maximum number of the size of a file that is compared."""


class Side(Protocol):
    """The files at base or head."""

    @property
    def paths(self) -> Sequence[str]:
        """Every path, sorted."""

    def has(self, path: str) -> bool:
        """Return True if there is a file at a path."""

    def fetch(self, paths: Sequence[str]) -> None:
        """Announce files that ``read`` will be called for."""

    def read(self, path: str) -> str | None:
        """Return the content of a file; None if it is missing, too large or not UTF-8."""


@dataclass(frozen=True)
class Sides:
    """A change of a tree.

    Attributes:
        files: the changed files as pairs of the path at the base and at the head; None where it is missing.
    """

    base: Side
    head: Side
    files: Sequence[tuple[str | None, str | None]]

    @property
    def changed_paths(self) -> frozenset[str]:
        """The paths of changed files at base and head."""
        return frozenset(path for pair in self.files for path in pair if path is not None)

    def pairs(self, is_relevant: Callable[[str], bool]) -> Iterator[tuple[str, str | None]]:
        """Yield the changed files that the base has and that are relevant; the second path may be missing.

        A file that is renamed to a name that is not relevant counts as removed.
        """
        for base, head in self.files:
            if base is not None and is_relevant(base):
                yield base, head if head is not None and is_relevant(head) else None

    def text_pairs(self, is_relevant: Callable[[str], bool]) -> Iterator[TextPair]:
        """Yield the contents of the relevant changed files that exist at the base.

        A file that cannot be read at base or head is skipped: it is not removed.
        """
        for base, head in self.pairs(is_relevant):
            text, new = self.base.read(base), None if head is None else self.head.read(head)
            if text is not None and (head is None or new is not None):
                yield TextPair(base, text, head or base, new)


@dataclass(frozen=True)
class TextPair:
    """A file at base and head; ``head`` is None for a deleted one."""

    base_path: str
    base: str
    head_path: str
    head: str | None


@dataclass(frozen=True)
class TreeSide:
    """The tree of a revision in a repository."""

    tree: TreeFiles

    @cached_property
    def _entries(self) -> dict[str, int]:
        return {entry.path: location for location, entry in enumerate(self.tree.entries)}

    @property
    def paths(self) -> Sequence[str]:
        return list(self._entries)

    def has(self, path: str) -> bool:
        return path in self._entries

    def fetch(self, paths: Sequence[str]) -> None:
        locations = [self._entries[path] for path in paths if path in self._entries]
        self.tree.fetch([self.tree.entries[location] for location in locations])

    def read(self, path: str) -> str | None:
        location = self._entries.get(path)
        content = None if location is None else self._read_content(self.tree.entries[location])
        return None if content is None or len(content) > MOST_BYTES else decode_text(content)

    def _read_content(self, entry: IndexedFile) -> bytes | None:
        """Return the content of a file; None if a partial clone lacks it."""
        known = self.tree.contents.get(entry.blob)
        return self.tree.repository.blobs.get(entry.blob) if known is None else known


@dataclass(frozen=True)
class TextSide:
    """An in-memory tree of texts by path, which belongs to no repository."""

    texts: Mapping[str, str]

    @property
    def paths(self) -> Sequence[str]:
        return sorted(self.texts)

    def has(self, path: str) -> bool:
        return path in self.texts

    def fetch(self, paths: Sequence[str]) -> None:
        """Do nothing: the texts are in memory."""

    def read(self, path: str) -> str | None:
        return self.texts.get(path)


def sides_of(source: GitChangeSource, change: Change) -> Sides:
    """Return base and head of a change in a repository."""
    repository = source.repository
    base = tree_at(repository, change.base, _is_any_path)
    head = reviewed_tree(repository, change, source, _is_any_path)
    pairs = [
        (file.base_path, None if file.status == "deleted" else file.path)
        for file in change.files
        if file.is_regular
    ]
    return Sides(TreeSide(base), TreeSide(head), pairs)


def sides_of_texts(base: Mapping[str, str], head: Mapping[str, str]) -> Sides:
    """Return a base and a head that are given as contents by path."""
    changed = [path for path in sorted(base.keys() | head.keys()) if base.get(path) != head.get(path)]
    pairs = [(path if path in base else None, path if path in head else None) for path in changed]
    return Sides(TextSide(base), TextSide(head), pairs)


def _is_any_path(path: str) -> bool:
    return True
