"""Executors run every step once, the background item too, and stop when the work is cancelled."""

from __future__ import annotations

from functools import partial

import pytest

from wardround.execution.executor import Executor, InProcessExecutor, Step, WorkItem
from wardround.execution.fork_executor import ForkExecutor

_LARGE = 100_000


def _never() -> bool:
    return False


def _item(*keys: int, size: int = 0) -> WorkItem[str]:
    steps = (
        Step(key, partial("ran {}".format, key), partial("refused {}".format, key), 10.0) for key in keys
    )
    return WorkItem(tuple(steps), size)


@pytest.mark.parametrize("executor", [InProcessExecutor(), ForkExecutor()], ids=["in-process", "forks"])
@pytest.mark.parametrize("size", [0, _LARGE], ids=["small", "large"])
def test_every_step_has_a_result(executor: Executor, size: int) -> None:
    submission = executor.submit([_item(1, 2, size=size), _item(3)], _item(-1), 2, _never)
    try:
        assert submission.collect() == {key: f"ran {key}" for key in (1, 2, 3, -1)}
    finally:
        submission.cancel()


@pytest.mark.parametrize("executor", [InProcessExecutor(), ForkExecutor()], ids=["in-process", "forks"])
def test_no_step_begins_after_the_work_is_cancelled(executor: Executor) -> None:
    ran: list[int] = []
    steps = tuple(Step(key, partial(ran.append, key), lambda: None, 10.0) for key in (1, 2, 3))
    submission = executor.submit([WorkItem(steps)], None, 1, lambda: len(ran) == 2)
    try:
        assert submission.collect() == {1: None, 2: None}
    finally:
        submission.cancel()


def test_the_background_item_runs_last_in_this_process() -> None:
    ran: list[int] = []
    items = [WorkItem((Step(key, partial(ran.append, key), lambda: None, 10.0),)) for key in (2, 1, 3)]
    InProcessExecutor().submit(items[:2], items[2], 1, _never).collect()
    assert ran == [2, 1, 3]
