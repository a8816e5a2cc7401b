"""The validation of candidates by the tests of an instance, in the sandbox."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import msgspec

from wardround.authoring.repair.model import Candidate, CandidateResult, Observation, ObservedTest, Validation
from wardround.authoring.repair.program import ProgramOptions, ProgramRun, run_program
from wardround.change.repository import Repository
from wardround.sandbox.choices import AUTO
from wardround.workflows.environments.model import Environment

_LEAST_S = 0.1
"""CPU time that a test always may take."""
_SLOWER = 3.0
_SLOWEST_NEIGHBOUR = 0.3
"""The observation is several times as slow as a test by itself."""
_MOST_NEIGHBOUR_S = 0.5
MOST_PLAUSIBLE = 50
Count = Annotated[int, msgspec.Meta(ge=0)]


class _Result(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    index: Count
    failed_test: str
    passed: Count
    exception: str


class _Progress(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    tried: Count
    late: Count
    crashed: Count
    reimported: Count = 0


class _Unstable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    unstable: str


class _End(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    problem: str
    cpu_s: float
    is_end: bool


def validate(
    repository: Repository,
    base: str,
    candidates: Sequence[Candidate],
    observation: Observation,
    environment: Environment,
    budget_cpu_s: float,
    *,
    environ: Mapping[str, str],
    log: Path,
    isolation: str = AUTO,
    project: str = "",
    most_plausible: int = MOST_PLAUSIBLE,
) -> Validation:
    """Run the failing tests with each candidate, then the passing tests that its function runs.

    A candidate is run up to the first test that does not pass. One that passes all was run in a process that
    saw no other candidate.

    Args:
        observation: that of the base, with at least one failing test.
        environ: the caller's environment.
        log: the file for the output of pytest.
        isolation: ``auto``, or the name of a back end of the sandbox.
        project: the folder in which pytest runs, relative to the root.
        most_plausible: the number of candidates without a failing test after which the validation ends.

    Raises:
        GitError: the tree cannot be written.
    """
    if not observation.failing or not candidates:
        return Validation(0, problem=observation.problem or "there is no failing test, or no candidate")
    options = ProgramOptions(environment, environ, log, isolation, project)
    values = _request(candidates, observation, most_plausible)
    run = run_program(repository, base, values, budget_cpu_s, options)
    return _validation(run, len(candidates))


def _request(
    candidates: Sequence[Candidate], observation: Observation, most_plausible: int
) -> dict[str, object]:
    failing = observation.failing
    passing = sorted(observation.passing, key=lambda test: (test.seconds, test.id))
    tests = [*failing, *passing]
    paths = {candidate.path for candidate in candidates}
    return {
        "mode": "validate",
        "most_plausible": most_plausible,
        "candidates": [[item.path, item.start, item.end, item.replacement] for item in candidates],
        "tests": [test.id for test in tests],
        "failing": len(failing),
        "limits": [*_failing_limits(failing, passing), *(_limit(test) for test in passing)],
        "lines": {path: list(_lines(path, passing, len(failing))) for path in sorted(paths)},
    }


def _limit(test: ObservedTest) -> float:
    return max(_LEAST_S, _SLOWER * test.seconds)


def _failing_limits(failing: Sequence[ObservedTest], passing: Sequence[ObservedTest]) -> Iterator[float]:
    """Yield the limits of tests that fail early: when they pass they may take as long as their neighbours.

    The program raises them to a multiple of what the tests take by themselves.
    """
    slowest: dict[str, float] = {}
    for test in passing:
        path = test.id.partition("::")[0]
        slowest[path] = max(slowest.get(path, 0.0), test.seconds)
    for test in failing:
        neighbours = _SLOWEST_NEIGHBOUR * slowest.get(test.id.partition("::")[0], 0.0)
        yield max(_LEAST_S, min(neighbours, _MOST_NEIGHBOUR_S))


def _lines(path: str, tests: Sequence[ObservedTest], first: int) -> Iterator[list[object]]:
    """Yield the place of each test that ran lines of a file, with these as bits in hexadecimal digits."""
    for at, test in enumerate(tests, first):
        if lines := test.lines.get(path):
            yield [at, f"{sum(1 << line for line in lines):x}"]


def _validation(run: ProgramRun, number: int) -> Validation:
    results = {
        row.index: CandidateResult(row.index, row.failed_test, row.passed, row.exception)
        for row in run.rows(_Result)
        if row.index < number
    }
    progress = [*run.rows(_Progress)] or [_Progress(0, 0, 0)]
    ends = list(run.rows(_End))
    return Validation(
        tried=min(progress[-1].tried, number),
        results=tuple(results[index] for index in sorted(results)),
        reimported=progress[-1].reimported,
        late=progress[-1].late,
        crashed=progress[-1].crashed,
        unstable=tuple(sorted({row.unstable for row in run.rows(_Unstable)})),
        cpu_s=run.outcome.cpu_s,
        problem=ends[-1].problem if ends else run.problem or "the validation ended early",
    )
