"""The packages in the Python environments of a repository, without starting an interpreter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from wardround.change.repository import Repository
from wardround.config.loader import read_sandbox
from wardround.config.sandbox_settings import SandboxSettings
from wardround.workflows.environments.existing_python import candidates
from wardround.workflows.environments.requirements import normal
from wardround.workflows.test.project.projects import DetectedProject


def installed_packages(prefix: Path) -> dict[str, str] | None:
    """Return normal name -> version of the packages in a virtual environment, except those installed from a
    folder, whose files are the tree under test.

    Returns:
        None if it is not a virtual environment, or also has the packages of its base interpreter.
    """
    try:
        settings = (prefix / "pyvenv.cfg").read_text("utf-8", "replace").replace(" ", "").lower()
        if "include-system-site-packages=true" in settings:
            return None
        folders = [path for path in (prefix / "lib").iterdir() if path.name.startswith(("python", "pypy"))]
        entries = [entry for folder in folders for entry in (folder / "site-packages").iterdir()]
    except OSError:
        return None
    return {
        normal(name): version
        for entry in entries
        if entry.suffix in (".dist-info", ".egg-info") and not _is_editable(entry)
        for name, _, version in [entry.stem.partition("-")]
    }


def _is_editable(folder: Path) -> bool:
    try:
        return '"editable": true' in (folder / "direct_url.json").read_text("utf-8", "replace")
    except OSError:
        return False


def installed_in(
    repository: Repository, base: str, projects: Sequence[DetectedProject], environ: Mapping[str, str]
) -> dict[str, str] | None:
    """Return name -> version of the packages in the environments that the tests of Python projects would use.

    Environments that are built from a lock file are excluded, as another lock file has another one.

    Args:
        base: the commit with the settings of the sandbox.

    Returns:
        None if a project has no such environment.
    """
    settings = read_sandbox(repository.tree(base).read)
    roots = [project.root for project in projects if project.language == "python"]
    prefixes = dict.fromkeys(_prefix(repository.root, settings, folder, environ) for folder in roots)
    found: dict[str, str] = {}
    for prefix in prefixes:
        packages = None if prefix is None else installed_packages(prefix)
        if packages is None:
            return None
        for name, version in packages.items():
            found[name] = f"{found[name]}, {version}" if name in found else version
    return found


def _prefix(root: Path, settings: SandboxSettings, folder: str, environ: Mapping[str, str]) -> Path | None:
    if settings.python:
        return root / settings.python
    active = {} if environ.get("PRE_COMMIT") else environ
    prefixes = (prefix for prefix, _ in candidates(root, folder, active))
    return next((prefix for prefix in prefixes if (prefix / "bin" / "python3").exists()), None)
