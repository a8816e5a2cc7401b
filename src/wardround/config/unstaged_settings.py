"""Configuration files whose version in the work tree differs from the staged one that a review uses."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

from wardround.change.trees import FolderTree
from wardround.config import schema
from wardround.config.config_files import settings_differ
from wardround.config.loader import folders


def unstaged_settings(
    root: Path, staged: Callable[[str], bytes | None], paths: Iterable[str], records: Iterable[str]
) -> tuple[str, ...]:
    """Return the files that configure wardround differently in the work tree than in the index, by path.

    Args:
        staged: the content of the index by path.
        paths: the files under review, whose folders may have settings.
        records: files of settings with a name of their own: baseline and dismissals.
    """
    worktree = FolderTree(root)
    names = [
        f"{folder}/{name}" if folder else name
        for folder in folders(paths)
        for name in (schema.SHARED_FILE, schema.OWN_FILE)
    ]
    differing = []
    for path in dict.fromkeys((*names, *records)):
        content = _convert_newlines(worktree.read(path)) if os.path.isfile(root / path) else None
        if content is not None and content != (before := _convert_newlines(staged(path))):
            differing += [path] if settings_differ(path, before, content, ()) else []
    return tuple(sorted(differing))


def _convert_newlines(content: bytes | None) -> bytes | None:
    return None if content is None else content.replace(b"\r\n", b"\n")
