"""The executor of the command line: forks of this process run a part of the work.

For much work, processes are forked before the tools start: the first begins with the background item, and
when tools release cores, they run other items, too. Each of them has a worker that the system ends when a
step exceeds its budget. A step without a result, because its process was killed, runs in this process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import Generic

import msgspec

from wardround.execution.executor import Result, Step, Submission, WorkItem, run_steps
from wardround.execution.fork_pool import ForkedWorker, SharedTaskQueue, Worker, cpu_limit, fork_workers
from wardround.execution.thread_safety import serialize_first_decoding

_WORTH_A_FORK_BYTES = 60_000
"""A fork takes 10 ms, and both processes load the modules of the checks; this amount of code takes ten times
that.
"""
_BYTES_PER_FORK = 200_000
_MAX_FORKS = 7
_GUARDED_BYTES = 30_000
"""An item from this size on runs in a process that can be killed. In a smaller one a check whose time grows
quadratically with the size takes a second or two.
"""
_FEW_ITEMS = 8
"""For each process: only few are shared at once, since a process that is busy cannot see idle cores."""


class _StartedItem(msgspec.Struct, frozen=True):
    """The report of a worker that begins with an item: the keys of its steps."""

    keys: tuple[int, ...]


class ForkExecutor:
    """Forks of this process; only for a process that runs one review and has one thread."""

    def submit(
        self,
        items: Sequence[WorkItem[Result]],
        background: WorkItem[Result] | None,
        cores: int,
        is_cancelled: Callable[[], bool],
    ) -> Submission[Result]:
        """Fork for the work of other cores, if it is worthwhile; call it before any thread is started.

        The threads that run tools, which start next, decode the same types at once.
        """
        serialize_first_decoding()
        submission = _ForkedSubmission(items, background, is_cancelled)
        submission.fork(cores)
        return submission


class _ForkedSubmission(Generic[Result]):
    def __init__(
        self,
        items: Sequence[WorkItem[Result]],
        background: WorkItem[Result] | None,
        is_cancelled: Callable[[], bool],
    ) -> None:
        self._is_cancelled = is_cancelled
        self._background = background
        self._guarded = [item for item in items if item.size >= _GUARDED_BYTES]
        self._shared = [item for item in items if item.size < _GUARDED_BYTES]
        everything = (*items, *([background] if background else []))
        self._steps = {step.key: step for item in everything for step in item.steps}
        self._queue = SharedTaskQueue(self._shared)
        self._guarded_queue = SharedTaskQueue(self._guarded)
        self._forks: list[ForkedWorker[dict[int, Result]]] = []
        self._results: dict[int, Result] = {}

    def fork(self, cores: int) -> None:
        size = sum(item.size for item in (*self._shared, *self._guarded))
        if size < _WORTH_A_FORK_BYTES and not self._guarded:
            return
        count = min(cores - 1, _MAX_FORKS, 1 + size // _BYTES_PER_FORK)
        count = max(count, 1) if self._guarded else count
        self._guarded_queue.share()
        mains = [partial(self._main, None if number else self._background) for number in range(count)]
        fork_workers(mains, self._forks)
        if self._forks and len(self._shared) <= _FEW_ITEMS * (1 + len(self._forks)):
            self._queue.share()

    def collect(self, idle_cores: Callable[[], int] = lambda: 0) -> dict[int, Result]:
        if not self._forks:  # where nothing can be forked
            for item in self._guarded:
                self._run(item.steps)
        for item in self._queue:
            self._run(item.steps)
            if self._forks and not self._queue.is_shared and idle_cores():
                self._queue.share()
        self._queue.share()
        if not self._is_cancelled():
            self._collect_forks()
        self._run([step for step in self._steps.values() if step.key not in self._results])
        return self._results

    def _collect_forks(self) -> None:
        for fork in self._forks:
            self._results |= fork.result() or {}

    def cancel(self) -> None:
        for fork in self._forks:
            fork.kill()
        self._queue.close()
        self._guarded_queue.close()

    def _run(self, steps: Sequence[Step[Result]]) -> None:
        run_steps(steps, self._results, self._is_cancelled)

    # In a fork

    def _main(self, first: WorkItem[Result] | None) -> dict[int, Result]:
        """Have a worker run items until none remains; replace a worker that is killed."""
        self._queue.await_tasks()
        left = self._supervise(Worker(partial(self._work, first.steps if first else ())))
        while left is not None:
            left = self._supervise(Worker(partial(self._work, left)))
        return self._results

    def _work(self, first: Sequence[Step[Result]]) -> Iterator[_StartedItem | tuple[int, Result]]:
        """In a worker: run the steps it begins with, then items from the queues."""
        begin = [WorkItem(tuple(first))] if first else []
        for item in chain(begin, self._guarded_queue, self._queue):
            yield _StartedItem(tuple(step.key for step in item.steps))
            for step in item.steps:
                with cpu_limit(step.budget_s):
                    result = step.run()
                yield step.key, result

    def _supervise(self, worker: Worker[_StartedItem | tuple[int, Result]]) -> list[Step[Result]] | None:
        """Collect the reports of a worker.

        Returns:
            Return the remaining steps of the item over which it was killed for its budget; None if it was
            not.
        """
        left: list[int] = []
        for report in worker:
            if isinstance(report, _StartedItem):
                left = list(report.keys)
            else:
                key, self._results[key] = report
                left = [other for other in left if other != key]
        if not worker.is_over_budget:
            return None
        for key in left[:1]:
            self._results[key] = self._steps[key].refuse()
        return [self._steps[key] for key in left[1:]]
