"""Reading an exported file: every line is checked, with its place in the message."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn, TypeVar

import msgspec

from wardround.errors import UsageError
from wardround_lab.experiments.storage.entry_checks import check_append
from wardround_lab.experiments.storage.model import Entry, Run, SequenceHeader
from wardround_lab.experiments.storage.sequence_storage import StorageError
from wardround_lab.experiments.storage.transfer_lines import (
    SCHEMA,
    CountLine,
    EntryLine,
    Line,
    RunLine,
    SchemaLine,
    SequenceLine,
)

Kind = TypeVar("Kind", bound=Line)
_DECODER: msgspec.json.Decoder[Line] = msgspec.json.Decoder(Line)
_ADVICE = "export the file again"


class TransferError(UsageError):
    """A file is not what an export wrote; the message names the line."""


class TransferredRun(msgspec.Struct, frozen=True):
    """A run, with its line as ``file:number``."""

    location: str
    run: Run


class TransferredSequence(msgspec.Struct, frozen=True):
    """A sequence with all its entries, and its line as ``file:number``."""

    location: str
    header: SequenceHeader
    entries: list[Entry]


class TransferFile:
    """An exported file, read one sequence at a time.

    Raises:
        TransferError: a line is damaged or missing, or the file cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._number = 0
        self._lines: Iterator[Line] = iter(())

    def items(self) -> Iterator[TransferredRun | TransferredSequence]:
        """Yield the runs and the sequences; all lines are checked when it ends."""
        self._number = 0
        try:
            with self._path.open("rb") as stream:
                self._lines = map(self._decode, stream)
                yield from self._items()
        except OSError as cause:
            raise TransferError(
                f"{self._path}: {cause.strerror}; name a file that lab export wrote"
            ) from cause

    def _items(self) -> Iterator[TransferredRun | TransferredSequence]:
        if self._next(SchemaLine, "the schema").schema != SCHEMA:
            self._reject(f"its schema is not {SCHEMA}", "export it with this version of wardround")
        found = CountLine(0, 0, 0)
        for line in self._lines:
            match line:
                case RunLine():
                    found = CountLine(found.runs + 1, found.sequences, found.entries)
                    yield TransferredRun(self._location, line.run)
                case SequenceLine():
                    found = CountLine(found.runs, found.sequences + 1, found.entries + line.entries)
                    yield self._sequence(line)
                case CountLine():
                    self._end(line, found)
                    return
                case _:
                    self._reject("this line does not belong here")
        self._reject("the file ends before its last line")

    def _sequence(self, line: SequenceLine) -> TransferredSequence:
        location = self._location
        entries = [self._entry() for _ in range(line.entries)]
        try:
            check_append(line.header.id, 0, None, 0, entries)
        except StorageError as cause:
            raise TransferError(f"{location}: {cause}") from None
        return TransferredSequence(location, line.header, entries)

    def _entry(self) -> Entry:
        line = self._next(EntryLine, "an entry")
        try:
            entry = line.entry
        except msgspec.MsgspecError as cause:
            self._reject(f"this line is not valid ({cause})")
        if entry.digest != line.digest:
            self._reject("the content does not have its digest: it was changed")
        return entry

    def _end(self, line: CountLine, found: CountLine) -> None:
        if line != found:
            self._reject("the counts differ from those of the lines before: lines were removed or added")
        for _ in self._lines:
            self._reject("lines follow the last one")

    def _next(self, kind: type[Kind], name: str) -> Kind:
        line = next(self._lines, None)
        if line is None:
            self._reject(f"the file ends where {name} is expected")
        if not isinstance(line, kind):
            self._reject(f"this is not {name}, which is expected here")
        return line

    def _decode(self, line: bytes) -> Line:
        self._number += 1
        try:
            return _DECODER.decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError) as cause:
            self._reject(f"this line is not valid ({cause})")

    @property
    def _location(self) -> str:
        return f"{self._path}:{max(self._number, 1)}"  # an empty file has no line

    def _reject(self, reason: str, advice: str = _ADVICE) -> NoReturn:
        raise TransferError(f"{self._location}: {reason}; {advice}")
