"""The tests that define an instance: run at its base, and shown to those who write and verify patches."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from wardround.authoring.endpoint.author import ShownTest
from wardround.authoring.repair.model import Observation, ObservedTest
from wardround.authoring.repair.observation import observe
from wardround.authoring.repair.project import ProjectRun
from wardround.authoring.work import Work
from wardround.errors import SandboxError, UsageError
from wardround.retrieval.test_discovery import TestFile
from wardround.workflows.test.plans.planning import tree_of
from wardround.workflows.test.recordings.shown_ids import without_parameters

NAME = "retrieve"
OBSERVATION_S = 120.0
"""CPU seconds for the tests at the base: the failing ones first, then all others."""


class FailingTests:
    """The tests that define one instance, observed once.

    Args:
        observation: the tests as they ran at the base; None if they did not run yet.
    """

    def __init__(self, work: Work, observation: Observation | None = None) -> None:
        self._work = work
        self._observation = observation

    @cached_property
    def project(self) -> ProjectRun:
        """The way to run the tests.

        Raises:
            UsageError: a test file does not exist.
            EnvironmentUnavailable: the project has no environment.
        """
        return self._work.project_run(self._work.instance.base, self._work.instance.failing_tests)

    async def observation(self) -> Observation:
        """Return the tests as they ran at the base.

        Raises:
            UsageError: a test that defines the task does not exist, or does not fail.
            SandboxError: nothing could be run.
        """
        if self._observation is None:
            instance = self._work.instance

            async def run() -> Observation:
                return self._observe()

            request = (instance.base, instance.failing_tests)
            found = await self._work.effects.run(NAME, request, Observation, run)
            if found.problem:
                raise (UsageError if found.tests else SandboxError)(found.problem)
            self._observation = found
        return self._observation

    def _observe(self) -> Observation:
        work, run = self._work, self.project
        work.progress("retrieve: the tests at the base")
        return observe(
            work.repository, work.instance.base, work.instance.failing_tests, run.environment,
            OBSERVATION_S, environ=work.environ, log=work.logs / "solve-observation.log",
            isolation=run.isolation, project=run.root,
        )  # fmt: skip

    def failing(self) -> list[ObservedTest]:
        """Return the observed tests that define the task; none before they were observed."""
        if self._observation is None:
            return []
        names = self._work.instance.failing_tests
        return [test for test in self._observation.tests if _is_named(test, names)]

    def shown_tests(self) -> list[ShownTest]:
        """Return them with their source and the end of their failure."""
        return [self._shown_test(test) for test in self.failing()]

    def _shown_test(self, test: ObservedTest) -> ShownTest:
        failure = "" if test.failure is None else test.failure.text
        return ShownTest(test.id, self._source(test.id), failure)

    def _source(self, test: str) -> str:
        tree = tree_of(self._work.repository, self._work.instance.base)
        name = without_parameters(test)
        path = name.partition("::")[0]
        text = tree.text(path)
        found = (case.text for case in TestFile(path, text).cases if case.id == name)
        return next(found, "")


def _is_named(test: ObservedTest, names: Sequence[str]) -> bool:
    return not {test.id, without_parameters(test.id)}.isdisjoint(names)
