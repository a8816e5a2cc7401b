"""The review of a change, from the configuration to the gate: front ends call it and render the result."""

from __future__ import annotations

import datetime
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Protocol

import msgspec
from msgspec.structs import replace

from wardround.change.change_source import ChangeSource, FileTexts, GitChangeSource
from wardround.change.diff import Change, ChangedFile
from wardround.change.repository import INDEX
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
from wardround.findings import ENTIRE_CHANGE, INTRODUCED, Finding, Status, ToolRun, Unreviewed
from wardround.host import PluginHost
from wardround.planes.analysed_change import AnalysedChange
from wardround.planes.analyses import Analyses, analyse_change, code_context
from wardround.planes.collect_evidence import collect_evidence, missing_evidence
from wardround.planes.evidence import Evidence, MissingEvidence
from wardround.planes.language_model.in_review import consult
from wardround.policy.conclude import Conclusion, conclude
from wardround.policy.gate import Gate, GateOutcome, gate
from wardround.policy.loading import load_policy, load_policy_file, policy_file
from wardround.policy.schema import Policy
from wardround.policy.verdict import VerdictName
from wardround.processors import baseline_file, dismissals_file, pipeline
from wardround.processors.baseline_file import BaselineEntry
from wardround.processors.dismissals_file import Dismissal
from wardround.processors.former_settings import FormerSettings
from wardround.processors.model import ChangeTexts, PipelineInputs, ReviewFindings, SideResults
from wardround.processors.tamper import alters_settings
from wardround.processors.visibility import open_findings, visible_findings
from wardround.processors.withdrawn_secrets import WithdrawnSecrets
from wardround.specialists import Specialist
from wardround.tools.process import Processes
from wardround.tools.tool import Profile

if TYPE_CHECKING:
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


class ReviewResult(msgspec.Struct, frozen=True, eq=False, dict=True):
    """The result of a review.

    Attributes:
        context: the reviewed change, ticket and code graph.
        conclusion: the signals of the planes and the verdict.
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
    """

    context: ReviewContext
    conclusion: Conclusion
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
        is_change = not self.change.all_files  # no policy decides about anything else
        is_declined = is_change and self.conclusion.verdict.name is VerdictName.DECLINED
        if self.gate.outcome is GateOutcome.BLOCKED or is_declined:
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
    executor: Executor | None = None,
    runner: Runner | None = None,
) -> ReviewResult:
    """Review a change. Several reviews may run at once, each in a thread of its own, in a process that has
    called ``execution.thread_safety.serialize_unsafe_calls``.

    Args:
        processes: the tools of this review; ``stop`` cancels it from another thread.
        executor: where the checks run; by default in the calling thread.
        runner: runs the change; by default in the sandbox.

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
    policies = read_policies(origin, config, request)
    try:
        context = build_context(origin, change, host, config, request)
        parts = request.parts_to_run(config) if context.change.files else ()
        if parts:
            ran = (runner or _run_in_sandbox)(origin, change, parts, request.sandbox, progress)
            context = with_run(context, ran)
        with ReviewRun(origin, context, host, config, request, processes, progress, executor) as run:
            results, published = run.review(), run.published
            code = code_context(origin, context.change, request)
            consultation = consult(origin, results, code, host, config, request, lambda: processes.is_stopped)
            inputs = pipeline_inputs(origin, context, results, host, config, request)
            former = _under_former_settings(origin, inputs, host, request, processes, executor)
    except ConfigError as cause:
        raise loader.with_location(config, cause) from cause
    inputs = replace(inputs, model_results=consultation.results)
    if parts:
        inputs = _with_run(inputs, origin, context, request)
    selected = selected_specialists(host, config, request)
    history = _withdrawn_secrets(origin, inputs, selected)
    results.partial = (*results.partial, *history.partial)
    review = history.added_to(former.added_to(pipeline.process(inputs)))
    notes = (*review.notes, *consultation.notes, *history.notes, *_left_out(request, config))
    review = replace(review, notes=notes)
    unstaged = _unstaged(origin, context.change, config, request)
    decided = gate(review.findings, review.unreviewed, inputs.fail_level)
    changed = AnalysedChange(origin, context, request, config, selected, code, published)
    analyses = analyse_change(changed, consultation.exchanges)
    evidence = evidence_of(
        review, results, context, inputs.texts, decided, selected, analyses, config, request
    )
    hidden = tuple(missing_evidence(one) for one in former.missing(review))
    evidence = replace(evidence, missing=(*evidence.missing, *hidden))
    conclusion = conclude(context.document, evidence, policies)
    done = result_of(review, results, inputs, context, request, decided, conclusion, unstaged, started)
    return without_review(done, change.unread) if change.unread else done


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


def read_policies(source: ChangeSource, config: Config, request: ReviewRequest) -> tuple[Policy, ...]:
    """Read the policy of the repository from the trusted side, and the floor of the organisation.

    Raises:
        ConfigError: one of them is missing or not valid.
    """
    side = request.trusted_side
    own = load_policy(config.root.policy, lambda path: source.read(path, side))
    if request.policy_floor is None:
        return (own,)
    return own, load_policy_file(request.policy_floor, "--policy-floor")


def evidence_of(
    review: ReviewFindings,
    results: RawReview,
    context: ReviewContext,
    texts: ChangeTexts,
    decided: Gate,
    specialists: Sequence[Specialist],
    analyses: Analyses,
    config: Config,
    request: ReviewRequest,
) -> Evidence:
    """Collect what the planes judge."""
    return collect_evidence(
        results,
        context.claimed,
        texts,
        review.findings,
        review.unreviewed,
        specialists,
        analyses,
        context.document.ran,
        profile=request.profile.value,
        gate=decided.outcome.value,
        fail_level=decided.fail_level,
        target_branch=request.target_branch,
        policy_file=policy_file(config.root.policy),
    )


def without_review(review: ReviewResult, reason: str) -> ReviewResult:
    """Return the result for a change that could not be reviewed: inconclusive, and no evidence counts."""
    missing = Unreviewed(ENTIRE_CHANGE, "", "wardround", reason)
    decided = Gate(GateOutcome.INCONCLUSIVE, review.gate.fail_level, (reason,))
    evidence = replace(
        review.conclusion.evidence,
        gate=decided.outcome.value,
        missing=(MissingEvidence(ENTIRE_CHANGE, "", "wardround", reason),),
    )
    return replace(
        review,
        unreviewed=(missing,),
        gate=decided,
        conclusion=conclude(review.conclusion.context, evidence, review.conclusion.policies),
        blocks_on_inconclusive=True,
    )


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
    conclusion: Conclusion,
    unstaged: tuple[str, ...],
    started: float,
) -> ReviewResult:
    """Return the result of a review that is decided."""
    settings = inputs.config.root
    default = "block" if request.profile is Profile.CI else "pass"
    names = zip(review.findings, review.content_names, strict=True)
    return ReviewResult(
        context=context,
        conclusion=conclusion,
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
