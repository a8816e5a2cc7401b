"""The base of an instance: the parent of a commit with the tests of the commit."""

from __future__ import annotations

from collections.abc import Iterable

from wardround.change.repository import Repository

_MESSAGE = "Tests of the next commit\n"


def commit_with_tests(repository: Repository, parent: str, commit: str, tests: Iterable[str]) -> str:
    """Store a commit that no branch has: a commit with some files of another one. Return its id.

    Equal arguments return the same id in every clone.

    Raises:
        GitError: one of the commits does not exist.
    """
    tree = repository.tree(commit)
    return repository.commit_files(parent, {path: tree.read(path) for path in tests}, _MESSAGE)
