"""The order of test files by their distance from changed files, over imports."""

from __future__ import annotations

from collections.abc import Iterable

from wardround.workflows.test.scripts.roles import is_script
from wardround.workflows.test.scripts.tree import ScriptTree

MOST_FILES = 3000
"""In larger trees test files keep the order of their names, as reading all imports takes seconds."""


def count_imports_of_changed(tree: ScriptTree, changed: Iterable[str]) -> dict[str, int]:
    """Return file -> the number of imports from it to a changed file, for those that reach one."""
    scripts = [path for path in sorted(tree.files.blobs) if is_script(path)]
    distances = {path: 0 for path in changed if path in tree.files.blobs}
    if len(scripts) > MOST_FILES or not distances:
        return distances
    importers = _importers(tree, scripts)
    reached = sorted(distances)
    for path in reached:  # which grows meanwhile: nearer files come first
        for importer in importers.get(path, ()):
            if importer not in distances:
                distances[importer] = distances[path] + 1
                reached.append(importer)
    return distances


def _importers(tree: ScriptTree, scripts: Iterable[str]) -> dict[str, list[str]]:
    """Return file -> the scripts that import it."""
    importers: dict[str, list[str]] = {}
    for path in scripts:
        for imported in tree.imported_files(path):
            importers.setdefault(imported, []).append(path)
    return importers
