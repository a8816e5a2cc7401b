"""The tests of an instance at its base: failures, and the lines that each test runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import msgspec

from wardround.authoring.repair.model import Failure, Frame, Observation, ObservedTest
from wardround.authoring.repair.program import ProgramOptions, ProgramRun, run_program
from wardround.change.repository import Repository
from wardround.context.run_evidence import TestOutcome
from wardround.sandbox.choices import AUTO
from wardround.workflows.environments.model import Environment

_MOST_TESTS = 100_000
_MOST_DIGITS = 25_000
"""Of a file's lines, four to a digit."""
_FAILED = (TestOutcome.FAILED, TestOutcome.ERROR)
_BROKEN = (3, 4)
"""Statuses of pytest for an internal error, and for its options."""
Bits = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]+$", max_length=_MOST_DIGITS)]


class _Failure(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A failure, with frames as path, line and function."""

    exception: str
    message: str
    frames: list[tuple[str, int, str]]
    text: str

    def failure(self) -> Failure:
        return Failure(self.exception, self.message, tuple(Frame(*row) for row in self.frames), self.text)


class _TestRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A test, with the lines of each file as bits in hexadecimal digits."""

    id: str
    outcome: TestOutcome
    is_requested: bool
    lines: dict[str, Bits]
    seconds: float
    failure: _Failure | None = None

    def as_test(self) -> ObservedTest:
        return ObservedTest(
            self.id,
            self.outcome,
            None if self.failure is None else self.failure.failure(),
            {path: _numbers(bits) for path, bits in self.lines.items()},
            self.seconds,
        )


class _Uncollected(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file that pytest could not collect."""

    uncollected: str
    text: str


class _End(msgspec.Struct, frozen=True):
    """The end; ``repeated`` has the outcomes of the requested tests in a second process."""

    is_end: bool
    is_complete: bool
    repeated: list[tuple[str, TestOutcome]]
    cpu_s: float
    problem: str = ""
    status: int = 0


def observe(
    repository: Repository,
    base: str,
    failing_tests: Sequence[str],
    environment: Environment,
    budget_s: float,
    *,
    environ: Mapping[str, str],
    log: Path,
    isolation: str = AUTO,
    project: str = "",
    is_everything: bool = True,
) -> Observation:
    """Run the tests of an instance twice, and once all others of the project until the time is used.

    Args:
        failing_tests: ids relative to the root; one without parameters includes all of them.
        budget_s: CPU time.
        environ: the caller's environment.
        log: the file for the output of pytest.
        isolation: ``auto``, or the name of a back end of the sandbox.
        project: the folder in which pytest runs, relative to the root.
        is_everything: False to run the tests of the instance alone.

    Raises:
        GitError: the tree cannot be written.
    """
    options = ProgramOptions(environment, environ, log, isolation, project)
    values = {"mode": "observe", "tests": list(failing_tests), "is_everything": is_everything}
    return _observation(run_program(repository, base, values, budget_s, options), failing_tests)


def _observation(run: ProgramRun, wanted: Sequence[str]) -> Observation:
    rows = list(run.rows(_TestRow))[:_MOST_TESTS]
    ends = list(run.rows(_End))
    end = ends[-1] if ends else _End(True, False, [], run.outcome.cpu_s)
    tests = _with_flaky({row.id: row.as_test() for row in rows}, end.repeated)
    requested = frozenset(row.id for row in rows if row.is_requested)
    found = Observation(tuple(tests), requested, end.is_complete, "", run.outcome.cpu_s)
    problem = (
        end.problem
        or _broken(end, run)
        or _missing(found, wanted, list(run.rows(_Uncollected)))
        or _sound(found)
    )
    if problem and not ends:
        problem = run.problem or problem
    return msgspec.structs.replace(found, problem=problem)


def _broken(end: _End, run: ProgramRun) -> str:
    """Return a sentence if pytest could not begin, because of its options or a plugin."""
    if end.status not in _BROKEN:
        return ""
    return f"pytest ended with status {end.status} before the tests; its output is in {run.outcome.log}"


def _with_flaky(
    tests: Mapping[str, ObservedTest], repeated: Iterable[tuple[str, TestOutcome]]
) -> Iterable[ObservedTest]:
    """Return the tests; those that failed in one of two processes are flaky."""
    again = dict(repeated)
    for test in tests.values():
        other = again.get(test.id, test.outcome)
        is_flaky = (test.outcome in _FAILED) != (other in _FAILED)
        yield msgspec.structs.replace(test, outcome=TestOutcome.FLAKY) if is_flaky else test


def _missing(found: Observation, wanted: Sequence[str], uncollected: Sequence[_Uncollected]) -> str:
    """Return a sentence if a test of the instance did not run."""
    for test in wanted:
        if not any(_is_part(test, other) for other in found.requested):
            path = test.partition("::")[0]
            texts = [row.text for row in uncollected if row.uncollected == path]
            reason = f": {_last_line(texts[-1])}" if texts else "; pytest did not find it, or the time ended"
            return f"{test} did not run{reason}"
    return ""


def _is_part(test: str, other: str) -> bool:
    return other == test or other.startswith((f"{test}[", f"{test}::"))


def _sound(found: Observation) -> str:
    """Return a sentence if no test of the instance fails each time."""
    if found.failing or not found.requested:
        return "" if found.requested else "no test was given"
    tests = [test for test in found.tests if test.id in found.requested]
    test = tests[0]
    if test.outcome is TestOutcome.FLAKY:
        return f"{test.id} is flaky: at the base it failed in one of two runs"
    return f"{test.id} does not fail at the base: it {'passes' if test in found.passing else 'is skipped'}"


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1].removeprefix("E").strip() if lines else "no reason given"


def _numbers(bits: str) -> tuple[int, ...]:
    value = int(bits, 16)
    return tuple(line for line in range(1, value.bit_length()) if value >> line & 1)
