"""The order of files of tests by their distance from changed files, over imports."""

from __future__ import annotations

from collections.abc import Iterable

from wardround.workflows.test.script_roles import is_script
from wardround.workflows.test.script_tree import ScriptTree

MOST_FILES = 3000
"""In larger trees files of tests keep the order of their names, as reading all imports takes seconds."""


def by_imports(tree: ScriptTree, changed: Iterable[str]) -> dict[str, int]:
    """Return file -> the number of imports from it to a changed file, for those that reach one."""
    scripts = [path for path in sorted(tree.files.blobs) if is_script(path)]
    distances = {path: 0 for path in changed if path in tree.files.blobs}
    if len(scripts) > MOST_FILES or not distances:
        return distances
    importers: dict[str, list[str]] = {}
    for path in scripts:
        for imported in tree.imported(path):
            importers.setdefault(imported, []).append(path)
    reached = sorted(distances)
    while reached:
        following = []
        for path in reached:
            for one in importers.get(path, ()):
                if one not in distances:
                    distances[one] = distances[path] + 1
                    following.append(one)
        reached = following
    return distances
