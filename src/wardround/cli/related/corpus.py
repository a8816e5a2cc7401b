"""The files that ``wardround related`` searches."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wardround.change.repository import Repository


def searched_revision(repository: Repository, at: str | None) -> str:
    """Return the requested commit; by default the staged state, or HEAD in a bare repository.

    Raises:
        GitError: the name is not a commit.
    """
    from wardround.change.repository import INDEX
    from wardround.change.revisions import require_revision

    if at is None and not repository.bare:
        return INDEX
    return repository.commit("HEAD" if at is None else require_revision(at, "--at"))
