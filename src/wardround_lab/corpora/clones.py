"""Clones of named repositories in a folder."""

from __future__ import annotations

from pathlib import Path


def clone_of(clones: Path, name: str) -> Path | None:
    """Return the clone of a repository: ``owner/name``, ``owner+name`` or ``name`` in a folder.

    A folder that only contains the clone as ``repo`` counts, too.
    """
    owner, _, short = name.rpartition("/")
    spellings = (name, f"{owner}+{short}", short)
    folders = (clones / f"{spelling}{end}" for spelling in spellings for end in ("", ".git"))
    found = next((folder for folder in folders if folder.is_dir()), None)
    if found is None or any((found / entry).exists() for entry in (".git", "HEAD")):
        return found
    return found / "repo" if (found / "repo").is_dir() else found
