"""The files that name the packages of a JavaScript project: its lock file and the manifests below it."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Collection, Iterator, Mapping

import msgspec

from wardround.errors import EnvironmentUnavailable
from wardround.lazy import LazyPattern
from wardround.semantics.supply_chain.plain_yaml import load_plain
from wardround.workflows.environments.existing_node import PACKAGES
from wardround.workflows.environments.tree_files import TreeFiles
from wardround.workflows.test.project.projects import DetectedProject, table

_LOCKS = {
    "package-lock.json": "npm", "npm-shrinkwrap.json": "npm", "pnpm-lock.yaml": "pnpm", "yarn.lock": "yarn",
    "bun.lock": "bun", "bun.lockb": "bun",
}  # fmt: skip
_MANIFEST = "package.json"
SETTINGS = ".npmrc"
_WORKSPACE = "pnpm-workspace.yaml"
_PATCHES = ("patches/", ".yarn/patches/")
_ARCHIVE = ".tgz"
"""Packages in the repository that a manifest names by their files."""
_RELEVANT = (
    "name", "version", "workspaces", "dependencies", "devDependencies", "peerDependencies",
    "optionalDependencies", "overrides", "resolutions", "pnpm", "bin",
)  # fmt: skip
_SETTING = LazyPattern(r"^\s*([@\w./:-]+?)(?:\[\])?\s*=\s*(.*?)\s*$")
_SAFESETTINGS = frozenset({
    "registry", "legacy-peer-deps", "strict-peer-deps", "strict-peer-dependencies", "auto-install-peers",
    "install-strategy", "hoist", "hoist-pattern", "public-hoist-pattern", "shamefully-hoist", "node-linker",
    "link-workspace-packages", "prefer-workspace-packages", "dedupe-peer-dependents",
    "inject-workspace-packages", "resolution-mode", "lockfile-include-tarball-url", "engine-strict",
    "prefer-dedupe",
})  # fmt: skip
"""Settings of a repository that cannot start a program, send a password or write elsewhere."""
_SAFE_WORKSPACE = frozenset({
    "packages", "catalog", "catalogs", "catalogMode", "overrides", "packageExtensions", "patchedDependencies",
    "allowUnusedPatches", "peerDependencyRules", "ignoredOptionalDependencies", "supportedArchitectures",
    "autoInstallPeers", "dedupePeerDependents", "dedupeInjectedDeps", "strictPeerDependencies",
    "linkWorkspacePackages", "preferWorkspacePackages", "injectWorkspacePackages",
    "sharedWorkspaceLockfile", "nodeLinker", "hoist", "hoistPattern", "publicHoistPattern", "shamefullyHoist",
    "hoistWorkspacePackages", "resolutionMode", "excludeLinksFromLockfile", "peersSuffixMaxLength",
})  # fmt: skip
"""Keys of ``pnpm-workspace.yaml`` that only say which packages there are."""
_SAFE_PNPM = _SAFE_WORKSPACE | {"allowedDeprecatedVersions"}
DEPENDENCIES = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")
_WRITTEN = (
    *DEPENDENCIES, "name", "version", "private", "type", "workspaces", "peerDependenciesMeta",
    "dependenciesMeta", "overrides", "resolutions", "bundleDependencies", "bundledDependencies", "engines",
    "os", "cpu", "bin", "main", "exports", "trustedDependencies", "patchedDependencies",
    "catalog", "catalogs",
)  # fmt: skip
"""Keys of ``package.json`` that a package manager gets: no scripts, no programs and no settings of it."""


class NodeSources(msgspec.Struct, frozen=True):
    """The files that decide the packages of a project.

    Attributes:
        folder: folder of the lock file, relative to the repository.
        lock: its name.
        manager: the program that reads it.
        manifests: paths of every ``package.json`` in the folder and below it.
    """

    folder: str
    lock: str
    manager: str
    manifests: tuple[str, ...]

    @property
    def description(self) -> str:
        """The lock file, as a noun phrase for a person."""
        return posixpath.join(self.folder, self.lock)


def node_sources(project: DetectedProject, files: TreeFiles) -> NodeSources:
    """Find the lock file of a project, or of a folder above it.

    Raises:
        EnvironmentUnavailable: there is none.
    """
    parts = project.root.split("/") if project.root else []
    for count in range(len(parts), -1, -1):
        folder = "/".join(parts[:count])
        for name, manager in _LOCKS.items():
            if posixpath.join(folder, name) in files.paths:
                return NodeSources(folder, name, manager, tuple(_manifests(folder, files)))
    raise EnvironmentUnavailable(
        f"{project.root or 'the repository'} has no lock file of npm, pnpm, yarn or bun; commit one"
    )


def key_inputs(sources: NodeSources, files: TreeFiles) -> list[tuple[str, bytes]]:
    """Return the files that determine the packages, manifests reduced to the relevant parts."""
    inputs = [
        (path, content) for path, content in written_files(sources, files) if path not in sources.manifests
    ]
    for path in sources.manifests:
        document = manifest(files, path)
        content = json.dumps({name: document.get(name) for name in _RELEVANT}, sort_keys=True)
        inputs.append((path, content.encode()))
    return inputs


def manifest(files: TreeFiles, path: str) -> Mapping[str, object]:
    """Return a ``package.json``.

    Raises:
        EnvironmentUnavailable: it is not valid.
    """
    try:
        document = json.loads(files.text(path) or "{}")
    except (ValueError, RecursionError) as cause:
        raise EnvironmentUnavailable(f"{path} is not valid JSON: {cause}; correct it") from cause
    return document if isinstance(document, dict) else {}


def written_files(sources: NodeSources, files: TreeFiles) -> Iterator[tuple[str, bytes]]:
    """Yield path and content of the files that a package manager needs, and of no others.

    Files with code, as ``.pnpmfile.cjs`` and the releases of yarn, are not among them.
    """
    path = posixpath.join(sources.folder, sources.lock)
    yield path, files.content(path)
    path = posixpath.join(sources.folder, _WORKSPACE)
    if path in files.paths:
        yield path, _reduce_document(_yaml(path, files), _SAFE_WORKSPACE)
    for path in sources.manifests:
        yield path, _reduce_document(_safe_manifest(path, files), {*_WRITTEN, "pnpm"})
    for path in (*_patch_paths(sources, files), *_archive_paths(sources, files)):
        yield path, files.content(path)
    settings = posixpath.join(sources.folder, SETTINGS)
    if settings in files.paths:
        yield settings, "\n".join(safe_settings(files.text(settings) or "")).encode()


def _safe_manifest(path: str, files: TreeFiles) -> dict[str, object]:
    document = dict(manifest(files, path))
    settings = table(document, "pnpm")
    if settings:
        document["pnpm"] = {name: value for name, value in settings.items() if name in _SAFE_PNPM}
    return document


def _patch_paths(sources: NodeSources, files: TreeFiles) -> Iterator[str]:
    for prefix in _PATCHES:
        stem = posixpath.join(sources.folder, prefix)
        yield from (path for path in sorted(files.paths) if path.startswith(stem))


def _archive_paths(sources: NodeSources, files: TreeFiles) -> Iterator[str]:
    stem = posixpath.join(sources.folder, "")
    for path in sorted(files.paths):
        if path.endswith(_ARCHIVE) and path.startswith(stem) and PACKAGES not in path.split("/"):
            yield path


def _reduce_document(document: Mapping[str, object], names: Collection[str]) -> bytes:
    """Return some keys of a document as JSON, which YAML contains."""
    return json.dumps({name: settings for name, settings in document.items() if name in names}).encode()


def _yaml(path: str, files: TreeFiles) -> Mapping[str, object]:
    import yaml  # only projects of pnpm need it

    text = files.text(path) or "{}"
    if load_plain(text) is None:
        raise EnvironmentUnavailable(f"{path} is not plain YAML; correct it")
    found: Mapping[str, object] = yaml.safe_load(text)
    return found


def _manifests(folder: str, files: TreeFiles) -> Iterator[str]:
    stem = f"{folder}/" if folder else ""
    for path in sorted(files.paths):
        parts = path.split("/")
        if parts[-1] == _MANIFEST and path.startswith(stem) and PACKAGES not in parts:
            yield path


def safe_settings(text: str) -> Iterator[str]:
    for line in text.splitlines():
        found = _SETTING.search(line)
        if found and "${" not in line and (found[1] in _SAFESETTINGS or _is_scope(found[1])):
            yield line


def _is_scope(name: str) -> bool:
    return name.startswith("@") and name.endswith(":registry")
