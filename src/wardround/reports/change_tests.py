"""The tests of a change, as reports show them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wardround.context.change_tests import (
    ChangeCoverage,
    ChangeTests,
    CoverageState,
    ReachedFunction,
)


def change_tests_dict(tests: ChangeTests) -> dict[str, Any]:
    """Return the tests as plain values; a part without content has no key."""
    parts = {
        "functions": [_function(one) for one in tests.functions],
        "omitted": tests.omitted,
        "problem": tests.problem,
        "lost": [
            {"file": one.path, "line": one.line, "test": one.name, "how": one.how.value}
            | {"functions": list(one.functions)}
            for one in tests.lost
        ],
        "coverage": _coverage(tests.coverage) if tests.coverage.files else {},
    }
    return {name: part for name, part in parts.items() if part}


def _function(one: ReachedFunction) -> dict[str, Any]:
    return {
        "file": one.path,
        "line": one.line,
        "end_line": one.end_line,
        "symbol": one.name,
        "kind": one.kind,
        "tests": [
            {"file": test.path, "line": test.line, "test": test.name}
            | {"distance": test.distance, "resolved": test.is_resolved}
            for test in one.tests
        ],
        "more_tests": one.more_tests,
    }


def _coverage(coverage: ChangeCoverage) -> dict[str, Any]:
    return {
        "files": [
            {"file": one.path, "format": one.format, "state": one.state.value}
            | {"reason": one.reason, "required": one.is_required}
            for one in coverage.files
        ],
        "changed_lines": coverage.executed + coverage.missed,
        "changed_lines_covered": coverage.executed,
        "lines": [
            {"file": one.path, "executed": one.executed, "missed": [list(lines) for lines in one.missed]}
            for one in coverage.lines
        ],
        "unmeasured": list(coverage.unmeasured),
    }


def change_tests_line(tests: ChangeTests, *, is_shown_by_run: bool = False) -> str:
    """Return one line for people; empty without anything to report.

    Args:
        is_shown_by_run: a run shows which changed lines tests ran, in place of the tests that are found.
    """
    return "; ".join(_parts(tests, is_shown_by_run=is_shown_by_run))


def _parts(tests: ChangeTests, *, is_shown_by_run: bool) -> Iterator[str]:
    count = 0 if is_shown_by_run else len(tests.functions)
    if count:
        unreached = [one.name for one in tests.unreached]
        more = f" and {len(unreached) - 1} more" if len(unreached) > 1 else ""
        lacking = f", none of {unreached[0]}{more}" if unreached else ""
        yield f"found for {count - len(unreached)} of {count} changed functions{lacking}"
    elif tests.problem and not is_shown_by_run:
        yield f"not searched: {tests.problem}"
    if tests.lost:
        yield f"tests that assert less than before: {len(tests.lost)}"
    yield from _coverage_parts(tests.coverage)


def _coverage_parts(coverage: ChangeCoverage) -> Iterator[str]:
    fresh = [one.path for one in coverage.files if one.state is CoverageState.FRESH]
    if fresh:
        total = coverage.executed + coverage.missed
        yield f"{coverage.executed} of {total} changed lines ran ({', '.join(fresh)})"
    for one in coverage.files:
        if one.state is not CoverageState.FRESH:
            yield f"{one.path} is {one.state}: {one.reason}"
