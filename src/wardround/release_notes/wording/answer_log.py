"""The recorded answers of an endpoint for one range: a second run of it sends nothing."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import msgspec

from wardround.authoring.sequence import EffectKeys
from wardround.errors import UsageError

Result = TypeVar("Result")


class _Entry(msgspec.Struct, frozen=True):
    request: str
    result: msgspec.Raw


class AnswerLog:
    """A file with one answer a line; the ``Effects`` of a role.

    Args:
        file: created with the first answer; None if none is recorded.
    """

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self._keys = EffectKeys()
        self._recorded = {} if file is None else _read(file)

    async def run(
        self, step: str, request: object, kind: type[Result], effect: Callable[[], Awaitable[Result]]
    ) -> Result:
        """Return a recorded result, or that of the effect, which is recorded.

        Raises:
            UsageError: the file cannot be written.
        """
        key = self._keys.next(step, request)
        if key not in self._recorded:
            self._recorded[key] = msgspec.json.encode(await effect())
            if self._file is not None:
                _append(self._file, _Entry(key, msgspec.Raw(self._recorded[key])))
        return msgspec.json.decode(self._recorded[key], type=kind)


def _append(file: Path, entry: _Entry) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with file.open("ab") as opened:
            opened.write(msgspec.json.encode(entry) + b"\n")
    except OSError as cause:
        reason = f"{file} cannot be written: {cause.strerror}"
        raise UsageError(f"{reason}; make room or change its permissions") from cause


def _read(file: Path) -> dict[str, bytes]:
    """Return the recorded results; a line that was not written completely has none."""
    recorded = dict[str, bytes]()
    if file.exists():
        for line in file.read_bytes().split(b"\n"):
            with suppress(msgspec.DecodeError):
                entry = msgspec.json.decode(line, type=_Entry)
                recorded[entry.request] = bytes(entry.result)
    return recorded
