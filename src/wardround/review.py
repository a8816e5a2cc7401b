"""The review of a change, from the configuration to the gate: front ends call it and render the result."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from wardround.assignment.change_under_review import ChangeUnderReview
from wardround.assignment.review_context import ReviewContext, add_run, build_context
from wardround.change.change_source import ChangeSource
from wardround.change.repository import INDEX, WORKTREE
from wardround.config import loader
from wardround.config.request import ReviewRequest
from wardround.config.unstaged_settings import unstaged_settings
from wardround.context.run_evidence import RunPart
from wardround.context.surface.published import PublishedSurface
from wardround.errors import ConfigError, UsageError
from wardround.execution.resources import Resources, no_progress
from wardround.execution.review_run import RawReview, ReviewRun
from wardround.host import PluginHost
from wardround.pipeline_inputs import pipeline_inputs
from wardround.policy.bundled import NEVER_DECLINING
from wardround.policy.gate import gate
from wardround.processors import dismissals_file, pipeline
from wardround.processors.former_settings import FormerSettings
from wardround.processors.model import PipelineInputs, ReviewFindings
from wardround.processors.tamper import alters_settings
from wardround.processors.withdrawn_secrets import WithdrawnSecrets
from wardround.review_result import PendingConclusion, ReviewResult, result_of
from wardround.session import ReviewSession
from wardround.tools.tool import Profile

if TYPE_CHECKING:
    from wardround.conclusion import ConclusionSettings, ConsultationResult
    from wardround.policy.conclude import Conclusion


def run_review(session: ReviewSession) -> ReviewResult:
    """Review the change of a session, which can be done again.

    Raises:
        ConfigError: the configuration or the baseline is wrong.
        UsageError: ``only`` or ``skip`` names no specialist.
    """
    started = time.monotonic()
    if session.change.all_files:
        from wardround.all_files import review_all_files  # only reviews that are not of a change

        return review_all_files(session)
    gathered = _gather(session)
    findings = _findings(gathered)
    result = _conclude(session, gathered, findings, started)
    return _unread_result(result, session.change.unread) if session.change.unread else result


def review_once(
    source: ChangeSource, host: PluginHost, request: ReviewRequest, resources: Resources | None = None
) -> ReviewResult:
    """Review a change in a session that ends with the review; see ``run_review``."""
    with ReviewSession(source, host, request, resources) as session:
        return run_review(session)


class _Gathered(msgspec.Struct, frozen=True, eq=False):
    """The results of everything that reads a change.

    Attributes:
        concluding: None if the conclusion of the review is derived when it is read.
        consulted: the same.
        published: the surfaces that others rely on.
        former: the findings under the settings that the change alters.
    """

    review: ChangeUnderReview
    context: ReviewContext
    results: RawReview
    inputs: PipelineInputs
    published: PublishedSurface
    former: FormerSettings
    concluding: ConclusionSettings | None
    consulted: ConsultationResult | None


def _gather(session: ReviewSession) -> _Gathered:
    """Run tools, checks and models, and the change itself if that is requested."""
    review = session.under_review
    concluding = None if session.may_defer and _is_for_commit(review) else _open_conclusion(review)
    consulted = None
    try:
        context = build_context(review)
        parts = review.request.parts_to_run(review.config) if context.change.files else ()
        if parts:
            context = add_run(context, session.run(parts))
        with ReviewRun(review, context, session.resources) as run:
            results = run.review()
            if concluding is not None:
                consulted = concluding.consult(context, results, session.is_cancelled)
            inputs = pipeline_inputs(review, context, results)
            former = _under_former_settings(session, inputs)
    except ConfigError as cause:
        raise loader.add_location(review.config, cause) from cause
    inputs = _add_run_findings(inputs, review, context, parts)
    if consulted is not None:
        inputs = replace(inputs, model_results=consulted.model_results)
    return _Gathered(review, context, results, inputs, run.published, former, concluding, consulted)


def _findings(gathered: _Gathered) -> ReviewFindings:
    """Return the findings of a review, after all steps of the pipeline."""
    review, consulted = gathered.review, gathered.consulted
    history = _withdrawn_secrets(review, gathered.inputs)
    gathered.results.partial = (*gathered.results.partial, *history.partial)
    found = history.added_to(gathered.former.added_to(pipeline.process(gathered.inputs)))
    consulting = () if consulted is None else consulted.notes
    notes = (*found.notes, *consulting, *history.notes, *_omitted_run_notes(review))
    return replace(found, notes=notes)


def _conclude(
    session: ReviewSession, gathered: _Gathered, findings: ReviewFindings, started: float
) -> ReviewResult:
    """Return the result of a review; its conclusion is derived now, or when it is read."""
    review, inputs = gathered.review, gathered.inputs
    decided = gate(findings.findings, findings.unreviewed, inputs.fail_level)

    def derive() -> Conclusion:
        from wardround.conclusion import ConsultationResult, ReviewOutcome

        used = gathered.concluding or _open_conclusion(review)
        hidden = tuple(gathered.former.missing(findings))
        reviewed = ReviewOutcome(gathered.context, gathered.results, findings, inputs.texts, decided, hidden)
        return used.conclude(reviewed, gathered.consulted or ConsultationResult(), gathered.published)

    is_for_commit = gathered.concluding is None
    pending = PendingConclusion(derive) if is_for_commit else PendingConclusion.of(derive())
    done = result_of(findings, gathered.results, inputs, gathered.context, review, decided, pending, started)
    return replace(done, is_for_commit=is_for_commit, unstaged=_unstaged_files(review, gathered.context))


def _is_for_commit(review: ChangeUnderReview) -> bool:
    """Return True if people read nothing of the conclusion, which is then derived for programs only.

    Before a commit nobody approves a change, and no bundled policy of ``NEVER_DECLINING`` stops it.
    """
    request, settings = review.request, review.config.root
    if request.profile is not Profile.COMMIT or review.change.head not in (INDEX, WORKTREE):
        return False
    concluded = (
        review.change.unread,
        request.verbose,
        request.ticket,
        request.policy_floor,
        request.fail_on_verdict,
        request.parts_to_run(review.config),
        settings.language_model.is_used_by(request.profile.value),
    )
    return settings.policy in NEVER_DECLINING and not any(concluded)


def _open_conclusion(review: ChangeUnderReview) -> ConclusionSettings:
    from wardround.conclusion import open_concluding  # the planes and the policy: most commits need neither

    return open_concluding(review)


def _unread_result(result: ReviewResult, reason: str) -> ReviewResult:
    from wardround.conclusion import unreviewed_result  # only changes that could not be read

    return unreviewed_result(result, reason)


def _withdrawn_secrets(review: ChangeUnderReview, inputs: PipelineInputs) -> WithdrawnSecrets:
    """Return the secrets that are in the commits of a range and not in the range as a whole."""
    source, change = review.source.in_repository, inputs.change
    if source is None or change.head.startswith(":"):
        return WithdrawnSecrets()
    if source.repository.is_single_commit(change.base, change.head):
        return WithdrawnSecrets()
    from wardround.history_search import search_history  # only reviews of several commits

    return search_history(source, inputs, [reader for reader in review.specialists if reader.reviews_history])


def _under_former_settings(session: ReviewSession, inputs: PipelineInputs) -> FormerSettings:
    """Return the findings under the settings of the target, if the change alters settings that apply to it.

    Not at commit, where the verdict merges nothing and a second review takes as long as the first.
    """
    request = session.request
    if request.profile is not Profile.CI or not inputs.is_trusted or not alters_settings(inputs):
        return FormerSettings()
    former = replace(request, config_from="base", run=(), ticket=None, offline=True)
    try:
        review = ChangeUnderReview.open(session.source, session.host, former).with_change(inputs.change)
        context = build_context(review)
        with ReviewRun(review, context, session.resources.of_part(no_progress), stores_findings=False) as run:
            results = run.review()  # secrets that only the settings of the change know are not stored
        return FormerSettings(pipeline.process(pipeline_inputs(review, context, results)))
    except (ConfigError, UsageError) as cause:
        return FormerSettings(problem=f"the settings that this change alters cannot be used: {cause}")


def _omitted_run_notes(review: ChangeUnderReview) -> Iterator[str]:
    """Yield a note if a review excludes a run that its configuration requests."""
    left = review.request.parts_not_run(review.config)
    if left:
        yield (
            f"the configuration requests a run of the change ({', '.join(left)}), which this review leaves "
            f"out; wardround ci and wardround review --run run it"
        )


def _add_run_findings(
    inputs: PipelineInputs, review: ChangeUnderReview, context: ReviewContext, parts: Sequence[RunPart]
) -> PipelineInputs:
    """Add the findings of the run, and its parts that did not run to the end."""
    if not parts:
        return inputs
    from wardround.planes.read_run import findings_of_run  # only reviews that ran something
    from wardround.planes.run_findings import not_run

    run = context.document.ran
    results, covered = findings_of_run(run, review.with_change(context.change), inputs.texts)
    unreviewed = (*inputs.unreviewed, *not_run(run))
    return replace(inputs, run_results=results, run_covered=covered, unreviewed=unreviewed)


def _unstaged_files(review: ChangeUnderReview, context: ReviewContext) -> tuple[str, ...]:
    """Return the configuration files that are not staged, if those of the index apply."""
    if context.change.head != INDEX or review.request.trusted_side != "head":
        return ()
    source, baseline = review.source, review.config.root.baseline
    records = (baseline, dismissals_file.path_for(baseline))
    paths = [file.path for file in context.change.files]
    return unstaged_settings(source.root, lambda path: source.read(path, "head"), paths, records)
