"""The log of actions: JSON lines, one before and one after each write, so that an audit sees both.

| Key | Value |
|---|---|
| ``time`` | in UTC |
| ``event`` | ``begin``, ``done``, ``lost`` (the response), ``refused`` or ``failed`` |
| ``action``, ``target``, ``commit``, ``reason`` | of the action |
| ``change_request``, ``account`` | the change request, and the account that acts |
| ``record`` | the digest of the record; empty without one |
| ``message`` | of the host, where it refused or failed |

An action with a ``begin`` and nothing after it may have been done: the process was killed.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from wardround.delivery.acting.actions import Action
from wardround.errors import UsageError

_FLAGS = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC


class ActionLog:
    """Appends to a file; without one, to nothing.

    Args:
        constant: the keys that every line has.
    """

    def __init__(self, file: Path | None, constant: Mapping[str, str]) -> None:
        self._file = file
        self._constant = dict(constant)

    def add(self, event: str, action: Action, message: str = "") -> None:
        """Append a line, which is on the disk when this returns.

        Raises:
            UsageError: it cannot be written, so that nothing may be done.
        """
        if self._file is None:
            return
        line = {
            "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "event": event,
            "action": action.name,
            "target": action.target,
            "commit": action.commit,
            "reason": action.reason,
            **self._constant,
            **({"message": message} if message else {}),
        }
        try:
            _append(self._file, msgspec.json.encode(line) + b"\n")
        except OSError as cause:
            raise UsageError(
                f"--log {self._file}: {cause.strerror}; name a regular file that can be written"
            ) from cause


def _append(file: Path, line: bytes) -> None:
    """Append one line by one write; a line that a full disk cut short is ended first."""
    with open(os.open(file, _FLAGS, 0o600), "rb+", buffering=0) as opened:
        size = opened.seek(0, os.SEEK_END)
        is_cut = size > 0 and os.pread(opened.fileno(), 1, size - 1) != b"\n"
        content = b"\n" + line if is_cut else line
        if opened.write(content) != len(content):
            raise OSError(28, "No space left on device")
        os.fsync(opened.fileno())
