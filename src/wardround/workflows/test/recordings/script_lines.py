"""The executed lines of the scripts at base or head, by the tests of all projects that ran."""

from __future__ import annotations

from collections.abc import Iterable

from wardround.context.line_coverage.model import Lines
from wardround.workflows.test.python_code.tree import TreeUnderTest
from wardround.workflows.test.recordings.script_coverage import FileLines, ScriptCoverage
from wardround.workflows.test.recordings.script_recording import MeasuredScripts


class ScriptLines:
    """Adds up the lines that the tests of the projects ran.

    Args:
        tree: the files at base or head.
        roots: the folders of all projects with JavaScript.
    """

    def __init__(self, tree: TreeUnderTest, roots: Iterable[str]) -> None:
        self._tree = tree
        self._roots = sorted(roots, key=len, reverse=True)
        self._files: dict[str, FileLines | None] = {}
        self._ran: set[str] = set()
        self._is_all = True

    def add(self, root: str, measured: MeasuredScripts) -> None:
        """Add the tests of the project in a folder."""
        self._ran.add(root)
        self._is_all = self._is_all and measured.is_all
        for path, lines in measured.files.items():
            known = self._files.get(path, lines)
            self._files[path] = None if lines is None or known is None else _join_lines(known, lines)

    @property
    def is_empty(self) -> bool:
        """True if no measured script was loaded."""
        return not self._files

    def of(self, path: str) -> FileLines | None:
        """Return the lines of a script; None if they are not known.

        The lines of a script that no test loaded are known if every test of its project was recorded.
        """
        if path in self._files:
            return self._files[path]
        root = next((folder for folder in self._roots if not folder or path.startswith(f"{folder}/")), None)
        if path not in self._tree.blobs or root not in self._ran or not self._is_all:
            return None
        return ScriptCoverage(path, self._tree.text(path)).result(is_loaded=False)


def _join_lines(item: FileLines, other: FileLines) -> FileLines:
    """Return the lines that either ran; a choice is partial if it is in both."""
    lines: Lines = {
        line: item.lines.get(line, False) or other.lines.get(line, False)
        for line in {**item.lines, **other.lines}
    }
    tests = {
        line: item.tests.get(line, frozenset()) | other.tests.get(line, frozenset())
        for line in {**item.tests, **other.tests}
    }
    return FileLines(lines, item.partial & other.partial, tests)
