"""Executors run the work items of base or head and return their results.

An executor starts work, collects results and cancels. ``InProcessExecutor`` needs nothing of its process, so
that reviews can run in any thread; ``fork_executor`` uses all cores of a process that runs one review only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Generic, Protocol, TypeVar

import msgspec

Result = TypeVar("Result")


class Step(msgspec.Struct, Generic[Result], frozen=True):
    """The smallest piece of work: one result.

    Attributes:
        key: identifies the result among those of one submission.
        run: returns the result. An executor may call it in another process, so the result must be picklable.
        refuse: returns the result of a step that took more than its budget.
        budget_s: processor time in seconds, which executors that can end a step enforce.
    """

    key: int
    run: Callable[[], Result]
    refuse: Callable[[], Result]
    budget_s: float


class WorkItem(msgspec.Struct, Generic[Result], frozen=True):
    """Steps that one worker runs one after another, since they share parsed data.

    Attributes:
        size: bytes to be read, an estimate of the cost.
    """

    steps: tuple[Step[Result], ...]
    size: int = 0


class Submission(Protocol[Result]):
    """Work that an executor has accepted."""

    def collect(self, idle_cores: Callable[[], int] = lambda: 0) -> dict[int, Result]:
        """Finish the work and return the results by the keys of their steps; incomplete if cancelled.

        Args:
            idle_cores: the number of cores that nothing but this executor uses at the time of the call.
        """

    def cancel(self) -> None:
        """Stop running work and release its resources; without effect on finished work."""


class Executor(Protocol):
    """Runs work items."""

    def submit(
        self,
        items: Sequence[WorkItem[Result]],
        background: WorkItem[Result] | None,
        cores: int,
        is_cancelled: Callable[[], bool],
    ) -> Submission[Result]:
        """Accept work.

        Args:
            items: in the order of their sizes, largest first.
            background: one long item to start first in another worker, or to run last in this one.
            cores: how many cores the review may use.
            is_cancelled: called before each step; no step is begun once it returns true.
        """


class InProcessExecutor:
    """Runs everything in the thread that collects the results: no forks, signals or other process-wide
    state.
    """

    def submit(
        self,
        items: Sequence[WorkItem[Result]],
        background: WorkItem[Result] | None,
        cores: int,
        is_cancelled: Callable[[], bool],
    ) -> Submission[Result]:
        """Accept work; it is run when the results are collected."""
        return _SequentialSubmission((*items, *([background] if background else [])), is_cancelled)


class _SequentialSubmission(Generic[Result]):
    def __init__(self, items: Sequence[WorkItem[Result]], is_cancelled: Callable[[], bool]) -> None:
        self._items = items
        self._is_cancelled = is_cancelled

    def collect(self, idle_cores: Callable[[], int] = lambda: 0) -> dict[int, Result]:
        results: dict[int, Result] = {}
        run_steps((step for item in self._items for step in item.steps), results, self._is_cancelled)
        return results

    def cancel(self) -> None:
        self._items = ()


def run_steps(
    steps: Iterable[Step[Result]], results: dict[int, Result], is_cancelled: Callable[[], bool]
) -> None:
    """Run steps here and add their results, until the work is cancelled."""
    for step in steps:
        if is_cancelled():
            return
        results[step.key] = step.run()
