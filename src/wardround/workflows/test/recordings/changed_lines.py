"""The changed lines of a change: those in tracebacks, and those that tests ran."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from wardround.change.diff import Change, FileStatus
from wardround.context.line_coverage.context_lines import ContextLines
from wardround.context.line_coverage.model import Lines
from wardround.context.line_coverage.python_statements import executable_lines
from wardround.context.run_evidence import CoverageDelta, LineEvidence
from wardround.languages.python.module import is_test_path
from wardround.lazy import LazyPattern
from wardround.retrieval.test_discovery import contains_tests
from wardround.workflows.test.python_code.edited_statements import edited_lines, statement_starts
from wardround.workflows.test.python_code.tree import TreeUnderTest
from wardround.workflows.test.recordings.script_lines import ScriptLines
from wardround.workflows.test.recordings.session_lines import Branches
from wardround.workflows.test.scripts.roles import is_measured_script
from wardround.workflows.test.scripts.units import excludes_coverage

_MOST_PLACES = 10
_NO_PRODUCT = LazyPattern(
    r"(?i)(?:^|/)(?:docs?|documentation|examples?|samples?|demos?|benchmark(?:s|ing)?)/"
    r"|^(?:setup|noxfile|tasks|fabfile|versioneer|hatch_build)\.py$"
)
"""Documentation, measurements and the build of a project, which tests do not run."""


class ChangedLines:
    """The added lines of a change by file, numbered at the head.

    Coverage is that of the statements that the change adds or edits, at the first added line of each.
    """

    def __init__(self, change: Change, base: TreeUnderTest | None, head: TreeUnderTest) -> None:
        self._base = base
        self._head = head
        self._files = {file.path: file for file in change.files}
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
            branches: path -> line -> its branches, and those that were taken.
            scripts: the lines of scripts.
        """
        found = [
            self._line_evidence(path, executed.get(path, 0), branches.get(path, {})) for path in self.measured
        ]
        found += [self._covered_script(path, scripts) for path in self.measured_scripts]
        return tuple(
            sorted(
                (evidence for evidence in found if evidence is not None), key=lambda evidence: evidence.path
            )
        )

    def _covered_script(self, path: str, scripts: ScriptLines) -> LineEvidence | None:
        found = scripts.of(path)
        starts = {number: number for number in self._lines[path]}
        excluded = dict.fromkeys((*self._added_exclusions(path), *self._other_program(path)), False)
        if found is None:
            return _evidence(path, starts, excluded, {}) if excluded else None
        lines = {**excluded, **found.lines}
        return _evidence(path, starts, lines, dict.fromkeys(found.partial, (2, 1)))

    def _added_exclusions(self, path: str) -> Iterator[int]:
        """Yield the added lines that exclude code from coverage: nothing shows that this code ran."""
        lines = self._head.text(path).split("\n")
        return (number for number in sorted(self._lines[path]) if excludes_coverage(lines[number - 1]))

    def _line_evidence(
        self, path: str, executed: int, branches: Mapping[int, tuple[int, int]]
    ) -> LineEvidence | None:
        text = self._head.text(path)
        starts = statement_starts(text, edited_lines(self._files[path], self._base_text(path), text))
        program = self._other_program(path)
        lines = {**_executable(text, executed, self._lines[path]), **dict.fromkeys(program, False)}
        return _evidence(path, {**starts, **{line: line for line in program}}, lines, branches)

    def _other_program(self, path: str) -> tuple[int, ...]:
        """Return the first line if it names another program than before: no test runs the file by it."""
        before, after = (text.partition("\n")[0] for text in (self._base_text(path), self._head.text(path)))
        return (1,) if after.startswith("#!") and before and after != before else ()

    def _base_text(self, path: str) -> str:
        old = self._files[path].base_path
        if old is None or self._base is None or old not in self._base.blobs:
            return ""
        return self._base.text(old)


def _evidence(
    path: str, starts: Mapping[int, int], lines: Lines, branches: Mapping[int, tuple[int, int]]
) -> LineEvidence | None:
    """Return the coverage of a file; None if no executable line of it changed.

    Args:
        starts: the first line of each edited statement -> the line that is reported for it.
    """
    covered: set[int] = set()
    missed: set[int] = set()
    partial: set[int] = set()
    for start, shown in starts.items():
        if start not in lines:
            continue
        if not lines[start]:
            missed.add(shown)
            continue
        covered.add(shown)
        ways, used = branches.get(start, (0, 0))
        if 0 < used < ways:
            partial.add(shown)
    if not covered and not missed:
        return None
    ran = covered - missed
    return LineEvidence(path, tuple(sorted(ran)), tuple(sorted(missed)), tuple(sorted(partial)))


def has_product_code(change: Change) -> bool:
    """Return True if the change has a file whose coverage is reported."""
    return any(_is_measured(file.path) or is_measured_script(file.path) for file in change.files)


def coverage_delta(change: Change, base: SideLines, head: SideLines) -> tuple[CoverageDelta, ...]:
    """Return the coverage of the changed files without tests, before and after the change."""
    found = []
    for file in change.files:
        before = base.counts(file.base_path)
        after = None if file.status is FileStatus.DELETED else head.counts(file.path)
        if (_is_measured(file.path) or is_measured_script(file.path)) and (before or after):
            found.append(CoverageDelta(file.path, before, after))
    return tuple(sorted(found, key=lambda delta: delta.path))


class SideLines:
    """The lines at base or head that the same tests executed.

    Args:
        executed: path -> bits of the lines of Python files that ran.
        scripts: the lines of scripts.
    """

    def __init__(self, tree: TreeUnderTest, executed: Mapping[str, int], scripts: ScriptLines) -> None:
        self._tree = tree
        self._executed = executed
        self._scripts = scripts

    def counts(self, path: str | None) -> tuple[int, int] | None:
        """Return the covered and the executable lines of a file; None if it has none in this version."""
        if path is None or path not in self._tree.blobs:
            return None
        if is_measured_script(path):
            found = self._scripts.of(path)
            lines = found.lines if found is not None else {}
        else:
            lines = _executable(self._tree.text(path), self._executed.get(path, 0))
        return (sum(lines.values()), len(lines)) if lines else None


def _executable(text: str, executed: int, added: Collection[int] = ()) -> Lines:
    ran = {number: True for number in range(1, text.count("\n") + 2) if executed >> number & 1}
    return executable_lines(text, ran, added) or {}


def _is_measured(path: str) -> bool:
    is_product = not is_test_path(path) and not contains_tests(path) and not _NO_PRODUCT.search(path)
    return path.endswith(".py") and is_product


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
