"""Folders of a repository."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator


def folder_and_above(folder: str) -> Iterator[str]:
    """Yield a folder and those around it, the root of the repository last."""
    yield folder
    while folder:
        folder = posixpath.dirname(folder)
        yield folder
