"""The tests that reach the changed functions, and the changed lines that ran."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from wardround.analyses.analysis import Analysis, ReportLine
from wardround.context.change_tests import ChangeCoverage, ChangeTests, CoverageState, ReachedFunction
from wardround.context.document import ContextDocument
from wardround.context.run_summary import shows_lines
from wardround.findings import Plane

if TYPE_CHECKING:
    from wardround.analyses.change_view import ChangeView

RESOLVED = "reaching-tests"
NAMED = "reaching-tests-by-name"
COVERAGE = "line-coverage"


class ChangedSourceTests(Analysis[ChangeTests]):
    """The tests of the changed source, without a run of them."""

    name = "tests"
    plane = Plane.TESTS
    notes_type = ChangeTests

    def analyse(self, view: ChangeView) -> ChangeTests:
        if not view.change.files:
            return ChangeTests()
        from wardround.analyses.test_search.change_tests import (  # loads grammars: 15 ms
            SearchedChange,
            find_change_tests,
        )

        review = view.review
        searched = SearchedChange(review.source, view.context, review.specialists, view.code.moves, view.read)
        return find_change_tests(searched, review.config.root.coverage_files, view.graph_limit)

    def variables(self, notes: ChangeTests, context: ContextDocument) -> Mapping[str, Any]:
        numbers = {
            "functions": len(notes.functions) + notes.omitted,
            "unreached": len(notes.unreached) + notes.omitted,
            "lost": len(notes.lost),
            "coverage": _coverage_state(notes.coverage),
            "changed_lines": notes.coverage.executed + notes.coverage.missed,
            "changed_lines_covered": notes.coverage.executed,
        }
        return {"tests": numbers}

    def lines(self, notes: ChangeTests, context: ContextDocument) -> Iterator[ReportLine]:
        """Yield one line. If a run shows the changed lines that tests executed, tests found statically are
        omitted.
        """
        parts = [] if shows_lines(context.ran.tests) else list(_found_tests(notes))
        if notes.lost:
            parts.append(f"tests that assert less than before: {len(notes.lost)}")
        parts += _coverage_parts(notes.coverage)
        if parts:
            yield ReportLine("; ".join(parts), "tests: ")

    def measured_sources(self, notes: ChangeTests) -> Iterator[str]:
        reaching = reach_source(notes.functions, omitted=notes.omitted)
        if reaching:
            yield reaching
        if notes.coverage.is_fresh:
            yield COVERAGE


def reach_source(functions: Collection[ReachedFunction], *, omitted: int) -> str:
    """Return the source that shows that every changed function is reached by a test; empty if one is not
    reached.
    """
    if not functions or omitted or not all(function.is_reached for function in functions):
        return ""
    return RESOLVED if all(function.is_resolved for function in functions) else NAMED


def _coverage_state(coverage: ChangeCoverage) -> str:
    if not coverage.files:
        return "none"
    return "fresh" if coverage.is_fresh and not coverage.lacking else "stale"


def _found_tests(tests: ChangeTests) -> Iterator[str]:
    """Yield the part about the tests that the code graph finds."""
    count, unreached = len(tests.functions), [function.name for function in tests.unreached]
    if not count:
        if tests.problem:
            yield f"not searched: {tests.problem}"
        return
    more = f" and {len(unreached) - 1} more" if len(unreached) > 1 else ""
    lacking = f", none of {unreached[0]}{more}" if unreached else ""
    yield f"found for {count - len(unreached)} of {count} changed functions{lacking}"


def _coverage_parts(coverage: ChangeCoverage) -> Iterator[str]:
    fresh = [file.path for file in coverage.files if file.state is CoverageState.FRESH]
    if fresh:
        total = coverage.executed + coverage.missed
        yield f"{coverage.executed} of {total} changed lines ran ({', '.join(fresh)})"
    for file in coverage.files:
        if file.state is not CoverageState.FRESH:
            yield f"{file.path} is {file.state}: {file.reason}"
