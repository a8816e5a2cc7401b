"""The worker threads: every end of a review, and reviews that do not react."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.service.conftest import wait_until
from wardround.errors import UsageError
from wardround.service.engine import ServedReview
from wardround.service.journal import Job, Journal, ReviewState, Status
from wardround.service.settings import Limits
from wardround.service.submission import Submission
from wardround.service.workers import ReviewEnd, WorkerPool
from wardround.tools.process import Processes


class ScriptedEngine:
    """Follows the commands in the diff; ``hang`` ends when the test releases it, and ignores a stop."""

    def __init__(self) -> None:
        self.released = threading.Event()
        self.stored_reports: list[bytes] = []
        self.stopped: list[Processes] = []

    def review(self, submission: Submission, processes: Processes) -> ServedReview:
        if submission.diff == "hang":
            self.stopped.append(processes)
            self.released.wait(30)
        if submission.diff == "refuse":
            raise UsageError("the change\ncannot be read")
        if submission.diff == "crash":
            raise ZeroDivisionError("text of the change")
        if submission.diff == "exit":
            raise SystemExit(0)
        return ServedReview(f"report of {submission.diff}".encode())

    def store_record(self, result: ServedReview) -> None:
        self.stored_reports.append(result.report)


class FailingJournal(Journal):
    """A journal that cannot be written for the first results."""

    failures = 2

    def complete(self, job: Job, report: bytes, record: bytes | None = None) -> bool:
        if self.failures:
            self.failures -= 1
            raise sqlite3.OperationalError("database or disk is full")
        return super().complete(job, report, record)


@pytest.fixture
def engine() -> Iterator[ScriptedEngine]:
    scripted = ScriptedEngine()
    yield scripted
    scripted.released.set()


@pytest.fixture
def new_pool(tmp_path: Path, engine: ScriptedEngine) -> Iterator[Callable[..., tuple[WorkerPool, Journal]]]:
    """A function that starts a pool with limits; all are stopped at the end."""
    pools: list[tuple[WorkerPool, Journal]] = []

    def start(
        ends: list[ReviewEnd], journal_class: type[Journal] = Journal, **limits: float
    ) -> tuple[WorkerPool, Journal]:
        journal = journal_class(tmp_path / f"journal{len(pools)}.sqlite")
        settings = Limits(**{"workers": 1, "stop_seconds": 0, **limits})  # type: ignore[arg-type]
        pool = WorkerPool(journal, engine, settings, ends.append, lambda trouble: None, abandon_s=0.05)
        pools.append((pool, journal))
        pool.start()
        return pool, journal

    yield start
    engine.released.set()
    for pool, journal in pools:
        pool.stop()
        wait_until(lambda pool=pool: not pool.running)  # type: ignore[misc]
        with closing(journal):
            pass


def _review(pool: WorkerPool, journal: Journal, diff: str) -> str:
    state, _ = journal.accept("ci", Submission(diff=diff), None, diff, 99)
    pool.wake()
    return state.id


def _state(journal: Journal, review_id: str) -> ReviewState:
    state = journal.find("ci", review_id)
    assert state is not None
    return state


def _ended(journal: Journal, review_id: str) -> ReviewState:
    ends = (Status.DONE, Status.FAILED, Status.CANCELLED)
    wait_until(lambda: _state(journal, review_id).status in ends)
    return _state(journal, review_id)


@pytest.mark.parametrize(
    ("diff", "status", "reason", "error"),
    [
        ("fine", Status.DONE, None, ""),
        ("refuse", Status.FAILED, "the change\\ncannot be read", ""),
        (
            "crash",
            Status.FAILED,
            "internal error: ZeroDivisionError; the log of the server has its place",
            "ZeroDivisionError at tests.service.test_workers:",
        ),
        (
            "exit",
            Status.FAILED,
            "internal error: SystemExit; the log of the server has its place",
            "SystemExit at tests.service.test_workers:",
        ),
    ],
)
def test_a_review_ends_with_its_reason_and_the_worker_goes_on(
    new_pool: Callable[..., tuple[WorkerPool, Journal]],
    diff: str,
    status: Status,
    reason: str | None,
    error: str,
) -> None:
    ends: list[ReviewEnd] = []
    pool, journal = new_pool(ends)
    state = _ended(journal, _review(pool, journal, diff))
    _ended(journal, _review(pool, journal, "fine"))
    assert (state.status, state.reason) == (status, reason)
    assert ends[0].status is status
    assert ends[0].error.startswith(error)


def test_a_review_that_ignores_its_cancellation_is_replaced_and_has_no_result(
    new_pool: Callable[..., tuple[WorkerPool, Journal]], engine: ScriptedEngine
) -> None:
    pool, journal = new_pool([], review_seconds=0.1)
    stuck = _review(pool, journal, "hang")
    assert _ended(journal, stuck).reason == "the review exceeded 0.1 s and was cancelled"
    assert _ended(journal, _review(pool, journal, "fine")).status is Status.DONE
    assert engine.stopped[0].is_stopped
    assert (pool.abandoned, pool.is_ready) == (1, True)

    engine.released.set()
    wait_until(lambda: pool.abandoned == 0)
    assert _state(journal, stuck).status is Status.FAILED
    assert engine.stored_reports == [b"report of fine"]


def test_the_pool_is_not_ready_when_too_many_reviews_hang(
    new_pool: Callable[..., tuple[WorkerPool, Journal]],
) -> None:
    pool, journal = new_pool([], review_seconds=0.1)
    for number in range(3):
        review_id = _review(pool, journal, "hang")
        wait_until(lambda review_id=review_id: _state(journal, review_id).status is Status.FAILED)  # type: ignore[misc]
        wait_until(lambda number=number: pool.abandoned == min(number + 1, 2))  # type: ignore[misc]
    assert not pool.is_ready


def test_a_result_is_stored_as_soon_as_the_journal_can_be_written(
    new_pool: Callable[..., tuple[WorkerPool, Journal]],
) -> None:
    pool, journal = new_pool([], FailingJournal)
    assert _ended(journal, _review(pool, journal, "fine")).status is Status.DONE


def test_a_stop_returns_running_reviews_to_the_queue_and_begins_no_other(
    new_pool: Callable[..., tuple[WorkerPool, Journal]], engine: ScriptedEngine
) -> None:
    pool, journal = new_pool([])
    running, waiting = _review(pool, journal, "hang"), _review(pool, journal, "fine")
    wait_until(lambda: _state(journal, running).status is Status.RUNNING)
    assert pool.stop() == (0, 1)
    engine.released.set()
    wait_until(lambda: not pool.running)
    assert [_state(journal, item).status for item in (running, waiting)] == [Status.QUEUED, Status.QUEUED]
    assert engine.stored_reports == []
