"""The worker threads: take reviews from the journal, bound their time, and stop without losing any."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Protocol, TypeVar

import msgspec

from wardround.errors import PLUGIN_EXCEPTIONS, WardroundError
from wardround.service.engine import ServedReview
from wardround.service.journal import Job, Journal, Status
from wardround.service.logs import describe_crash
from wardround.service.settings import Limits
from wardround.service.submission import Submission
from wardround.text.escaping import one_line
from wardround.tools.process import Processes

Stored = TypeVar("Stored")

_LONGEST_REASON = 500
_RETRY_S = 1.0
"""The time between two attempts to use a journal that cannot be written."""
_ABANDON_S = 10.0


class Engine(Protocol):
    """Reviews submissions; ``stored`` is called with each result that the journal has accepted."""

    def review(self, submission: Submission, processes: Processes) -> ServedReview: ...

    def store_record(self, result: ServedReview) -> None: ...


class ReviewEnd(msgspec.Struct, frozen=True):
    """The end of a review, for logs and metrics; ``error`` is the type and the place of a crash."""

    id: str
    status: Status
    seconds: float
    error: str = ""


class _Running:
    """One review in a worker."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.processes = Processes()
        self.is_abandoned = False
        self.started = time.monotonic()


class WorkerPool:
    """A fixed number of threads that review what the journal has queued.

    Args:
        abandon_s: seconds that a cancelled review may take to stop; then another thread replaces it.
        on_end: called in a worker with each review that ended there.
        on_trouble: called in a worker when the journal cannot be used, which is tried again.
    """

    def __init__(
        self,
        journal: Journal,
        engine: Engine,
        limits: Limits,
        on_end: Callable[[ReviewEnd], None],
        on_trouble: Callable[[sqlite3.Error], None],
        abandon_s: float = _ABANDON_S,
    ) -> None:
        self._journal = journal
        self._engine = engine
        self._limits = limits
        self._on_end = on_end
        self._on_trouble = on_trouble
        self._abandon_s = abandon_s
        self._changed = threading.Condition()
        self._running: dict[str, _Running] = {}
        self._abandoned = 0
        self._stopping = False

    def start(self) -> None:
        """Start the threads, which begin with what the journal has."""
        for _ in range(self._limits.workers):
            self._start_thread()

    def wake(self) -> None:
        """Notify a worker that the journal has a new review."""
        with self._changed:
            self._changed.notify()

    def interrupt(self, review_id: str) -> None:
        """Stop the work on a review that the journal does not expect a result of any more."""
        with self._changed:
            running = self._running.get(review_id)
        if running is not None:
            running.processes.stop()
            self._abandon_later(running)

    @property
    def running(self) -> int:
        """The number of reviews in work."""
        with self._changed:
            return self._responsive_threads()

    @property
    def abandoned(self) -> int:
        """The number of threads with a review that does not react to its cancellation."""
        with self._changed:
            return self._abandoned

    @property
    def is_ready(self) -> bool:
        """True if reviews are begun: the pool is not stopping, and has a thread that reacts."""
        with self._changed:
            return not self._stopping and self._abandoned < self._limits.workers * 2

    def stop(self) -> tuple[int, int]:
        """Begin no more reviews, wait for running ones, and return the rest to the queue.

        Returns:
            The number of reviews that ended meanwhile, and of those returned to the queue.
        """
        deadline = time.monotonic() + self._limits.stop_seconds
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
            before = self._responsive_threads()
            while self._responsive_threads() and (left := deadline - time.monotonic()) > 0:
                self._changed.wait(left)
            rest = list(self._running.values())
            ended = before - self._responsive_threads()
        requeued = sum(self._journal.requeue(running.job) for running in rest)
        for running in rest:
            running.processes.stop()
        return ended, requeued

    def _responsive_threads(self) -> int:
        return sum(not running.is_abandoned for running in self._running.values())

    def _start_thread(self) -> None:
        threading.Thread(target=self._work, name="wardround-review", daemon=True).start()

    def _work(self) -> None:
        while (running := self._next()) is not None:
            self._review(running)
            with self._changed:
                self._running.pop(running.job.id, None)
                self._changed.notify_all()
                if running.is_abandoned:
                    self._abandoned -= 1
                    return

    def _next(self) -> _Running | None:
        """Wait for a review and begin it; None when the pool stops."""
        with self._changed:
            while not self._stopping:
                job = self._retry_until_stored(self._journal.claim)
                if job is not None:
                    self._running[job.id] = running = _Running(job)
                    return running
                self._changed.wait()
        return None

    def _retry_until_stored(self, use: Callable[[], Stored]) -> Stored | None:
        """Use the journal, again and again if it cannot be written; None when the pool stops before that."""
        while True:
            try:
                return use()
            except sqlite3.Error as trouble:
                self._on_trouble(trouble)
            with self._changed:
                if self._stopping or self._changed.wait_for(lambda: self._stopping, _RETRY_S):
                    return None

    def _review(self, running: _Running) -> None:
        limit = threading.Timer(self._limits.review_seconds, self._expire, (running,))
        limit.daemon = True
        limit.start()
        try:
            self._finish(running)
        finally:
            limit.cancel()

    def _finish(self, running: _Running) -> None:
        job = running.job
        result, reason, error = self._review_job(running)
        if result is None:
            done = self._retry_until_stored(
                partial(self._journal.fail, job, one_line(reason)[:_LONGEST_REASON])
            )
        else:
            done = self._retry_until_stored(
                partial(self._journal.complete, job, result.report, result.record)
            )
        if done:
            self._report_end(running, Status.FAILED if result is None else Status.DONE, error)
        if done and result is not None:
            self._engine.store_record(result)
        self._retry_until_stored(partial(self._journal.prune, self._limits.stored_reviews))

    def _review_job(self, running: _Running) -> tuple[ServedReview | None, str, str]:
        """Return the result of a review, or the reason it has none and the type of a crash."""
        try:
            return self._engine.review(running.job.submission, running.processes), "", ""
        except WardroundError as cause:
            return None, str(cause), ""
        except PLUGIN_EXCEPTIONS as crash:  # plugin code: anything may be raised
            kind = type(crash).__name__
            return None, f"internal error: {kind}; the log of the server has its place", describe_crash(crash)

    def _expire(self, running: _Running) -> None:
        """End a review that exceeded its time."""
        reason = f"the review exceeded {self._limits.review_seconds:g} s and was cancelled"
        if self._retry_until_stored(partial(self._journal.fail, running.job, reason)):
            self._report_end(running, Status.FAILED, "")
        running.processes.stop()
        self._abandon_later(running)

    def _report_end(self, running: _Running, status: Status, error: str) -> None:
        self._on_end(ReviewEnd(running.job.id, status, time.monotonic() - running.started, error))

    def _abandon_later(self, running: _Running) -> None:
        timer = threading.Timer(self._abandon_s, self._abandon, (running,))
        timer.daemon = True
        timer.start()

    def _abandon(self, running: _Running) -> None:
        """Replace the thread of a review that does not react to its cancellation."""
        with self._changed:
            is_stuck = self._running.get(running.job.id) is running and not running.is_abandoned
            if not is_stuck or self._stopping or self._abandoned >= self._limits.workers * 2:
                return
            running.is_abandoned = True
            self._abandoned += 1
        self._start_thread()
