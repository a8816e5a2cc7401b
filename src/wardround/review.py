"""The review itself, from a change to findings and a gate: front ends call ``run`` and render the result."""

from __future__ import annotations

import datetime
import time
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from wardround.change.change_source import ChangeSource, FileTexts
from wardround.change.diff import Change, ChangedFile
from wardround.change.repository import INDEX
from wardround.config import loader
from wardround.config.request import ReviewRequest
from wardround.config.schema import Config, FilterMode
from wardround.context.review_context import build_context
from wardround.context.unstaged_settings import unstaged_settings
from wardround.errors import ConfigError, UsageError
from wardround.execution.review_run import ReviewRun
from wardround.findings import Finding, Status, ToolRun, Unreviewed
from wardround.host import PluginHost
from wardround.policy.gate import Gate, GateOutcome, gate
from wardround.processors import dismissals
from wardround.processors.pipeline import FindingPipeline
from wardround.tools.process import Processes
from wardround.tools.tool import Profile

if TYPE_CHECKING:
    from wardround.processors.triage import Triage

_CONTEXT_LINES = 3


class ReviewResult(msgspec.Struct, frozen=True, eq=False, dict=True):
    """The result of a review. ``findings`` are all of them, ``visible`` those the filter lets through.

    ``notes`` say what models did not look at, and which configured tools are not installed. ``triage`` ranks
    and folds what people are shown; without it everything visible is shown, in the order of places. No
    machine is told of it. ``verbose`` shows each finding with its lines, however many there are.
    ``unstaged`` are files of settings whose version in the work tree, which does not count, says otherwise.
    """

    change: Change
    context_id: str
    reviewed: tuple[str, ...]
    findings: tuple[Finding, ...]
    unreviewed: tuple[Unreviewed, ...]
    runs: tuple[ToolRun, ...]
    gate: Gate
    filter_mode: FilterMode
    profile: Profile
    blocks_on_inconclusive: bool
    seconds: float
    contents: Mapping[str, str]
    text_of: Callable[[str], str | None]
    notes: tuple[str, ...] = ()
    triage: Triage | None = None
    verbose: bool = False
    unstaged: tuple[str, ...] = ()

    @cached_property
    def visible(self) -> tuple[Finding, ...]:
        """The findings the filter mode lets through, in order."""
        return tuple(f for f in self.findings if self._passes(f))

    @property
    def open_findings(self) -> tuple[Finding, ...]:
        """The visible findings that nobody waived, in order."""
        return tuple(f for f in self.visible if f.status is not Status.SUPPRESSED)

    @cached_property
    def _files(self) -> dict[str, ChangedFile]:
        return {file.path: file for file in self.change.files}

    @property
    def filtered_count(self) -> int:
        """How many findings the filter mode keeps from view."""
        return len(self.findings) - len(self.visible)

    def _passes(self, finding: Finding) -> bool:
        if self.filter_mode in ("file", "nofilter") or finding.status in (Status.NEW, Status.CAUSED):
            return True
        file = self._files.get(finding.file)
        if file is None:
            return False
        if finding.status is Status.SUPPRESSED:
            return file.is_added_line(finding.span.line)
        return self.filter_mode == "diff_context" and file.is_near_change(finding.span.line, _CONTEXT_LINES)

    @property
    def exit_status(self) -> int:
        """0 pass, 1 blocked, 4 inconclusive where that blocks."""
        if self.gate.outcome is GateOutcome.BLOCKED:
            return 1
        if self.gate.outcome is GateOutcome.INCONCLUSIVE and self.blocks_on_inconclusive:
            return 4
        return 0


def run_review(
    origin: ChangeSource,
    change: Change,
    host: PluginHost,
    request: ReviewRequest,
    processes: Processes,
    progress: Callable[[str], None] = lambda text: None,
) -> ReviewResult:
    """Review a change.

    Raises:
        ConfigError: the configuration or the baseline is wrong.
        UsageError: ``only`` or ``skip`` names no specialist.
    """
    started = time.monotonic()
    config = read_config(origin, change, host, request)
    try:
        context = build_context(origin, change, host, config, request)
        with ReviewRun(origin, context, host, config, request, processes, progress) as execution:
            reviewed = execution.review()
    except ConfigError as cause:
        raise loader.with_location(config, cause) from cause
    change = context.change
    weighing = FindingPipeline(origin, change, host, config, request, reviewed)
    named = weighing.findings()
    findings = tuple(finding for finding, _ in named)
    unreviewed = weighing.unreviewed(findings)
    default = "block" if request.profile is Profile.CI else "pass"
    done = ReviewResult(
        change=change,
        context_id=context.id,
        reviewed=tuple(sorted(reviewed.claimed)),
        findings=findings,
        unreviewed=unreviewed,
        runs=tuple(reviewed.head.runs),
        gate=gate(findings, unreviewed, request.fail_level or config.root.fail_level),
        filter_mode=request.filter_mode or config.root.filter_mode,
        profile=request.profile,
        blocks_on_inconclusive=config.root.inconclusive.get(request.profile.value, default) == "block",
        seconds=time.monotonic() - started,
        contents={finding.fingerprint: content for finding, content in named},
        text_of=FileTexts(origin, change).head,
        notes=(*reviewed.notes, *weighing.notes),
        verbose=request.verbose,
        unstaged=_unstaged(origin, change, config, request),
    )
    shown = done.open_findings
    if request.show_all or not config.root.fold or not shown:
        return done
    from wardround.processors.rank import rank  # for those reviews only that have something to rank

    today = datetime.datetime.now(datetime.UTC).date()
    return replace(
        done,
        triage=rank(shown, findings, done.text_of, weighing.baseline, weighing.dismissals, today),
        seconds=time.monotonic() - started,
    )


def _unstaged(
    origin: ChangeSource, change: Change, config: Config, request: ReviewRequest
) -> tuple[str, ...]:
    """The settings that are not staged, where those of the index count."""
    if change.head != INDEX or request.trusted_side != "head":
        return ()
    records = (config.root.baseline, dismissals.path_for(config.root.baseline))
    paths = [file.path for file in change.files]
    return unstaged_settings(origin.root, lambda path: origin.read(path, "head"), paths, records)


def read_config(origin: ChangeSource, change: Change, host: PluginHost, request: ReviewRequest) -> Config:
    """The configuration that counts for a change, from the trusted side."""
    explicit = None
    if request.config_file is not None:
        try:
            explicit = (str(request.config_file), request.config_file.read_bytes())
        except OSError as cause:
            raise ConfigError(f"--config {request.config_file}: {cause.strerror}; give a file") from cause
    paths = [path for file in change.files for path in (file.path, file.base_path) if path]
    side = request.trusted_side
    config = loader.read(lambda path: origin.read(path, side), paths, host.specialists, explicit)
    names = {s.name for s in host.specialists}
    for asked, where in loader.named_specialists(config, request):
        if asked not in names:
            raise UsageError(f"{where}no specialist is named {asked!r}; there are {', '.join(sorted(names))}")
    loader.require_known_rules(config, host.catalogue.is_known)
    loaded = {plugin.name for plugin in host.plugins}
    for name in config.root.required_plugins:
        if name not in loaded:
            raise ConfigError(
                f"{config.origins['required-plugins']}: required plugin {name!r} is not installed; install it"
            )
    if config.root.model_folders and config.root.models != "off":
        from wardround.inference.locations import require_models

        require_models(origin.root, config.root.model_folders, config.origins["model-folders"])
    return config
