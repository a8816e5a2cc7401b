"""The files that a build added to its tree, as a generated version or a compiled module."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Collection, Iterator
from pathlib import Path

from wardround.workflows.environments.project_build import ARCHIVE, OUT
from wardround.workflows.environments.store import TREE

_OUTPUTS = frozenset({"build", "dist"})
_LEFT_OUT = frozenset({OUT, ARCHIVE, "__pycache__", ".git", ".eggs", ".pytest_cache", ".cache", ".npm"})
_LEFT_OUT_ENDINGS = (".egg-info", ".pyc", ".o", ".log")


def keep_added(
    root: Path, tracked: Collection[str], built: Path, *, is_output_kept: bool = False
) -> tuple[str, ...]:
    """Move the files that a build added to a tree into a built environment; return the outermost paths.

    No link is followed: the processes of the build have ended, and only they could exchange a folder.

    Args:
        is_output_kept: False for builds whose folders of outputs no test uses.
    """
    left_out = _LEFT_OUT if is_output_kept else _LEFT_OUT | _OUTPUTS
    folders = {""}
    for path in tracked:
        while path := posixpath.dirname(path):
            if path in folders:
                break
            folders.add(path)
    found = sorted(_added(root, "", frozenset(tracked), folders, left_out))
    for path in found:
        target = built / TREE / path
        target.parent.mkdir(parents=True, exist_ok=True)
        os.rename(root / path, target)
    return tuple(found)


def _added(
    root: Path, folder: str, tracked: Collection[str], folders: Collection[str], left_out: Collection[str]
) -> Iterator[str]:
    with os.scandir(root / folder) as entries:
        for entry in sorted(entries, key=lambda one: one.name):
            path = posixpath.join(folder, entry.name)
            if entry.name in left_out or entry.name.endswith(_LEFT_OUT_ENDINGS) or path in tracked:
                continue
            if path not in folders:
                yield path
            elif entry.is_dir(follow_symlinks=False):
                yield from _added(root, path, tracked, folders, left_out)
