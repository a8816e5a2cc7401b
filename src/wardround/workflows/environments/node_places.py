"""The locations from which a JavaScript project installs its packages."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping

from wardround.errors import EnvironmentUnavailable
from wardround.lazy import LazyPattern
from wardround.semantics.supply_chain.locks.entry import LockFile
from wardround.semantics.supply_chain.locks.reading import read_lock
from wardround.workflows.environments.node_sources import (
    DEPENDENCIES,
    SETTINGS,
    NodeSources,
    manifest,
    safe_settings,
)
from wardround.workflows.environments.registries import Registries
from wardround.workflows.environments.tree_files import TreeFiles
from wardround.workflows.test.project.projects import table

_LOCAL = ("file:", "link:", "portal:")
_NAMED = LazyPattern(r"^@?[\w./-]{1,300}@(?=[\w+]{1,20}:)")
"""The name in front of a place, as lock files of yarn have it."""


def require_registries(sources: NodeSources, files: TreeFiles, registries: Registries) -> None:
    """Refuse packages from git, from other hosts, and from files outside of the repository.

    Raises:
        EnvironmentUnavailable: the lock file, a manifest or ``.npmrc`` names such a place.
    """
    path = sources.description
    for name, location in _package_locations(read_lock(path, files.text(path) or "")):
        _require(location, name, path, sources.folder, registries)
    for path in sources.manifests:
        folder, document = posixpath.dirname(path), manifest(files, path)
        for name, location in _resolved_packages(document):
            _require(location, name, path, folder, registries)
    settings = posixpath.join(sources.folder, SETTINGS)
    for line in safe_settings(files.text(settings) or ""):
        name, _, value = line.partition("=")
        if name.strip().endswith("registry"):
            registries.require(value.strip(" \t\"'"), "packages", settings)


def _package_locations(lock: LockFile) -> Iterator[tuple[str, str]]:
    """Yield the packages of a lock file with the addresses that they are from."""
    if lock.problem:
        return
    for entry in lock.entries:
        for url in (entry.version, *lock.details(entry).urls):
            if ":" in url:
                yield entry.name, _NAMED.sub("", url).partition("#")[0]


def _resolved_packages(document: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    tables = [table(document, name) for name in (*DEPENDENCIES, "overrides", "resolutions")]
    tables.append(table(document, "pnpm", "overrides"))
    for packages in tables:
        yield from ((name, value) for name, value in packages.items() if isinstance(value, str))


def _require(place: str, name: str, path: str, folder: str, registries: Registries) -> None:
    if place.startswith("npm:"):
        return
    if place.startswith(_LOCAL):
        inside = posixpath.normpath(posixpath.join(folder, place.partition(":")[2]))
        if inside.startswith(("..", "/")) or "~" in inside:
            raise EnvironmentUnavailable(
                f"{path} takes {name} from {place}, which is outside of the repository; use a release"
            )
        return
    registries.require(place, name, path)
