"""The record of a training's process in its run directory: who runs it, and how it ended."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Literal

import msgspec

from wardround_lab.training.run_directory import write_struct

PROCESS_FILE = "training-process.json"
LOG_FILE = "training.log"
_BOOT = Path("/proc/sys/kernel/random/boot_id")


class ProcessIdentity(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A process that no later one of the same number is mistaken for.

    Attributes:
        started: its start in clock ticks since the machine started.
        boot: the id of that start of the machine.
    """

    number: int
    started: int
    boot: str

    @property
    def is_alive(self) -> bool:
        """Return True if this process is running; one that has ended and was not waited for is not."""
        found = _state_and_start(self.number)
        return found is not None and found[0] not in "ZX" and identity_of(self.number) == self

    def send(self, number: int) -> bool:
        """Send a signal to this process, and to no other: neither a group nor a later one of its number.

        Returns:
            False if it is not running.

        Raises:
            OSError: it is a process of another user.
        """
        if self.number <= 1:  # kill(2) gives 0, -1 and init meanings of their own
            return False
        try:
            descriptor = os.pidfd_open(self.number)
        except ProcessLookupError:
            return False
        try:  # the descriptor stays with the process that has the number now
            if not self.is_alive:
                return False
            signal.pidfd_send_signal(descriptor, number)
            return True
        except ProcessLookupError:
            return False
        finally:
            os.close(descriptor)


class TrainingRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A training that a page may start: a recipe of the list and options, never a command line.

    Attributes:
        recipe: its name in the list.
        name: of the run directory below that of the trainings.
        seed: None for the recipe's.
        only_train: skip merge, export and quantise.
    """

    recipe: str
    name: str
    seed: int | None = None
    only_train: bool = False


class TrainingProcess(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The process of a training.

    Attributes:
        request: what is run again to resume it.
        began, ended: in UTC; ``ended`` is empty until then.
        supervisor: starts the training and records its end; the leader of their session.
        training: the training itself; None until it is started.
        status: its exit status, negative for a signal; None until it has ended.
        trouble: why it could not be started.
    """

    schema: Literal["wardround.training-process/1"] = "wardround.training-process/1"
    request: TrainingRequest
    began: str
    supervisor: ProcessIdentity
    training: ProcessIdentity | None = None
    status: int | None = None
    ended: str = ""
    trouble: str = ""

    @property
    def is_running(self) -> bool:
        if self.status is not None:
            return False
        return self.supervisor.is_alive or (self.training is not None and self.training.is_alive)


def identity_of(number: int) -> ProcessIdentity | None:
    """Return the identity of a running process; None if there is none of this number."""
    found = _state_and_start(number)
    if found is None:
        return None
    try:
        boot = _BOOT.read_text("ascii").strip()
    except OSError:
        boot = ""
    return ProcessIdentity(number, found[1], boot)


def own_identity() -> ProcessIdentity:
    """Return the identity of this process."""
    found = identity_of(os.getpid())
    return found or ProcessIdentity(os.getpid(), 0, "")


def read_process(folder: Path) -> TrainingProcess | None:
    """Return the record of a run directory; None if there is none that can be read."""
    try:
        return msgspec.json.decode((folder / PROCESS_FILE).read_bytes(), type=TrainingProcess)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None


def write_process(folder: Path, process: TrainingProcess) -> None:
    """Write the record of a run directory atomically.

    Raises:
        TrainingError: it cannot be written.
    """
    write_struct(folder / PROCESS_FILE, process)


def _state_and_start(number: int) -> tuple[str, int] | None:
    try:
        fields = Path(f"/proc/{number}/stat").read_text("utf-8", "replace").rpartition(") ")[2].split()
        return fields[0], int(fields[19])
    except (OSError, IndexError, ValueError):
        return None
