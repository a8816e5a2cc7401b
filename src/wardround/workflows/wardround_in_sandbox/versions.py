"""Modules with the version of a package, which a build writes and a tree from version control lacks."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

_NAMES = frozenset({"_version", "version", "__version__", "_version_generated", "_scm_version"})
_VERSION, _NUMBERS = "0.0.0", (0, 0, 0)


class _VersionFinder(MetaPathFinder, Loader):
    """Finds such a module below a package of the tree, after all other finders."""

    def __init__(self, root: str) -> None:
        self._root = root

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the specification of a module that states version 0.0.0."""
        is_version = fullname.rpartition(".")[2] in _NAMES
        is_of_tree = any(str(one).startswith(self._root) for one in path or ())
        return ModuleSpec(fullname, self) if is_version and is_of_tree else None

    def exec_module(self, module: ModuleType) -> None:
        """Set the usual names."""
        for name in ("__version__", "version"):
            setattr(module, name, _VERSION)
        for name in ("__version_tuple__", "version_tuple"):
            setattr(module, name, _NUMBERS)


def supply_versions(root: str) -> None:
    """Let imports of missing version modules of a tree succeed."""
    sys.meta_path.append(_VersionFinder(root))
