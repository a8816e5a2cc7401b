"""The environments of the store, as runs use them, and the build of missing ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec

from wardround.change.repository import Repository
from wardround.config.sandbox_settings import PrivateRegistry
from wardround.errors import EnvironmentUnavailable, UsageError
from wardround.sandbox.choices import AUTO, ENGINES, NONE
from wardround.sandbox.model import Limits, Visible
from wardround.workflows.environments.conditions import BuildConditions
from wardround.workflows.environments.existing_node import PACKAGES, existing_node, node
from wardround.workflows.environments.model import Environment
from wardround.workflows.environments.requirements import normal
from wardround.workflows.environments.source_folders import source_folders
from wardround.workflows.environments.store import (
    PREFIX,
    TREE,
    BuiltEnvironment,
    find_built,
    find_prefix,
    remove_unused,
    store_folder,
)
from wardround.workflows.environments.tree_files import TreeFiles, files_of
from wardround.workflows.test.project.projects import DetectedProject


class Build(msgspec.Struct, frozen=True):
    """An environment, and a sentence for each install script that failed."""

    environment: Environment
    is_new: bool
    failed: tuple[str, ...] = ()


def built_environment(
    project: DetectedProject, repository: Repository, side: str, environ: Mapping[str, str], day: str = ""
) -> Environment | None:
    """Return the environment that was built from the files at base or head; None if there is none.

    Args:
        day: the last day of its releases, for Python only; see ``BuildConditions``.

    Raises:
        EnvironmentUnavailable: the files that name its packages cannot be read.
    """
    files = files_of(repository, side)
    if project.language == "python":
        from wardround.workflows.environments.python_build import (
            python_key,
        )  # reads the formats of lock files

        found = find_built(python_key(project, files, day))
        return None if found is None else _python(*found, project.root)
    from wardround.workflows.environments.node_build import node_key  # reads the formats of lock files

    major = node(repository.root, environ)[0].partition(".")[0]
    found = find_built(node_key(project, files), f"{major}.")
    return None if found is None else _node(project, *found, files, environ)


def built_at(prefix: Path, folder: str) -> Environment | None:
    """Return the environment of Python that was built at a prefix, from any files; None if wardround built
    none there.

    Args:
        folder: folder of the project, relative to the repository.
    """
    found = find_prefix(prefix)
    return None if found is None else _python(*found, folder)


def build_environment(
    project: DetectedProject,
    repository: Repository,
    side: str,
    *,
    limits: Limits,
    environ: Mapping[str, str],
    isolation: str = AUTO,
    progress: Callable[[str], None] = lambda _: None,
    registries: Sequence[str] = (),
    git_sources: Sequence[str] = (),
    private_registries: Sequence[PrivateRegistry] = (),
    day: str = "",
) -> Build:
    """Build the environment of a project from its lock file, unless the store has it.

    Everything runs in the sandbox: downloads with a network of registries, code without one. An image of a
    container engine has no package managers, so that other isolations are used if one is configured.

    Args:
        registries: hosts of packages, in addition to those of the caller.
        git_sources: beginnings of the addresses of packages that git fetches.
        private_registries: registries that require a token; no program of the build gets it.
        day: the packages are those that existed on this day, for Python only; empty for the present ones.

    Raises:
        EnvironmentUnavailable: a file, a program or a package is missing, or a build failed.
        UsageError: the isolation is none.
    """
    found = built_environment(project, repository, side, environ, day)
    if found is not None:
        return Build(found, is_new=False)
    if isolation == NONE:
        raise UsageError("an environment is built with isolation only; choose one, or leave --sandbox out")
    conditions = BuildConditions(
        limits,
        environ,
        AUTO if isolation in ENGINES else isolation,
        tuple(registries),
        tuple(git_sources),
        tuple(private_registries),
        progress,
        day,
    )
    try:
        remove_unused()
        failed = _build(project, repository, side, conditions)
    except OSError as cause:
        raise EnvironmentUnavailable(
            f"{store_folder()} cannot be written ({cause.strerror}); make room or set XDG_CACHE_HOME"
        ) from cause
    built = built_environment(project, repository, side, environ, day)
    assert built is not None, "the environment was built a moment ago"
    return Build(built, is_new=True, failed=failed)


def _build(
    project: DetectedProject, repository: Repository, side: str, conditions: BuildConditions
) -> tuple[str, ...]:
    """Build into the store, and return a sentence for each install script that failed."""
    if project.language == "python":
        from wardround.workflows.environments.python_build import build_python  # only to build

        build_python(project, repository, side, conditions)
        return ()
    from wardround.workflows.environments.node_build import build_node  # only to build

    return build_node(project, repository, side, conditions)


def _python(place: Path, described: BuiltEnvironment, folder: str) -> Environment:
    """Return an environment without starting its interpreter, at whose start code of a package may run."""
    installation = (Path(described.installation),) if described.installation else ()
    prefix = place / PREFIX
    return Environment(
        language="python",
        source=f"the environment built from {described.source}",
        digest=described.digest,
        visible=Visible(
            read_only=(place, *installation),
            programs=(prefix / "bin",),
            variables=(
                ("PYTHONDONTWRITEBYTECODE", "1"),
                ("VIRTUAL_ENV", str(prefix)),
                ("PYTHONPATH", ":".join(source_folders(folder))),
            ),
        ),
        version=described.version,
        copies=_added_files(place, described),
        packages=frozenset(normal(package.partition("-")[0]) for package in described.packages),
    )


def _node(
    project: DetectedProject,
    folder: Path,
    described: BuiltEnvironment,
    files: TreeFiles,
    environ: Mapping[str, str],
) -> Environment:
    members = [path.rpartition("/")[0] for path in files.paths if path.rpartition("/")[2] == "package.json"]
    found = existing_node(
        folder / TREE, project.root, members, environ, f"the packages installed from {described.source}"
    )
    visible = msgspec.structs.replace(found.visible, read_only=(folder, *found.visible.read_only))
    return msgspec.structs.replace(found, visible=visible, copies=_added_files(folder, described))


def _added_files(folder: Path, described: BuiltEnvironment) -> tuple[tuple[str, str], ...]:
    """Return the files that the build added, without packages, which have links."""
    paths = (path for path in described.added if path.rpartition("/")[2] != PACKAGES)
    return tuple((path, str(folder / TREE / path)) for path in paths)
