"""The options of a review: one value that ``review``, ``exchange``, ``hook`` and ``ci`` fill."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from wardround.cli.fail_on_verdict import parse_verdicts
from wardround.cli.options import ChangeSpec, Colour, RecordSpec, ReportSpec, TicketSpec
from wardround.cli.run import require_base, require_one
from wardround.config.request import ExchangeStreams, ReviewRequest
from wardround.config.schema import ConfigFrom, FailLevel, FilterMode
from wardround.context.run_evidence import RunPart
from wardround.tools.tool import Profile


class ReviewOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The options of a command that reviews, by the same names; options that it lacks have their defaults.

    Attributes:
        formats: ``FORMAT`` or ``FORMAT=FILE``; none is the text report.
        run: the value of ``--run``; None leaves the parts to the configuration.
        accepted_record: None accepts no earlier record, whatever the configuration allows.
    """

    staged: bool = False
    worktree: bool = False
    all_files: bool = False
    paths: tuple[str, ...] = ()
    base: str | None = None
    head: str | None = None
    diff_file: str | None = None
    repo: Path | None = None
    profile: str = "commit"
    formats: tuple[str, ...] = ()
    fail_level: FailLevel | None = None
    filter_mode: FilterMode | None = None
    fail_on_verdict: str = ""
    fix: bool = False
    only: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()
    no_models: bool = False
    jobs: int | None = None
    config: Path | None = None
    config_from: ConfigFrom | None = None
    policy_floor: Path | None = None
    ticket: str = ""
    record_file: Path | None = None
    sign_with: str = ""
    public_key: str = ""
    passphrase_env: str = ""
    store_name: str = ""
    accepted_record: str | None = ""
    run: str | None = "none"
    sandbox: str | None = None
    exchange: Path | ExchangeStreams | None = None
    exchange_wait: float = 0.0
    show_prompt: str | None = None
    show_all: bool = False
    colour: Colour = "auto"
    verbose: bool = False
    exit_zero: bool = False
    offline: bool = False

    def require_consistent(self) -> None:
        """Reject options that contradict each other.

        Raises:
            click.UsageError: the change is named in two ways, or an option lacks a prerequisite.
        """
        require_one(self._ways, "name the change in one way")
        if self.all_files:
            self._require_no_change()
        elif self.paths:
            raise click.UsageError(
                f"{self.paths[0]}: files are named with --all-files; a change has all of its files"
            )
        require_base(self.head, self.base)

    @property
    def target(self) -> ChangeSpec:
        """The change to review: the staged one if no option names another."""
        return ChangeSpec(
            staged=self.staged or not any(self._ways.values()),
            worktree=self.worktree,
            base=self.base,
            head=self.head,
            diff_file=self.diff_file,
            repo=self.repo,
            all_files=self.all_files,
            paths=self.paths,
        )

    @property
    def request(self) -> ReviewRequest:
        """The request of the review.

        Raises:
            UsageError: a part to run or a verdict is unknown.
        """
        return ReviewRequest(
            profile=Profile(self.profile),
            fail_level=self.fail_level,
            filter_mode=self.filter_mode,
            fail_on_verdict=parse_verdicts(self.fail_on_verdict),
            only=self.only,
            skip=self.skip,
            jobs=self.jobs,
            config_file=self.config,
            config_from=self.config_from,
            use_models=not self.no_models,
            show_all=self.show_all,
            verbose=self.verbose,
            policy_floor=self.policy_floor,
            offline=self.offline,
            run=self._parts_to_run,
            sandbox=self.sandbox,
            exchange=self.exchange,
            exchange_wait=self.exchange_wait,
        )

    @property
    def outputs(self) -> list[ReportSpec]:
        """The reports to write.

        Raises:
            UsageError: a format is unknown.
        """
        return [ReportSpec.parse(text, self.colour) for text in self.formats or ("text",)]

    @property
    def record(self) -> RecordSpec:
        """The requested record."""
        return RecordSpec(
            file=self.record_file,
            sign_with=self.sign_with,
            public_key=self.public_key,
            passphrase_env=self.passphrase_env,
            store=self.store_name,
            accept=self.accepted_record,
        )

    @property
    def requested_ticket(self) -> TicketSpec:
        """The requested ticket."""
        return TicketSpec(self.ticket, self.offline)

    @property
    def _parts_to_run(self) -> tuple[RunPart, ...] | None:
        if self.run == "none":
            return ()
        from wardround.cli.run_options import parse_run  # a hook has none of these options

        return parse_run(self.run)

    @property
    def _ways(self) -> dict[str, bool]:
        """The options that name a change, and whether they are used."""
        return {
            "--staged": self.staged,
            "--worktree": self.worktree,
            "--all-files": self.all_files,
            "--base": self.base is not None,
            "--diff-file": self.diff_file is not None,
        }

    def _require_no_change(self) -> None:
        """Reject the options that say something about a change."""
        of_changes = {
            "--filter-mode": self.filter_mode is not None,
            "--config-from": self.config_from == "base",
            "--fail-on-verdict": bool(self.fail_on_verdict),
            "--ticket": bool(self.ticket),
            "--record": self.record_file is not None,
            "--store": bool(self.store_name),
            "--accept-record": bool(self.accepted_record),
            "--run": bool(self.run),
            "--show-prompt": bool(self.show_prompt),
        }
        used = [name for name, is_used in of_changes.items() if is_used]
        if used:
            raise click.UsageError(f"{' and '.join(used)}: --all-files has no change; leave it out")
