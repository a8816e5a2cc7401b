"""The deletion of old records from the store while the server runs, once a day."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, datetime

from wardround.records import store
from wardround.records.location import Location
from wardround.records.retention import retention_of
from wardround.service.logs import EventLog
from wardround.service.settings import RecordSettings

_DAY_S = 86_400.0


def _now() -> datetime:
    return datetime.now(UTC)


class RecordRetention:
    """Deletes the records that the settings do not keep, at the start and then each day."""

    def __init__(
        self, settings: RecordSettings, location: Location, log: EventLog, now: Callable[[], datetime] = _now
    ) -> None:
        self._settings = settings
        self._location = location
        self._log = log
        self._now = now
        self._stopped = threading.Event()

    def start(self) -> None:
        """Start the thread, if the settings delete anything."""
        if self._settings.keep_days is not None or self._settings.keep_newest is not None:
            threading.Thread(target=self._run, name="wardround-retention", daemon=True).start()

    def stop(self) -> None:
        """Begin no more deletions."""
        self._stopped.set()

    def prune(self) -> None:
        """Delete once; every deleted record is an event of the log."""
        retention = retention_of(self._settings.keep_days, self._settings.keep_newest, self._now())
        try:
            with store.opened_if_present(self._location) as records:
                deleted = records.prune(retention) if records else ()
        except store.StoreError as cause:
            self._log.write("record", error=type(cause).__name__, message=str(cause))
            return
        for record in reversed(deleted):
            self._log.write(
                "record deleted", digest=record.digest, created=record.created, repository=record.repository
            )

    def _run(self) -> None:
        while not self._stopped.is_set():
            self.prune()
            self._stopped.wait(_DAY_S)
