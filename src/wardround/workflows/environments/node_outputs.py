"""The files that the scripts of a JavaScript project write, by its manifests."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping

from wardround.workflows.environments.node_sources import NodeSources, manifest
from wardround.workflows.environments.tree_files import TreeFiles
from wardround.workflows.test.project.projects import table

OUTPUT_NAMES = frozenset({".astro", ".nuxt", ".svelte-kit", ".wxt"})
"""Folders of types and settings that frameworks write before tests."""
ROOT_SCRIPTS = ("preinstall", "install", "postinstall", "prepare")
_ENTRIES = ("main", "module", "browser", "types", "typings", "bin", "exports")
_WITHOUT_OUTPUT = frozenset({
    "husky", "husky install", "husky || true", "is-ci || husky", "is-ci || husky install", "lefthook install",
    "simple-git-hooks", "npx only-allow npm", "npx only-allow pnpm", "npx only-allow yarn", "patch-package",
})  # fmt: skip
"""Scripts that only read files of the tree that are part of the environment's key."""
_DEEPEST = 10


def outputs(sources: NodeSources, files: TreeFiles) -> frozenset[str]:
    """Return the files and folders that manifests name as entries of their packages."""
    found = set()
    for path in sources.manifests:
        folder = posixpath.dirname(path)
        document = manifest(files, path)
        for entry in _ENTRIES:
            for text in _strings_in(document.get(entry), 0):
                location = posixpath.normpath(posixpath.join(folder, text))
                below = posixpath.relpath(location, folder or ".")
                if not below.startswith((".", "/")):
                    found.add(posixpath.join(folder, below.partition("/")[0]))
    return frozenset(found)


def output_inputs(sources: NodeSources, files: TreeFiles) -> Iterator[tuple[str, bytes]]:
    """Yield path and digest of the files that the project's own scripts may read: all, if it has any."""
    document = manifest(files, posixpath.join(sources.folder, "package.json"))
    scripts: Mapping[str, object] = table(document, "scripts")
    own = {str(scripts[name]).strip() for name in ROOT_SCRIPTS if name in scripts}
    if own <= _WITHOUT_OUTPUT:
        return
    for name in ROOT_SCRIPTS:
        yield f"script {name}", str(scripts.get(name, "")).encode()
    stem = f"{sources.folder}/" if sources.folder else ""
    for path in sorted(files.paths):
        if path.startswith(stem):
            yield f"tree {path}", files.digest(path).encode()


def _strings_in(value: object, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif depth < _DEEPEST and isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _strings_in(part, depth + 1)
