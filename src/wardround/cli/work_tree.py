"""The work tree around the current directory, for commands that also run outside a repository."""

from __future__ import annotations

from pathlib import Path

from wardround.errors import GitError


def current_work_tree() -> Path | None:
    """Return the root of the repository in the current directory; None outside of one."""
    from wardround.change.repository import Repository

    try:
        with Repository(None) as repository:
            return repository.root
    except GitError:
        return None
