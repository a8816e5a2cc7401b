"""The places from which a JavaScript project takes its packages."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping

from wardround.checks.lazy import LazyPattern
from wardround.errors import EnvironmentUnavailable
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
from wardround.workflows.test.projects import table

_LOCAL = ("file:", "link:", "portal:")
_NAMED = LazyPattern(r"^@?[\w./-]{1,300}@(?=[\w+]{1,20}:)")
"""The name in front of a place, as lock files of yarn have it."""


def require_registries(sources: NodeSources, files: TreeFiles, registries: Registries) -> None:
    """Refuse packages from git, from other hosts, and from files outside of the repository.

    Raises:
        EnvironmentUnavailable: the lock file, a manifest or ``.npmrc`` names such a place.
    """
    path = sources.description
    lock = read_lock(path, files.text(path) or "")
    for entry in lock.entries if not lock.problem else ():
        for url in (entry.version, *lock.details(entry).urls):
            if ":" in url:
                _require(_NAMED.sub("", url).partition("#")[0], entry.name, path, sources.folder, registries)
    for path in sources.manifests:
        folder, document = posixpath.dirname(path), manifest(files, path)
        for name, place in _places(document):
            _require(place, name, path, folder, registries)
    settings = posixpath.join(sources.folder, SETTINGS)
    for line in safe_settings(files.text(settings) or ""):
        name, _, value = line.partition("=")
        if name.strip().endswith("registry"):
            registries.require(value.strip(" \t\"'"), "packages", settings)


def _places(document: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    tables = [table(document, name) for name in (*DEPENDENCIES, "overrides", "resolutions")]
    tables.append(table(document, "pnpm", "overrides"))
    for one in tables:
        yield from ((name, value) for name, value in one.items() if isinstance(value, str))


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
