"""The files that ``wardround related`` searches."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wardround.change.repository import Repository

_LONGEST_FILE = 1024 * 1024
"""Bytes; what is longer was not written by people."""


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


def text_of(repository: Repository, blob: str) -> str | None:
    """Return the text of a blob; None if it is too long, missing, or not UTF-8."""
    from wardround.change.change_source import decode_text

    content = repository.blobs.get(blob)
    return None if content is None or len(content) > _LONGEST_FILE else decode_text(content)
