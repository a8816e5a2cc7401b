"""The interface of a back end, which starts a command under some isolation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

import msgspec

from wardround.sandbox.model import Limits, RunUsage, Visible


class RunRequest(msgspec.Struct, frozen=True):
    """Everything that a back end needs to start a command.

    Attributes:
        command: a program, found on the run's own ``PATH``, and its arguments.
        root: the folder of the tree outside.
        home: an empty writable folder outside, for a back end that cannot make one.
        environ: the caller's environment, from which the view selects.
        hidden: folders below those of the system that the run finds empty.
    """

    command: Sequence[str]
    root: Path
    home: Path
    limits: Limits
    visible: Visible
    environ: Mapping[str, str]
    hidden: Sequence[Path] = ()


class StartedRun(Protocol):
    """A command that runs."""

    @property
    def watched(self) -> int:
        """The process whose end is the end of the run."""

    @property
    def measured(self) -> int | None:
        """The process that is sampled with its descendants; None if the back end enforces sums by itself."""

    def kill(self) -> None:
        """Kill every process of the run; without effect after its end."""

    def wait(self) -> RunUsage:
        """Wait until no process of the run is left; repeated calls return the same."""


class Backend(Protocol):
    """One kind of isolation."""

    @property
    def name(self) -> str:
        """The name in outcomes and in the configuration."""

    def version(self) -> str:
        """Return the version of its program; empty if there is none."""

    def objection(self) -> str | None:
        """Return a sentence if it cannot be used on this machine, with the package to install."""

    def start(self, request: RunRequest, stdout: int, stderr: int) -> StartedRun:
        """Start a command with two open files as its output.

        Raises:
            SandboxError: the isolation cannot be set up.
        """
