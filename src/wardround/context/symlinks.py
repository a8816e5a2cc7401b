"""Symbolic links of a change that leave the repository."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from wardround.change.change_source import ChangeSource
from wardround.change.diff import ChangedFile
from wardround.findings import Unreviewed


def unreviewed_link(source: ChangeSource, file: ChangedFile) -> Unreviewed | None:
    """Report a link to a file outside the repository, which is not under review; None for other links."""
    content = source.content(file)
    target = os.fsdecode(content) if content is not None else _target_on_disk(source.root / file.path)
    if target is None or not leaves_repository(file.path, target):
        return None
    reason = f"it is a symbolic link to {target!r}, outside the repository; link to a tracked file"
    return Unreviewed(file.path, "wardround", "git", reason)


def _target_on_disk(path: Path) -> str | None:
    """Return the target of a link of the work tree."""
    with suppress(OSError):
        return os.readlink(path)
    return None


def leaves_repository(path: str, target: str) -> bool:
    """Return True if a link at a path has a target outside the repository."""
    resolved = os.path.normpath(os.path.join(os.path.dirname(path), target))
    return target.startswith("/") or resolved == ".." or resolved.startswith("../")
