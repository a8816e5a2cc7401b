"""The sequence of one run: every effect on the world with its result, in an append-only file.

A step requests an effect from the sequence, such as an exchange with a model or a run in the sandbox. A
recorded effect is not repeated: that makes a run resumable after a kill at any point, and a replay needs
neither the endpoint nor the sandbox.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Annotated, Protocol, TypeVar

import msgspec

from wardround.authoring.instance import Instance
from wardround.authoring.steps.route import Route
from wardround.errors import UsageError, WardroundError
from wardround.storage.digest import sha256

SCHEMA = "wardround.sequence/1"
SUFFIX = ".jsonl"
Result = TypeVar("Result")


class Settings(msgspec.Struct, frozen=True):
    """The settings of a run, as far as they change its result.

    Attributes:
        rounds: the most rounds of revision.
        seconds: CPU seconds for the validation of candidates.
        tokens: the budget of the context.
        most_tokens: the most tokens that all exchanges may use; None for no limit.
        proposes_weak: patches are proposed, too, on which the evidence is weak.
        isolation: the requested back end of the sandbox; empty for the configured one.
        samples: of the author with that name, at the same time.
    """

    rounds: int = 3
    seconds: float = 15.0
    tokens: int = 8000
    most_tokens: int | None = None
    proposes_weak: bool = False
    isolation: str = ""
    samples: Annotated[int, msgspec.Meta(ge=1)] = 3


class Header(msgspec.Struct, frozen=True):
    """The first line of a sequence: what the run depends on besides its effects.

    Attributes:
        version: that of wardround.
    """

    instance: Instance
    settings: Settings
    route: Route
    version: str
    schema: str = SCHEMA


class Event(msgspec.Struct, frozen=True):
    """One effect.

    Attributes:
        request: digest of everything that determines the effect.
        previous: digest of the line before.
    """

    step: str
    request: str
    result: msgspec.Raw
    previous: str


_END = "end"
"""The step of an event with the reason why a run ended early; it has no effect."""


class SequenceEnded(WardroundError):
    """A replay needs an effect that the sequence does not have."""


class Effects(Protocol):
    """Runs effects, or returns their recorded results."""

    async def run(
        self, step: str, request: object, kind: type[Result], effect: Callable[[], Awaitable[Result]]
    ) -> Result:
        """Return the result of an effect, decoded from its recorded form in either case.

        Args:
            request: everything that determines the effect; equal requests of one step differ by their
                order.
        """
        ...


class EffectKeys:
    """The keys by which recorded effects are found: equal requests of one step differ by their order."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def next(self, step: str, request: object) -> str:
        """Return the key of the next effect with a request."""
        digest = _digest(msgspec.json.encode((step, request), order="deterministic"))
        self._counts[digest] += 1
        return f"{digest}:{self._counts[digest]}"


class Sequence:
    """A sequence of effects.

    Attributes:
        ending: the reason why the recorded run ended early; empty if it did not.

    Args:
        file: the file to append to; None for a replay.
    """

    def __init__(self, header: Header, lines: list[bytes], file: Path | None) -> None:
        self.header = header
        self._file = file
        self._previous = _digest(lines[-1])
        events = [msgspec.json.decode(line, type=Event) for line in lines[1:]]
        self._recorded = {event.request: bytes(event.result) for event in events if event.step != _END}
        self.ending = _ending(events)
        self._keys = EffectKeys()

    @property
    def is_replay(self) -> bool:
        """True if no effect may run."""
        return self._file is None

    async def run(
        self, step: str, request: object, kind: type[Result], effect: Callable[[], Awaitable[Result]]
    ) -> Result:
        digest = self._keys.next(step, request)
        recorded = self._recorded.get(digest)
        if recorded is None:
            if self._file is None:
                raise SequenceEnded(f"the sequence ends before step {step}; continue it with --resume")
            recorded = msgspec.json.encode(await effect())
            self._append(Event(step, digest, msgspec.Raw(recorded), self._previous))
        return msgspec.json.decode(recorded, type=kind)

    def end(self, reason: str) -> None:
        """Record the reason why the run ends early; a run that continues ignores it."""
        self.ending = reason
        if self._file is not None:
            self._append(Event(_END, "", msgspec.Raw(msgspec.json.encode(reason)), self._previous))

    def _append(self, event: Event) -> None:
        assert self._file is not None
        line = msgspec.json.encode(event)
        _append_line(self._file, line)
        self._previous = _digest(line)


class SequenceStore:
    """The sequences in one folder, one file each."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def begin(self, header: Header) -> tuple[str, Sequence]:
        """Create a sequence; its id is that of the instance and a number.

        Raises:
            UsageError: the folder cannot be written.
        """
        line = msgspec.json.encode(header)
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            name = self._create(header.instance.id)
            _append_line(self._path(name), line)
        except OSError as cause:
            reason = f"{self._folder} cannot be written: {cause.strerror}"
            raise UsageError(f"{reason}; make room or change its permissions") from cause
        return name, Sequence(header, [line], self._path(name))

    def resume(self, name: str) -> Sequence:
        """Open a sequence to continue it; the end of a line that was not written completely is removed.

        Raises:
            UsageError: the sequence does not exist, or is damaged.
        """
        header, lines = self._read(name)
        path = self._path(name)
        os.truncate(path, sum(len(line) + 1 for line in lines))
        return Sequence(header, lines, path)

    def replay(self, name: str) -> Sequence:
        """Open a sequence to read it; see ``resume``."""
        header, lines = self._read(name)
        return Sequence(header, lines, None)

    def _create(self, instance_id: str) -> str:
        number = 1
        while True:
            name = f"{instance_id}-{number}"
            try:
                os.close(os.open(self._path(name), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
            except FileExistsError:
                number += 1
            else:
                return name

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}{SUFFIX}"

    def _read(self, name: str) -> tuple[Header, list[bytes]]:
        if not name or Path(name).name != name:
            raise UsageError(f"{name!r} is not the id of a sequence; copy it from the packet")
        try:
            content = self._path(name).read_bytes()
        except OSError as cause:
            raise UsageError(f"sequence {name} cannot be read: {cause.strerror}; check its id") from cause
        lines = content.split(b"\n")[:-1]  # a run that was killed may leave a part of a line
        try:
            header = msgspec.json.decode(lines[0], type=Header)
            _require_chain(lines)
        except (IndexError, msgspec.MsgspecError) as cause:
            raise UsageError(f"sequence {name} is damaged: {cause}; begin a new run") from None
        return header, lines


def _require_chain(lines: list[bytes]) -> None:
    previous = _digest(lines[0])
    for number, line in enumerate(lines[1:], 2):
        if msgspec.json.decode(line, type=Event).previous != previous:
            raise msgspec.ValidationError(f"line {number} does not continue the line before")
        previous = _digest(line)


def _ending(events: list[Event]) -> str:
    if not events or events[-1].step != _END:
        return ""
    return msgspec.json.decode(bytes(events[-1].result), type=str)


def _append_line(path: Path, line: bytes) -> None:
    with path.open("ab") as file:
        file.write(line + b"\n")
        file.flush()
        os.fsync(file.fileno())


def _digest(data: bytes) -> str:
    return sha256(data).hexdigest()
