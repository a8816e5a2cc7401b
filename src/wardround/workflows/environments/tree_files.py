"""The files of a repository at base or head that name packages."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cached_property

from wardround.change.repository import WORKTREE, Repository
from wardround.errors import EnvironmentUnavailable


class TreeFiles:
    """The files of the repository at base or head.

    Args:
        read: path -> content; None if there is none.
        blobs: returns path and object id of every file; without it, ids are those of the contents.
    """

    def __init__(
        self,
        paths: Collection[str],
        read: Callable[[str], bytes | None],
        blobs: Callable[[], Iterable[tuple[str, str]]] = tuple,
    ) -> None:
        self.paths = frozenset(paths)
        self._read = read
        self._read_blobs = blobs

    @cached_property
    def _blobs(self) -> Mapping[str, str]:
        return dict(self._read_blobs())

    def digest(self, path: str) -> str:
        """Return the id that git gives to the content of a file."""
        if found := self._blobs.get(path):
            return found
        content = self.content(path)
        return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()

    def content(self, path: str) -> bytes:
        """Return the content of a file; empty if there is none."""
        return (self._read(path) or b"") if path in self.paths else b""

    def text(self, path: str) -> str | None:
        """Return the content of a file; None if there is none."""
        return self.content(path).decode("utf-8-sig", "replace") if path in self.paths else None

    def names(self, folder: str) -> list[str]:
        """Return the names of the files directly in a folder, sorted."""
        stem = f"{folder}/" if folder else ""
        names = (path.removeprefix(stem) for path in self.paths if path.startswith(stem))
        return sorted(name for name in names if "/" not in name)

    def table(self, path: str) -> Mapping[str, object]:
        """Return a TOML file; empty if there is none.

        Raises:
            EnvironmentUnavailable: it is not valid.
        """
        try:
            return tomllib.loads(self.text(path) or "")
        except (ValueError, RecursionError) as cause:
            raise EnvironmentUnavailable(f"{path} is not valid TOML: {cause}; correct it") from cause


def files_of(repository: Repository, side: str) -> TreeFiles:
    """Return the files of a repository at base or head."""
    blobs = (lambda: ()) if side == WORKTREE else (lambda: repository.blobs_of(side))
    return TreeFiles(repository.tracked_paths(side), repository.tree(side).read, blobs)
