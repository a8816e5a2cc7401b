"""The events that a run of tests wrote in the sandbox. The tests could have written them, too."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

import msgspec

from wardround.context.run_evidence import TestOutcome

_MOST_BYTES = 128 * 1024 * 1024
_READ_BYTES = 1 << 20
Frame = tuple[str, int]
"""A path in the tree, and a line."""


class _Event(msgspec.Struct, frozen=True, tag_field="event", tag=str.lower):
    """One line of the file of events."""


class Started(_Event, frozen=True):
    """The framework is there; ``unrecorded`` is the reason why no lines are recorded, if any."""

    unrecorded: str = ""


class Supplied(_Event, frozen=True):
    """A module that a build would write was supplied; the text is a noun phrase."""

    text: str


class Collected(_Event, frozen=True):
    """The tests that will run, in order."""

    tests: tuple[str, ...]


class Excluded(_Event, frozen=True):
    """Selected tests that the configuration of the project leaves out."""

    tests: tuple[str, ...]


class Uncollected(_Event, frozen=True):
    """A file or a folder whose tests could not be collected."""

    path: str
    excerpt: str
    frames: tuple[Frame, ...] = ()


class Begun(_Event, frozen=True):
    """A test begins, a number of seconds after the start."""

    test: str
    at: float


class Ended(_Event, frozen=True):
    """The result of a test."""

    test: str
    outcome: TestOutcome
    seconds: float = 0.0
    excerpt: str = ""
    frames: tuple[Frame, ...] = ()
    is_recorded: bool = True
    attempts: int = 1


class Broken(_Event, frozen=True):
    """The framework is missing, or failed."""

    excerpt: str


class Stopped(_Event, frozen=True):
    """The time budget ended before the last test."""


class Finished(_Event, frozen=True):
    """The framework ended by itself."""

    status: int


Event = Started | Supplied | Collected | Excluded | Uncollected | Begun | Ended | Broken | Stopped | Finished
_DECODE = msgspec.json.Decoder(Event).decode


def decoded(lines: Sequence[bytes]) -> Iterator[Event]:
    """Yield the events of complete lines; others, which a test wrote, are ignored."""
    for line in lines:
        try:
            yield _DECODE(line)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            continue


class EventFile:
    """The file of events, opened before the run, so that the run cannot exchange it.

    Args:
        file: its descriptor.
    """

    def __init__(self, file: int) -> None:
        self._file = file
        self._at = 0
        self._rest = b""

    def new(self) -> list[Event]:
        """Return the events since the last call."""
        parts = [self._rest]
        while self._at < _MOST_BYTES and (data := os.pread(self._file, _READ_BYTES, self._at)):
            parts.append(data)
            self._at += len(data)
        *lines, self._rest = b"".join(parts).split(b"\n")
        return list(decoded(lines))
