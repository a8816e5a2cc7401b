"""The packages of the commits of one repository: for half a year those of its last day with a candidate."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from wardround.change.repository import Repository
from wardround.config.loader import read_sandbox
from wardround.errors import EnvironmentUnavailable
from wardround.training_tasks import Commit
from wardround.workflows.environments.built import build_environment
from wardround.workflows.environments.download import DownloadFailed
from wardround.workflows.environments.existing_python import described_python
from wardround.workflows.environments.lookup import limits_of
from wardround.workflows.environments.model import Environment
from wardround.workflows.test.project.projects import DetectedProject
from wardround_lab.experiments.instances.commit_environment import project_of

_MONTHS = 6
_NO_DATES = "missing an upload date"
"""A part of the warning of uv about an index that gives no dates of releases."""


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
        for commit in sorted(commits, key=lambda commit: commit.time):
            self._newest[period_of(commit.time)] = commit
        self._built: dict[tuple[str, str], _Build] = {}

    def of(self, commit: Commit, project: DetectedProject, test: str) -> Environment:
        """Return an environment for a commit; see ``Packages``."""
        key = period_of(commit.time), project.root
        if key not in self._built:
            self._built[key] = self._build(self._newest[key[0]], test)
        build = self._built[key]
        if build.environment is None:
            raise EnvironmentUnavailable(build.problem)
        return build.environment

    def _build(self, commit: Commit, test: str) -> _Build:
        day = day_of(commit.time)
        self._progress(f"environment of {day}")
        project = project_of(self._repository, commit.id, test)
        try:
            return _Build(self._environment(project, commit.id, day))
        except DownloadFailed as cause:
            if _NO_DATES not in cause.output:
                return _Build(None, str(cause))
        except EnvironmentUnavailable as cause:
            return _Build(None, str(cause))
        return self._build_without_dates(project, commit.id)

    def _build_without_dates(self, project: DetectedProject, commit: str) -> _Build:
        """Build with the present releases, which the description states."""
        try:
            found = self._environment(project, commit, "")
        except EnvironmentUnavailable as cause:
            return _Build(None, str(cause))
        source = f"{found.source} with the releases of the day of mining, as the index gives no dates"
        return _Build(msgspec.structs.replace(found, source=source))

    def _environment(self, project: DetectedProject, commit: str, day: str) -> Environment:
        settings = read_sandbox(self._repository.tree(commit).read)
        return build_environment(
            project, self._repository, commit, limits=limits_of(settings), environ=self._environ, day=day
        ).environment


class ExistingEnvironment:
    """One virtual environment for all commits.

    Args:
        prefix: its folder.

    Raises:
        EnvironmentUnavailable: its interpreter does not start.
    """

    def __init__(self, prefix: Path, root: Path) -> None:
        self._prefix = prefix
        self._root = root

    def of(self, commit: Commit, project: DetectedProject, test: str) -> Environment:
        """Return the environment; see ``Packages``."""
        return described_python(
            self._prefix, f"the environment {self._prefix.name}", self._root, project.root
        )


def period_of(time: int) -> str:
    """Return the half of a year in which a time is, as ``2021-1``."""
    date = datetime.fromtimestamp(time, UTC)
    return f"{date.year}-{1 + (date.month - 1) // _MONTHS}"


def day_of(time: int) -> str:
    """Return the day of a time in UTC, as ``2021-03-31``."""
    return datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%d")
