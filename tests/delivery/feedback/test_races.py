"""Runs at the same time, runs that are killed, and rate limits: nothing is written twice."""

from __future__ import annotations

import itertools
import os
import signal
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.delivery.api_server import Reply
from tests.delivery.feedback.reviews_to_post import HEAD, GithubPosting, finding, report, report_content
from tests.delivery.github_api import ME, TOKEN, GithubApi, RateLimits, Request
from tests.delivery.test_client import StoppedClock
from tests.preloaded_wardround import WITHOUT_PAUSES, RunningCommand, preloaded_wardround
from wardround.delivery.feedback.markers import marked_finding


@pytest.fixture
def posting(github: GithubPosting) -> GithubPosting:
    return github


def require_no_double(api: GithubApi, findings: int) -> None:
    counts = Counter(marked_finding(thread.body) for thread in api.threads)
    assert len(counts) == findings
    assert set(counts.values()) <= {1}
    assert len(api.summaries()) == 1


class Meeting:
    """Lets the first two writes to each address wait for one another."""

    def __init__(self, *addresses: str) -> None:
        self._barriers = {address: threading.Barrier(2) for address in addresses}
        self._numbers = {address: itertools.count() for address in addresses}

    def around(self, request: Request, handle: Callable[[], Reply | None]) -> Reply | None:
        for address, barrier in self._barriers.items():
            is_met = request.is_write and request.target.endswith(address)
            if is_met and next(self._numbers[address]) < barrier.parties:
                barrier.wait(60)
        return handle()


def test_two_runs_at_once_leave_one_comment_for_each_finding() -> None:
    for _ in range(4):
        api = GithubApi(HEAD, {"src/a.py": range(1, 41)})
        api.server.around = Meeting("/reviews", "/issues/7/comments").around
        with api.server.serve() as url, ThreadPoolExecutor(2) as pool:
            review = report(finding(3), finding(9))
            for done in [pool.submit(GithubPosting("github", api, url).post, review) for _ in range(2)]:
                done.result(60)
        assert api.reviews == 2, "both runs wrote"
        require_no_double(api, findings=2)


@dataclass
class Killing:
    """Kills the process that sends the write with a number, before or after that is handled."""

    number: int
    is_handled: bool
    process: RunningCommand | None = None
    writes: int = 0

    def around(self, request: Request, handle: Callable[[], Reply | None]) -> Reply | None:
        self.writes += request.is_write
        if not request.is_write or self.writes != self.number:
            return handle()
        if self.is_handled:
            handle()
        assert self.process is not None
        self.process.kill()
        return None


@pytest.mark.parametrize("is_handled", [True, False])
@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_run_that_is_killed_at_a_write_is_continued_by_the_next(
    posting: GithubPosting, tmp_path: Path, number: int, is_handled: bool
) -> None:
    posting.post(report(finding(3), finding(4)))
    found = [finding(4), finding(9)]  # one thread to resolve, one to write, and the summary to update
    (tmp_path / "report.json").write_bytes(report_content(*found))
    killing = Killing(number, is_handled)
    posting.api.server.around = killing.around
    change_request = ("--host=github", f"--api={posting.url}", "--repository=acme/shop", "--change-request=7")
    env = {**os.environ, "GITHUB_TOKEN": TOKEN, WITHOUT_PAUSES: "1"}
    with preloaded_wardround().start(["post", *change_request], env, tmp_path) as killing.process:
        assert killing.process.wait(60) == -signal.SIGKILL
    posting.api.server.around = None
    posting.post(report(*found))
    require_no_double(posting.api, findings=3)
    assert [thread.resolver for thread in posting.api.threads] == [ME, None, None]


def test_six_hundred_comments_under_rate_limits_are_each_written_once() -> None:
    api = GithubApi(HEAD, {"src/a.py": range(1, 601)})
    clock = StoppedClock()
    limits = RateLimits(clock.now)
    api.server.around = limits.around
    with api.server.serve() as url:
        posting = GithubPosting("github", api, url)
        for last in (300, 600):
            review = report(*(finding(line) for line in range(1, last + 1)))
            posting.post(review, most=600, clock=clock)
    require_no_double(api, findings=600)
    assert limits.refused > 0
    assert clock.current - 1_000_000 > 3_600  # 500 an hour
