"""The tests of a change: by the code graph, by the changed test files, and by coverage files."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec
from msgspec.structs import replace

from wardround.analyses.test_search.lost_tests import changed_test_files, lost_tests
from wardround.assignment.review_context import ReviewContext
from wardround.change.change_source import ChangeSource
from wardround.change.diff import ChangedFile, FileStatus
from wardround.change.encoding import escape_undecodable
from wardround.context.change_tests import ChangeCoverage, ChangeTests
from wardround.context.code_graph.extraction import language_of
from wardround.context.code_graph.imported_tests import imported_tests
from wardround.context.code_graph.reached_functions import changed_functions, reached_functions
from wardround.context.code_graph.symbol_moves import SymbolMove
from wardround.context.code_graph.update_limit import UpdateLimit
from wardround.context.line_coverage.work_tree import work_tree_coverage
from wardround.retrieval.test_discovery import contains_tests
from wardround.specialists import Specialist

_LANGUAGES = ("python", "script")
_MOST_FILES = 200
"""Changed source files above which nobody reads the tests of each; parsing them takes seconds."""


class SearchedChange(msgspec.Struct, frozen=True):
    """The change whose tests are searched.

    Attributes:
        read: file, True for the base -> its content; None if there is none.
    """

    source: ChangeSource
    context: ReviewContext
    specialists: Sequence[Specialist]
    moves: Sequence[SymbolMove]
    read: Callable[[ChangedFile, bool], str | None]

    def tests(self) -> frozenset[str]:
        """Return the paths of the changed test files of the head in a language of the code graph."""
        return frozenset(
            file.file.path
            for file in self.context.claimed
            if file.file.status is not FileStatus.DELETED
            and language_of(file.file.path) in _LANGUAGES
            and any(specialist.name == "tests" for specialist in file.specialists)
        )

    def is_test(self, path: str) -> bool:
        """Return True if a path is that of a test file."""
        tests = (specialist for specialist in self.specialists if specialist.name == "tests")
        return contains_tests(path) or any(specialist.claims_name(path) for specialist in tests)

    def sources(self) -> tuple[ChangedFile, ...]:
        """Return the changed files of code that are reviewed and are not tests."""
        return tuple(
            file.file
            for file in self.context.claimed
            if language_of(file.file.path) in _LANGUAGES
            and not contains_tests(file.file.path)
            and not any(specialist.name == "tests" for specialist in file.specialists)
        )


def find_change_tests(
    changed: SearchedChange, coverage_files: Sequence[str], limit: UpdateLimit
) -> ChangeTests:
    """Return the tests of a change.

    Args:
        coverage_files: those that the configuration names.
        limit: limits the work on the code graph.
    """
    change, sources = changed.context.change, changed.sources()
    if len(sources) > _MOST_FILES:
        return ChangeTests(problem=f"more than {_MOST_FILES} source files are changed")
    functions = changed_functions(sources, changed.read, changed.moves)
    test_sides = changed_test_files(change, changed.specialists, changed.read) if functions else ()
    reached = reached_functions(
        changed.source,
        change,
        functions,
        limit,
        with_base=any(side.base for side in test_sides),
    )
    texts = {file.path: file for file in sources}
    coverage = work_tree_coverage(
        changed.source,
        change,
        coverage_files,
        lambda file: file.path in texts,
        lambda path: changed.read(texts[path], False),
    )
    return ChangeTests(
        functions=reached.functions,
        omitted=reached.omitted,
        problem=reached.problem,
        lost=lost_tests(test_sides, reached.base_tests),
        coverage=_recordable(coverage),
        imported=imported_tests(changed.source, change, changed.tests(), changed.is_test, limit),
    )


def _recordable(coverage: ChangeCoverage) -> ChangeCoverage:
    """Return the coverage with paths that JSON can hold."""
    lines = tuple(replace(line, path=escape_undecodable(line.path)) for line in coverage.lines)
    return replace(coverage, lines=lines, unmeasured=tuple(map(escape_undecodable, coverage.unmeasured)))
