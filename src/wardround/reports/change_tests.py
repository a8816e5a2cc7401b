"""The tests of a change in the JSON report."""

from __future__ import annotations

from typing import Any

from wardround.context.change_tests import ChangeCoverage, ChangeTests, ReachedFunction


def change_tests_dict(tests: ChangeTests) -> dict[str, Any]:
    """Return the tests as plain values; a part without content has no key."""
    parts = {
        "functions": [_function(function) for function in tests.functions],
        "omitted": tests.omitted,
        "problem": tests.problem,
        "lost": [
            {"file": test.path, "line": test.line, "test": test.name, "how": test.how.value}
            | {"functions": list(test.functions)}
            for test in tests.lost
        ],
        "coverage": _coverage(tests.coverage) if tests.coverage.files else {},
    }
    return {name: part for name, part in parts.items() if part}


def _function(item: ReachedFunction) -> dict[str, Any]:
    return {
        "file": item.path,
        "line": item.line,
        "end_line": item.end_line,
        "symbol": item.name,
        "kind": item.kind,
        "tests": [
            {"file": test.path, "line": test.line, "test": test.name}
            | {"distance": test.distance, "resolved": test.is_resolved}
            for test in item.tests
        ],
        "more_tests": item.more_tests,
    }


def _coverage(coverage: ChangeCoverage) -> dict[str, Any]:
    return {
        "files": [
            {"file": file.path, "format": file.format, "state": file.state.value}
            | {"reason": file.reason, "required": file.is_required}
            for file in coverage.files
        ],
        "changed_lines": coverage.executed + coverage.missed,
        "changed_lines_covered": coverage.executed,
        "lines": [
            {"file": line.path, "executed": line.executed, "missed": [list(lines) for lines in line.missed]}
            for line in coverage.lines
        ],
        "unmeasured": list(coverage.unmeasured),
    }
