"""The declarations of changed surfaces other than the Python API, each in one file."""

from __future__ import annotations

import posixpath

from wardround.context.surface.model import SurfaceChange, SurfaceKind
from wardround.context.surface.packages import PYTHON_MANIFESTS
from wardround.context.surface.python_requirement import python_requirement, required_python
from wardround.lazy import LazyPattern
from wardround.release_notes.surfaces.attribution import Search
from wardround.release_notes.surfaces.declaration import (
    ABSENT,
    PRESENCE,
    Declaration,
    Reader,
    changed_facets,
    present,
)
from wardround.release_notes.surfaces.manifest_declaration import manifest_declaration
from wardround.release_notes.surfaces.script_declaration import script_declaration
from wardround.release_notes.surfaces.surface_break import SurfaceBreak
from wardround.release_notes.surfaces.text_declaration import line_declaration, option_declaration
from wardround.release_notes.surfaces.two_trees import TwoTrees

_QUOTED = LazyPattern(r"`([^`]+)`")
_MANIFESTS = (*PYTHON_MANIFESTS, "package.json")


def file_break(change: SurfaceChange, trees: TwoTrees) -> SurfaceBreak:
    """Return a change with its declarations."""
    if change.name == "requires-python":
        return _required_python(change, trees)
    quoted = _QUOTED.search(change.name)
    own = quoted[1] if quoted else change.name
    read = _reader(change, own)
    paths = trees.paths(change.path)
    # a migration of a database states the change itself: it is new at the head
    base = ABSENT if change.kind is SurfaceKind.SQL_SCHEMA else trees.base(paths, read)
    head = trees.head(paths, read)
    facets = changed_facets(base, head) or {PRESENCE: base.facets.get(PRESENCE, "")}
    is_range = change.kind is SurfaceKind.DEPENDENCIES and head.is_present
    return SurfaceBreak(change, own, own, Search(paths, read, facets, is_value=is_range), base, head)


def _required_python(change: SurfaceChange, trees: TwoTrees) -> SurfaceBreak:
    """Return the change of a range that may move from one manifest to another."""
    folder = posixpath.dirname(change.path)
    sides = (python_requirement(side, folder) for side in (trees.sides.base, trees.sides.head))
    base, head = (ABSENT if found is None else present(found.versions, found.versions) for found in sides)
    paths = tuple(posixpath.join(folder, name) for name in PYTHON_MANIFESTS)

    def read(text: str) -> Declaration:
        found = required_python(text, is_toml=True) or required_python(text, is_toml=False)
        return present(found, found) if found else ABSENT

    search = Search(paths, read, changed_facets(base, head), is_value=True)
    return SurfaceBreak(change, change.name, change.name, search, base, head)


def _reader(change: SurfaceChange, own: str) -> Reader:
    path = change.path
    if posixpath.basename(path) in _MANIFESTS:
        return lambda text: manifest_declaration(path, text, change.name)
    if change.kind is SurfaceKind.CLI_OPTIONS:
        return lambda text: option_declaration(path, text, own)
    if change.kind is SurfaceKind.SCRIPT_EXPORTS:
        return lambda text: script_declaration(path, text, own)
    return lambda text: line_declaration(text, own.rpartition(".")[2])
