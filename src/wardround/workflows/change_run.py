"""The run of a change for a review: its tests and its behaviour, as evidence that a record can keep."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Protocol

import msgspec

from wardround.change.change_source import ChangeSource
from wardround.change.diff import Change
from wardround.change.repository import WORKTREE, Repository
from wardround.context.run_evidence import (
    BehaviourRun,
    RunConditions,
    RunEvidence,
    RunPart,
    RunState,
    TestsRun,
)
from wardround.errors import PLUGIN_EXCEPTIONS, WardroundError
from wardround.workflows.recordable_run import machine_folders, recordable


class RunnableChange(msgspec.Struct, frozen=True, eq=False):
    """A change of commits or of the index.

    Attributes:
        sandbox: the requested isolation; None for the configured one.
        progress: shows the current step.
        has_mutations: small edits of the changed lines are tried after the tests.
    """

    repository: Repository
    change: Change
    sandbox: str | None
    progress: Callable[[str], None]
    has_mutations: bool = False


class Workflows(Protocol):
    """Runs the code of a change; a part that cannot run raises a ``WardroundError`` or returns the reason."""

    def tests(self, runnable: RunnableChange, /) -> TestsRun:
        """Run the tests that the change can affect."""

    def behaviour(self, runnable: RunnableChange, /) -> BehaviourRun:
        """Compare the changed functions on the same arguments before and after the change."""


def run_change(
    source: ChangeSource,
    change: Change,
    parts: Sequence[RunPart],
    sandbox: str | None,
    progress: Callable[[str], None] = lambda text: None,
    workflows: Workflows | None = None,
) -> RunEvidence:
    """Run the requested parts of a change. Failures of a part are reported in the result.

    Args:
        sandbox: the isolation; ``none`` is recorded and counts for nothing, None is the configured one.
        workflows: by default, those that run in the sandbox.
    """
    if source.in_repository is None:
        return _refused_run(parts, "a diff has no tree that could run; review commits or the index")
    if change.head == WORKTREE:
        return _refused_run(
            parts, "the work tree is no commit that could run; stage the change, or review commits"
        )
    repository = source.in_repository.repository
    if workflows is None:
        from wardround.workflows.sandboxed import SandboxedWorkflows  # only runs need what it loads

        workflows = SandboxedWorkflows()
    runnable = RunnableChange(repository, change, sandbox, progress, "mutations" in parts)
    run = RunEvidence(
        tests=_tests(workflows, runnable) if "tests" in parts else None,
        behaviour=_behaviour(workflows, runnable) if "behaviour" in parts else None,
    )
    return recordable(run, machine_folders(repository, os.environ))


def _refused_run(parts: Sequence[RunPart], reason: str) -> RunEvidence:
    conditions = RunConditions(RunState.REFUSED, detail=reason)
    return RunEvidence(
        tests=TestsRun(conditions) if "tests" in parts else None,
        behaviour=BehaviourRun(conditions) if "behaviour" in parts else None,
    )


def _tests(workflows: Workflows, runnable: RunnableChange) -> TestsRun:
    try:
        return workflows.tests(runnable)
    except PLUGIN_EXCEPTIONS as cause:  # whatever the run of foreign code leads to, the review goes on
        return TestsRun(_failure(cause))


def _behaviour(workflows: Workflows, runnable: RunnableChange) -> BehaviourRun:
    try:
        return workflows.behaviour(runnable)
    except PLUGIN_EXCEPTIONS as cause:  # as above
        return BehaviourRun(_failure(cause))


def _failure(cause: BaseException) -> RunConditions:
    if isinstance(cause, WardroundError):
        return RunConditions(RunState.REFUSED, detail=str(cause))
    why = f": {cause.strerror}" if isinstance(cause, OSError) and cause.strerror else ""
    return RunConditions(RunState.FAILED, detail=f"it failed with {type(cause).__name__}{why}")
