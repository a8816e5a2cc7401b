"""The webhook messages that are to be delivered, in the journal, each until its receiver has accepted it.

A message is written in the transaction that ends its review, so that a kill of the server loses none. It is
sent again after a kill during its delivery: its id stays the same, by which a receiver recognises it.
"""

from __future__ import annotations

import secrets
import sqlite3
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from wardround.storage.sqlite_file import transaction

if TYPE_CHECKING:
    from wardround.service.journal import ReviewState

TABLES = (
    "CREATE TABLE deliveries (seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL, "
    "target TEXT NOT NULL, body BLOB NOT NULL, attempts INTEGER NOT NULL DEFAULT 0, due REAL NOT NULL, "
    "state TEXT NOT NULL DEFAULT 'pending', UNIQUE (id, target))",
    "CREATE INDEX by_due ON deliveries (target, state, due)",
)
_MOST_ENDED = 1_000
"""Ended deliveries that stay in the journal."""


class Subscription(msgspec.Struct, frozen=True):
    """The messages of one target.

    Attributes:
        tokens: those whose reviews it receives; empty for all.
        statuses: of the reviews it receives.
    """

    target: str
    tokens: frozenset[str]
    statuses: frozenset[str]

    def includes(self, state: ReviewState) -> bool:
        """Return True if the target receives the end of a review."""
        return state.status.value in self.statuses and (not self.tokens or state.token in self.tokens)


class Delivery(msgspec.Struct, frozen=True):
    """A message that is due at a target; ``attempts`` counts the earlier ones."""

    seq: int
    id: str
    target: str
    body: bytes
    attempts: int


class _Gate(msgspec.Struct, frozen=True):
    outcome: str


class _Verdict(msgspec.Struct, frozen=True):
    name: str
    tier: str


class _Report(msgspec.Struct, frozen=True):
    """The parts of a report that a message has."""

    gate: _Gate | None = None
    verdict: _Verdict | None = None


class Outbox:
    """The deliveries in the database of a journal, whose lock it shares."""

    def __init__(
        self,
        database: sqlite3.Connection,
        lock: threading.Lock,
        subscriptions: Sequence[Subscription],
        clock: Callable[[], float],
    ) -> None:
        self._database = database
        self._lock = lock
        self._subscriptions = subscriptions
        self._clock = clock

    def add(self, state: ReviewState, report: bytes | None) -> None:
        """Write the messages about the end of a review, inside of the transaction that ends it."""
        interested = [subscription for subscription in self._subscriptions if subscription.includes(state)]
        if not interested:
            return
        message, current = f"msg_{secrets.token_hex(16)}", self._clock()
        body = _message(state, report)
        for subscription in interested:
            self._database.execute(
                "INSERT INTO deliveries (id, target, body, due) VALUES (?, ?, ?, ?)",
                (message, subscription.target, body, current),
            )

    def next(self, target: str) -> tuple[Delivery | None, float | None]:
        """Return the delivery of a target that is due, else None and the seconds until the next one."""
        with self._lock:
            row = self._database.execute(
                "SELECT seq, id, target, body, attempts, due FROM deliveries "
                "WHERE target = ? AND state = 'pending' ORDER BY due, seq LIMIT 1",
                (target,),
            ).fetchone()
        if row is None:
            return None, None
        wait = row[5] - self._clock()
        return (Delivery(*row[:5]), None) if wait <= 0 else (None, wait)

    def accepted(self, delivery: Delivery) -> None:
        """Note that the receiver has accepted a message."""
        self._end(delivery, "delivered")

    def abandon(self, delivery: Delivery) -> None:
        """Note that a message is not sent again."""
        self._end(delivery, "failed")

    def postpone(self, delivery: Delivery, seconds: float) -> None:
        """Send a message again after a time."""
        with self._lock:
            self._database.execute(
                "UPDATE deliveries SET attempts = attempts + 1, due = ? WHERE seq = ?",
                (self._clock() + seconds, delivery.seq),
            )

    def counts(self) -> dict[tuple[str, str], int]:
        """Return the number of deliveries by target and state."""
        with self._lock:
            rows = self._database.execute(
                "SELECT target, state, count(*) FROM deliveries GROUP BY target, state"
            ).fetchall()
        return {(target, state): count for target, state, count in rows}

    def _end(self, delivery: Delivery, state: str) -> None:
        with self._lock, transaction(self._database):
            self._database.execute(
                "UPDATE deliveries SET attempts = attempts + 1, state = ? WHERE seq = ?",
                (state, delivery.seq),
            )
            self._database.execute(
                "DELETE FROM deliveries WHERE seq IN (SELECT seq FROM deliveries WHERE state != 'pending' "
                "ORDER BY seq DESC LIMIT -1 OFFSET ?)",
                (_MOST_ENDED,),
            )


def _message(state: ReviewState, report: bytes | None) -> bytes:
    """Return the JSON of a message: the review and its outcome, without findings or source text."""
    from wardround.service.documents import review_document

    document = review_document(state).model_dump(mode="json")
    data: dict[str, Any] = {**document, "url": f"/v1/reviews/{state.id}"}
    if report is not None:
        data |= msgspec.to_builtins(msgspec.json.decode(report, type=_Report))
    message = {"type": f"review.{state.status.value}", "timestamp": document["finished"], "data": data}
    return msgspec.json.encode(message)
