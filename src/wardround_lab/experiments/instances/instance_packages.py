"""The packages with which the tests of an instance run: those of its day, as when it was mined."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from wardround.authoring.repair.project import Packages
from wardround.change.repository import Repository
from wardround.config.loader import read_sandbox
from wardround.lazy import LazyPattern
from wardround.workflows.environments.built import build_environment
from wardround.workflows.environments.lookup import limits_of, with_unbuilt_files
from wardround.workflows.environments.model import Environment
from wardround.workflows.test.project.projects import DetectedProject
from wardround_lab.experiments.instances.model import MinedInstance

_BUILT = LazyPattern(r"\bthe environment built from\b")
_DAY = LazyPattern(r"\breleases of (\d{4}-\d\d-\d\d)\b")


def packages_of(
    repository: Repository,
    mined: MinedInstance,
    environ: Mapping[str, str],
    progress: Callable[[str], None],
) -> Packages | None:
    """Return the provider of the environment that an instance names; None if it names none that was built.

    An environment that the store lacks is built when it is needed first.

    Args:
        environ: the caller's environment.
    """
    if not _BUILT.search(mined.environment):
        return None
    day = _DAY.search(mined.environment)

    def packages(project: DetectedProject, commit: str) -> Environment:
        settings = read_sandbox(repository.tree(mined.parent).read)
        progress(f"environment of {mined.repository}")
        build = build_environment(
            project, repository, mined.parent, limits=limits_of(settings), environ=environ,
            day="" if day is None else day[1],
        )  # fmt: skip
        return with_unbuilt_files(build.environment, project, repository, commit)

    return packages
