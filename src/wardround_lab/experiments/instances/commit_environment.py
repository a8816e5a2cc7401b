"""The means to run the tests of a commit, from an environment of its packages."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

import msgspec

from wardround.authoring.repair.project import python_project
from wardround.change.repository import Repository
from wardround.config.loader import read_sandbox
from wardround.config.sandbox_settings import SandboxSettings
from wardround.lazy import LazyPattern
from wardround.training_tasks import Commit
from wardround.workflows.environments.lookup import apply_settings, with_unbuilt_files
from wardround.workflows.environments.model import Environment
from wardround.workflows.environments.store import PREFIX, find_prefix, store_folder
from wardround.workflows.test.plans.planning import tree_of
from wardround.workflows.test.project.projects import DetectedProject, detect_projects
from wardround_lab.experiments.instances.model import MinedInstance

_PREFIX = "VIRTUAL_ENV"
_STORED = LazyPattern(r"\[([0-9a-f]{32}-[\d.]{1,20})\]$")


class CommitEnvironment(msgspec.Struct, frozen=True):
    """The means to run the tests of a commit.

    Attributes:
        root: the folder in which pytest runs, relative to the root of the repository.
        settings: those of the sandbox.
    """

    environment: Environment
    root: str
    settings: SandboxSettings

    @property
    def description(self) -> str:
        """The origin of the packages for a person, and the name of the environment in the store."""
        origin = f"Python {self.environment.version}, {self.environment.source}"
        prefix = Path(dict(self.environment.visible.variables).get(_PREFIX, ""))
        return origin if find_prefix(prefix) is None else f"{origin} [{prefix.parent.name}]"


class Packages(Protocol):
    """Provides the packages of the projects of one repository."""

    def of(self, commit: Commit, project: DetectedProject, test: str) -> Environment:
        """Return an environment for a commit; raise ``EnvironmentUnavailable`` if there is none.

        Args:
            test: the path of a test of the project.
        """
        ...


def commit_environment(
    repository: Repository, commit: Commit, test: str, packages: Packages
) -> CommitEnvironment:
    """Return the means to run a test file.

    Raises:
        EnvironmentUnavailable: there are no packages.
        GitError: objects are missing.
    """
    project = project_of(repository, commit.id, test)
    found = with_unbuilt_files(packages.of(commit, project, test), project, repository, commit.id)
    settings = read_sandbox(repository.tree(commit.id).read)
    return CommitEnvironment(apply_settings(found, settings), project.root, settings)


def project_of(repository: Repository, commit: str, test: str) -> DetectedProject:
    """Return the project of a test file at a commit."""
    tree = tree_of(repository, commit)
    return python_project(detect_projects(tuple(tree.blobs), tree.text), test)


def environ_of(instance: MinedInstance, environ: Mapping[str, str]) -> Mapping[str, str]:
    """Return a caller's environment in which the environment of an instance is the active one, if it is still
    in the store.
    """
    stored = _STORED.search(instance.environment)
    prefix = store_folder() / stored[1] / PREFIX if stored else Path()
    return environ if find_prefix(prefix) is None else {**environ, _PREFIX: str(prefix)}
