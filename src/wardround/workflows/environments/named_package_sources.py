"""The places that a manifest or a lock file names for packages, instead of a registry."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping

from wardround.errors import EnvironmentUnavailable
from wardround.workflows.environments.requirements import LocalProject, Requirements
from wardround.workflows.environments.tree_files import TreeFiles
from wardround.workflows.test.project.projects import table

_REVISIONS = ("resolved_reference", "revision", "rev", "tag", "branch", "ref")
_PATHS = ("path", "directory", "file")


def named_package_sources(
    folder: str, tables: Iterable[Mapping[str, object]], lock: Mapping[str, object], files: TreeFiles
) -> Requirements:
    """Return constraints for packages from git and other addresses, and the projects of the repository.

    Without them, a package of the same name would come from a registry.

    Args:
        folder: folder of the lock file or of the project.
        tables: name -> requirement, of manifests; those of the lock file have precedence.
        lock: lock file of poetry or pdm.

    Raises:
        EnvironmentUnavailable: a path is not a folder of the repository.
    """
    named = {name: value for sources in tables for name, value in sources.items()} | dict(
        _located_packages(lock)
    )
    constraints, projects = [], []
    for name, value in sorted(named.items()):
        sources = value if isinstance(value, list) else [value]
        for source in (source for source in sources if isinstance(source, dict)):
            if address := _address(source):
                constraints.append(f"{name} @ {address}")
            elif path := _path(source):
                projects.append(LocalProject(_inside(folder, name, path, files)))
    return Requirements(constraints=tuple(constraints), projects=tuple(projects))


def _path(source: Mapping[str, object]) -> str | None:
    """Return the folder that a source names."""
    paths = (source.get(key) for key in _PATHS)
    return next((path for path in paths if isinstance(path, str)), None)


def _located_packages(lock: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    """Yield name and location of the packages in a lock file that come from no registry."""
    packages = lock.get("package")
    for package in packages if isinstance(packages, list) else ():
        if not isinstance(package, dict) or not isinstance(package.get("name"), str):
            continue
        source = table(package, "source")
        kind, url = source.get("type"), source.get("url")
        if isinstance(kind, str) and kind in ("git", "url", *_PATHS):
            rest = {key: value for key, value in source.items() if key != "url"}
            yield package["name"], {**rest, kind: url}
        elif not {"git", "url", *_PATHS}.isdisjoint(package):
            yield package["name"], package


def _address(value: Mapping[str, object]) -> str:
    """Return the URL of a package in a requirement; empty if it has none."""
    git, url = value.get("git"), value.get("url")
    if isinstance(git, str):
        revision = next((value[key] for key in _REVISIONS if isinstance(value.get(key), str)), None)
        form = git if git.startswith("git@") else f"git+{git}"
        return f"{form}@{revision}" if revision else form
    return url if isinstance(url, str) and "path" not in value else ""


def _inside(folder: str, name: str, path: object, files: TreeFiles) -> str:
    """Return the folder of the repository at a path."""
    location = posixpath.normpath(posixpath.join(folder, str(path)))
    location = "" if location == "." else location
    manifests = {posixpath.join(location, file) for file in ("pyproject.toml", "setup.py", "setup.cfg")}
    if location.startswith(("..", "/")) or files.paths.isdisjoint(manifests):
        raise EnvironmentUnavailable(
            f"{folder or 'the project'} takes {name} from {path}, which is no project of the repository; "
            "use a release"
        )
    return location
