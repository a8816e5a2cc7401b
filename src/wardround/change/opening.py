"""Opening a change of a repository, for every front end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from wardround.change.change_source import GitChangeSource
from wardround.change.diff import Change
from wardround.change.repository import Repository
from wardround.change.revisions import require_revision


@contextmanager
def open_repository(
    folder: Path | None, change_of: Callable[[Repository], Change]
) -> Iterator[tuple[GitChangeSource, Change, Repository]]:
    """Open a change of a repository; it is readable inside the context.

    Args:
        folder: in the repository; by default the current directory.

    Raises:
        GitError: the folder is not in a repository, or the change cannot be read from it.
    """
    with Repository(folder) as repository:
        change = change_of(repository)
        yield GitChangeSource(repository, change), change, repository


def change_between(
    repository: Repository, base: str, head: str, named_by: tuple[str, str] = ("base", "head")
) -> Change:
    """Return the change from the merge base of two revisions to the second.

    Args:
        named_by: the options or fields that name the revisions, for messages.

    Raises:
        GitError: a name denotes no commit, or the two share no history.
    """
    for name, origin in zip((base, head), named_by, strict=True):
        require_revision(name, origin)
    return repository.between(base, head)
