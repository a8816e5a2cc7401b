"""The findings that follow from a run of the change: pure, and in the order of the run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from wardround.change.diff import ChangedFile, FileStatus
from wardround.context.run_evidence import (
    LineEvidence,
    RunEvidence,
    RunState,
    TestEvidence,
    TestOutcome,
    TestsRun,
    UnnoticedMutation,
)
from wardround.context.run_summary import failures, incomplete, shows_lines
from wardround.findings import ENTIRE_CHANGE, RUN, RawFinding, Span, Unreviewed
from wardround.planes.behaviour_findings import UNMEASURED, BehaviourReading, behaviour_result
from wardround.planes.run_judgement import BEHAVIOUR_SUBJECT, TEST_SUBJECT

UNNOTICED_MUTATION = "run/unnoticed-mutation"
_LONGEST_FAILURE = 200
_MARK = "E  "
"""The beginning of the lines that pytest prints about the failure itself."""


class RunReading(msgspec.Struct, frozen=True):
    """The parts of a change by which a run is read.

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
        found += [behaviour_result(one, reading.behaviour) for one in run.behaviour.differences]
    return tuple(one for one in found if one.file in reading.files)


def covered_files(run: RunEvidence) -> frozenset[str]:
    """Return the files whose changed lines a complete run in the sandbox shows, in place of any inference."""
    tests = run.tests
    return (
        frozenset(one.path for one in tests.lines)
        if tests is not None and shows_lines(tests)
        else frozenset()
    )


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
        yield from _at(test, "failed-test", _failure(test), reading)
    for test in run.tests:
        if test.outcome is TestOutcome.FLAKY:
            yield from _at(test, "flaky-test", f"{test.id} failed once and passed when repeated", reading)
    if run.conditions.state is RunState.COMPLETE:
        for lines in run.lines:
            yield from _lines(lines)
    known = reading.behaviour.precision.get(UNNOTICED_MUTATION)
    confidence = UNMEASURED if known is None else known.share
    for mutation in run.unnoticed:
        yield _mutation(mutation, confidence)


def _failure(test: TestEvidence) -> str:
    how = "fails" if test.outcome is TestOutcome.FAILED else "ends with an error"
    before = "; it passed before the change" if test.base is TestOutcome.PASSED else ""
    error = _error(test.excerpt)
    shown = error if len(error) <= _LONGEST_FAILURE else f"{error[: _LONGEST_FAILURE - 3]}..."
    return f"{test.id} {how}{before}{f': {shown}' if shown else ''}"


def _error(excerpt: str) -> str:
    """Return the line of a failure that names it: the first that pytest marks, or else the last one."""
    lines = [line for line in excerpt.splitlines() if line.strip()]
    marked = [line.removeprefix(_MARK).strip() for line in lines if line.startswith(_MARK)]
    return next(iter([*marked, *reversed(lines)]), "").strip()


def _at(test: TestEvidence, code: str, message: str, reading: RunReading) -> Iterator[RawFinding]:
    """Yield a finding at the innermost changed line of a test's failure, or else where the change begins."""
    for path, line in _positions(test, reading):
        yield RawFinding(code, path, Span(line, 1, line, 2), message)
        return


def _positions(test: TestEvidence, reading: RunReading) -> Iterator[tuple[str, int]]:
    for place in test.places:
        path, _, line = place.rpartition(":")
        if path in reading.files and line.isdigit() and int(line) > 0:
            yield path, int(line)
    own = test.id.partition("::")[0]
    for path in (own, *sorted(reading.files)):
        file = reading.files.get(path)
        if file is not None and file.status is not FileStatus.DELETED:
            yield path, _first_line(file)
    yield from ((path, 1) for path in sorted(reading.files))


def _first_line(file: ChangedFile) -> int:
    return max(min((hunk.head_start for hunk in file.hunks), default=1), 1)


def _lines(lines: LineEvidence) -> Iterator[RawFinding]:
    for first, last in ranges(lines.uncovered):
        where = "this line" if first == last else f"the lines {first} to {last}"
        span = Span(first, 1, last, 2)
        yield RawFinding("uncovered-lines", lines.path, span, f"no passing test runs {where}")
    for line in sorted(set(lines.partial)):
        message = "the passing tests take only one way at this branch"
        yield RawFinding("partial-branch", lines.path, Span(line, 1, line, 2), message)


def ranges(lines: Iterable[int]) -> Sequence[tuple[int, int]]:
    """Return the ranges of adjacent lines, each with its first and its last line."""
    found: list[tuple[int, int]] = []
    for line in sorted(set(lines)):
        if found and found[-1][1] == line - 1:
            found[-1] = (found[-1][0], line)
        else:
            found.append((line, line))
    return found


def _mutation(one: UnnoticedMutation, confidence: float) -> RawFinding:
    message = f"no test notices if {one.before} becomes {one.after}"
    span = Span(one.line, 1, one.line, 2)
    return RawFinding("unnoticed-mutation", one.path, span, message, confidence=confidence)
