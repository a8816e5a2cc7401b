"""Runs of the tests of a commit in the sandbox, each with a hash seed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TypeVar

import msgspec

from wardround.change.repository import Repository
from wardround.context.run_evidence import TestOutcome
from wardround.errors import SandboxError
from wardround.sandbox.model import State
from wardround.workflows.environments.lookup import limits_of
from wardround.workflows.test.runs import session_events as events
from wardround.workflows.test.runs.session import SessionRequest, SessionResult, Sessions, ending
from wardround_lab.experiments.instances.commit_environment import CommitEnvironment

FAILURES = (TestOutcome.FAILED, TestOutcome.ERROR)
_WALL_FACTOR = 4
"""Elapsed time per CPU time, on a machine with other work."""
_SEED = "PYTHONHASHSEED"
Kind = TypeVar("Kind")


class TestRun(msgspec.Struct, frozen=True, dict=True):
    """The results of one process.

    Attributes:
        failures: id -> the end of the text of the failure, of the tests that failed.
        uncollected: path -> the error, of the files and folders that could not be collected.
        problem: one sentence if the process did not end by itself; else empty.
        is_over_limit: True if it used more CPU time than allowed.
    """

    __test__ = False

    passed: frozenset[str]
    failures: Mapping[str, str]
    uncollected: Mapping[str, str]
    cpu_s: float = 0.0
    problem: str = ""
    is_over_limit: bool = False

    def accepts(self, fail_to_pass: Iterable[str], pass_to_pass: Iterable[str]) -> bool:
        """Return True if all of the tests that judge a patch passed."""
        return self.passed.issuperset(fail_to_pass) and self.passed.issuperset(pass_to_pass)

    @cached_property
    def failed(self) -> frozenset[str]:
        """The ids of the tests that failed."""
        return frozenset(self.failures)


class TestRuns:
    """Runs tests at the commits of a repository.

    Args:
        most_cpu_s: CPU time of one run.
        environ: the caller's environment.
        logs: the folder for the output of the runs.
    """

    __test__ = False

    def __init__(
        self,
        repository: Repository,
        most_cpu_s: float,
        environ: Mapping[str, str],
        logs: Path,
        progress: Callable[[str], None],
    ) -> None:
        self._repository = repository
        self._most_cpu_s = most_cpu_s
        self._environ = environ
        self._logs = logs
        self._progress = progress

    def run(self, side: str, found: CommitEnvironment, files: Sequence[str], seed: int) -> TestRun:
        """Run tests at a commit.

        Args:
            files: test files; without any, the whole suite.

        Raises:
            GitError: the tree cannot be written.
            SandboxError: nothing can be run here.
        """
        longest = self._most_cpu_s * _WALL_FACTOR
        request = SessionRequest(
            "pytest", found.root, tuple(files), longest, longest, is_filtered=bool(files), paths=tuple(files)
        )
        done = self._sessions(side, found, seed).run(request, self._logs / "tests.log")
        if done.outcome.state is State.REFUSED:
            raise SandboxError(done.outcome.detail)
        return _test_run(done, self._most_cpu_s)

    def _sessions(self, side: str, found: CommitEnvironment, seed: int) -> Sessions:
        visible = found.environment.visible
        seeded = msgspec.structs.replace(visible, variables=(*visible.variables, (_SEED, str(seed))))
        return Sessions(
            self._repository,
            side,
            msgspec.structs.replace(found.environment, visible=seeded),
            found.settings.backend,
            msgspec.structs.replace(limits_of(found.settings), cpu_s=self._most_cpu_s),
            self._environ,
            self._progress,
        )


def _test_run(done: SessionResult, most_cpu_s: float) -> TestRun:
    ended = _of_kind(events.Ended, done)
    outcome = done.outcome
    is_too_long = outcome.state is State.TIMED_OUT or outcome.cpu_s >= most_cpu_s
    return TestRun(
        passed=frozenset(event.test for event in ended if event.outcome is TestOutcome.PASSED),
        failures={event.test: event.excerpt for event in ended if event.outcome in FAILURES},
        uncollected={event.path: event.excerpt for event in _of_kind(events.Uncollected, done)},
        cpu_s=outcome.cpu_s,
        problem=_problem(done),
        is_over_limit=is_too_long or bool(_of_kind(events.Stopped, done)),
    )


def _problem(done: SessionResult) -> str:
    if done.excess:
        return done.excess
    broken = _of_kind(events.Broken, done)
    if broken:
        return broken[-1].excerpt
    return "" if _of_kind(events.Finished, done) else ending(done.outcome)


def _of_kind(kind: type[Kind], done: SessionResult) -> list[Kind]:
    return [event for event in done.events if isinstance(event, kind)]
