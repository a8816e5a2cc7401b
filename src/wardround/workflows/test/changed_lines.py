"""The changed lines of a change: those in tracebacks, and those that tests ran."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from wardround.change.diff import Change, FileStatus
from wardround.context.line_coverage.context_lines import ContextLines
from wardround.context.line_coverage.python_statements import executable_lines
from wardround.context.run_evidence import LineEvidence
from wardround.retrieval.test_discovery import holds_tests
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

    def coverage(self, executed: Mapping[str, int]) -> tuple[LineEvidence, ...]:
        """Return the coverage of the changed lines of Python files without tests.

        Args:
            executed: path -> bits of the lines that ran.
        """
        return tuple(
            evidence
            for path in sorted(self._lines)
            if path.endswith(".py") and not holds_tests(path) and not path.endswith("conftest.py")
            if (evidence := self._covered(path, executed.get(path, 0))) is not None
        )

    def _covered(self, path: str, executed: int) -> LineEvidence | None:
        """Return the coverage of a file; None if no executable line of it changed."""
        text = self._head.text(path)
        ran = {number: True for number in range(1, text.count("\n") + 2) if executed >> number & 1}
        lines = executable_lines(text, ran) or {}
        changed = sorted(self._lines[path] & lines.keys())
        covered = tuple(number for number in changed if lines[number])
        missed = tuple(number for number in changed if not lines[number])
        return LineEvidence(path, covered, missed) if changed else None


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
