"""The tests that define an instance: run at its base, and shown to those who write and verify patches."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from wardround.authoring.endpoint.author import ShownTest
from wardround.authoring.repair.model import Observation, ObservedTest
from wardround.authoring.work import Work
from wardround.context.run_evidence import TestOutcome
from wardround.errors import SandboxError, UsageError
from wardround.retrieval.test_discovery import TestFile
from wardround.workflows.test.plans.planning import tree_of
from wardround.workflows.test.recordings.shown_ids import without_parameters

NAME = "retrieve"
_FAILURES = (TestOutcome.FAILED, TestOutcome.ERROR)


class FailingTests:
    """The failing tests of one instance, observed once.

    Args:
        observe: runs them at the base, in the sandbox.
    """

    def __init__(self, work: Work, observe: Callable[[], Observation]) -> None:
        self._work = work
        self._observe = observe
        self._observation: Observation | None = None

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
            _require_failing(found, instance.failing_tests)
            self._observation = found
        return self._observation

    def failing(self) -> list[ObservedTest]:
        """Return the observed tests that define the task; none before they were observed."""
        if self._observation is None:
            return []
        names = self._work.instance.failing_tests
        return [test for test in self._observation.tests if _is_named(test, names)]

    def shown(self) -> list[ShownTest]:
        """Return them with their source and the end of their failure."""
        return [
            ShownTest(test.id, self._source(test.id), test.failure.text if test.failure is not None else "")
            for test in self.failing()
        ]

    def _source(self, test: str) -> str:
        tree = tree_of(self._work.repository, self._work.instance.base)
        name = without_parameters(test)
        path = name.partition("::")[0]
        text = tree.text(path)
        found = (case.text for case in TestFile(path, text).cases if case.id == name)
        return next(found, "")


def _is_named(test: ObservedTest, names: Sequence[str]) -> bool:
    return not {test.id, without_parameters(test.id)}.isdisjoint(names)


def _require_failing(observation: Observation, names: Sequence[str]) -> None:
    if observation.problem:
        raise SandboxError(f"the tests cannot be run: {observation.problem}")
    for name in names:
        outcomes = {test.outcome for test in observation.tests if _is_named(test, (name,))}
        if not outcomes:
            raise UsageError(f"{name}: pytest finds no such test; give an id as pytest prints it")
        if TestOutcome.FLAKY in outcomes:
            raise UsageError(f"{name}: it fails in some runs only, so no patch can be verified by it")
        if outcomes.isdisjoint(_FAILURES):
            raise UsageError(f"{name}: it does not fail; give a test that fails")
