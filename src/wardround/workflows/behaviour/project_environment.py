"""The environment in which changed functions run: that of the Python project with most changed files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from wardround.change.diff import Change
from wardround.change.repository import Repository
from wardround.config.loader import read_sandbox
from wardround.errors import EnvironmentUnavailable
from wardround.workflows.environments.lookup import environment_of
from wardround.workflows.environments.model import Environment
from wardround.workflows.test.plans.planning import tree_of
from wardround.workflows.test.project.projects import DetectedProject, detect_projects

_PYTHON = "python"


def environment_for(
    repository: Repository,
    change: Change,
    environ: Mapping[str, str],
    progress: Callable[[str], None] = lambda text: None,
) -> Environment:
    """Return the environment of the base, or else of the head, with the settings of the sandbox of the base.

    Raises:
        EnvironmentUnavailable: there is none.
        ConfigError: the settings of the sandbox are not valid.
    """
    tree = tree_of(repository, change.base)
    project = _project(change, detect_projects(tuple(tree.blobs), tree.text))
    settings = read_sandbox(repository.tree(change.base).read)
    find = partial(environment_of, project, repository, settings, environ=environ, progress=progress)
    try:
        return find(side=change.base)
    except EnvironmentUnavailable:
        return find(side=change.head)  # with other packages if the change replaces some


def _project(change: Change, projects: Sequence[DetectedProject]) -> DetectedProject:
    """Return the innermost project around most changed files; without one, the top of the repository."""
    files = [file.path for file in change.files if file.path.endswith(".py")]
    own = [candidate for candidate in projects if candidate.language == _PYTHON]

    def rank(project: DetectedProject) -> tuple[int, int]:
        prefix = f"{project.root}/" if project.root else ""
        return sum(path.startswith(prefix) for path in files), len(prefix)

    return max(own, key=rank, default=DetectedProject("", _PYTHON, (), ()))
