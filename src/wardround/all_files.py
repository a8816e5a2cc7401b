"""The review of all files, or of some files and folders: of what they contain, not of a change of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from msgspec.structs import replace

from wardround.change.change_source import ChangeSource
from wardround.change.diff import Change
from wardround.conclusion import Reviewed, open_concluding
from wardround.config import loader
from wardround.config.request import ReviewRequest
from wardround.config.review_config import read_config
from wardround.context.claims import selected_specialists
from wardround.errors import ConfigError
from wardround.execution.executor import Executor
from wardround.execution.file_batches import BatchReview
from wardround.findings import INTRODUCED, Finding, Status
from wardround.host import PluginHost
from wardround.planes.analyses import Analyses
from wardround.policy.gate import gate
from wardround.processors import pipeline
from wardround.review import PendingConclusion, ReviewResult, pipeline_inputs, result_of
from wardround.tools.process import Processes


def review_all_files(
    origin: ChangeSource,
    change: Change,
    host: PluginHost,
    request: ReviewRequest,
    processes: Processes,
    progress: Callable[[str], None],
    executor: Executor,
) -> ReviewResult:
    """Review the files of ``Repository.all_files``; see ``review.run_review``.

    Every finding exists already, and the level that blocks applies to each of them; those that the baseline
    accepts are counted. No comparison with earlier code takes place: no checks
    of a change, no analyses of its surroundings, no model that scores hunks.

    Raises:
        ConfigError: the configuration or the baseline is wrong.
        UsageError: ``only`` or ``skip`` names no specialist.
    """
    started = time.monotonic()
    request = request.for_all_files()
    config = read_config(origin, change, host, request)
    concluding = open_concluding(origin, host, config, request)
    try:
        batches = BatchReview(origin, host, config, request, processes, progress, executor)
        context, results = batches.review(change)
    except ConfigError as cause:
        raise loader.with_location(config, cause) from cause
    inputs = pipeline_inputs(origin, context, results, host, config, request)
    inputs = replace(inputs, filter_mode="added")  # accepted findings are not ranked
    review = pipeline.process(inputs)
    decided = gate(review.findings, review.unreviewed, inputs.fail_level)
    specialists = selected_specialists(host, config, request)
    reviewed = Reviewed(context, results, review, inputs.texts, decided, specialists)
    pending = PendingConclusion.of(concluding.of_analyses(reviewed, Analyses()))
    done = result_of(review, results, inputs, context, request, decided, pending, (), started)
    notes = (*done.notes, *_accepted(done.findings))
    return replace(done, findings=_existing(done.findings), notes=notes, filter_mode="nofilter")


def _existing(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Return the findings with the status that they have where nothing was changed, without accepted ones."""
    open_findings = (finding for finding in findings if finding.status is not Status.EXISTING)
    return tuple(
        replace(finding, status=Status.EXISTING) if finding.status in INTRODUCED else finding
        for finding in open_findings
    )


def _accepted(findings: Sequence[Finding]) -> list[str]:
    count = sum(finding.status is Status.EXISTING for finding in findings)
    counted = (
        "1 finding that the baseline accepts is"
        if count == 1
        else f"{count} findings that the baseline accepts are"
    )
    return [f"{counted} not shown"] if count else []
