"""Imports of a module: its position, and the folders where imports may start."""

from __future__ import annotations

import msgspec

from wardround.change.repository_view import RepositoryView
from wardround_python.analysis.import_roots import ImportRoots

ON_PATH = frozenset({"plugins", "dags"})
"""Folders that Airflow puts on the import path, also where they are packages."""


class ModuleLocation(msgspec.Struct, frozen=True):
    """The parts of a module's path: ``src/app/mail.py`` is ``src``, ``app``, ``mail``."""

    parts: tuple[str, ...]

    @classmethod
    def of(cls, path: str) -> ModuleLocation:
        return cls(tuple(path.removesuffix(".py").removesuffix("/__init__").split("/")))

    def can_only_be(
        self,
        importer: str,
        dotted: str,
        level: int,
        project: RepositoryView,
        declared: ImportRoots | None = None,
    ) -> bool:
        """Return True if an import with so many leading dots can only refer to this module.

        Args:
            declared: further folders where imports start.
        """
        named = tuple(dotted.split(".")) if dotted else ()
        folders = tuple(importer.split("/")[:-1])
        if level:
            return len(folders) >= level - 1 and folders[: len(folders) - level + 1] + named == self.parts
        if not named or self.parts[-len(named) :] != named:
            return False
        root = self.parts[: -len(named)]
        is_declared = declared is not None and declared.may_import_from(importer, "/".join(root))
        if not is_declared and not self._is_import_root(root, folders, len(named), project):
            return False
        return not _is_elsewhere(named, root, folders, project)

    def _is_import_root(
        self, root: tuple[str, ...], folders: tuple[str, ...], named_parts: int, project: RepositoryView
    ) -> bool:
        """Return True if imports can start in a folder: it is not a package, and is near the importer."""
        if root and project.read("/".join((*root, "__init__.py"))) is not None:
            return named_parts > 1 and root[-1] in ON_PATH
        return named_parts > 1 or root in _roots_near(folders)


def _roots_near(folders: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return the folders in which the imports of a file may start: its parent folders, and the usual ones."""
    return [*(folders[:depth] for depth in range(len(folders) + 1)), ("src",), ("lib",)]


def _is_elsewhere(
    named: tuple[str, ...], root: tuple[str, ...], folders: tuple[str, ...], project: RepositoryView
) -> bool:
    """Return True if another folder where imports may start has a module of the same name."""
    others = (other for other in _roots_near(folders) if other != root)
    return any(_contains_module(other, named, project) for other in others)


def _contains_module(root: tuple[str, ...], named: tuple[str, ...], project: RepositoryView) -> bool:
    stem = "/".join((*root, *named))
    return project.read(f"{stem}.py") is not None or project.read(f"{stem}/__init__.py") is not None
