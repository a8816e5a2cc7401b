"""The workflows that run the code of a change in the sandbox."""

from __future__ import annotations

import os
from functools import partial

from wardround.change.snapshot import Snapshot
from wardround.config.loader import read_sandbox
from wardround.config.sandbox_settings import SandboxSettings
from wardround.context.run_evidence import BehaviourRun, RunConditions, RunState, TestsRun
from wardround.workflows.behaviour.compare import compare_behaviour
from wardround.workflows.behaviour.limits import limits_within
from wardround.workflows.behaviour.project_environment import environment_for
from wardround.workflows.change_run import RunnableChange
from wardround.workflows.test.reports.evidence import evidence_of
from wardround.workflows.test.runs.running import RunOptions, run_tests
from wardround.workflows.tests_at_base import add_base_results

_MUTATION_S = 60.0


class SandboxedWorkflows:
    """Tests and comparisons as ``wardround test`` and ``wardround behaviour`` run them."""

    def tests(self, runnable: RunnableChange, /) -> TestsRun:
        """Run the tests that the change can affect; at the base, too, if it changes Python code."""
        repository, change = runnable.repository, runnable.change
        seconds = _MUTATION_S if runnable.has_mutations else None
        options = RunOptions(isolation=_isolation(runnable), mutation_s=seconds, compares_base=True)
        with Snapshot() as private:
            logs = private.home
            run = partial(run_tests, environ=os.environ, progress=runnable.progress)
            found = evidence_of(run(repository, change, options, logs))
            return add_base_results(found, repository, change, options, logs, run)

    def behaviour(self, runnable: RunnableChange, /) -> BehaviourRun:
        """Compare the changed functions on the same arguments before and after the change."""
        repository, change = runnable.repository, runnable.change
        if not any(file.path.endswith(".py") for file in change.files):
            return BehaviourRun(RunConditions(RunState.COMPLETE))
        environment = environment_for(repository, change, os.environ, progress=runnable.progress)
        return compare_behaviour(
            repository,
            change,
            environment,
            limits=limits_within(_settings(runnable).limits.wall_s),
            isolation=_isolation(runnable),
            progress=runnable.progress,
        )


def _isolation(runnable: RunnableChange) -> str:
    """Return the requested sandbox backend, or else the one that the configuration at the base sets."""
    return runnable.sandbox or _settings(runnable).backend


def _settings(runnable: RunnableChange) -> SandboxSettings:
    """Return the sandbox settings of the configuration at the base."""
    return read_sandbox(runnable.repository.tree(runnable.change.base).read)
