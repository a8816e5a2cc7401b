"""The run of the planned tests of a change, in the sandbox."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec

from wardround.change.diff import Change
from wardround.change.repository import Repository
from wardround.sandbox.run import AUTO
from wardround.workflows.test.report import TestReport
from wardround.workflows.test.selection import Target


class RunOptions(msgspec.Struct, frozen=True):
    """The requested run.

    Attributes:
        budget_s: elapsed time for all tests; those not reached are listed.
        isolation: ``auto``, or the name of a back end of the sandbox.
        is_recorded: record the functions that each test runs, for later plans.
        compares_base: run the same tests at the base, too, for the difference of the coverage.
        finds_order: search for the earlier tests after which a test fails that passes alone.
    """

    target: Target = Target()
    budget_s: float = 600.0
    isolation: str = AUTO
    is_recorded: bool = True
    compares_base: bool = False
    finds_order: bool = False


def run_tests(
    repository: Repository,
    change: Change,
    options: RunOptions,
    logs: Path,
    *,
    environ: Mapping[str, str],
    ranked: Callable[[], Sequence[str]] = tuple,
    progress: Callable[[str], None] = lambda text: None,
) -> TestReport:
    """Plan and run the tests of a change at its head.

    Args:
        logs: the folder for the output of the runs.
        environ: the caller's environment.
        ranked: the ids of the tests that probably cover the change, for a repository without recorded runs.
        progress: shows the current step.

    Raises:
        UsageError: a requested test does not exist.
    """
    raise NotImplementedError
