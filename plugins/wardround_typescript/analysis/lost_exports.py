"""Exports that a change removed from modules, also those that reach other files through an index file."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from wardround.checks.source import ChangedFileView
from wardround_typescript.analysis.exports import exports_of, provides_name
from wardround_typescript.analysis.modules import Modules, import_word
from wardround_typescript.folders import folder_and_above

_MOST_NAMES = 200
"""Number of exports that one file may lose; a change that removes more is a rewrite."""
_INDEX_FILES = ("index.ts", "index.tsx", "index.js", "index.mts", "index.mjs")


class LostExport(NamedTuple):
    """An export that a module lost.

    Attributes:
        through: the module that exported it to others, the same or an index file.
        home: the module that declared it.
    """

    through: str
    name: str
    home: str

    @property
    def word(self) -> str:
        """The word that each file with a use contains; it may be empty."""
        return import_word(self.home) if self.name == "default" else self.name


def lost_exports(files: Mapping[str, ChangedFileView], modules: Modules) -> Iterator[LostExport]:
    """Yield the exports that some files lost, by their old paths."""
    for path, file in files.items():
        names = _lost_names(path, file.base_text or "", modules)
        for through, name in _exporters(path, names, modules):
            yield LostExport(through, name, path)


def _lost_names(path: str, text: str, modules: Modules) -> list[str]:
    before = exports_of(path, text)
    lost = [name for name in before.names if provides_name(path, name, modules) is False]
    is_rewritten = before.is_unknown or len(lost) > _MOST_NAMES
    return [] if is_rewritten else lost


def _exporters(path: str, names: list[str], modules: Modules) -> Iterator[tuple[str, str]]:
    """Yield (module that exported a name, name) pairs; an index file does not pass on the default export."""
    if not names:
        return
    for name in names:
        yield path, name
    passed_on = [name for name in names if name != "default"]
    for barrel in _barrels(path, modules):
        for name in passed_on:
            if provides_name(barrel, name, modules) is False:
                yield barrel, name


def _barrels(path: str, modules: Modules) -> Iterator[str]:
    """Yield the index files above a module that re-export all of it, directly or through one another."""
    passing = {path}
    for folder in folder_and_above(posixpath.dirname(path)):
        for name in _INDEX_FILES:
            barrel = posixpath.join(folder, name)
            if barrel != path and _re_exports(barrel, passing, modules):
                passing.add(barrel)
                yield barrel


def _re_exports(barrel: str, sources: set[str], modules: Modules) -> bool:
    text = modules.project.read(barrel)
    if text is None:
        return False
    return any(modules.resolve(barrel, spec) in sources for spec in exports_of(barrel, text).stars)
