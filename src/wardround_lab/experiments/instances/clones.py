"""The clones of repositories by the names that instances have."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from wardround_lab.corpora.git_history import HistoryLimits, RepositoryHistory


def named_clones(locations: Iterable[str]) -> dict[str, Path]:
    """Return name -> folder of clones or mirrors.

    Args:
        locations: ``NAME=PATH``, or a path, whose name is that of its remote, else of the folder.

    Raises:
        GitError: a path is not a repository.
    """
    return dict(map(_named_clone, locations))


def _named_clone(location: str) -> tuple[str, Path]:
    name, equals, path = location.partition("=")
    if equals and name and not Path(location).exists():
        return name, Path(path)
    with RepositoryHistory(Path(location), None, HistoryLimits()) as history:
        return history.repository, Path(location)
