"""The workflows that run the code of a change in the sandbox."""

from __future__ import annotations

from wardround.context.run_evidence import BehaviourRun, TestsRun
from wardround.errors import SandboxError
from wardround.workflows.change_run import RunnableChange


class SandboxedWorkflows:
    """Tests and comparisons as ``wardround test`` and ``wardround behaviour`` run them."""

    def tests(self, runnable: RunnableChange, /) -> TestsRun:
        """Run the tests that the change can affect."""
        raise SandboxError("this version cannot run tests; install a later one")

    def behaviour(self, runnable: RunnableChange, /) -> BehaviourRun:
        """Compare the changed functions on the same arguments before and after the change."""
        raise SandboxError("this version cannot compare functions; install a later one")
