"""The gaps in the known tests of a change; each one keeps it out of T1."""

from __future__ import annotations

from collections.abc import Iterator

from wardround.context.change_tests import ChangeCoverage, ChangeTests
from wardround.context.run_evidence import TestOutcome, TestsRun
from wardround.context.run_summary import NO_ISOLATION, incomplete, line_counts, outcomes, shows_lines


def gaps_of_tests(tests: ChangeTests, run: TestsRun | None = None) -> Iterator[str]:
    """Yield a line for each gap. Less evidence gives more gaps, never fewer.

    A change has a gap if the code graph finds no test at all. A single function without a test is usually
    tested in another way, as ``evals/reaching_tests.py`` measures. Coverage counts only if the configuration
    names the files: a file that is found by its usual name could be absent as well.

    Args:
        run: the run of the tests; where it shows which changed lines passing tests ran, the code graph is not
            used.
    """
    if not shows_lines(run):
        yield from _reaching_gaps(tests)
    if tests.lost:
        lost = tests.lost[0]
        yield f"a test of the changed code asserts less, {lost.name} in {lost.path}{_more(len(tests.lost))}"
    yield from _coverage_gaps(tests.coverage)
    if run is not None:
        yield from gaps_of_run(run)


def _reaching_gaps(tests: ChangeTests) -> Iterator[str]:
    if tests.problem:
        yield f"the tests of the changed functions are not known: {tests.problem}"
    if tests.omitted:
        yield f"the tests of {tests.omitted} changed functions were not searched"
    if tests.functions and len(tests.unreached) == len(tests.functions):
        first = tests.functions[0]
        yield f"no test of {first.name} in {first.path} is found{_more(len(tests.functions))}"


def gaps_of_run(run: TestsRun) -> Iterator[str]:
    """Yield a line for each gap that a run itself shows."""
    reason = incomplete(run.conditions, "the tests of the change")
    if reason:
        yield reason
    elif run.conditions.isolation == NO_ISOLATION:
        yield "the tests of the change ran without isolation"
    uncovered = line_counts(run)[1]
    if uncovered:
        yield f"{_lines(uncovered)} did not run in passing tests"
    flaky = outcomes(run)[TestOutcome.FLAKY]
    if flaky:
        tests = "1 test" if flaky == 1 else f"{flaky} tests"
        yield f"{tests} of the change failed once and passed when repeated"


def _coverage_gaps(coverage: ChangeCoverage) -> Iterator[str]:
    for file in coverage.lacking:
        yield f"{file.path} does not count: {file.reason}"
    if any(file.is_required for file in coverage.files):
        if coverage.unmeasured:
            more = _more(len(coverage.unmeasured))
            yield f"{coverage.unmeasured[0]} is changed and not in the coverage files{more}"
        if coverage.missed:
            yield f"{_lines(coverage.missed)} did not run in the tests"


def _lines(count: int) -> str:
    return "1 changed line" if count == 1 else f"{count} changed lines"


def _more(count: int) -> str:
    return f" and {count - 1} more" if count > 1 else ""
