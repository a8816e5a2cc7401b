"""The changed lines of a change: those in tracebacks, and those that tests ran."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from wardround.change.diff import Change, FileStatus
from wardround.context.line_coverage.context_lines import ContextLines
from wardround.context.line_coverage.model import Lines
from wardround.context.line_coverage.python_statements import executable_lines
from wardround.context.run_evidence import CoverageDelta, LineEvidence
from wardround.retrieval.test_discovery import holds_tests
from wardround.workflows.test.script_lines import ScriptLines
from wardround.workflows.test.script_roles import is_measured_script
from wardround.workflows.test.session_lines import Branches
from wardround.workflows.test.tree import TreeUnderTest

_MOST_PLACES = 10


class ChangedLines:
    """The added lines of a change by file, numbered at the head."""

    def __init__(self, change: Change, head: TreeUnderTest) -> None:
        self._head = head
        self._lines = {
            file.path: frozenset(file.added_line_numbers(head.text(file.path).count("\n") + 1))
            for file in change.files
            if file.status is not FileStatus.DELETED and file.path in head.blobs
        }

    def places(self, frames: Iterable[tuple[str, int]]) -> tuple[str, ...]:
        """Return the frames that are in changed lines, as ``path:line``."""
        found = [f"{path}:{line}" for path, line in frames if line in self._lines.get(path, ())]
        return tuple(dict.fromkeys(found))[:_MOST_PLACES]

    @property
    def measured(self) -> tuple[str, ...]:
        """The paths of the Python files whose coverage is reported."""
        return tuple(path for path in sorted(self._lines) if _is_measured(path))

    @property
    def measured_scripts(self) -> tuple[str, ...]:
        """The paths of the JavaScript files whose coverage is reported."""
        return tuple(path for path in sorted(self._lines) if is_measured_script(path))

    def coverage(
        self, executed: Mapping[str, int], branches: Branches, scripts: ScriptLines
    ) -> tuple[LineEvidence, ...]:
        """Return the coverage of the changed lines of files without tests.

        Args:
            executed: path -> bits of the lines of Python files that ran.
            branches: path -> line -> its ways out, and those that were taken.
            scripts: the lines of scripts.
        """
        found = [self._covered(path, executed.get(path, 0), branches.get(path, {})) for path in self.measured]
        found += [self._covered_script(path, scripts) for path in self.measured_scripts]
        return tuple(sorted((one for one in found if one is not None), key=lambda one: one.path))

    def _covered_script(self, path: str, scripts: ScriptLines) -> LineEvidence | None:
        found = scripts.of(path)
        if found is None:
            return None
        return self._evidence(path, found.lines, dict.fromkeys(found.partial, (2, 1)))

    def _covered(
        self, path: str, executed: int, branches: Mapping[int, tuple[int, int]]
    ) -> LineEvidence | None:
        return self._evidence(path, _executable(self._head.text(path), executed), branches)

    def _evidence(
        self, path: str, lines: Lines, branches: Mapping[int, tuple[int, int]]
    ) -> LineEvidence | None:
        """Return the coverage of a file; None if no executable line of it changed."""
        changed = sorted(self._lines[path] & lines.keys())
        covered = tuple(number for number in changed if lines[number])
        missed = tuple(number for number in changed if not lines[number])
        ways = {number: branches.get(number, (0, 0)) for number in covered}
        partial = tuple(number for number, (all_ways, taken) in ways.items() if 0 < taken < all_ways)
        return LineEvidence(path, covered, missed, partial) if changed else None


def coverage_delta(change: Change, base: SideLines, head: SideLines) -> tuple[CoverageDelta, ...]:
    """Return the coverage of the changed files without tests, before and after the change."""
    found = []
    for file in change.files:
        before = base.counts(file.base_path)
        after = None if file.status is FileStatus.DELETED else head.counts(file.path)
        if (_is_measured(file.path) or is_measured_script(file.path)) and (before or after):
            found.append(CoverageDelta(file.path, before, after))
    return tuple(sorted(found, key=lambda one: one.path))


class SideLines:
    """The lines of one side of a change that the same tests ran.

    Args:
        executed: path -> bits of the lines of Python files that ran.
        scripts: the lines of scripts.
    """

    def __init__(self, tree: TreeUnderTest, executed: Mapping[str, int], scripts: ScriptLines) -> None:
        self._tree = tree
        self._executed = executed
        self._scripts = scripts

    def counts(self, path: str | None) -> tuple[int, int] | None:
        """Return the covered and the executable lines of a file; None if it has none on this side."""
        if path is None or path not in self._tree.blobs:
            return None
        if is_measured_script(path):
            found = self._scripts.of(path)
            lines = found.lines if found is not None else {}
        else:
            lines = _executable(self._tree.text(path), self._executed.get(path, 0))
        return (sum(lines.values()), len(lines)) if lines else None


def _executable(text: str, executed: int) -> Lines:
    ran = {number: True for number in range(1, text.count("\n") + 2) if executed >> number & 1}
    return executable_lines(text, ran) or {}


def _is_measured(path: str) -> bool:
    return path.endswith(".py") and not holds_tests(path) and not path.endswith("conftest.py")


def executed_lines(rows: Sequence[ContextLines], paths: Mapping[str, str]) -> dict[str, int]:
    """Return the lines that ran, by file, as bits.

    Args:
        paths: path as the data has it -> path in the repository.
    """
    found: dict[str, int] = {}
    for row in rows:
        path = paths.get(row.path)
        if path is not None:
            found[path] = found.get(path, 0) | row.lines
    return found
