"""The request for one review, as the command line states it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, Literal

import msgspec
from msgspec.structs import replace

from wardround.config.schema import Config, ConfigFrom, FailingVerdict, FailLevel, FilterMode
from wardround.context.run_evidence import RunPart
from wardround.context.ticket.model import Ticket
from wardround.tools.tool import Profile


class ExchangeStreams(msgspec.Struct, frozen=True):
    """The streams of an exchange: requests are written as lines of JSON, and answers are read as such.

    Attributes:
        report: shows people a message about a line that is ignored.
    """

    requests: BinaryIO
    answers: BinaryIO
    report: Callable[[str], None]


class ReviewRequest(msgspec.Struct, frozen=True):
    """The settings of a caller; ``None`` leaves a setting to the configuration.

    Attributes:
        fail_on_verdict: verdicts that block besides those of the configuration.
        target_branch: the branch that the change is to be merged into; empty if it is not known.
        ticket: the request that the change answers, already fetched.
        policy_floor: the policy of the organisation, which that of the repository cannot weaken.
        offline: no language model is contacted, whatever the configuration.
        run: the parts to run; None leaves it to the configuration.
        sandbox: the isolation of the run; None for the configured one, ``none`` for none.
        exchange: the folder or the streams of an exchange, instead of the configured language model.
        exchange_wait: seconds to wait for the answers of an exchange.
        reuses_answers: False sends every request to a language model again, whatever is cached.
    """

    profile: Profile = Profile.COMMIT
    fail_level: FailLevel | None = None
    filter_mode: FilterMode | None = None
    fail_on_verdict: tuple[FailingVerdict, ...] = ()
    only: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()
    jobs: int | None = None
    config_file: Path | None = None
    config_from: ConfigFrom | None = None
    use_baseline: bool = True
    use_models: bool = True
    show_all: bool = False
    verbose: bool = False
    target_branch: str = ""
    policy_floor: Path | None = None
    ticket: Ticket | None = None
    offline: bool = False
    run: tuple[RunPart, ...] | None = ()
    sandbox: str | None = None
    exchange: Path | ExchangeStreams | None = None
    exchange_wait: float = 0.0
    reuses_answers: bool = True

    @property
    def trusted_side(self) -> Literal["target", "head"]:
        """Return the revision whose configuration applies: in CI the target's, so that no change alters its
        own rules.

        That is the tip of the target branch, not the merge base: a branch that was forked before the rules
        were
        tightened would be reviewed by the old ones.
        """
        requested_items = self.config_from or ("base" if self.profile is Profile.CI else "head")
        return "head" if requested_items == "head" else "target"

    def failing_verdicts(self, config: Config) -> tuple[FailingVerdict, ...]:
        """Return the verdicts that block: those of the caller, and in CI those of the configuration.

        Neither can take a verdict from the other, and ``declined`` is always one of them.
        """
        configured = config.root.fail_on_verdict if self.profile is Profile.CI else ()
        return ("declined", *self.fail_on_verdict, *configured)

    def parts_to_run(self, config: Config) -> tuple[RunPart, ...]:
        """Return the parts to run.

        The configuration counts only in CI, and only that of the base: no change can enable the execution of
        its own code, and a commit never runs code by itself.
        """
        return self._configured_run_parts(config) if self.run is None else self.run

    def parts_not_run(self, config: Config) -> tuple[RunPart, ...]:
        """Return the parts that the configuration of the base requests in CI and that do not run."""
        requested = self.parts_to_run(config)
        return tuple(part for part in self._configured_run_parts(config) if part not in requested)

    def _configured_run_parts(self, config: Config) -> tuple[RunPart, ...]:
        is_decided = self.profile is Profile.CI and self.trusted_side == "target"
        return config.root.run_parts if is_decided else ()

    def for_all_files(self) -> ReviewRequest:
        """Return the request for a review of all files, which has no base and no hunks to score."""
        return replace(self, config_from="head", use_models=False, run=())

    def merging_into(self, base: str | None) -> ReviewRequest:
        """Return the request with the branch that a base revision names, unless the caller has named one."""
        if self.target_branch or base is None:
            return self
        from wardround.change.revisions import branch_name  # only reviews of commits name a branch

        return replace(self, target_branch=branch_name(base))
