"""Modules with the version of a package, which a build writes and a tree from version control lacks.

The files of the project name versions that are in the tree; these are others, known by their usual names.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

_NAMES = frozenset({"_version", "version", "__version__", "_version_generated", "_scm_version"})
_VERSION, _NUMBERS = "0.0.0", (0, 0, 0)


class _VersionFinder(MetaPathFinder, Loader):
    """Finds such a module below a package of the tree, after all other finders."""

    def __init__(self, root: str, report: Callable[[str], None]) -> None:
        self._root = root
        self._report = report

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the specification of a module that states version 0.0.0."""
        is_version = fullname.rpartition(".")[2] in _NAMES
        is_of_tree = any(str(folder).startswith(self._root) for folder in path or ())
        return ModuleSpec(fullname, self) if is_version and is_of_tree else None

    def exec_module(self, module: ModuleType) -> None:
        """Set the usual names."""
        for name in ("__version__", "version", "full_version", "short_version"):
            setattr(module, name, _VERSION)
        for name in ("__version_tuple__", "version_tuple"):
            setattr(module, name, _NUMBERS)
        self._report(f"the module {module.__name__} with version {_VERSION}, as the tree has none")


def supply_versions(root: str, report: Callable[[str], None] = lambda text: None) -> None:
    """Provide version 0.0.0 for modules such as ``_version`` that a build generates and the tree lacks.

    Args:
        report: takes a noun phrase for each module, when it is imported.
    """
    sys.meta_path.append(_VersionFinder(root, report))
