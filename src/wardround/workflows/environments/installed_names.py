"""The names of the packages in the Python environments of a repository, without starting an interpreter."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from wardround.change.repository import Repository
from wardround.config.loader import read_sandbox
from wardround.config.sandbox_settings import SandboxSettings
from wardround.workflows.environments.existing_python import candidates
from wardround.workflows.environments.requirements import normal
from wardround.workflows.test.projects import DetectedProject


def installed_names(prefix: Path) -> frozenset[str] | None:
    """Return the normal names of the packages in a virtual environment.

    Returns:
        None if it is not one, or if it also has the packages of the interpreter that made it.
    """
    try:
        settings = (prefix / "pyvenv.cfg").read_text("utf-8", "replace").replace(" ", "").lower()
        if "include-system-site-packages=true" in settings:
            return None
        folders = [one for one in (prefix / "lib").iterdir() if one.name.startswith(("python", "pypy"))]
        entries = [entry for one in folders for entry in os.listdir(one / "site-packages")]
    except OSError:
        return None
    return frozenset(
        normal(one.partition("-")[0] if one.endswith("-info") else one.partition(".")[0])
        for one in entries
        if one.endswith((".dist-info", ".egg-info", ".egg-link"))
    )


def installed_in(
    repository: Repository, base: str, projects: Sequence[DetectedProject], environ: Mapping[str, str]
) -> frozenset[str] | None:
    """Return the names of the packages in the environments that the tests of Python projects would use.

    Environments that are built from a lock file have no part, as another lock file has another one.

    Args:
        base: the commit with the settings of the sandbox.

    Returns:
        None if a project has no such environment.
    """
    settings = read_sandbox(repository.tree(base).read)
    found: frozenset[str] = frozenset()
    for project in projects:
        if project.language == "python":
            names = _names_of(repository.root, settings, project.root, environ)
            if names is None:
                return None
            found |= names
    return found


def _names_of(
    root: Path, settings: SandboxSettings, folder: str, environ: Mapping[str, str]
) -> frozenset[str] | None:
    if settings.python:
        return installed_names(root / settings.python)
    active = {} if environ.get("PRE_COMMIT") else environ
    prefixes = (prefix for prefix, _ in candidates(root, folder, active))
    prefix = next((one for one in prefixes if (one / "bin" / "python3").exists()), None)
    return None if prefix is None else installed_names(prefix)
