"""The report of a run of tests as JUnit XML."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from xml.sax.saxutils import escape, quoteattr

from wardround.context.run_evidence import TestOutcome
from wardround.text.escaping import one_line
from wardround.text.failures import error_line
from wardround.workflows.test.reports.report import TestReport, TestResult

_ELEMENTS = {
    TestOutcome.FAILED: "failure",
    TestOutcome.ERROR: "error",
    TestOutcome.NOT_RUN: "error",
    TestOutcome.SKIPPED: "skipped",
}


def as_junit(report: TestReport) -> str:
    """Return the report; a test that did not run is an error, so that no reader takes it for a passed one."""
    return "\n".join(['<?xml version="1.0" encoding="utf-8"?>', *_suites(report), ""])


def _suites(report: TestReport) -> Iterator[str]:
    yield f"<testsuites {_outcome_counts(report.tests)}>"
    for project in dict.fromkeys(test.project for test in report.tests):
        tests = [test for test in report.tests if test.project == project]
        yield f"  <testsuite name={_attribute(project or '.')} {_outcome_counts(tests)}>"
        for test in tests:
            yield from _case(test)
        yield "  </testsuite>"
    yield "</testsuites>"


def _outcome_counts(tests: Sequence[TestResult]) -> str:
    found = [_ELEMENTS.get(test.outcome) for test in tests]
    seconds = sum(test.seconds for test in tests)
    return (
        f'tests="{len(tests)}" failures="{found.count("failure")}" errors="{found.count("error")}" '
        f'skipped="{found.count("skipped")}" time="{seconds:.3f}"'
    )


def _case(test: TestResult) -> Iterator[str]:
    path, _, name = test.id.partition("::")
    start = (
        f"    <testcase classname={_attribute(path)} name={_attribute(name)} file={_attribute(path)} "
        f'time="{test.seconds:.3f}"'
    )
    element = _ELEMENTS.get(test.outcome)
    if element is None:
        yield f"{start}/>"
        return
    yield f"{start}>"
    message = _attribute(test.detail or error_line(test.excerpt))
    yield f"      <{element} message={message}>{escape(_printable(test.excerpt))}</{element}>"
    yield "    </testcase>"


def _attribute(text: str) -> str:
    return quoteattr(_printable(text))


def _printable(text: str) -> str:
    """Return text without the characters that XML cannot hold."""
    return "\n".join(map(one_line, text.split("\n")))
