"""The gaps in the known tests of a change; each one keeps it out of T1."""

from __future__ import annotations

from collections.abc import Iterator

from wardround.context.change_tests import ChangeCoverage, ChangeTests


def gaps_of_tests(tests: ChangeTests) -> Iterator[str]:
    """Yield a line for each gap. Less evidence gives more gaps, never fewer.

    A change has a gap if the code graph finds no test at all. A single function without one is tested in
    another way most of the time, as ``evals/reaching_tests.py`` measures.
    Coverage counts only where the configuration names the files: a file that is found by its usual name
    could be absent as well.
    """
    if tests.problem:
        yield f"the tests of the changed functions are not known: {tests.problem}"
    if tests.omitted:
        yield f"the tests of {tests.omitted} changed functions were not searched"
    if tests.functions and len(tests.unreached) == len(tests.functions):
        first = tests.functions[0]
        yield f"no test of {first.name} in {first.path} is found{_more(len(tests.functions))}"
    if tests.lost:
        lost = tests.lost[0]
        yield f"a test of the changed code asserts less, {lost.name} in {lost.path}{_more(len(tests.lost))}"
    yield from _coverage_gaps(tests.coverage)


def _coverage_gaps(coverage: ChangeCoverage) -> Iterator[str]:
    for file in coverage.lacking:
        yield f"{file.path} does not count: {file.reason}"
    if any(file.is_required for file in coverage.files):
        if coverage.unmeasured:
            more = _more(len(coverage.unmeasured))
            yield f"{coverage.unmeasured[0]} is changed and not in the coverage files{more}"
        if coverage.missed:
            yield f"{coverage.missed} changed lines did not run in the tests"


def _more(count: int) -> str:
    return f" and {count - 1} more" if count > 1 else ""
