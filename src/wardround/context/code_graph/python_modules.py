"""The files that the imports of Python modules mean."""

from __future__ import annotations

import posixpath
import sys
from collections.abc import Collection, Iterator
from functools import cached_property

_PROJECT_FILES = ("setup.py", "manage.py")
_SOURCES = ("src", "lib", "python")


class PythonModules:
    """The modules of a tree.

    Args:
        paths: paths of all source files of the tree.
    """

    def __init__(self, paths: Collection[str]) -> None:
        self._paths = paths

    def resolve(self, path: str, module: str) -> str:
        """Return the file of a module that a file imports; empty for one outside the tree."""
        dots = len(module) - len(module.lstrip("."))
        if dots:
            folder = posixpath.dirname(path)
            for _ in range(dots - 1):
                folder = posixpath.dirname(folder)
            return self._file(folder, module[dots:])
        for root in self._roots(path):
            found = self._file(root, module)
            if found and not (root and module in sys.stdlib_module_names):
                return found
        return ""

    def _file(self, root: str, module: str) -> str:
        stem = posixpath.join(root, *filter(None, module.split(".")))
        for candidate in (f"{stem}.py", f"{stem}/__init__.py", f"{stem}.pyi", f"{stem}/__init__.pyi"):
            if candidate in self._paths:
                return candidate
        return ""

    def _roots(self, path: str) -> Iterator[str]:
        """Yield the folders that modules are imported from: nearest to a file first."""
        own = self._own_root(path)
        yield own
        others = self._all_roots - {own}
        yield from sorted(others, key=lambda root: (-_common(root, path), len(root), root))

    def _own_root(self, path: str) -> str:
        """Return the first folder above a file that is not a package."""
        folder = posixpath.dirname(path)
        while folder and f"{folder}/__init__.py" in self._paths:
            folder = posixpath.dirname(folder)
        return folder

    @cached_property
    def _all_roots(self) -> frozenset[str]:
        """The top of the tree, the usual source folders, and the folders above the outermost packages."""
        packages = [posixpath.dirname(path) for path in self._paths if path.endswith("/__init__.py")]
        above = {posixpath.dirname(package) for package in packages} - set(packages)
        projects = {posixpath.dirname(path) for path in self._paths if path.endswith(_PROJECT_FILES)}
        sources = {posixpath.join(project, name) for project in projects | {""} for name in _SOURCES}
        return frozenset({"", *above, *projects, *sources})


def _common(root: str, path: str) -> int:
    """Return the number of folders that a root and a file have in common, counted from the top."""
    count = 0
    for part, other in zip(root.split("/"), path.split("/"), strict=False):
        if part != other:
            break
        count += 1
    return count
