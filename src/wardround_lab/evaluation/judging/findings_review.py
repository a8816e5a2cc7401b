"""The findings of a change without the conclusions of the planes, which cost as much again."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass

from msgspec.structs import replace

from wardround.change.change_source import ChangeSource
from wardround.change.diff import Change
from wardround.change.snapshot import Snapshot, scratch_root
from wardround.config.request import ReviewRequest
from wardround.config.review_config import read_config
from wardround.context.review_context import build_context
from wardround.execution.model import Results
from wardround.execution.review_run import RawReview, ReviewRun, SideRequests
from wardround.execution.scheduler import Scheduler
from wardround.execution.trust import Trust
from wardround.findings import INTRODUCED, Finding
from wardround.host import PluginHost
from wardround.processors import pipeline
from wardround.processors.model import PipelineInputs, ReviewFindings
from wardround.review import pipeline_inputs
from wardround.storage.result_cache import ResultCache
from wardround.tools.process import Processes


@dataclass(frozen=True, slots=True)
class ChangeFindings:
    """The findings that a change introduces, as a review reports them.

    Attributes:
        added_lines: in files that were reviewed.
    """

    findings: tuple[Finding, ...]
    added_lines: int


def findings_of_change(
    origin: ChangeSource, change: Change, host: PluginHost, request: ReviewRequest
) -> ChangeFindings:
    """Review a change as ``wardround review`` does."""
    return _introduced(*processed_change(origin, change, host, request))


def processed_change(
    origin: ChangeSource, change: Change, host: PluginHost, request: ReviewRequest
) -> tuple[ReviewFindings, PipelineInputs]:
    """Review a change, and return all its findings, existing ones too, and what they were derived from.

    The judge does not change them: it is fitted on judgements of such findings.
    """
    config = read_config(origin, change, host, request)
    context = build_context(origin, change, host, config, request)
    with ReviewRun(origin, context, host, config, request, Processes()) as run:
        results = run.review()
    inputs = replace(pipeline_inputs(origin, context, results, host, config, request), judge=lambda: None)
    return pipeline.process(inputs), inputs


def findings_of_head(
    origin: ChangeSource, change: Change, host: PluginHost, request: ReviewRequest
) -> ChangeFindings:
    """Review the changed files at the head: a fraction of the time of the entire review.

    Results on added lines count as introduced, without a comparison with the base, and the checks that
    compare the change with the rest of the repository do not run.
    """
    config = read_config(origin, change, host, request)
    context = build_context(origin, change, host, config, request)
    trust, processes = Trust(origin, change, host, request), Processes()
    with (
        ReviewRun(origin, context, host, config, request, processes) as run,
        Snapshot(scratch_root(origin.root)) as snapshot,
        closing(ResultCache.open()) as cache,
    ):
        scheduler = Scheduler(
            root=origin.root,
            profile=request.profile,
            read_trusted=trust.read_settings,
            cache=cache,
            processes=processes,
            snapshot=lambda: snapshot,
            jobs=request.jobs or 1,
            timeout_s=config.root.tool_timeout,
            is_secret=lambda rule: host.catalogue.rule(rule).masked,
        )
        results = _of_head(run.side_requests(), scheduler)
    inputs = replace(pipeline_inputs(origin, context, results, host, config, request), judge=lambda: None)
    return _introduced(pipeline.process(inputs), inputs)


def _of_head(requests: SideRequests, scheduler: Scheduler) -> RawReview:
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


def _introduced(processed: ReviewFindings, inputs: PipelineInputs) -> ChangeFindings:
    added = sum(file.added_lines for file in inputs.change.files if file.path in inputs.reviewers)
    return ChangeFindings(tuple(f for f in processed.findings if f.status in INTRODUCED), added)
