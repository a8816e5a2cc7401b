"""The files of one side of a repository that name packages."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Collection, Mapping

from wardround.errors import EnvironmentUnavailable


class TreeFiles:
    """The files of one side of the repository.

    Args:
        read: path -> content; None if there is none.
    """

    def __init__(self, paths: Collection[str], read: Callable[[str], bytes | None]) -> None:
        self.paths = frozenset(paths)
        self._read = read

    def content(self, path: str) -> bytes:
        """Return the content of a file; empty if there is none."""
        return (self._read(path) or b"") if path in self.paths else b""

    def text(self, path: str) -> str | None:
        """Return the text of a file; None if there is none."""
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
