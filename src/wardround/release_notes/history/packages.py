"""The packages of a repository with several, by the folders of their manifests."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from wardround.release_notes.history.path_class import PathClass, class_of_path

_MANIFESTS = frozenset(
    {"package.json", "pyproject.toml", "setup.py", "Cargo.toml", "go.mod", "composer.json"}
)
_ASIDE = frozenset({PathClass.TESTS, PathClass.DOCUMENTATION, PathClass.TOOLING})
_LEAST = 2


class PackageFolders(msgspec.Struct, frozen=True):
    """The folders of the packages, deepest first; none in a repository with a single package."""

    folders: tuple[str, ...] = ()

    def area(self, paths: Iterable[str]) -> str:
        """Return the name of the package to which all changed files of the product belong; else nothing."""
        product = [path for path in paths if class_of_path(path) is PathClass.PRODUCT]
        found = {self._folder(path) for path in product}
        return found.pop().rpartition("/")[2] if len(found) == 1 else ""

    def _folder(self, path: str) -> str:
        return next((folder for folder in self.folders if path.startswith(f"{folder}/")), "")


def package_folders(paths: Sequence[str]) -> PackageFolders:
    """Return the packages of a tree.

    Args:
        paths: all paths of the tree.
    """
    folders = {path.rpartition("/")[0] for path in paths if _is_of_package(path)} - {""}
    if len(folders) < _LEAST:
        return PackageFolders()
    return PackageFolders(tuple(sorted(folders, key=lambda folder: (-folder.count("/"), folder))))


def _is_of_package(path: str) -> bool:
    folder, _, name = path.rpartition("/")
    return name in _MANIFESTS and bool(folder) and class_of_path(f"{folder}/module.py") not in _ASIDE
