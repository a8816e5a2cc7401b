"""The life of child processes and the priority of the thread that ends them."""

from __future__ import annotations

import os
import subprocess

import pytest

from wardround.sandbox.process_control import real_time


def _policy_of_a_child() -> str:
    program = "import os; print(os.sched_getscheduler(0))"
    return subprocess.run(
        ["python3", "-c", program], check=True, text=True, stdout=subprocess.PIPE
    ).stdout.strip()


def test_the_priority_ends_with_the_run_and_reaches_no_child() -> None:
    before = os.sched_getscheduler(0)

    with real_time():
        assert _policy_of_a_child() == str(os.SCHED_OTHER)

    assert os.sched_getscheduler(0) == before


def test_a_kernel_that_forbids_the_priority_is_not_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "sched_setscheduler", refuse)
    before = os.sched_getscheduler(0)

    with real_time():
        assert os.sched_getscheduler(0) == before
