"""A review of the staged change, by checks that report the process in which they ran; started as a program.

    python -m tests.execution.reviewed_by_many REPOSITORY CORES [MANNER]

It prints a line for each message: the path, whether the worker process reported it, and the text.
In the mode ``killed`` every second process ends itself at its first file, in ``stuck`` it never ends; in
``refused`` the system refuses to start another process. In ``slow`` a file that contains the word "slow"
exceeds the time limit of a check: in a large file within one uninterruptible call, in a small one step by
step. In ``slow-change`` a change-level check does, in one call unless it is in the worker process.
"""

from __future__ import annotations

import errno
import os
import re
import signal
import sys
import time
from pathlib import Path

from tests.variants import specialist
from wardround.change.change_source import GitChangeSource
from wardround.change.repository import Repository
from wardround.checks.base import ChangeCheck, Check
from wardround.config.request import ReviewRequest
from wardround.execution import check_runner
from wardround.execution.check_runner import BUDGET_S
from wardround.execution.fork_executor import ForkExecutor
from wardround.execution.resources import Resources
from wardround.findings import Span
from wardround.host import PluginHost
from wardround.review import review_once

_FIRST = os.getpid()
_MANNER = (*sys.argv, "", "", "", "")[3]
_SECONDS = 0.5
_LARGE = 30_000


def _who() -> str:
    """Return True if this is the process that was started; others follow the mode."""
    if os.getpid() == _FIRST:
        time.sleep(0.02)  # so that the others get some of the files
        return "first"
    if _MANNER == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if _MANNER == "stuck":
        print(os.getpid(), file=open(os.environ["PID_FILE"], "w"), flush=True)  # noqa: SIM115
        time.sleep(600)
    return "another"


class _Told(Check):
    """Reports the process that checked a file. Reported for tests."""

    ID, NAME = "ACME001", "told"

    def run(self) -> None:
        self.report(Span(1, 1, 1, 2), f"{_who()} {self.source.base_text!r} {len(self.source.text)}")
        if _MANNER == "slow" and "slow" in self.source.text:
            _spend_time(at_once=len(self.source.text) > _LARGE)


class _After(Check):
    """Runs after the check that takes long. Reported for tests."""

    ID, NAME = "ACME003", "after"

    def run(self) -> None:
        """Report nothing."""


def _spend_time(*, at_once: bool) -> None:
    if at_once:
        re.search(r"(a+)+b", "a" * 60)
    end = time.thread_time() + 2 * _SECONDS
    while time.thread_time() < end:
        pass


class _ToldOfAll(ChangeCheck):
    """Reports the process that checked the change. Reported for tests."""

    ID, NAME = "ACME002", "told-of-all"

    def run(self) -> None:
        self.report(self.change.files[0].path, Span(1, 1, 1, 2), f"{_who()} {len(self.change.files)}")
        if _MANNER == "slow-change":
            _spend_time(at_once=os.getpid() != _FIRST)


class _AfterAll(ChangeCheck):
    """Runs after the check of the change that takes long. Reported for tests."""

    ID, NAME = "ACME004", "after-all"

    def run(self) -> None:
        """Report nothing."""


def _refuse() -> int:
    raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))


def main() -> None:
    """Review and print."""
    if _MANNER == "refused":
        os.fork = _refuse
    if _MANNER.startswith("slow"):
        check_runner._CHANGE_S_PER_FILE = 0.0
        BUDGET_S.update(dict.fromkeys(BUDGET_S, _SECONDS))
    signal.signal(signal.SIGINT, signal.default_int_handler)  # which a program started aside may ignore
    acme = specialist(
        name="acme", patterns=("*.acme",), checks=(_Told, _After), change_checks=(_ToldOfAll, _AfterAll)
    )
    with Repository(Path(sys.argv[1])) as repository:
        change = repository.staged_change()
        origin = GitChangeSource(repository, change)
        request = ReviewRequest(filter_mode="nofilter", jobs=int(sys.argv[2]))
        done = review_once(origin, PluginHost([acme]), request, Resources(executor=ForkExecutor()))
    for finding in done.findings:
        print(finding.file, finding.rule, finding.message)
    for missed in done.unreviewed:
        print("unreviewed", missed.file, missed.reason)
    print("unreviewed", len(done.unreviewed))


if __name__ == "__main__":
    main()
