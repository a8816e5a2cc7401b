"""Writing a plan: all of its files or none, also if the process is killed."""

from __future__ import annotations

import os
from pathlib import Path

from wardround.change.repository import Repository
from wardround.errors import UsageError
from wardround.fixes import journal
from wardround.setup_plan.model import FileChange, Plan


def apply_plan(repository: Repository, plan: Plan) -> list[str]:
    """Write the files of a plan.

    Returns:
        The paths that have changed since they were read and were not written.

    Raises:
        UsageError: a folder cannot be written, so nothing was changed.
        FixRejected: the journal cannot be written, so nothing was changed.
    """
    for change in plan.changes:
        _require_writable(repository.root, change)
    contents = {f"init-{number}": change.after for number, change in enumerate(plan.changes)}
    files = tuple(
        journal.WorktreeFile(change.path, _digest(change.before), name)
        for change, name in zip(plan.changes, contents, strict=True)
    )
    entry = journal.Journal(str(repository.root), str(repository.index_file), (), files)
    return journal.replay(repository, entry, contents)


def finish_earlier(repository: Repository) -> None:
    """Complete what an interrupted run began to write, so that the plan sees all of it."""
    journal.recover(repository)


def _digest(content: bytes | None) -> str:
    return "" if content is None else journal.digest(content)


def _require_writable(root: Path, change: FileChange) -> None:
    folder = (root / change.path).parent
    while not folder.exists() and folder != root:
        folder = folder.parent
    if not folder.is_dir() or not os.access(folder, os.W_OK | os.X_OK):
        raise UsageError(f"{folder} cannot be written, so nothing was; make it writable, and run it again")
