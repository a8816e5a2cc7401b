"""The files of one revision of a repository, as checks read them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import msgspec

from wardround.text.globs import matches_whole


class RepositoryView(Protocol):
    """The rest of the repository for a check, in its state after the change."""

    def read(self, path: str) -> str | None:
        """Return the text of another file, or None if it does not exist or is not UTF-8."""

    def files_with_word(self, words: Sequence[str], patterns: Sequence[str]) -> Sequence[str]:
        """Return the paths of tracked files that match a pattern and contain one of the words, sorted."""

    def paths(self, patterns: Sequence[str]) -> Sequence[str]:
        """Return the paths of all files that match one of the glob patterns, sorted; ``*`` matches slashes
        too.
        """


class InMemoryRepository(msgspec.Struct, frozen=True):
    """A repository of one file."""

    files: Mapping[str, str] = msgspec.field(default_factory=dict)

    def read(self, path: str) -> str | None:
        return self.files.get(path)

    def files_with_word(self, words: Sequence[str], patterns: Sequence[str]) -> Sequence[str]:
        return [path for path in self.paths(patterns) if any(word in self.files[path] for word in words)]

    def paths(self, patterns: Sequence[str]) -> Sequence[str]:
        return sorted(p for p in self.files if matches_whole(p, patterns))
