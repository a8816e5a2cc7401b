from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wardround.cli.change_options import repo_option
from wardround.cli.messages import echo_err
from wardround.cli.project_environments import line_of, projects_of
from wardround.cli.run import emit_line, progress_line
from wardround.cli.sandbox_option import sandbox_option

if TYPE_CHECKING:
    from wardround.change.repository import Repository
    from wardround.config.sandbox_settings import SandboxSettings
    from wardround.workflows.test.project.projects import DetectedProject

_INCONCLUSIVE = 4
_FOLDER = click.argument("folder", required=False)
_COMMIT = click.option(
    "--rev", metavar="REF", help="Read the lock files of a commit (default: the staged ones)."
)


@click.group("environment")
def command() -> None:
    """Show or build the environments in which the tests of a repository run."""


@command.command("show")
@_FOLDER
@_COMMIT
@repo_option
def show(folder: str | None, rev: str | None, repo: Path | None) -> int:
    """Print the environment of each project, or of the one in FOLDER.

    Exit status: 4 if a project has none.
    """
    from wardround.workflows.environments.lookup import environment_of

    def find(
        project: DetectedProject, found: Repository, side: str, settings: SandboxSettings
    ) -> Iterator[str]:
        yield line_of(project, environment_of(project, found, settings, side=side))

    return _for_each(folder, rev, repo, find)


@command.command("build")
@_FOLDER
@_COMMIT
@sandbox_option
@repo_option
def build(folder: str | None, rev: str | None, sandbox: str | None, repo: Path | None) -> int:
    """Build the environment of each project, or of the one in FOLDER, from its lock file.

    Everything runs in the sandbox: package managers with a network of registries only, and builds of packages
    and projects, and install scripts, without any. The result is in the cache folder. Exit status: 4 if an
    environment could not be built.
    """
    from wardround.workflows.environments.built import build_environment
    from wardround.workflows.environments.lookup import limits_of

    def make(
        project: DetectedProject, found: Repository, side: str, settings: SandboxSettings
    ) -> Iterator[str]:
        with progress_line() as progress:
            done = build_environment(
                project, found, side, limits=limits_of(settings), environ=os.environ,
                isolation=sandbox or settings.backend, progress=progress,
                registries=settings.registries, git_sources=settings.git_sources,
                private_registries=settings.private_registries,
            )  # fmt: skip
        yield line_of(project, done.environment) + ("" if done.is_new else ", built before")
        yield from (f"  {failure}" for failure in done.failed)

    return _for_each(folder, rev, repo, make)


def _for_each(
    folder: str | None,
    rev: str | None,
    repo: Path | None,
    act: Callable[[DetectedProject, Repository, str, SandboxSettings], Iterator[str]],
) -> int:
    """Act on each project and print the results; a project that fails does not end the others."""
    from wardround.change.repository import INDEX, Repository
    from wardround.errors import EnvironmentUnavailable, UsageError

    status = 0
    with Repository(repo) as repository:
        side = INDEX if rev is None else repository.commit(rev)
        settings = _settings(repository)
        projects = projects_of(repository, side, folder)
        if not projects:
            raise UsageError(
                "no project with tests was found in the repository" + f" at {folder}" * bool(folder)
            )
        for project in projects:
            try:
                for line in act(project, repository, side, settings):
                    emit_line(line)
            except EnvironmentUnavailable as cause:
                echo_err(f"wardround: {project.root or '.'}: {cause}")
                status = _INCONCLUSIVE
    return status


def _settings(repository: Repository) -> SandboxSettings:
    """Read the settings of HEAD, with the package indexes configured on the default branch of the remote.

    HEAD may be a change of others. A clone that knows no remote has no other base than HEAD.
    """
    import msgspec

    from wardround.config.loader import read_sandbox

    head = repository.head()
    base = repository.blobs.commit("refs/remotes/origin/HEAD") or head
    own, reviewed = (
        read_sandbox(repository.tree(side).read if side else lambda _: None) for side in (head, base)
    )
    return msgspec.structs.replace(
        own,
        registries=reviewed.registries,
        git_sources=reviewed.git_sources,
        private_registries=reviewed.private_registries,
    )
