"""Logs as JSON lines on standard error: events with short values, never source text, tokens or diffs."""

from __future__ import annotations

import logging
import sys
import threading
import traceback
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import IO

import msgspec

from wardround.text.escaping import one_line

Value = str | int | float | None
_LONGEST_VALUE = 300


class EventLog:
    """Writes one JSON object a line; threads may use it at once."""

    def __init__(self, stream: IO[str] | None = None) -> None:
        self._stream = stream or sys.stderr
        self._lock = threading.Lock()

    def write(self, event: str, **values: Value) -> None:
        """Write an event with its time. A log that cannot be written stops nothing."""
        entry: Mapping[str, Value] = {
            "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "event": event,
            **{name: _short(value) for name, value in values.items()},
        }
        line = msgspec.json.encode(entry).decode() + "\n"
        with self._lock:
            try:
                self._stream.write(line)
                self._stream.flush()
            except (OSError, ValueError):
                return


class ServerLogHandler(logging.Handler):
    """Passes the messages of the HTTP server on as events, an exception by its type only."""

    def __init__(self, log: EventLog) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        crash = record.exc_info[1] if record.exc_info else None
        self._log.write(
            "server",
            level=record.levelname.lower(),
            message=str(record.msg) if crash else record.getMessage(),
            error=describe_crash(crash) if crash else None,
        )


def _short(value: Value) -> Value:
    if isinstance(value, float):
        return round(value, 3)
    return one_line(value)[:_LONGEST_VALUE] if isinstance(value, str) else value


def describe_crash(crash: BaseException) -> str:
    """Return the type of an exception and where it was raised; its text may quote the change."""
    where = "unknown"
    for frame, line in traceback.walk_tb(crash.__traceback__):
        where = f"{frame.f_globals.get('__name__', '?')}:{line}"
    return f"{type(crash).__name__} at {where}"
