"""The changes of surfaces between two trees, each with its declarations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from wardround.context.surface.model import SurfaceChange, SurfaceKind
from wardround.release_notes.surfaces.file_breaks import file_break
from wardround.release_notes.surfaces.python_breaks import PythonBreaks
from wardround.release_notes.surfaces.surface_break import SurfaceBreak
from wardround.release_notes.surfaces.two_trees import TwoTrees


def surface_breaks(changes: Iterable[SurfaceChange], trees: TwoTrees) -> Iterator[SurfaceBreak]:
    """Yield changes with their declarations, without those that no call or import notices."""
    python = PythonBreaks(trees)
    for change in changes:
        is_python = change.kind is SurfaceKind.PYTHON_API
        found = python.read(change) if is_python else file_break(change, trees)
        if found is not None:
            yield found
