"""The public name of a repository."""

from __future__ import annotations

import subprocess
from pathlib import Path

from wardround.change.repository import Repository

_GIT_FOLDERS = frozenset({".git", "repo", "repo.git"})
"""Names of git folders that identify no repository; the folder above does."""


def repository_name(repository: Repository) -> str:
    """Return ``owner/name`` of a repository's ``origin``, else the name of its folder.

    A folder ``OWNER+NAME`` is a mirror of ``OWNER/NAME``.
    """
    command = ["git", "-C", str(repository.root), "config", "--get", "remote.origin.url"]
    url = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False).stdout
    return _of_url(url.strip()) or _of_folder(repository.root)


def _of_url(url: str) -> str:
    """Return the last two parts of an address; empty for the path of a folder."""
    if "://" not in url and not ("@" in url and ":" in url):
        return ""
    _, _, path = url.rpartition("://")
    parts = [
        part for part in path.replace(":", "/").removesuffix("/").removesuffix(".git").split("/") if part
    ]
    return "/".join(parts[-2:]) if len(parts) > 2 else ""


def _of_folder(root: Path) -> str:
    folder = root.parent if root.name in _GIT_FOLDERS else root
    return folder.name.removesuffix(".git").replace("+", "/", 1)
