"""Both sides of a change as the comparisons read them: the paths of each tree, and the texts on request."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from wardround.change.change_source import GitChangeSource, decoded
from wardround.change.diff import Change
from wardround.context.code_graph.tree_files import TreeFiles, reviewed_tree, tree_at
from wardround.retrieval.index import IndexedFile

MOST_BYTES = 6_000_000
"""The limit on the size of a file that is compared."""


class Side(Protocol):
    """The files of one side."""

    @property
    def paths(self) -> Sequence[str]:
        """Every path, sorted."""

    def has(self, path: str) -> bool:
        """Return True if there is a file at a path."""

    def fetch(self, paths: Sequence[str]) -> None:
        """Announce files that ``read`` will be called for."""

    def read(self, path: str) -> str | None:
        """Return the text of a file; None if it is missing, too large or not UTF-8."""


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
        """The paths of changed files on both sides."""
        return frozenset(path for pair in self.files for path in pair if path is not None)

    def pairs(self, is_relevant: Callable[[str], bool]) -> Iterator[tuple[str, str | None]]:
        """Yield the changed files that the base has and that are relevant; the second path may be missing.

        A file that is renamed to a name that is not relevant counts as removed.
        """
        for base, head in self.files:
            if base is not None and is_relevant(base):
                yield base, head if head is not None and is_relevant(head) else None

    def text_pairs(self, is_relevant: Callable[[str], bool]) -> Iterator[TextPair]:
        """Yield the texts of the changed files that the base has and that are relevant.

        A file that cannot be read on one of the sides is left out: it is not removed.
        """
        for base, head in self.pairs(is_relevant):
            text, new = self.base.read(base), None if head is None else self.head.read(head)
            if text is not None and (head is None or new is not None):
                yield TextPair(base, text, head or base, new)


@dataclass(frozen=True)
class TextPair:
    """A file on both sides; ``head`` is None for a deleted one."""

    base_path: str
    base: str
    head_path: str
    head: str | None


@dataclass(frozen=True)
class TreeSide:
    """A side in a repository."""

    tree: TreeFiles

    @cached_property
    def _entries(self) -> dict[str, int]:
        return {entry.path: place for place, entry in enumerate(self.tree.entries)}

    @property
    def paths(self) -> Sequence[str]:
        return list(self._entries)

    def has(self, path: str) -> bool:
        return path in self._entries

    def fetch(self, paths: Sequence[str]) -> None:
        places = [self._entries[path] for path in paths if path in self._entries]
        self.tree.fetch([self.tree.entries[place] for place in places])

    def read(self, path: str) -> str | None:
        place = self._entries.get(path)
        content = None if place is None else self._content(self.tree.entries[place])
        return None if content is None or len(content) > MOST_BYTES else decoded(content)

    def _content(self, entry: IndexedFile) -> bytes | None:
        """Return the content of a file; None if a partial clone lacks it."""
        known = self.tree.contents.get(entry.blob)
        return self.tree.repository.blobs.get(entry.blob) if known is None else known


@dataclass(frozen=True)
class TextSide:
    """A side given as texts by path, which no repository has."""

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
    """Return both sides of a change in a repository."""
    repository = source.repository
    base = tree_at(repository, change.base, _any)
    head = reviewed_tree(repository, change, source, _any)
    pairs = [
        (file.base_path, None if file.status == "deleted" else file.path)
        for file in change.files
        if file.is_regular
    ]
    return Sides(TreeSide(base), TreeSide(head), pairs)


def sides_of_texts(base: Mapping[str, str], head: Mapping[str, str]) -> Sides:
    """Return two sides given as texts by path."""
    changed = [path for path in sorted(base.keys() | head.keys()) if base.get(path) != head.get(path)]
    pairs = [(path if path in base else None, path if path in head else None) for path in changed]
    return Sides(TextSide(base), TextSide(head), pairs)


def _any(path: str) -> bool:
    return True
