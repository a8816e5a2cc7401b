"""The files of a repository and its remote, from which a plan is made."""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path, PurePosixPath

from wardround.change.repository import WORKTREE, Repository
from wardround.setup_plan.wardround_source import host_of


class Surroundings:
    """A repository as its work tree is, committed or not.

    Attributes:
        root: the top of the work tree, where git hooks and pipelines are configured.
        paths: tracked files and untracked ones that git does not ignore.
    """

    def __init__(self, repository: Repository) -> None:
        self.root = repository.root
        self._origin = repository.origin()
        self.paths = frozenset(repository.tracked_paths(WORKTREE))

    @cached_property
    def host(self) -> str:
        """The host name of the remote ``origin``, in lower case; empty if there is none."""
        return host_of(self._origin)

    def first_of(self, *paths: str) -> str | None:
        """Return the first of these paths that exists, also as a broken link."""
        return next((path for path in paths if os.path.lexists(self.root / path)), None)

    def content(self, path: str) -> bytes | None:
        """Return the content of a regular file; None for anything else, or if it cannot be read."""
        file = self.root / path
        try:
            return file.read_bytes() if file.is_file() and not self.has_link(path) else None
        except OSError:
            return None

    def has_link(self, path: str) -> bool:
        """Return True if the path or a folder above it is a symbolic link."""
        parts = [path, *map(str, PurePosixPath(path).parents)]
        return any(Path(self.root / part).is_symlink() for part in parts if part != ".")

    def texts(self, folder: str, suffixes: tuple[str, ...]) -> dict[str, str]:
        """Return the text of the files below a folder with one of the suffixes, by path."""
        found = {}
        for path in sorted(self.paths):
            if path.startswith(folder) and path.endswith(suffixes):
                found[path] = (self.content(path) or b"").decode("utf-8", "replace")
        return found
