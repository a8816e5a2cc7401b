"""The review of a change, from the configuration to the gate: front ends call it and render the result."""

from __future__ import annotations

import datetime
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Protocol, Self

import msgspec
from msgspec.structs import replace

from wardround.change.change_source import ChangeSource, FileTexts, GitChangeSource
from wardround.change.diff import Change, ChangedFile
from wardround.change.repository import INDEX, WORKTREE
from wardround.change.repository_view import SideView
from wardround.config import loader
from wardround.config.request import ReviewRequest
from wardround.config.review_config import read_config
from wardround.config.schema import JUDGE_OFF, Config, FilterMode
from wardround.context.claims import selected_specialists
from wardround.context.review_context import ReviewContext, build_context, with_run
from wardround.context.run_evidence import RunEvidence, RunPart
from wardround.context.test_data import TestData
from wardround.context.unstaged_settings import unstaged_settings
from wardround.errors import ConfigError, UsageError
from wardround.execution.executor import Executor, InProcessExecutor
from wardround.execution.review_run import RawReview, ReviewRun
from wardround.findings import INTRODUCED, Finding, Status, ToolRun, Unreviewed
from wardround.host import PluginHost
from wardround.policy.bundled import NEVER_DECLINING
from wardround.policy.gate import Gate, GateOutcome, gate
from wardround.processors import baseline_file, dismissals_file, pipeline
from wardround.processors.baseline_file import BaselineEntry
from wardround.processors.dismissals_file import Dismissal
from wardround.processors.former_settings import FormerSettings
from wardround.processors.model import PipelineInputs, ReviewFindings, SideResults
from wardround.processors.tamper import alters_settings
from wardround.processors.visibility import open_findings, visible_findings
from wardround.processors.withdrawn_secrets import WithdrawnSecrets
from wardround.specialists import Specialist
from wardround.tools.process import Processes
from wardround.tools.tool import Profile

if TYPE_CHECKING:
    from wardround.conclusion import Concluding
    from wardround.policy.conclude import Conclusion
    from wardround.processors.judge.model import Judge
    from wardround.processors.triage import Triage


class Runner(Protocol):
    """Runs the requested parts of a change; what cannot run is part of the result."""

    def __call__(
        self,
        source: ChangeSource,
        change: Change,
        parts: Sequence[RunPart],
        sandbox: str | None,
        progress: Callable[[str], None],
        /,
    ) -> RunEvidence: ...


class PendingConclusion(msgspec.Struct, frozen=True, eq=False, dict=True):
    """The conclusion of a review, derived when it is first read, while the source of the change is open."""

    derive: Callable[[], Conclusion]

    @classmethod
    def of(cls, conclusion: Conclusion) -> Self:
        """Return one that is derived already."""
        return cls(lambda: conclusion)

    @cached_property
    def conclusion(self) -> Conclusion:
        """The signals of the planes and the verdict."""
        return self.derive()


class ReviewResult(msgspec.Struct, frozen=True, eq=False, dict=True):
    """The result of a review.

    Attributes:
        context: the reviewed change, ticket and code graph.
        pending: what becomes the conclusion.
        reviewed: the paths that a specialist reviewed.
        findings: all of them, in order; ``visible`` are those that pass the filter mode.
        config: the configuration that applied.
        request: the settings of the caller.
        contents: fingerprint -> the identity of a finding without its path.
        text_of: path -> the text at the head.
        notes: sentences for people: hunks that models did not review, tools that are not installed.
        judge: the id of the judge that estimated the findings; empty if none did.
        triage: ranks and folds the displayed findings; without it, everything visible is shown in order.
            Reports for programs do not depend on it.
        verbose: the text report shows each finding with its lines.
        unstaged: configuration files that differ in the work tree from the staged version, which was used.
        is_for_commit: people are shown nothing of the conclusion, and its verdict is never to decline.
    """

    context: ReviewContext
    pending: PendingConclusion
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
    config: Config
    request: ReviewRequest
    notes: tuple[str, ...] = ()
    judge: str = ""
    triage: Triage | None = None
    verbose: bool = False
    unstaged: tuple[str, ...] = ()
    is_for_commit: bool = False

    @property
    def conclusion(self) -> Conclusion:
        """The signals of the planes and the verdict."""
        return self.pending.conclusion

    @property
    def change(self) -> Change:
        """The reviewed change."""
        return self.context.change

    @cached_property
    def visible(self) -> tuple[Finding, ...]:
        """The findings that pass the filter mode, in order."""
        return visible_findings(self.findings, self._files, self.filter_mode)

    @property
    def open_findings(self) -> tuple[Finding, ...]:
        """The visible findings that are not suppressed, in order."""
        return open_findings(self.findings, self._files, self.filter_mode)

    @cached_property
    def _files(self) -> dict[str, ChangedFile]:
        return {file.path: file for file in self.change.files}

    @property
    def counted(self) -> tuple[Status, ...]:
        """The statuses that count for the gate: in a review of all files, everything exists already."""
        return (Status.EXISTING,) if self.change.all_files else INTRODUCED

    @property
    def filtered_count(self) -> int:
        """The number of findings that the filter mode removes."""
        return len(self.findings) - len(self.visible)

    @property
    def exit_status(self) -> int:
        """0 pass, 1 blocked or declined, 4 inconclusive where that blocks."""
        if self.gate.outcome is GateOutcome.BLOCKED or self.is_declined:
            return 1
        if self.gate.outcome is GateOutcome.INCONCLUSIVE and self.blocks_on_inconclusive:
            return 4
        return 0

    @property
    def is_declined(self) -> bool:
        """Return True if a policy declines the change; none decides about all files."""
        if self.change.all_files or self.is_for_commit:
            return False
        return self.conclusion.verdict.is_declined


def run_review(
    origin: ChangeSource,
    change: Change,
    host: PluginHost,
    request: ReviewRequest,
    processes: Processes,
    progress: Callable[[str], None] = lambda text: None,
    executor: Executor | None = None,
    runner: Runner | None = None,
    *,
    may_defer: bool = False,
) -> ReviewResult:
    """Review a change. Several reviews may run at once, each in a thread of its own, in a process that has
    called ``execution.thread_safety.serialize_unsafe_calls``.

    Args:
        processes: the tools of this review; ``stop`` cancels it from another thread.
        executor: where the checks run; by default in the calling thread.
        runner: runs the change; by default in the sandbox.
        may_defer: the conclusion of a review for a commit is derived when it is read, for which ``origin``
            has to be open.

    Raises:
        ConfigError: the configuration or the baseline is wrong.
        UsageError: ``only`` or ``skip`` names no specialist.
    """
    started = time.monotonic()
    if change.all_files:
        from wardround.all_files import review_all_files  # only reviews that are not of a change

        return review_all_files(
            origin, change, host, request, processes, progress, executor or InProcessExecutor()
        )
    config = read_config(origin, change, host, request)
    is_for_commit = may_defer and _is_for_commit(change, config, request)
    concluding = None if is_for_commit else _concluding(origin, host, config, request)
    consulted = None
    try:
        context = build_context(origin, change, host, config, request)
        parts = request.parts_to_run(config) if context.change.files else ()
        if parts:
            ran = (runner or _run_in_sandbox)(origin, change, parts, request.sandbox, progress)
            context = with_run(context, ran)
        with ReviewRun(origin, context, host, config, request, processes, progress, executor) as run:
            results, published = run.review(), run.published
            if concluding is not None:
                consulted = concluding.consult(context, results, lambda: processes.is_stopped)
            inputs = pipeline_inputs(origin, context, results, host, config, request)
            former = _under_former_settings(origin, inputs, host, request, processes, executor)
    except ConfigError as cause:
        raise loader.with_location(config, cause) from cause
    if consulted is not None:
        inputs = replace(inputs, model_results=consulted.model_results)
    if parts:
        inputs = _with_run(inputs, origin, context, request)
    selected = selected_specialists(host, config, request)
    history = _withdrawn_secrets(origin, inputs, selected)
    results.partial = (*results.partial, *history.partial)
    review = history.added_to(former.added_to(pipeline.process(inputs)))
    consulting = () if consulted is None else consulted.notes
    notes = (*review.notes, *consulting, *history.notes, *_left_out(request, config))
    review = replace(review, notes=notes)
    unstaged = _unstaged(origin, context.change, config, request)
    decided = gate(review.findings, review.unreviewed, inputs.fail_level)

    def derive() -> Conclusion:
        from wardround.conclusion import Consulted, Reviewed

        used = concluding or _concluding(origin, host, config, request)
        hidden = tuple(former.missing(review))
        reviewed = Reviewed(context, results, review, inputs.texts, decided, selected, hidden)
        return used.conclude(reviewed, consulted or Consulted(), published)

    pending = PendingConclusion(derive) if is_for_commit else PendingConclusion.of(derive())
    done = result_of(review, results, inputs, context, request, decided, pending, unstaged, started)
    done = replace(done, is_for_commit=is_for_commit)
    return _unread(done, change.unread) if change.unread else done


def _is_for_commit(change: Change, config: Config, request: ReviewRequest) -> bool:
    """Return True if people read nothing of the conclusion, which is then derived for programs only.

    Before a commit nobody approves a change, and no bundled policy of ``NEVER_DECLINING`` stops it.
    """
    if request.profile is not Profile.COMMIT or change.head not in (INDEX, WORKTREE):
        return False
    settings = config.root
    model = settings.language_model
    concluded = (
        change.unread,
        request.verbose,
        request.ticket,
        request.policy_floor,
        request.parts_to_run(config),
        model.is_used_by(request.profile.value),
    )
    return settings.policy in NEVER_DECLINING and not any(concluded)


def _concluding(source: ChangeSource, host: PluginHost, config: Config, request: ReviewRequest) -> Concluding:
    from wardround.conclusion import open_concluding  # the planes and the policy: most commits need neither

    return open_concluding(source, host, config, request)


def _unread(review: ReviewResult, reason: str) -> ReviewResult:
    from wardround.conclusion import without_review  # only changes that could not be read

    return without_review(review, reason)


def _withdrawn_secrets(
    source: ChangeSource, inputs: PipelineInputs, selected: Sequence[Specialist]
) -> WithdrawnSecrets:
    """Return the secrets that are in the commits of a range and not in the range as a whole."""
    change = inputs.change
    if not isinstance(source, GitChangeSource) or change.head.startswith(":"):
        return WithdrawnSecrets()
    if source.repository.is_one_commit(change.base, change.head):
        return WithdrawnSecrets()
    from wardround.history_search import search_history  # only reviews of several commits

    return search_history(source, inputs, [reader for reader in selected if reader.reviews_history])


def _under_former_settings(
    source: ChangeSource,
    inputs: PipelineInputs,
    host: PluginHost,
    request: ReviewRequest,
    processes: Processes,
    executor: Executor | None,
) -> FormerSettings:
    """Return the findings under the settings of the target, if the change alters those that apply to it.

    Not at commit, where nothing is merged by the verdict and a second review takes as long as the first.
    """
    if request.profile is not Profile.CI or not inputs.is_trusted or not alters_settings(inputs):
        return FormerSettings()
    former = replace(request, config_from="base", run=(), ticket=None, offline=True)
    change = inputs.change
    try:
        config = read_config(source, change, host, former)
        context = build_context(source, change, host, config, former)
        with ReviewRun(
            source, context, host, config, former, processes, executor=executor, stores_findings=False
        ) as run:  # secrets that only the settings of the change know are not stored
            results = run.review()
        return FormerSettings(
            pipeline.process(pipeline_inputs(source, context, results, host, config, former))
        )
    except (ConfigError, UsageError) as cause:
        return FormerSettings(problem=f"the settings that this change alters cannot be used: {cause}")


def _left_out(request: ReviewRequest, config: Config) -> Iterator[str]:
    """Yield a note if a review leaves out a run that its configuration requests."""
    left = request.parts_left_out(config)
    if left:
        yield (
            f"the configuration requests a run of the change ({', '.join(left)}), which this review leaves "
            f"out; wardround ci and wardround review --run run it"
        )


def _run_in_sandbox(
    source: ChangeSource,
    change: Change,
    parts: Sequence[RunPart],
    sandbox: str | None,
    progress: Callable[[str], None],
) -> RunEvidence:
    from wardround.workflows.change_run import run_change  # only reviews that run something

    return run_change(source, change, parts, sandbox, progress)


def _with_run(
    inputs: PipelineInputs, source: ChangeSource, context: ReviewContext, request: ReviewRequest
) -> PipelineInputs:
    """Add the findings of the run, and its parts that did not run to the end."""
    from wardround.planes.read_run import findings_of_run  # only reviews that ran something
    from wardround.planes.run_findings import not_run

    run = context.document.ran
    results, covered = findings_of_run(run, source, context.change, inputs.texts, request)
    unreviewed = (*inputs.unreviewed, *not_run(run))
    return replace(inputs, run_results=results, run_covered=covered, unreviewed=unreviewed)


def pipeline_inputs(
    source: ChangeSource,
    context: ReviewContext,
    results: RawReview,
    host: PluginHost,
    config: Config,
    request: ReviewRequest,
) -> PipelineInputs:
    """The inputs of the pipeline: the only part of it that reads the repository, the clock and the rules.

    Raises:
        ConfigError: the baseline or the dismissals cannot be read.
    """
    side, settings = request.trusted_side, config.root
    dismissals_path = dismissals_file.path_for(settings.baseline)
    dismissals = dismissals_file.load(source.read(dismissals_path, side), dismissals_path)
    accepted = source.read(settings.baseline, side) if request.use_baseline else None
    baseline = baseline_file.load(accepted, settings.baseline)
    return PipelineInputs(
        change=context.change,
        results=SideResults(results.head, results.base),
        unwaived_results=SideResults(results.unwaived_head, results.unwaived_base),
        reviewers=results.claimed,
        unreviewed=results.unreviewed,
        specialists=host.specialists,
        catalogue=host.catalogue,
        config=config,
        fail_level=request.fail_level or settings.fail_level,
        filter_mode=request.filter_mode or settings.filter_mode,
        is_trusted=side == "head",
        texts=FileTexts(source, context.change),
        other_text=SideView(source, "head").read,
        tracked_paths=source.tracked,
        test_data=TestData(SideView(source, side).read),
        baseline=baseline,
        dismissals=dismissals,
        added_entries=_added_entries(source, settings.baseline, (*baseline.findings, *dismissals.dismissed))
        if side == "head"
        else frozenset(),
        today=datetime.datetime.now(datetime.UTC).date(),
        ranks=settings.fold and not request.show_all,
        judge=partial(read_judge, settings.judge, lambda path: source.read(path, side)),
    )


def _added_entries(
    source: ChangeSource, baseline: str, entries: Collection[BaselineEntry | Dismissal]
) -> frozenset[BaselineEntry | Dismissal]:
    """Return the entries of the baseline and the dismissals that the target does not have, or has less often;
    all if its files cannot be read.
    """
    if not entries:
        return frozenset()
    dismissals = dismissals_file.path_for(baseline)
    try:
        known = baseline_file.load(source.read(baseline, "target"), baseline).findings
        dismissed = dismissals_file.load(source.read(dismissals, "target"), dismissals).dismissed
    except ConfigError:
        return frozenset(entries)
    return frozenset(Counter(entries) - Counter([*known, *dismissed]))


def read_judge(name: str, read: Callable[[str], bytes | None]) -> Judge | None:
    """Return the judge that a configuration names; None if it is off.

    Args:
        read: path -> the content on the trusted side.

    Raises:
        ConfigError: it does not exist, or its file is invalid.
    """
    if name == JUDGE_OFF:
        return None
    from wardround.processors.judge.model import load_judge  # only reviews with findings

    return load_judge(name, read)


def result_of(
    review: ReviewFindings,
    results: RawReview,
    inputs: PipelineInputs,
    context: ReviewContext,
    request: ReviewRequest,
    decided: Gate,
    pending: PendingConclusion,
    unstaged: tuple[str, ...],
    started: float,
) -> ReviewResult:
    """Return the result of a review that is decided."""
    settings = inputs.config.root
    default = "block" if request.profile is Profile.CI else "pass"
    names = zip(review.findings, review.content_names, strict=True)
    return ReviewResult(
        context=context,
        pending=pending,
        reviewed=tuple(sorted(results.claimed)),
        findings=review.findings,
        unreviewed=review.unreviewed,
        runs=tuple(results.head.runs),
        gate=decided,
        filter_mode=inputs.filter_mode,
        profile=request.profile,
        blocks_on_inconclusive=settings.inconclusive.get(request.profile.value, default) == "block",
        seconds=time.monotonic() - started,
        config=inputs.config,
        request=request,
        contents={finding.fingerprint: name for finding, name in names},
        text_of=inputs.texts.head,
        notes=(*results.notes, *review.notes),
        judge=review.judge,
        triage=review.triage,
        verbose=request.verbose,
        unstaged=unstaged,
    )


def _unstaged(
    source: ChangeSource, change: Change, config: Config, request: ReviewRequest
) -> tuple[str, ...]:
    """Return the configuration files that are not staged, if those of the index apply."""
    if change.head != INDEX or request.trusted_side != "head":
        return ()
    records = (config.root.baseline, dismissals_file.path_for(config.root.baseline))
    paths = [file.path for file in change.files]
    return unstaged_settings(source.root, lambda path: source.read(path, "head"), paths, records)
