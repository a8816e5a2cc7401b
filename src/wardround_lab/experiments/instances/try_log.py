"""The tries of one repository, one JSON document a line, written when a try ends."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from wardround.errors import UsageError
from wardround.storage.atomic import write_atomic
from wardround_lab.experiments.instances.model import MinedInstance
from wardround_lab.experiments.instances.verification import Reason


class Try(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The result of one candidate.

    Attributes:
        files: source files of the answer.
        lines: changed lines of the answer.
        reason: why it was rejected; empty for an instance.
        detail: the error behind the reason.
    """

    commit: str
    files: int
    lines: int
    cpu_s: float
    reason: str = ""
    detail: str = ""
    instance: MinedInstance | None = None

    @property
    def is_final(self) -> bool:
        """False if a later command tries the candidate again, with a network or a complete clone."""
        return self.reason not in (Reason.NO_ENVIRONMENT, Reason.UNREADABLE)


class _Start(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The first line: everything on which the tries depend."""

    key: str


class TryLog:
    """A log that a later command with the same key continues; what a crash left incomplete is removed.

    Attributes:
        tries: those so far, in their order.

    Raises:
        UsageError: it cannot be read or written.
    """

    def __init__(self, path: Path, key: str) -> None:
        self._path = path
        try:
            self.tries = _read_tries(path, key)
            lines = [_Start(key), *self.tries]
            write_atomic(path, b"".join(map(_line, lines)))
        except OSError as cause:
            raise _unwritable(path, cause) from cause

    def append(self, result: Try) -> None:
        """Write a result to the disk.

        Raises:
            UsageError: it cannot be written.
        """
        try:
            with self._path.open("ab") as file:
                file.write(_line(result))
                file.flush()
                os.fsync(file.fileno())
        except OSError as cause:
            raise _unwritable(self._path, cause) from cause
        self.tries.append(result)


def _read_tries(path: Path, key: str) -> list[Try]:
    """Return the complete and final tries of a log with the same key; none of any other."""
    first, *rest = path.read_bytes().split(b"\n") if path.exists() else [b""]
    found: list[Try] = []
    try:
        if msgspec.json.decode(first, type=_Start).key == key:
            found.extend(msgspec.json.decode(line, type=Try) for line in rest[:-1])
    except msgspec.MsgspecError:
        pass  # a crash left the rest incomplete
    return [result for result in found if result.is_final]


def _line(value: msgspec.Struct) -> bytes:
    return msgspec.json.encode(value) + b"\n"


def _unwritable(path: Path, cause: OSError) -> UsageError:
    return UsageError(f"{path}: {cause.strerror}; make room, or choose another folder with --out")
