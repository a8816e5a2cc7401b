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
    if repository.bare:
        return head
    change = repository.worktree()
    renamed = (file.base_path for file in change.files if file.base_path not in (None, file.path))
    contents: dict[str, bytes | None] = {path: None for path in renamed if path is not None}
    contents |= {file.path: repository.content(file, WORKTREE) for file in change.files if file.is_regular}
    return repository.commit_files(head, contents, _MESSAGE) if contents else head
