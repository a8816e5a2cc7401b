"""Work in other processes: what was reported before a failure is not lost."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

import pytest

from wardround.workflows.wardround_in_sandbox.behaviour.children import Report, reported_by, run_in_child


def crash(report: Report) -> None:
    report(1)
    os._exit(3)


def fail(report: Report) -> None:
    report(1)
    raise SystemExit("over")


def wait(report: Report) -> None:
    report(1)
    time.sleep(60)


def fork(report: Report) -> None:
    os.fork()
    report(1)


@pytest.mark.parametrize(
    ("work", "values", "end"),
    [
        (crash, [1], "crashed"),
        (fail, [1, {"kind": "crashed", "text": "SystemExit: over"}], "crashed"),
        (wait, [1], "timeout"),
        (fork, [1], "crashed"),
        (lambda report: report("a" * 10**6), [], "timeout"),
        (lambda report: report(object()), [{"kind": "crashed"}], "crashed"),
    ],
)
def test_values_are_read_up_to_the_end(
    work: Callable[[Report], None], values: list[object], end: str
) -> None:
    found, reason = reported_by(work, wall_s=1.0)

    if found and isinstance(found[0], dict):
        found[0].pop("text")
    assert (found, reason) == (values, end)


def test_one_result_is_returned() -> None:
    assert run_in_child(lambda: {"a": 1}) == {"a": 1}
    assert run_in_child(lambda: os._exit(3)) == "crashed"
