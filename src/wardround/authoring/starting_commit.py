"""The commit from which patches are made: a named one, or HEAD with the changes of the work tree."""

from __future__ import annotations

from wardround.change.repository import WORKTREE, Repository
from wardround.errors import UsageError

_MESSAGE = "Work tree of wardround solve\n"


def starting_commit(repository: Repository, named: str | None) -> str:
    """Return the id of the commit; one with the changes of the work tree is stored, and no branch has it.

    Raises:
        UsageError: the repository has no commit.
        GitError: the commit does not exist, or a file of the work tree cannot be read.
    """
    if named is not None:
        return repository.commit(named)
    head = repository.head()
    if head is None:
        raise UsageError(f"{repository.root} has no commit; commit the files that the task is about")
    contents = {} if repository.bare else _uncommitted_files(repository)
    return repository.commit_files(head, contents, _MESSAGE) if contents else head


def _uncommitted_files(repository: Repository) -> dict[str, bytes | None]:
    """Return the content of each changed file of the work tree; None for those that it lacks."""
    contents: dict[str, bytes | None] = {}
    for file in repository.worktree().files:
        if file.base_path not in (None, file.path):
            contents[str(file.base_path)] = None
        if file.is_regular:
            contents[file.path] = repository.content(file, WORKTREE)
    return contents
