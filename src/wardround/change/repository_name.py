"""The public name of a repository."""

from __future__ import annotations

from pathlib import Path

from wardround.change.repository import Repository
from wardround.lazy import LazyPattern

_PLAIN_NAMES = {"repo", "repository", "mirror", ".git", "git"}
_ORIGIN = LazyPattern(
    r"(?:(?:https?|ssh|git)://[^/]+/|[\w.-]+@[\w.-]+:)(?:.*/)?([\w.-]+)/([\w.-]+?)(?:\.git)?/?$"
)


def repository_name(repository: Repository) -> str:
    """Return the public name of a repository, see ``named``."""
    return find_repository_name(repository.root, repository.origin())


def find_repository_name(folder: Path, origin: str = "") -> str:
    """Return ``owner/name`` of a clone, from its origin or a directory ``owner+name``; otherwise the
    directory's name.
    """
    if match := _ORIGIN.match(origin):
        return f"{match[1]}/{match[2]}"
    parts = [folder.resolve().name, folder.resolve().parent.name]
    for part in parts:
        owner, _, name = part.partition("+")
        if owner and name:
            return f"{owner}/{name.removesuffix('.git')}"
    own = next((part for part in parts if part and part not in _PLAIN_NAMES), "repository")
    return own.removesuffix(".git")
