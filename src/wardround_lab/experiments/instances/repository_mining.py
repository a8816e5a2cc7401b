"""Mining the instances of one repository: each candidate is verified once, newest first."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import msgspec

from wardround.authoring.candidate import unified_diff
from wardround.authoring.instance import Instance
from wardround.authoring.stages import PatchedFile
from wardround.change.change_source import decode_text
from wardround.change.repository import Repository
from wardround.errors import EnvironmentUnavailable, GitError
from wardround_lab.corpora.secret_scan import SecretScan
from wardround_lab.experiments.instances.candidates import Candidate, CandidateLimits
from wardround_lab.experiments.instances.commit_environment import (
    CommitEnvironment,
    Packages,
    commit_environment,
)
from wardround_lab.experiments.instances.model import MinedInstance
from wardround_lab.experiments.instances.period_environments import ExistingEnvironment, PeriodEnvironments
from wardround_lab.experiments.instances.test_runs import TestRuns
from wardround_lab.experiments.instances.tested_base import commit_with_tests
from wardround_lab.experiments.instances.try_log import Try, TryLog
from wardround_lab.experiments.instances.verification import (
    Reason,
    RejectedCandidate,
    Sides,
    VerifiedTests,
    verify,
)

SUITE_S = 30.0
"""CPU seconds of one run of tests."""


class InstanceOptions(msgspec.Struct, frozen=True):
    """The instances to mine.

    Attributes:
        each: of one repository; 0 for all.
        answer: the size of an answer.
        suite_s: CPU seconds of one run; a candidate whose tests take longer is rejected.
        python: the folder of a virtual environment for all commits; empty to build one for each period.
        whole_suite: pass-to-pass tests are those of the suite, else those of the test files of a commit.
    """

    each: int = 0
    answer: CandidateLimits = CandidateLimits()
    suite_s: float = SUITE_S
    python: str = ""
    whole_suite: bool = True


class RepositoryMining:
    """The verification of the candidates of one repository.

    Args:
        name: ``owner/name``.
        environ: the caller's environment.
        logs: the folder for the output of runs.
    """

    def __init__(
        self,
        repository: Repository,
        name: str,
        options: InstanceOptions,
        scan: SecretScan,
        environ: Mapping[str, str],
        logs: Path,
        progress: Callable[[str], None],
    ) -> None:
        self._repository = repository
        self._name = name
        self._options = options
        self._scan = scan
        self._environ = environ
        self._progress = progress
        self._runs = TestRuns(repository, options.suite_s, environ, logs, progress)

    def mine(self, candidates: Sequence[Candidate], log: TryLog) -> None:
        """Try candidates until there are enough instances; the log has each one that was tried."""
        packages = self._packages(candidates)
        known = {result.commit for result in log.tries}
        found = sum(result.instance is not None for result in log.tries)
        for number, candidate in enumerate(candidates, 1):
            if self._options.each and found >= self._options.each:
                return
            if candidate.commit.id not in known:
                self._progress(f"candidate {number} of {len(candidates)}, {found} instances")
                result = self._try(candidate, packages)
                log.append(result)
                found += result.instance is not None

    def _packages(self, candidates: Sequence[Candidate]) -> Packages:
        if self._options.python:
            return ExistingEnvironment(Path(self._options.python), self._repository.root)
        commits = [candidate.commit for candidate in candidates]
        return PeriodEnvironments(self._repository, commits, self._environ, self._progress)

    def _try(self, candidate: Candidate, packages: Packages) -> Try:
        with _cpu_time() as elapsed:
            instance, reason, detail = None, "", ""
            try:
                instance = self._instance(candidate, packages)
            except RejectedCandidate as cause:
                reason, detail = cause.reason.value, cause.detail
            except EnvironmentUnavailable as cause:
                reason, detail = Reason.NO_ENVIRONMENT.value, str(cause)
            except GitError as cause:
                reason, detail = Reason.UNREADABLE.value, str(cause)
        return Try(
            commit=candidate.commit.id,
            files=len(candidate.sources),
            lines=candidate.lines,
            cpu_s=round(elapsed(), 1),
            reason=reason,
            detail=detail,
            instance=instance,
        )

    def _instance(self, candidate: Candidate, packages: Packages) -> MinedInstance:
        commit = candidate.commit
        gold = self._gold(candidate)
        if any(map(self._scan.kinds, (candidate.text, gold))):
            raise RejectedCandidate(Reason.SENSITIVE)
        found = commit_environment(self._repository, commit, candidate.test_modules[0], packages)
        base = commit_with_tests(self._repository, str(commit.parent), commit.id, candidate.tests)
        tests = self._verify(candidate, base, found)
        return MinedInstance(
            id=Instance(base, candidate.text, tests.fail_to_pass).id,
            repository=self._name,
            commit=commit.id,
            parent=str(commit.parent),
            base=base,
            date=datetime.fromtimestamp(commit.time, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            text=candidate.text,
            gold=gold,
            tests=candidate.tests,
            fail_to_pass=tests.fail_to_pass,
            pass_to_pass=tests.pass_to_pass,
            environment=found.description,
        )

    def _verify(self, candidate: Candidate, base: str, found: CommitEnvironment) -> VerifiedTests:
        run = self._runs.run
        sides = Sides(partial(run, base, found), partial(run, candidate.commit.id, found))
        return verify(candidate, sides, whole_suite=self._options.whole_suite)

    def _gold(self, candidate: Candidate) -> str:
        """Return the diff of the answer.

        Raises:
            GitError: an object is missing.
        """
        tree = self._repository.tree(candidate.commit.id)
        contents = {path: tree.read(path) for path in candidate.sources}
        files = [
            PatchedFile(path, None if content is None else decode_text(content))
            for path, content in contents.items()
        ]
        return unified_diff(self._repository.tree(str(candidate.commit.parent)), files)


@contextmanager
def _cpu_time() -> Iterator[Callable[[], float]]:
    """Measure the CPU time of this process and of those that it waited for."""
    start = _cpu_now()
    yield lambda: _cpu_now() - start


def _cpu_now() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system
