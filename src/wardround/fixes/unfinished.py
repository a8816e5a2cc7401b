"""Where the journal of a fix is, and whether one waits: a plain review loads this and not the journal."""

from __future__ import annotations

import os
from pathlib import Path

from wardround.storage.digest import sha256
from wardround.storage.paths import state_dir

JOURNAL = "journal.json"
_MARK = "wardround-fix"


def folder_of(git_dir: Path) -> Path:
    """Return the folder of the fixes of one repository."""
    return state_dir() / "repositories" / sha256(os.fsencode(git_dir)).hexdigest()[:16]


def mark_file(git_dir: Path) -> Path:
    """Return the file of the clone that names its journal: another clone at the same path has none."""
    return git_dir / _MARK


def is_unfinished(git_dir: Path) -> bool:
    """Return True if a fix of this clone was interrupted."""
    return mark_file(git_dir).is_file() and (folder_of(git_dir) / JOURNAL).is_file()
