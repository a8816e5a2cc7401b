"""The Python project of some tests, and the way to run them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec

from wardround.change.repository import Repository
from wardround.config.loader import read_sandbox
from wardround.errors import UsageError
from wardround.workflows.environments.lookup import apply_settings, environment_of
from wardround.workflows.environments.model import Environment
from wardround.workflows.test.plans.planning import tree_of
from wardround.workflows.test.project.projects import DetectedProject, detect_projects

_PYTHON = "python"
Packages = Callable[[DetectedProject, str], Environment]
"""Returns the environment of a project at a commit; raises ``EnvironmentUnavailable``."""


class ProjectRun(msgspec.Struct, frozen=True):
    """The settings with which tests of a project run.

    Attributes:
        root: the folder in which pytest runs, relative to the root of the repository.
    """

    environment: Environment
    isolation: str
    root: str


def project_run(
    repository: Repository,
    base: str,
    tests: Sequence[str],
    isolation: str,
    environ: Mapping[str, str],
    progress: Callable[[str], None],
    packages: Packages | None = None,
) -> ProjectRun:
    """Return the way to run tests of one project.

    Args:
        isolation: the requested one; empty for the configured one.
        packages: provides the environment; None for that of the settings, or the caller's.

    Raises:
        UsageError: the tests are of several projects, or not of Python.
        EnvironmentUnavailable: the project has no environment.
    """
    tree = tree_of(repository, base)
    paths = [test.partition("::")[0] for test in tests]
    for path in paths:
        if not path.endswith(".py") or path not in tree.blobs:
            raise UsageError(f"{path}: the test file does not exist, or is not Python; give an id of pytest")
    projects = detect_projects(tuple(tree.blobs), tree.text)
    found = {project.root: project for project in (python_project(projects, path) for path in paths)}
    if len(found) > 1:
        raise UsageError(f"the tests are of the projects {', '.join(sorted(found))}; give those of one")
    (project,) = found.values()
    settings = read_sandbox(repository.tree(base).read)
    if packages is None:
        environment = environment_of(
            project, repository, settings, side=base, environ=environ, progress=progress
        )
    else:
        environment = apply_settings(packages(project, base), settings)
    return ProjectRun(environment, isolation or settings.backend, project.root)


def python_project(projects: Sequence[DetectedProject], path: str) -> DetectedProject:
    """Return the innermost project of Python above a file."""
    own = [
        project
        for project in projects
        if project.language == _PYTHON and (not project.root or path.startswith(f"{project.root}/"))
    ]
    return max(own, key=lambda project: len(project.root), default=DetectedProject("", _PYTHON, (), ()))
