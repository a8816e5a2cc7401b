"""Building the missing environments of a change before a CI run runs it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from wardround.cli.messages import echo_err

if TYPE_CHECKING:
    from wardround.change.repository import Repository
    from wardround.config.sandbox_settings import SandboxSettings
    from wardround.workflows.test.project.projects import DetectedProject


def build_missing(root: Path, base: str, head: str, isolation: str | None) -> None:
    """Build the environments that the projects of base and head lack, with the sandbox settings of the base.

    This uses the network. A failure is reported on standard error; the review then states that nothing ran.

    Args:
        isolation: sandbox backend of the builds; None for the configured one.
    """
    from wardround.change.repository import Repository
    from wardround.config.loader import read_sandbox
    from wardround.errors import WardroundError

    try:
        with Repository(root) as repository:
            settings = read_sandbox(repository.tree(base).read)
            for side in (head, base):
                for line in _build_missing(repository, side, settings, isolation or settings.backend):
                    echo_err(f"wardround: {line}")
    except WardroundError as cause:
        echo_err(f"wardround: no environment was built: {cause}")


def _build_missing(
    repository: Repository, side: str, settings: SandboxSettings, isolation: str
) -> Iterator[str]:
    """Build the missing environments of base or head; yield a line for each that is new or failed."""
    from wardround.cli.project_environments import line_of, projects_of
    from wardround.errors import EnvironmentUnavailable, UsageError
    from wardround.workflows.environments.built import build_environment
    from wardround.workflows.environments.lookup import limits_of

    for project in projects_of(repository, side, None):
        if _is_built(project, repository, side, settings):
            continue
        try:
            done = build_environment(
                project,
                repository,
                side,
                limits=limits_of(settings),
                environ=os.environ,
                isolation=isolation,
                registries=settings.registries,
                git_sources=settings.git_sources,
                private_registries=settings.private_registries,
            )
        except (EnvironmentUnavailable, UsageError) as cause:
            yield f"{project.root or '.'}: {cause}"
        else:
            yield f"built {line_of(project, done.environment)}"


def _is_built(project: DetectedProject, repository: Repository, side: str, settings: SandboxSettings) -> bool:
    from wardround.errors import EnvironmentUnavailable
    from wardround.workflows.environments.lookup import environment_of

    try:
        environment_of(project, repository, settings, side=side)
    except EnvironmentUnavailable:
        return False
    return True
