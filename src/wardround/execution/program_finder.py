"""The programs of tools: their location, and the guarantee that the change under review does not choose
them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

import msgspec

from wardround.assignment.work_units import WorkUnit
from wardround.change.trees import paths_overlap
from wardround.execution.model import Results
from wardround.execution.review_side import ReviewSide
from wardround.tools import process
from wardround.tools.tool import Tool, ToolScope

_PACKAGES = "node_modules"
_MAX_LINKS = 40


class FoundProgram(msgspec.Struct, frozen=True):
    """A tool's program.

    Attributes:
        path: None if there is none that may be started.
        refused: the path under version control from which a program was not taken.
    """

    path: Path | None
    refused: str | None = None


class ProgramFinder:
    """Finds programs and environments for tools, never any that is under version control.

    Args:
        root: root folder of the repository.
    """

    def __init__(self, root: Path) -> None:
        self._root = root

    def program(self, side: ReviewSide, tool: Tool, results: Results, folder: str = "") -> FoundProgram:
        """The tool's program: the project's own or, where that is under version control, the usual one.

        Args:
            folder: where the search for the project's own begins; it ends at the root.
        """
        package = self._root / folder
        folders = [package, *package.parents][: len(package.parts) - len(self._root.parts) + 1]
        usual = process.find_program(tool.program)
        found = next(filter(None, map(tool.find, folders)), None)
        refused = None
        for program in dict.fromkeys((found, None if found is None or tool.optional else usual)):
            if program is None:
                continue
            is_ours = program == usual or program.is_relative_to(sys.prefix)
            paths = [program] if is_ours else [*(location / _PACKAGES for location in folders), program]
            tracked = self._tracked_ancestor(side, paths, results)
            if tracked is None:
                return FoundProgram(program, refused)
            refused = refused or tracked
        return FoundProgram(None, refused)

    def environment(self, side: ReviewSide, tool: Tool, unit: WorkUnit, results: Results) -> Path | None:
        """Return the project's virtual environment, unless any of it is under version control.

        A tool may start the interpreter it finds there, and the change under review must not choose
        programs.
        """
        if tool.scope is not ToolScope.PROJECT:
            return None
        found = unit.specialist.environment(self._root, unit.options)
        if found is None:
            return None
        interpreters = (found, *(found / "bin" / name for name in ("python", "python3")))
        return None if self._tracked_ancestor(side, interpreters, results) else found

    def _tracked_ancestor(self, side: ReviewSide, paths: Iterable[Path], results: Results) -> str | None:
        """Return the first path under version control on the way to the targets of paths, there, or below.

        If the change itself adds something there, that is recorded as an attempt to control the review.
        """
        root = os.path.realpath(self._root)
        for location in chain.from_iterable(map(_resolve_symlink_chain, paths)):
            inside = os.path.relpath(location, root)
            if inside.partition("/")[0] != ".." and (inside == "." or side.has_tracked(inside)):
                if any(paths_overlap(inside, changed) for changed in side.changed):
                    results.tampered_paths.add(inside)
                return inside
        return None


def _resolve_symlink_chain(path: Path) -> Iterator[str]:
    """Yield the links on the way to the target of a path, then the target."""
    pending, location, links = list(path.absolute().parts[:0:-1]), "/", 0
    while pending:
        entry = os.path.normpath(os.path.join(location, pending.pop()))
        if not os.path.islink(entry) or links > _MAX_LINKS:
            location = entry
            continue
        yield entry
        links += 1
        target = os.readlink(entry)
        location = "/" if target.startswith("/") else location
        pending += reversed(target.split("/"))
    yield location
