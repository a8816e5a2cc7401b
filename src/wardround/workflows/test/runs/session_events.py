"""The events that a run of tests wrote in the sandbox. The tests could have written them, too."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Annotated

import msgspec
from msgspec import Meta

from wardround.context.run_evidence import TestOutcome
from wardround.workflows.run_output import MOST_VALUES, has_too_many_values

MOST_BYTES = 64 * 1024 * 1024
"""The size of the file of events: those of 100,000 tests have about 50 MiB."""
MOST_EVENTS = 500_000
_MOST_LINE_BYTES = 32 * 1024 * 1024
_READ_BYTES = 1 << 20
Frame = tuple[str, Annotated[int, Meta(ge=0, le=10_000_000)]]
"""A path in the tree, and a line."""
Frames = Annotated[tuple[Frame, ...], Meta(max_length=100)]
Names = Annotated[tuple[str, ...], Meta(max_length=MOST_EVENTS)]
Excerpt = Annotated[str, Meta(max_length=100_000)]
Seconds = Annotated[float, Meta(ge=0, le=10_000_000)]


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

    tests: Names


class Excluded(_Event, frozen=True):
    """Selected tests that the configuration of the project excludes."""

    tests: Names


class Uncollected(_Event, frozen=True):
    """A file or a folder whose tests could not be collected."""

    path: str
    excerpt: Excerpt
    frames: Frames = ()


class Begun(_Event, frozen=True):
    """A test begins, a number of seconds after the start."""

    test: str
    at: Seconds


class Ended(_Event, frozen=True):
    """The result of a test."""

    test: str
    outcome: TestOutcome
    seconds: Seconds = 0.0
    excerpt: Excerpt = ""
    frames: Frames = ()
    is_recorded: bool = True
    attempts: Annotated[int, Meta(ge=0, le=100_000)] = 1


class Broken(_Event, frozen=True):
    """The framework is missing, or failed."""

    excerpt: Excerpt


class Stopped(_Event, frozen=True):
    """The time budget ended before the last test."""


class Finished(_Event, frozen=True):
    """The framework ended by itself."""

    status: int


Event = Started | Supplied | Collected | Excluded | Uncollected | Begun | Ended | Broken | Stopped | Finished
_DECODE = msgspec.json.Decoder(Event).decode


def decode_events(lines: Sequence[bytes]) -> Iterator[Event]:
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

    Attributes:
        excess: the excessive part of the output, as a noun phrase; nothing more is read. Else empty.
    """

    def __init__(self, file: int) -> None:
        self._file = file
        self._at = 0
        self._rest = b""
        self._left = MOST_EVENTS
        self.excess = ""

    @property
    def size(self) -> int:
        """The number of bytes that were read."""
        return self._at

    def new(self) -> list[Event]:
        """Return the events since the last call; no more of them once there are too many."""
        found: list[Event] = []
        while not self.excess and (data := os.pread(self._file, _READ_BYTES, self._at)):
            self._at += len(data)
            *lines, self._rest = (self._rest + data).split(b"\n")
            self._left -= len(lines)
            self.excess = self._excess(lines)
            found.extend(() if self.excess else decode_events(lines))
        return found

    def _excess(self, lines: Sequence[bytes]) -> str:
        if self._left < 0:
            return f"more than {MOST_EVENTS} lines"
        if self._at > MOST_BYTES:
            return f"more than {MOST_BYTES} bytes"
        if max(map(len, (self._rest, *lines))) > _MOST_LINE_BYTES:
            return f"a line of more than {_MOST_LINE_BYTES} bytes"
        if any(map(has_too_many_values, lines)):
            return f"a line of more than {MOST_VALUES} values"
        return ""
