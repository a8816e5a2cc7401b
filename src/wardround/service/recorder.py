"""The signed records of reviews."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol

import msgspec

from wardround.errors import WardroundError
from wardround.host import PluginHost
from wardround.records import store
from wardround.records.bundle import Bundle, Facts, RecordError
from wardround.records.location import Location, location_of
from wardround.records.record import RecordedOrigin
from wardround.records.recording import facts_of, make_record
from wardround.records.signing import SignerSettings, SigningError, open_signer
from wardround.review_result import ReviewResult
from wardround.service.logs import EventLog
from wardround.service.settings import RecordSettings
from wardround.text.escaping import one_line

if TYPE_CHECKING:
    from securesystemslib.signer import Signer


class Recorded(msgspec.Struct, frozen=True):
    """A signed record, and the properties by which the store finds it."""

    bundle: Bundle
    facts: Facts


class Recorder(Protocol):
    """Makes the records of reviews; several threads may use it at once."""

    def record(self, result: ReviewResult, host: PluginHost, repository: str, author: str) -> Recorded | None:
        """Return the signed record of a review; None if none is made.

        Args:
            repository: its configured name; empty for a diff.
            author: the author of the change; empty for a diff.

        Raises:
            WardroundError: the record cannot be made, so the review fails.
        """

    def store(self, recorded: Recorded) -> None:
        """Store a record whose review has ended with it."""


class NoRecords:
    """Makes no records."""

    def record(self, result: ReviewResult, host: PluginHost, repository: str, author: str) -> Recorded | None:
        """Return None."""
        return None

    def store(self, recorded: Recorded) -> None:
        """Store nothing."""


class SignedRecords:
    """Creates records with one key.

    Args:
        store_location: the store to append them to; None stores them in the journal only.
    """

    def __init__(self, signer: Signer, store_location: Location | None, log: EventLog) -> None:
        self._signer = signer
        self._store_location = store_location
        self._log = log
        self._lock = threading.Lock()  # a signer may be a device that does one thing at a time

    def record(self, result: ReviewResult, host: PluginHost, repository: str, author: str) -> Recorded | None:
        """Sign the record of a review."""
        facts = facts_of(result.conclusion, repository, author)
        origin = RecordedOrigin(one_line(repository)) if repository else None
        current = datetime.now(UTC)
        try:
            with self._lock:
                created = make_record(result, host, facts, self._signer, current, origin)
        except (RecordError, SigningError) as cause:  # its text may name the key
            self._log.write("record", error=type(cause).__name__, message=str(cause))
            raise WardroundError(
                "the review cannot be recorded; the log of the server has the reason"
            ) from cause
        return Recorded(created, facts)

    def store(self, recorded: Recorded) -> None:
        """Append a record to the store; one that cannot be written is logged as an event, as in a review."""
        if self._store_location is None:
            return
        try:
            with self._lock, store.open_store(self._store_location) as records:
                records.append(recorded.bundle, recorded.facts)
        except store.StoreError as cause:
            self._log.write("record", error=type(cause).__name__, message=str(cause))


def open_recorder(settings: RecordSettings | None, environ: Mapping[str, str], log: EventLog) -> Recorder:
    """Return the recorder of a configuration.

    Raises:
        SigningError: the key cannot be used.
    """
    if settings is None:
        return NoRecords()
    signer = open_signer(
        SignerSettings(settings.sign_with, settings.public_key, settings.passphrase_env), environ
    )
    return SignedRecords(signer, location_of("", environ) if settings.store else None, log)
