"""The report of a run of tests in its formats."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import jsonschema

from wardround.context.run_evidence import LineEvidence, RunState
from wardround.context.run_evidence import TestOutcome as Outcome
from wardround.workflows.test.reports.evidence import evidence_of
from wardround.workflows.test.reports.junit import as_junit
from wardround.workflows.test.reports.report import ProjectRun, TestReport, TestResult, UsedEnvironment
from wardround.workflows.test.reports.report_text import as_json, as_text, ranges, schema

PUBLISHED = Path(__file__).parents[4] / "docs" / "test-report.schema.json"
REPORT = TestReport(
    base="a" * 40,
    head="index",
    state=RunState.PARTIAL,
    detail="1 test was not run: the time budget ended before it",
    runs=(
        ProjectRun(
            "", "pytest", RunState.PARTIAL, ("python", "-m", "pytest"),
            environment=UsedEnvironment("the folder .venv", "f" * 64, "3.12.1"),
            isolation="bubblewrap", isolation_version="0.8.0", wall_s=1.25,
        ),
    ),
    tests=(
        TestResult("t.py::a", "", Outcome.PASSED, seconds=0.5),
        TestResult("t.py::b", "", Outcome.FAILED, excerpt="E  \x1b[1m<boom> & \udcff", places=("m.py:3",)),
        TestResult("t.py::c", "", Outcome.NOT_RUN, detail="the time budget ended before it"),
        TestResult("t.py::d", "", Outcome.SKIPPED, detail="not here"),
    ),
    lines=(LineEvidence("m.py", (3,), (5, 6, 9)),),
)  # fmt: skip


def test_the_published_schema_is_that_of_the_report() -> None:
    assert PUBLISHED.read_text(encoding="utf-8") == schema()
    jsonschema.validate(json.loads(as_json(REPORT)), json.loads(schema()))


def test_the_text_lists_failures_shortfalls_and_changed_lines() -> None:
    text = as_text(REPORT)

    assert "\x1b" not in text
    assert "failed t.py::b" in text
    assert "  changed lines in its traceback: m.py:3\n" in text
    assert "1 test not run: the time budget ended before it\n  t.py::c\n" in text
    assert "1 of 4 changed lines were run by these tests\n  not run: m.py:5-6, 9\n" in text
    assert text.endswith("1 passed, 1 failed, 1 skipped, 1 not run in 1.2 s; inconclusive\n")


def test_junit_has_a_test_that_did_not_run_as_an_error() -> None:
    suites = ElementTree.fromstring(as_junit(REPORT))

    counts = {name: suites.get(name) for name in ("tests", "failures", "errors", "skipped")}
    assert counts == {"tests": "4", "failures": "1", "errors": "1", "skipped": "1"}
    assert suites.findtext(".//failure") == "E  \\x1b[1m<boom> & \\xff"
    (failure,) = suites.iter("failure")
    assert failure.get("message") == "\\x1b[1m<boom> & \\xff"


def test_evidence_has_no_times_and_no_logs() -> None:
    evidence = evidence_of(REPORT)

    assert evidence.conditions.isolation == "bubblewrap"
    assert evidence.conditions.environment == "f" * 64
    assert evidence.conditions.state is RunState.PARTIAL
    assert [test.outcome for test in evidence.tests] == [test.outcome for test in REPORT.tests]
    assert evidence.lines == REPORT.lines


def test_ranges_are_short() -> None:
    assert ranges((1, 2, 3, 7)) == "1-3, 7"
    assert ranges(tuple(range(1, 100, 2))).endswith(", 19, ...")


def test_without_an_environment_the_reason_is_shown_once_and_no_test_is_listed() -> None:
    reason = "there is no environment; run wardround environment build"
    tests = tuple(TestResult(f"t.py::{name}", "", Outcome.NOT_RUN, detail=reason) for name in "abc")
    run = ProjectRun("", "pytest", RunState.REFUSED, ("pytest",), detail=reason)
    report = TestReport("a" * 40, "index", RunState.REFUSED, reason, (run,), tests, notes=("A note.",))

    assert as_text(report) == f"3 tests not run: {reason}\n3 not run in 0.0 s; inconclusive\n"
