"""The commits before a change, from the index of the repository."""

from __future__ import annotations

from wardround.change.repository import Repository
from wardround.retrieval.commit_signals import COMMITS, CommitIndex
from wardround.retrieval.index import using


def commits_before(repository: Repository, base: str) -> list[CommitIndex]:
    """Return a commit and its ancestors, newest first; the first use in a repository reads them with git."""
    if base == repository.empty_tree:
        return []
    commits = repository.ancestors(base, COMMITS)
    return using(repository.git_dir, lambda index: index.past(commits, repository.commits_touching))
