"""The choice of the environment in which the code of a project runs."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from wardround.change.repository import INDEX, WORKTREE, Repository
from wardround.config.sandbox_settings import SandboxSettings
from wardround.errors import EnvironmentUnavailable
from wardround.sandbox.model import Limits
from wardround.workflows.environments.built import built_at, built_environment
from wardround.workflows.environments.existing_node import PACKAGES, existing_node
from wardround.workflows.environments.existing_python import described_python, existing_python
from wardround.workflows.environments.model import Environment
from wardround.workflows.environments.tree_files import files_of
from wardround.workflows.environments.unbuilt import add_compiled_modules, add_unbuilt_files
from wardround.workflows.test.project.projects import DetectedProject

BUILD_COMMAND = "wardround environment build"
_MIB = 1024 * 1024
_ACTIVE, _HOOK = "VIRTUAL_ENV", "PRE_COMMIT"
_OWN_SOURCE = "the variable VIRTUAL_ENV, which is the environment of wardround itself"


def environment_of(
    project: DetectedProject,
    repository: Repository,
    settings: SandboxSettings,
    *,
    side: str = INDEX,
    environ: Mapping[str, str] | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> Environment:
    """Return the environment of a project, with the settings of the sandbox applied to its view.

    Python: the one in the settings, the active one, one in the work tree. JavaScript: ``node_modules`` of the
    work tree. Then the one that was built from the lock file, and last the active one if it is that of
    wardround itself. Nothing is built or downloaded here. Call ``link_packages`` with the result for each
    tree.

    Args:
        settings: those of the base of the change, from ``read_sandbox``.
        side: a commit id, or the index; its manifests name the folders that have packages.

    Raises:
        EnvironmentUnavailable: there is none; the message names the command that builds one.
    """
    environ = os.environ if environ is None else environ
    progress("environment")
    found = _find_environment(project, repository, settings, side, environ)
    if project.language == "python":
        found = add_compiled_modules(found, repository.root, files_of(repository, side).paths)
        found = with_unbuilt_files(found, project, repository, side)
    return apply_settings(found, settings)


def with_unbuilt_files(
    environment: Environment, project: DetectedProject, repository: Repository, side: str
) -> Environment:
    """Return an environment of Python with the files of a project that an installation of it would create."""
    folders = dict.fromkeys((project.root, ""))
    return add_unbuilt_files(environment, folders, files_of(repository, side), lambda: _tag(repository, side))


def _find_environment(
    project: DetectedProject,
    repository: Repository,
    settings: SandboxSettings,
    side: str,
    environ: Mapping[str, str],
) -> Environment:
    if settings.python and project.language == "python":
        return _configured_python(repository, settings.python, project.root)
    own = _active_environment(environ)
    others = {name: value for name, value in environ.items() if name not in own}
    try:
        return _existing_environment(project, repository, side, others)
    except EnvironmentUnavailable as cause:
        built = _find_built(project, repository, side, environ)
        if built is None and own and project.language == "python":
            built = described_python(Path(own[_ACTIVE]), _OWN_SOURCE, repository.root, project.root)
        if built is None:
            raise EnvironmentUnavailable(f"{cause}, or run {_build(project)}") from cause
        return built


def _tag(repository: Repository, side: str) -> str:
    commit = repository.head() if side in (INDEX, WORKTREE) else side
    return repository.nearest_tag(commit) if commit else ""


def _active_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the variable of the active environment if it is that of wardround itself."""
    active = environ.get(_ACTIVE, "")
    is_own = active and not environ.get(_HOOK) and os.path.realpath(active) == os.path.realpath(sys.prefix)
    return {_ACTIVE: active} if is_own else {}


def apply_settings(environment: Environment, settings: SandboxSettings) -> Environment:
    """Return an environment whose runs get the variables, the loopback interface and the image set."""
    visible = environment.visible
    names = tuple(dict.fromkeys((*visible.environment, *settings.environment)))
    images = (image for language, image in settings.image.items() if language == environment.language)
    view = msgspec.structs.replace(
        visible,
        environment=names,
        loopback=settings.loopback,
        image=next(images, ""),
    )
    return msgspec.structs.replace(environment, visible=view)


def limits_of(settings: SandboxSettings) -> Limits:
    """Return the limits of a run, in the units of the sandbox."""
    found = settings.limits
    return Limits(
        wall_s=found.wall_s,
        cpu_s=found.cpu_s,
        memory_bytes=found.memory_mib * _MIB,
        processes=found.processes,
        file_bytes=found.file_mib * _MIB,
        tree_bytes=found.tree_mib * _MIB,
        open_files=found.open_files,
        output_bytes=found.output_mib * _MIB,
    )


def _existing_environment(
    project: DetectedProject, repository: Repository, side: str, environ: Mapping[str, str]
) -> Environment:
    root = repository.root
    if project.language == "python":
        active = {} if environ.get(_HOOK) else environ  # it activates the environment of wardround
        built = built_at(Path(active.get(_ACTIVE, "")), project.root)
        if built is not None:  # starting its interpreter would run code of its packages
            return built
        return existing_python(root, active, project.root, lambda prefix: _is_tracked(repository, prefix))
    members = [
        path.rpartition("/")[0]
        for path in repository.tracked_paths(side)
        if path.rpartition("/")[2] == "package.json" and PACKAGES not in path.split("/")
    ]
    return existing_node(root, project.root, members, environ)


def _find_built(
    project: DetectedProject, repository: Repository, side: str, environ: Mapping[str, str]
) -> Environment | None:
    """Return an environment that was built before; None also if its files name none."""
    try:
        return built_environment(project, repository, side, environ)
    except EnvironmentUnavailable:
        return None


def _configured_python(repository: Repository, setting: str, folder: str) -> Environment:
    prefix = repository.root / setting
    if not (prefix / "bin" / "python3").exists():
        raise EnvironmentUnavailable(
            f"sandbox.python: {prefix} is not a Python environment, as it has no bin/python3; create it"
        )
    if _is_tracked(repository, prefix):
        raise EnvironmentUnavailable(
            f"sandbox.python: {prefix} is under version control, where a change can replace its programs; "
            "name another folder"
        )
    return described_python(prefix, "the setting sandbox.python", repository.root, folder)


def _is_tracked(repository: Repository, prefix: Path) -> bool:
    """Return True if a change could put other programs into an environment, which are started unconfined."""
    root = Path(os.path.realpath(repository.root))
    locations = (Path(os.path.abspath(prefix)), Path(os.path.realpath(prefix)))
    inside = {str(location.relative_to(root)) for location in locations if location.is_relative_to(root)}
    return any(repository.index_contains(path) for path in sorted(inside))


def _build(project: DetectedProject) -> str:
    return f"{BUILD_COMMAND} {project.root}".rstrip()
