"""The tests of a change: those that reach its functions, those that it removes, and the lines that ran."""

from __future__ import annotations

import enum
from typing import Annotated

import msgspec

_Count = Annotated[int, msgspec.Meta(ge=0)]
_Line = Annotated[int, msgspec.Meta(ge=1)]


class ReachingTest(msgspec.Struct, frozen=True, order=True, forbid_unknown_fields=True):
    """A test that reaches a changed function over ``distance`` uses.

    Attributes:
        name: qualified; empty for the code of a test file outside of its tests.
        is_resolved: every use on the path is resolved by scopes and imports, none by equal names only.
    """

    path: str
    line: _Line
    name: str
    distance: _Line
    is_resolved: bool


class ReachedFunction(msgspec.Struct, frozen=True, order=True, forbid_unknown_fields=True):
    """A function or class of the head with a change beyond layout, documentation and annotations.

    Attributes:
        tests: those that reach it, the most certain and nearest first; at most ``MOST_TESTS``.
        more_tests: the number of further ones.
    """

    path: str
    line: _Line
    end_line: _Line
    name: str
    kind: str
    tests: tuple[ReachingTest, ...] = ()
    more_tests: _Count = 0

    @property
    def is_reached(self) -> bool:
        """True if the code graph finds a test of it."""
        return bool(self.tests)

    @property
    def is_resolved(self) -> bool:
        """True if a test reaches it over resolved uses."""
        return any(test.is_resolved for test in self.tests)


class Loss(enum.StrEnum):
    """The way in which a change weakens or removes a test."""

    REMOVED = "removed"
    SKIPPED = "skipped"
    FEWER_ASSERTIONS = "fewer-assertions"


class LostTest(msgspec.Struct, frozen=True, order=True, forbid_unknown_fields=True):
    """A test that reached a changed function at the base, and asserts less at the head.

    Attributes:
        path, line, name: at the base.
        functions: the changed functions that it reached, ``path::name``, sorted; at most ``MOST_TESTS``.
    """

    path: str
    line: _Line
    name: str
    how: Loss
    functions: tuple[str, ...]


class CoverageState(enum.StrEnum):
    """The relation of a coverage file to the tree under review; only a fresh one is evidence."""

    FRESH = "fresh"
    STALE = "stale"
    MISSING = "missing"
    UNREADABLE = "unreadable"
    TRACKED = "tracked"


class CoverageFile(msgspec.Struct, frozen=True, order=True, forbid_unknown_fields=True):
    """A coverage file of the work tree.

    Attributes:
        format: ``cobertura``, ``clover``, ``coverage.py``, ``lcov`` or ``istanbul``; empty if it is unknown.
        reason: the reason why it does not count; empty for a fresh one.
        is_required: the configuration names it.
    """

    path: str
    format: str
    state: CoverageState
    reason: str = ""
    is_required: bool = False


class CoveredFile(msgspec.Struct, frozen=True, order=True, forbid_unknown_fields=True):
    """The changed executable lines of a file.

    Attributes:
        executed: the number of those that a test run executed.
        missed: the ranges of the others, first and last line, 1-based and inclusive.
    """

    path: str
    executed: _Count
    missed: tuple[tuple[int, int], ...] = ()

    @property
    def missed_count(self) -> int:
        """The number of lines that did not run."""
        return sum(last - first + 1 for first, last in self.missed)


class ChangeCoverage(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The coverage of the changed lines, from all coverage files that belong to the tree.

    Attributes:
        lines: measured lines of the changed source files that a fresh coverage file has, by path.
        unmeasured: the changed source files that none of the fresh files measures.
    """

    files: tuple[CoverageFile, ...] = ()
    lines: tuple[CoveredFile, ...] = ()
    unmeasured: tuple[str, ...] = ()

    @property
    def is_fresh(self) -> bool:
        """True if a coverage file belongs to the tree."""
        return any(file.state is CoverageState.FRESH for file in self.files)

    @property
    def executed(self) -> int:
        """The number of changed executable lines that ran."""
        return sum(file.executed for file in self.lines)

    @property
    def missed(self) -> int:
        """The number of changed executable lines that did not run."""
        return sum(file.missed_count for file in self.lines)

    @property
    def lacking(self) -> tuple[CoverageFile, ...]:
        """The files that the configuration names and that are no evidence."""
        return tuple(
            file for file in self.files if file.is_required and file.state is not CoverageState.FRESH
        )


class ImportedTest(msgspec.Struct, frozen=True, order=True, forbid_unknown_fields=True):
    """A changed test file that other code imports, itself or by another test file."""

    path: str
    importer: str


class ChangeTests(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The known tests of a change.

    Attributes:
        functions: the changed functions and classes of source files, by path and line.
        omitted: the number of further ones, which were not searched.
        problem: the reason why no function was searched; empty if there is none.
        lost: the tests of changed functions that assert less than before.
        imported: the changed test files that code besides tests imports.
    """

    functions: tuple[ReachedFunction, ...] = ()
    omitted: _Count = 0
    problem: str = ""
    lost: tuple[LostTest, ...] = ()
    coverage: ChangeCoverage = ChangeCoverage()
    imported: tuple[ImportedTest, ...] = ()

    @property
    def unreached(self) -> tuple[ReachedFunction, ...]:
        """The changed functions without a test that the code graph finds."""
        return tuple(function for function in self.functions if not function.is_reached)
