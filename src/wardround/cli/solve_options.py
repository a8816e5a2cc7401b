"""The options of ``wardround solve`` as one value."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from wardround.errors import UsageError

if TYPE_CHECKING:
    from wardround.authoring.endpoint.opening import EndpointAccess
    from wardround.authoring.instance import Instance
    from wardround.authoring.sequence import Settings
    from wardround.authoring.steps.route import StageNames
    from wardround.config.schema import Config


class SolveOptions(msgspec.Struct, frozen=True):
    """The options, named as on the command line."""

    task_text: str
    tests: tuple[str, ...]
    constraints: Path | None
    base: str | None
    author: str
    localization: str
    selection: str
    rounds: int
    samples: int
    seconds: float
    tokens: int
    most_tokens: int | None
    exchange: Path | None
    exchange_wait: float
    offline: bool
    shown_step: str | None
    resume: str
    replay: str
    proposes_weak: bool
    is_applied: bool
    open_branch: str
    form: str
    sandbox: str | None
    repo: Path | None

    @property
    def is_recorded(self) -> bool:
        """True if the instance is that of a recorded sequence."""
        return bool(self.resume or self.replay)

    @property
    def settings(self) -> Settings:
        """The settings of a new run."""
        from wardround.authoring.sequence import Settings

        return Settings(
            rounds=self.rounds,
            samples=self.samples,
            seconds=self.seconds,
            tokens=self.tokens,
            most_tokens=self.most_tokens,
            proposes_weak=self.proposes_weak,
            isolation=self.sandbox or "",
        )

    @property
    def stages(self) -> StageNames:
        """The names of the requested stages."""
        from wardround.authoring.steps.route import StageNames

        return StageNames(self.localization, self.author, self.selection)

    def require_consistent(self) -> None:
        """Reject options that exclude each other.

        Raises:
            UsageError: the run is named in no way, or in several.
        """
        ways = [
            name
            for name, is_used in (
                ("--task or --test", bool(self.task_text or self.tests)),
                ("--resume", bool(self.resume)),
                ("--replay", bool(self.replay)),
            )
            if is_used
        ]
        if not ways:
            raise UsageError("there is nothing to solve; give --task, --test, or both")
        if len(ways) > 1:
            raise UsageError(f"{' and '.join(ways)} cannot go together; a sequence has its own task")
        if self.is_recorded and self.base is not None:
            raise UsageError("--base cannot go with a sequence, which has its own base")

    def instance(self, base: str) -> Instance:
        """Return the instance of a new run.

        Raises:
            UsageError: the task or the constraints cannot be used.
        """
        from wardround.authoring.constraints import read_constraints
        from wardround.authoring.instance import Instance
        from wardround.authoring.task import read_task

        task = read_task(self.task_text, os.environ, Path.cwd()) if self.task_text else None
        return Instance(
            base,
            "" if task is None else task.text,
            tuple(dict.fromkeys(self.tests)),
            None if task is None else task.ticket,
            () if self.constraints is None else read_constraints(self.constraints),
        )

    def access(self, config: Config) -> EndpointAccess:
        """Return the way to endpoints."""
        from wardround.authoring.endpoint.opening import EndpointAccess

        return EndpointAccess(
            os.environ, exchange=self.exchange, wait_s=self.exchange_wait, is_offline=self.offline
        )
