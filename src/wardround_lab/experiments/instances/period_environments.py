"""The environments of the commits of one repository: one for each half of a year, with its releases."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime

import msgspec

from wardround.authoring.repair.project import python_project
from wardround.change.repository import Repository
from wardround.config.loader import read_sandbox
from wardround.config.sandbox_settings import SandboxSettings
from wardround.errors import EnvironmentUnavailable
from wardround.sandbox.choices import AUTO
from wardround.training_tasks import Commit
from wardround.workflows.environments.built import build_environment
from wardround.workflows.environments.lookup import apply_settings, limits_of, with_unbuilt_files
from wardround.workflows.environments.model import Environment
from wardround.workflows.test.plans.planning import tree_of
from wardround.workflows.test.project.projects import DetectedProject, detect_projects

_MONTHS = 6


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
        """The origin of the packages, for a person."""
        return f"Python {self.environment.version}, {self.environment.source}"


class _Build(msgspec.Struct, frozen=True):
    """The result of one build: an environment, or the reason why there is none."""

    environment: Environment | None
    problem: str = ""


class PeriodEnvironments:
    """Builds environments when they are needed first, each from the files of the newest commit of a period.

    Args:
        commits: those that may need one.
        environ: the caller's environment.
    """

    def __init__(
        self,
        repository: Repository,
        commits: Iterable[Commit],
        environ: Mapping[str, str],
        progress: Callable[[str], None],
    ) -> None:
        self._repository = repository
        self._environ = environ
        self._progress = progress
        self._newest: dict[str, Commit] = {}
        for commit in commits:
            known = self._newest.get(period_of(commit.time), commit)
            self._newest[period_of(commit.time)] = max(known, commit, key=lambda found: found.time)
        self._built: dict[tuple[str, str], _Build] = {}

    def of(self, commit: Commit, test: str) -> CommitEnvironment:
        """Return the environment of a commit for the project of a test file.

        Raises:
            EnvironmentUnavailable: it cannot be built.
        """
        project = self._project(commit.id, test)
        key = period_of(commit.time), project.root
        if key not in self._built:
            self._built[key] = self._build(self._newest[key[0]], test)
        build = self._built[key]
        if build.environment is None:
            raise EnvironmentUnavailable(build.problem)
        settings = read_sandbox(self._repository.tree(commit.id).read)
        found = with_unbuilt_files(build.environment, project, self._repository, commit.id)
        return CommitEnvironment(apply_settings(found, settings), project.root, settings)

    def _project(self, commit: str, test: str) -> DetectedProject:
        tree = tree_of(self._repository, commit)
        return python_project(detect_projects(tuple(tree.blobs), tree.text), test)

    def _build(self, commit: Commit, test: str) -> _Build:
        settings = read_sandbox(self._repository.tree(commit.id).read)
        day = day_of(commit.time)
        self._progress(f"environment of {day}")
        try:
            build = build_environment(
                self._project(commit.id, test), self._repository, commit.id,
                limits=limits_of(settings), environ=self._environ, isolation=AUTO, day=day,
            )  # fmt: skip
        except EnvironmentUnavailable as cause:
            return _Build(None, str(cause))
        return _Build(build.environment)


def period_of(time: int) -> str:
    """Return the half of a year in which a time is, as ``2021-1``."""
    date = datetime.fromtimestamp(time, UTC)
    return f"{date.year}-{1 + (date.month - 1) // _MONTHS}"


def day_of(time: int) -> str:
    """Return the day of a time in UTC, as ``2021-03-31``."""
    return datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%d")
