"""The journal of the service: every accepted review and its result, in one SQLite file.

A review is in the journal before its client is notified. Each change of its status is one transaction that is
conditional on the status and the attempt that it starts from, so that a result is stored once, regardless of
concurrent changes. The diff is deleted when the review ends.
"""

from __future__ import annotations

import fcntl
import os
import secrets
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from wardround.errors import UsageError, WardroundError
from wardround.service.outbox import TABLES, Outbox, Subscription
from wardround.service.submission import ReviewOptions, Submission
from wardround.storage.sqlite_file import transaction

_FIRST_SCHEMA = (
    "CREATE TABLE reviews (seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, "
    "token TEXT NOT NULL, status TEXT NOT NULL, attempt INTEGER NOT NULL DEFAULT 0, "
    "repository TEXT, base TEXT, head TEXT, diff TEXT, "
    "idempotency_key TEXT, digest TEXT NOT NULL, "
    "accepted REAL NOT NULL, started REAL, finished REAL, reason TEXT, report BLOB, record BLOB)",
    "CREATE UNIQUE INDEX by_key ON reviews (token, idempotency_key) WHERE idempotency_key IS NOT NULL",
    "CREATE INDEX by_status ON reviews (status, seq)",
    "CREATE INDEX by_token ON reviews (token, seq)",
)
_MIGRATIONS = (_FIRST_SCHEMA, ("ALTER TABLE reviews ADD COLUMN options TEXT", *TABLES))
"""The statements of each version of the file; the first has the number 1."""
_STATE = "seq, id, token, status, repository, base, head, accepted, started, finished, reason"
_ENDED = "('done', 'failed', 'cancelled')"
_LOCK_TIMEOUT_S = 10.0


class Status(StrEnum):
    """The states of a review; the last three are final."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class ReviewState(NamedTuple):
    """A review without its change and its results; times are seconds since the epoch."""

    seq: int
    id: str
    token: str
    status: Status
    repository: str | None
    base: str | None
    head: str | None
    accepted: float
    started: float | None
    finished: float | None
    reason: str | None


class Job(msgspec.Struct, frozen=True):
    """A review that one worker has begun."""

    id: str
    attempt: int
    submission: Submission


class QueueFullError(WardroundError):
    """The queue has no room for another review."""


class KeyReusedError(WardroundError):
    """An idempotency key was used for another request."""


class Journal:
    """The reviews of one server, shared by all of its threads. Use it as a context manager.

    Args:
        file: created with its folder if absent, readable by the user only.
        clock: seconds since the epoch.
        subscriptions: the targets of webhooks.

    Raises:
        UsageError: another server uses the file, or it cannot be opened.
    """

    def __init__(
        self,
        file: Path,
        clock: Callable[[], float] = time.time,
        subscriptions: Sequence[Subscription] = (),
    ) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        try:
            file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._owner = _lock(file)
            self._database = _connect(file)
        except (OSError, sqlite3.Error) as cause:
            raise UsageError(f"journal {file}: {cause}; give a file that can be written") from cause
        self.outbox = Outbox(self._database, self._lock, subscriptions, clock)

    def close(self) -> None:
        """Close the file; another server may use it from then on."""
        with self._lock:
            self._database.close()
            os.close(self._owner)

    # Clients

    def accept(
        self, token: str, submission: Submission, key: str | None, digest: str, most_queued: int
    ) -> tuple[ReviewState, bool]:
        """Store a review durably, or find the one that the same request created before.

        Args:
            key: the idempotency key of the client.
            digest: identifies the request.
            most_queued: the length of the queue.

        Returns:
            The review, and True if it is new.

        Raises:
            QueueFullError: the queue is full.
            KeyReusedError: the key was used for another request.
        """
        with self._lock, transaction(self._database):
            known = self._state_by_key(token, key, digest)
            if known is not None:
                return known, False
            if self._count_reviews(Status.QUEUED) >= most_queued:
                raise QueueFullError(f"the queue has {most_queued} reviews; try again later")
            review_id = secrets.token_hex(16)
            self._database.execute(
                "INSERT INTO reviews (id, token, status, repository, base, head, diff, idempotency_key, "
                "digest, accepted, options) VALUES (?, ?, 'queued', ?, ?, ?, ?, ?, ?, ?, ?)",
                (review_id, token, *_columns(submission), key, digest, self._clock(), _encode(submission)),
            )
            found = self._state("id = ?", (review_id,))
        assert found is not None
        return found, True

    def find(self, token: str, review_id: str) -> ReviewState | None:
        """Return a review of a token; None if there is none, or it belongs to another token."""
        with self._lock:
            return self._state("id = ? AND token = ?", (review_id, token))

    def document(self, token: str, review_id: str, kind: Literal["report", "record"]) -> bytes | None:
        """Return a result of a review of a token; None if it has none."""
        with self._lock:
            row = self._database.execute(
                f"SELECT {kind} FROM reviews WHERE id = ? AND token = ?",  # noqa: S608  (a column of ours)
                (review_id, token),
            ).fetchone()
        return None if row is None else row[0]

    def page(self, token: str, before: int | None, size: int) -> list[ReviewState]:
        """Return reviews of a token, newest first, from before a sequence number."""
        with self._lock:
            rows = self._database.execute(
                f"SELECT {_STATE} FROM reviews WHERE token = ? AND seq < ? ORDER BY seq DESC LIMIT ?",  # noqa: S608
                (token, before or 2**62, size),
            ).fetchall()
        return [_review_state(row) for row in rows]

    def cancel(self, token: str, review_id: str) -> ReviewState | None:
        """Cancel a review of a token unless it has ended, and return it; None if there is none."""
        with self._lock, transaction(self._database):
            done = self._database.execute(
                "UPDATE reviews SET status = 'cancelled', finished = ?, diff = NULL, options = NULL, "
                "reason = 'it was cancelled by the client' "
                "WHERE id = ? AND token = ? AND status IN ('queued', 'running')",
                (self._clock(), review_id, token),
            )
            if done.rowcount == 1:
                self._announce(review_id, None)
            return self._state("id = ? AND token = ?", (review_id, token))

    # Workers

    def claim(self) -> Job | None:
        """Begin the oldest queued review; None if there is none."""
        with self._lock, transaction(self._database):
            row = self._database.execute(
                "SELECT id, attempt, diff, repository, base, head, options FROM reviews "
                "WHERE status = 'queued' ORDER BY seq LIMIT 1"
            ).fetchone()
            if row is None:
                return None
            self._database.execute(
                "UPDATE reviews SET status = 'running', attempt = attempt + 1, started = ? WHERE id = ?",
                (self._clock(), row[0]),
            )
        return Job(row[0], row[1] + 1, _submission(row[2:6], row[6]))

    def complete(self, job: Job, report: bytes, record: bytes | None = None) -> bool:
        """Store the result of a running review; return False if the review has ended without it."""
        return self._end(job, Status.DONE, None, report, record)

    def fail(self, job: Job, reason: str) -> bool:
        """End a running review without a result; return False if it has ended already."""
        return self._end(job, Status.FAILED, reason)

    def requeue(self, job: Job) -> bool:
        """Return a running review to the queue, as if it had not begun."""
        with self._lock:
            done = self._database.execute(
                "UPDATE reviews SET status = 'queued', started = NULL, attempt = attempt - 1 "
                "WHERE id = ? AND status = 'running' AND attempt = ?",
                (job.id, job.attempt),
            )
        return done.rowcount == 1

    def resume(self, most_attempts: int) -> tuple[int, int]:
        """Return to the queue what a server that was killed had begun, unless that happened too often.

        Returns:
            The number of reviews in the queue, and of those that failed.
        """
        with self._lock, transaction(self._database):
            failed = self._database.execute(
                "UPDATE reviews SET status = 'failed', finished = ?, diff = NULL, options = NULL, "
                "reason = 'the server stopped during the review ' || attempt || ' times' "
                "WHERE status = 'running' AND attempt >= ? RETURNING id",
                (self._clock(), most_attempts),
            ).fetchall()
            for (review_id,) in failed:
                self._announce(review_id, None)
            self._database.execute(
                "UPDATE reviews SET status = 'queued', started = NULL WHERE status = 'running'"
            )
            return self._count_reviews(Status.QUEUED), len(failed)

    def prune(self, most_stored: int) -> int:
        """Delete the oldest reviews that have ended, and return how many."""
        with self._lock:
            return self._database.execute(
                f"DELETE FROM reviews WHERE seq IN (SELECT seq FROM reviews WHERE status IN {_ENDED} "  # noqa: S608
                "ORDER BY seq DESC LIMIT -1 OFFSET ?)",
                (most_stored,),
            ).rowcount

    def counts(self) -> dict[Status, int]:
        """Return the number of reviews by status."""
        with self._lock:
            rows = self._database.execute("SELECT status, count(*) FROM reviews GROUP BY status").fetchall()
        return dict.fromkeys(Status, 0) | {Status(status): count for status, count in rows}

    # Inside a transaction

    def _end(
        self,
        job: Job,
        status: Status,
        reason: str | None,
        report: bytes | None = None,
        record: bytes | None = None,
    ) -> bool:
        with self._lock, transaction(self._database):
            done = self._database.execute(
                "UPDATE reviews SET status = ?, reason = ?, report = ?, record = ?, finished = ?, "
                "diff = NULL, options = NULL WHERE id = ? AND status = 'running' AND attempt = ?",
                (status, reason, report, record, self._clock(), job.id, job.attempt),
            )
            if done.rowcount == 1:
                self._announce(job.id, report)
        return done.rowcount == 1

    def _announce(self, review_id: str, report: bytes | None) -> None:
        state = self._state("id = ?", (review_id,))
        assert state is not None
        self.outbox.add(state, report)

    def _state_by_key(self, token: str, key: str | None, digest: str) -> ReviewState | None:
        if key is None:
            return None
        where = "token = ? AND idempotency_key = ?"
        known = self._state(where, (token, key))
        if known is not None and self._state(f"{where} AND digest = ?", (token, key, digest)) is None:
            raise KeyReusedError("the Idempotency-Key was used for another request; give a new key")
        return known

    def _state(self, where: str, values: Sequence[Any]) -> ReviewState | None:
        row = self._database.execute(f"SELECT {_STATE} FROM reviews WHERE {where}", values).fetchone()  # noqa: S608
        return None if row is None else _review_state(row)

    def _count_reviews(self, status: Status) -> int:
        query = "SELECT count(*) FROM reviews WHERE status = ?"
        return int(self._database.execute(query, (status,)).fetchone()[0])


def _review_state(row: Sequence[Any]) -> ReviewState:
    return ReviewState._make([*row[:3], Status(row[3]), *row[4:]])


def _columns(submission: Submission) -> tuple[str | None, ...]:
    return submission.repository, submission.base, submission.head, submission.diff


def _encode(submission: Submission) -> str | None:
    """Return the options of a submission as JSON; None without any."""
    options = submission.options
    return None if options == ReviewOptions() else msgspec.json.encode(options).decode()


def _submission(change: Sequence[Any], options: str | None) -> Submission:
    found = ReviewOptions() if options is None else msgspec.json.decode(options, type=ReviewOptions)
    diff, repository, base, head = change
    return Submission(diff, repository, base, head, found.ticket, found.run)


def _lock(file: Path) -> int:
    """Lock the journal for this process and return the descriptor that holds the lock."""
    descriptor = os.open(file.with_name(f"{file.name}.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as cause:
        os.close(descriptor)
        raise UsageError(f"journal {file}: another server uses it; stop that one, or give another") from cause
    return descriptor


def _connect(file: Path) -> sqlite3.Connection:
    """Open the database, which survives a kill of the process and a loss of power."""
    with suppress(FileExistsError):
        os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    database = sqlite3.connect(file, timeout=_LOCK_TIMEOUT_S, isolation_level=None, check_same_thread=False)
    for setting in ("journal_mode=WAL", "synchronous=FULL", "secure_delete=ON"):
        database.execute(f"PRAGMA {setting}")
    _migrate(database)
    return database


def _migrate(database: sqlite3.Connection) -> None:
    """Bring the tables to the current version."""
    (version,) = database.execute("PRAGMA user_version").fetchone()
    newest = len(_MIGRATIONS)
    if not 0 <= version <= newest:
        raise sqlite3.DatabaseError(f"its version is {version}, and this wardround reads {newest}")
    for number in range(version, newest):
        with transaction(database):
            for statement in _MIGRATIONS[number]:
                database.execute(statement)
            database.execute(f"PRAGMA user_version = {number + 1}")
