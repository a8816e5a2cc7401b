"""The findings of a change without the conclusions of the planes, which cost as much again."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass

from wardround.change.change_source import ChangeSource
from wardround.change.diff import Change
from wardround.change.snapshot import Snapshot, scratch_root
from wardround.config.request import ReviewRequest
from wardround.config.review_config import read_config
from wardround.config.schema import Config
from wardround.context.review_context import build_context
from wardround.execution.model import Results
from wardround.execution.review_run import RawReview, ReviewRun
from wardround.execution.scheduler import Scheduler
from wardround.execution.trust import Trust
from wardround.findings import Finding, Status
from wardround.host import PluginHost
from wardround.processors import pipeline
from wardround.review import pipeline_inputs
from wardround.storage.result_cache import ResultCache
from wardround.tools.process import Processes

_INTRODUCED = (Status.NEW, Status.CAUSED)


@dataclass(frozen=True, slots=True)
class ChangeFindings:
    """The findings that a change introduces, as a review reports them.

    Attributes:
        added_lines: in files that were reviewed.
    """

    findings: tuple[Finding, ...]
    added_lines: int


def findings_of_change(
    origin: ChangeSource,
    change: Change,
    host: PluginHost,
    request: ReviewRequest,
    *,
    change_level: bool = True,
) -> ChangeFindings:
    """Review a change.

    Args:
        change_level: with the checks that compare the entire change with the rest of the repository; the
            single files cost a fraction of the time.
    """
    config = read_config(origin, change, host, request)
    context = build_context(origin, change, host, config, request)
    processes = Processes()
    with ReviewRun(origin, context, host, config, request, processes) as run:
        results = (
            run.review() if change_level else _by_file(run, origin, change, host, config, request, processes)
        )
    processed = pipeline.process(pipeline_inputs(origin, context, results, host, config, request))
    added = sum(file.added_lines for file in change.files if file.path in results.claimed)
    return ChangeFindings(tuple(f for f in processed.findings if f.status in _INTRODUCED), added)


def _by_file(
    run: ReviewRun,
    origin: ChangeSource,
    change: Change,
    host: PluginHost,
    config: Config,
    request: ReviewRequest,
    processes: Processes,
) -> RawReview:
    """Review both sides of the files, without checks of the entire change."""
    requests, trust = run.side_requests(), Trust(origin, change, host, request)
    results: Results | None = None
    with Snapshot(scratch_root(origin.root)) as snapshot, closing(ResultCache.open()) as cache:
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
        while True:
            try:
                side, units = next(requests) if results is None else requests.send(results)
            except StopIteration as finished:
                review: RawReview = finished.value
                return review
            results = scheduler.review(side, units)
            results.change_level = ()
