"""The findings of a change without the conclusions of the planes, which cost as much again."""

from __future__ import annotations

from dataclasses import dataclass

from msgspec.structs import replace

from wardround.assignment.review_context import build_context
from wardround.change.change_source import ChangeSource
from wardround.change.snapshot import Snapshot, scratch_root
from wardround.config.request import ReviewRequest
from wardround.execution.model import Results
from wardround.execution.review_run import RawReview, ReviewRun, SideRequests
from wardround.execution.scheduler import Scheduler
from wardround.execution.trust import Trust
from wardround.findings import INTRODUCED, Finding
from wardround.host import PluginHost
from wardround.pipeline_inputs import pipeline_inputs
from wardround.processors import pipeline
from wardround.processors.model import PipelineInputs, ReviewFindings
from wardround.session import ReviewSession


@dataclass(frozen=True, slots=True)
class ChangeFindings:
    """The findings that a change introduces, as a review reports them.

    Attributes:
        added_lines: in files that were reviewed.
    """

    findings: tuple[Finding, ...]
    added_lines: int


def findings_of_change(origin: ChangeSource, host: PluginHost, request: ReviewRequest) -> ChangeFindings:
    """Review a change as ``wardround review`` does."""
    return _introduced_findings(*processed_change(origin, host, request))


def processed_change(
    origin: ChangeSource, host: PluginHost, request: ReviewRequest
) -> tuple[ReviewFindings, PipelineInputs]:
    """Review a change, and return all its findings, existing ones too, and their inputs.

    The judge does not change them: it is fitted on judgements of such findings.
    """
    with ReviewSession(origin, host, request) as session:
        review = session.under_review
        context = build_context(review)
        with ReviewRun(review, context, session.resources) as run:
            results = run.review()
    inputs = replace(pipeline_inputs(review, context, results), judge=lambda: None)
    return pipeline.process(inputs), inputs


def findings_of_head(origin: ChangeSource, host: PluginHost, request: ReviewRequest) -> ChangeFindings:
    """Review the changed files at the head: a fraction of the time of the entire review.

    Results on added lines count as introduced, without a comparison with the base, and the checks that
    compare the change with the rest of the repository do not run.
    """
    with ReviewSession(origin, host, request) as session:
        review = session.under_review
        context = build_context(review)
        with (
            ReviewRun(review, context, session.resources) as run,
            Snapshot(scratch_root(origin.root)) as snapshot,
        ):
            scheduler = Scheduler(
                root=origin.root,
                profile=request.profile,
                trusted=Trust(review),
                cache=session.resources.cache,
                processes=session.resources.processes,
                snapshot=lambda: snapshot,
                jobs=request.jobs or 1,
                timeout_s=review.config.root.tool_timeout,
                is_secret=lambda rule: host.catalogue.rule(rule).masked,
            )
            results = _head_review(run.side_requests(), scheduler)
    inputs = replace(pipeline_inputs(review, context, results), judge=lambda: None)
    return _introduced_findings(pipeline.process(inputs), inputs)


def _head_review(requests: SideRequests, scheduler: Scheduler) -> RawReview:
    side, units = next(requests)
    results = scheduler.review(side, units)
    results.change_level = ()
    try:
        while True:
            requests.send(results)
            results = Results()
    except StopIteration as finished:
        review: RawReview = finished.value
        return review


def _introduced_findings(processed: ReviewFindings, inputs: PipelineInputs) -> ChangeFindings:
    added = sum(file.added_lines for file in inputs.change.files if file.path in inputs.reviewers)
    return ChangeFindings(tuple(f for f in processed.findings if f.status in INTRODUCED), added)
