"""The workflows that run the code of a change in the sandbox."""

from __future__ import annotations

import os

from wardround.context.run_evidence import BehaviourRun, TestsRun
from wardround.errors import SandboxError
from wardround.workflows.behaviour.compare import compare_behaviour
from wardround.workflows.behaviour.project_environment import environment_for
from wardround.workflows.change_run import RunnableChange


class SandboxedWorkflows:
    """Tests and comparisons as ``wardround test`` and ``wardround behaviour`` run them."""

    def tests(self, runnable: RunnableChange, /) -> TestsRun:
        """Run the tests that the change can affect."""
        raise SandboxError("this version cannot run tests; install a later one")

    def behaviour(self, runnable: RunnableChange, /) -> BehaviourRun:
        """Compare the changed functions on the same arguments before and after the change."""
        environment = environment_for(
            runnable.repository, runnable.change, os.environ, progress=runnable.progress
        )
        return compare_behaviour(
            runnable.repository,
            runnable.change,
            environment,
            isolation=runnable.sandbox,
            progress=runnable.progress,
        )
