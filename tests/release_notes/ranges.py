"""Ranges of small repositories with published packages, and their breaking changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from textwrap import dedent

from tests.conftest import GitRepository
from wardround.change.change_source import GitChangeSource
from wardround.change.repository import Repository
from wardround.release_notes.model import NotesCommit, Statement
from wardround.release_notes.surfaces.additions import Addition, additions
from wardround.release_notes.surfaces.breaking import BreakingChanges, breaking_changes

PYPROJECT = """
    [build-system]
    requires = ["hatchling"]

    [project]
    name = "shop"
    requires-python = "{python}"
"""
SCRIPTS = """
    [project.scripts]
    shop = "shop.cli:main"
"""
PACKAGE = """
    {{
      "name": "till", "version": "1.0.0", "main": "./index.ts", "engines": {{"node": "{node}"}}
    }}
"""


def commit(repo: GitRepository, message: str, files: Mapping[str, str]) -> str:
    """Commit dedented files, and return the id of the commit."""
    return repo.commit({path: dedent(text) for path, text in files.items()}, message)


def new_repository(root: Path) -> GitRepository:
    """Create a repository with the branch main."""
    root.mkdir(exist_ok=True)
    repository = GitRepository(root)
    repository.git("init", "--quiet", "--initial-branch=main")
    return repository


def notes_commits(repo: GitRepository, base: str, head: str) -> list[NotesCommit]:
    """Return the commits of a range, and for merges what they merged."""
    form = "--format=%x00%H%x01%P%x01%s%x01%ct%x01%b"
    rows = repo.git("log", "--topo-order", "--reverse", form, head, f"^{base}").split("\0")[1:]
    found = []
    for row in rows:
        name, parents, subject, time, body = row.split("\x01")
        is_merge = len(parents.split()) > 1
        merged = repo.git("rev-list", "--reverse", f"{name}^2", f"^{name}^1").split() if is_merge else ()
        found.append(NotesCommit(name, subject, body.strip(), int(time), merged=tuple(merged)))
    return found


@contextmanager
def _range(root: Path, base: str, head: str) -> Iterator[GitChangeSource]:
    with Repository(root) as repository:
        change = repository.range(repository.commit(base), repository.commit(head))
        yield GitChangeSource(repository, change)


def breaks(repo: GitRepository, base: str = "v1", head: str = "HEAD") -> BreakingChanges:
    """Return the breaking changes of a range."""
    commits = notes_commits(repo, base, head)
    with _range(repo.root, base, head) as source:
        return breaking_changes(source, commits)


def gains(repo: GitRepository, base: str = "v1", head: str = "HEAD") -> tuple[Addition, ...]:
    """Return the additions of a range."""
    with _range(repo.root, base, head) as source:
        return additions(source)


def statement(found: BreakingChanges, text: str) -> Statement:
    """Return the only statement with a text."""
    same = [item for item in found.statements if item.text == text]
    assert len(same) == 1, [item.text for item in found.statements]
    return same[0]


def migration(found: BreakingChanges, text: str) -> str:
    """Return the migration of the statement with a text."""
    form = statement(found, text).breaking
    assert form is not None
    return form.migration
