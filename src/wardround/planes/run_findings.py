"""The findings that follow from a run of the change: pure, and in the order of the run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from wardround.change.diff import ChangedFile, FileStatus
from wardround.context.run_evidence import (
    RunEvidence,
    RunState,
    TestEvidence,
    TestOutcome,
    TestsRun,
)
from wardround.context.run_summary import error_of, failures, incomplete, is_evidence, named_tests
from wardround.findings import ENTIRE_CHANGE, RUN, RawFinding, Span, Unreviewed
from wardround.languages.python.module import named_functions
from wardround.languages.python.tree import UNREADABLE, parse
from wardround.planes.behaviour_findings import UNMEASURED, BehaviourReading, behaviour_result
from wardround.planes.line_findings import FileLines, line_findings, mutation_findings
from wardround.planes.run_judgement import BEHAVIOUR_SUBJECT, TEST_SUBJECT

UNNOTICED_MUTATION = "run/unnoticed-mutation"
_LONGEST_FAILURE = 200
_CODE = (".py", ".pyi", ".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs", ".mts", ".cts")
"""The suffixes of files that a test can run, for a failure whose place is not known."""


class RunReading(msgspec.Struct, frozen=True):
    """The parts of a change that are needed to interpret a run.

    Attributes:
        files: the changed files at the head, by path.
        behaviour: for the differences in behaviour.
    """

    files: Mapping[str, ChangedFile]
    behaviour: BehaviourReading


def run_results(run: RunEvidence, reading: RunReading) -> tuple[RawFinding, ...]:
    """Return the findings of a run, all of them in changed files."""
    found = [*_test_results(run.tests, reading)] if run.tests is not None else []
    if run.behaviour is not None:
        found += [behaviour_result(difference, reading.behaviour) for difference in run.behaviour.differences]
    return tuple(result for result in found if result.file in reading.files)


def covered_files(run: RunEvidence) -> frozenset[str]:
    """Return the files whose changed lines a complete run in the sandbox shows, instead of any inference.

    A file with known coverage and without a listed line has no edited statement.
    """
    tests = run.tests
    if tests is None or not is_evidence(tests.conditions):
        return frozenset()
    measured = (file.path for file in tests.delta if file.head is not None)
    return frozenset(line.path for line in tests.lines).union(measured)


def not_run(run: RunEvidence) -> Iterator[Unreviewed]:
    """Yield the parts of the run that were requested and are not complete."""
    for part, subject, name in (
        (run.tests, TEST_SUBJECT, "tests"),
        (run.behaviour, BEHAVIOUR_SUBJECT, "behaviour"),
    ):
        reason = "" if part is None else incomplete(part.conditions, subject)
        if reason:
            yield Unreviewed(ENTIRE_CHANGE, RUN, f"run of {name}", reason)


def _test_results(run: TestsRun, reading: RunReading) -> Iterator[RawFinding]:
    for test in failures(run):
        yield from _findings_at(test, "failed-test", _failure(test), reading)
    yield from _flaky([test for test in run.tests if test.outcome is TestOutcome.FLAKY], reading)
    paths = {line.path for line in run.lines} | {mutant.path for mutant in run.unnoticed}
    known = {
        path: FileLines.read(reading.files[path], reading.behaviour.head(path))
        for path in sorted(paths & reading.files.keys())
    }
    if run.conditions.state is RunState.COMPLETE:
        for lines in run.lines:
            if lines.path in known:
                yield from line_findings(lines, known[lines.path])
    measured = reading.behaviour.precision.get(UNNOTICED_MUTATION)
    confidence = UNMEASURED if measured is None else measured.share
    yield from mutation_findings(run.unnoticed, run.lines, known, confidence)


def _flaky(tests: Sequence[TestEvidence], reading: RunReading) -> Iterator[RawFinding]:
    """Yield one finding for the flaky tests of changed files; the outcome of the run names others."""
    changed = [test for test in tests if test.id.partition("::")[0] in reading.files]
    if changed:
        message = f"{named_tests(changed)} failed once and passed when repeated"
        yield from _findings_at(changed[0], "flaky-test", message, reading)


def _failure(test: TestEvidence) -> str:
    how = "fails" if test.outcome is TestOutcome.FAILED else "ends with an error"
    before = "; it passed before the change" if test.base is TestOutcome.PASSED else ""
    error = error_of(test)
    shown = error if len(error) <= _LONGEST_FAILURE else f"{error[: _LONGEST_FAILURE - 3]}..."
    return f"{test.id} {how}{before}{f': {shown}' if shown else ''}"


def _findings_at(test: TestEvidence, code: str, message: str, reading: RunReading) -> Iterator[RawFinding]:
    """Yield a finding at the innermost changed line of a failure, at the test, or where the change begins."""
    for path, line in _positions(test, reading):
        yield RawFinding(code, path, Span(line, 1, line, 2), message)
        return


def _positions(test: TestEvidence, reading: RunReading) -> Iterator[tuple[str, int]]:
    for location in test.places:
        path, _, line = location.rpartition(":")
        if path in reading.files and line.isdigit() and int(line) > 0:
            yield path, int(line)
    own = test.id.partition("::")[0]
    if own in reading.files and (at := _definition(test.id, reading.behaviour.head(own))):
        yield own, at
    others = sorted(reading.files, key=lambda path: (not path.endswith(_CODE), path))
    for path in (own, *others):
        file = reading.files.get(path)
        if file is not None and file.status is not FileStatus.DELETED:
            yield path, _first_line(file)
    yield from ((path, 1) for path in others)


def _definition(test: str, text: str | None) -> int:
    """Return the line of the function of a test of pytest or unittest; 0 if it is not found."""
    name = test.partition("::")[2].partition("[")[0].replace("::", ".")
    try:
        functions = dict(named_functions(parse(text).body)) if text else {}
    except UNREADABLE:
        return 0
    return functions[name].lineno if name in functions else 0


def _first_line(file: ChangedFile) -> int:
    return max(min((hunk.head_start for hunk in file.hunks), default=1), 1)
