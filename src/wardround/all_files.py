"""The review of all files, or of some files and folders: of their content, not of a change."""

from __future__ import annotations

import time
from collections.abc import Sequence

from msgspec.structs import replace

from wardround.conclusion import AnalysedChange, ReviewOutcome, open_concluding
from wardround.config import loader
from wardround.errors import ConfigError
from wardround.execution.file_batches import BatchReview
from wardround.findings import INTRODUCED, Finding, Status
from wardround.pipeline_inputs import pipeline_inputs
from wardround.policy.gate import gate
from wardround.processors import pipeline
from wardround.review_result import PendingConclusion, ReviewResult, result_of
from wardround.session import ReviewSession


def review_all_files(session: ReviewSession) -> ReviewResult:
    """Review the files of ``Repository.all_files``; see ``review.run_review``.

    Every finding exists already, and the fail level applies to each of them; findings that the baseline
    accepts are counted. Nothing is compared with an earlier version: no checks of a change, no analyses of
    its surroundings, no model that scores hunks.

    Raises:
        ConfigError: the configuration or the baseline is wrong.
        UsageError: ``only`` or ``skip`` names no specialist.
    """
    started = time.monotonic()
    review = session.under_review
    concluding = open_concluding(review)
    try:
        context, results = BatchReview(review, session.resources).review()
    except ConfigError as cause:
        raise loader.add_location(review.config, cause) from cause
    inputs = pipeline_inputs(review, context, results)
    inputs = replace(inputs, filter_mode="added")  # accepted findings are not ranked
    findings = pipeline.process(inputs)
    decided = gate(findings.findings, findings.unreviewed, inputs.fail_level)
    reviewed = ReviewOutcome(context, results, findings, inputs.texts, decided)
    pending = PendingConclusion.of(concluding.conclude_analysed(reviewed, AnalysedChange()))
    done = result_of(findings, results, inputs, context, review, decided, pending, started)
    notes = (*done.notes, *_accepted_lines(done.findings))
    return replace(done, findings=_mark_existing(done.findings), notes=notes, filter_mode="nofilter")


def _mark_existing(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Return the findings with the status that they have where nothing was changed, without accepted ones."""
    open_findings = (finding for finding in findings if finding.status is not Status.EXISTING)
    return tuple(
        replace(finding, status=Status.EXISTING) if finding.status in INTRODUCED else finding
        for finding in open_findings
    )


def _accepted_lines(findings: Sequence[Finding]) -> list[str]:
    count = sum(finding.status is Status.EXISTING for finding in findings)
    counted = (
        "1 finding that the baseline accepts is"
        if count == 1
        else f"{count} findings that the baseline accepts are"
    )
    return [f"{counted} not shown"] if count else []
