"""The environments of the projects of a repository, as lines of text."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wardround.change.repository import Repository
    from wardround.workflows.environments.model import Environment
    from wardround.workflows.test.project.projects import DetectedProject

_MOST_LINES = 20


def environment_lines(repo: Path | None, environ: Mapping[str, str]) -> Iterator[str]:
    """Yield a line for each project with tests: its environment, or the command that builds one."""
    from wardround.change.repository import INDEX, Repository
    from wardround.config.loader import read_sandbox
    from wardround.errors import EnvironmentUnavailable, GitError
    from wardround.workflows.environments.lookup import environment_of

    try:
        with Repository(repo) as repository:
            head = repository.head()
            settings = read_sandbox(repository.tree(head).read if head else lambda _: None)
            projects = projects_of(repository, INDEX, None)
            for project in projects[:_MOST_LINES]:
                try:
                    found = environment_of(project, repository, settings, environ=environ)
                    yield f"  {line_of(project, found)}"
                except EnvironmentUnavailable as cause:
                    yield f"  {project.root or '.'}: none: {cause}"
    except GitError:
        projects = []
    if not projects:
        yield "  no project with tests was found"
    elif len(projects) > _MOST_LINES:
        yield f"  and {len(projects) - _MOST_LINES} more: wardround environment show"


def projects_of(repository: Repository, side: str, folder: str | None) -> list[DetectedProject]:
    """Return the projects with tests, or those in one folder."""
    from wardround.retrieval.blob_text import blob_text
    from wardround.workflows.test.project.projects import detect_projects

    blobs = dict(repository.blobs_of(side))
    found = detect_projects(
        tuple(blobs), lambda path: blob_text(repository, blobs[path]) if path in blobs else None
    )
    if folder is None:
        return list(found)
    root = os.path.normpath(folder)
    return [project for project in found if project.root == ("" if root == "." else root)]


def line_of(project: DetectedProject, environment: Environment) -> str:
    """Return the line about the environment of a project."""
    name = {"python": "Python", "javascript": "Node.js"}[environment.language]
    return f"{project.root or '.'}: {name} {environment.version}, {environment.source}"
