"""Comparison of a run with the change: its messages, its contents and its published functions."""

from __future__ import annotations

from wardround.assignment.change_under_review import ChangeUnderReview
from wardround.context.run_evidence import RunEvidence
from wardround.context.surface.published_functions import published_of
from wardround.findings import RawFinding
from wardround.planes.behaviour_findings import BehaviourReading
from wardround.planes.measured_precision import precision_of
from wardround.planes.run_findings import RunReading, covered_files, run_results
from wardround.planes.run_rules import MEASURED
from wardround.planes.stated_behaviour import unchanged_by
from wardround.processors.model import ChangeTexts


def findings_of_run(
    run: RunEvidence, review: ChangeUnderReview, texts: ChangeTexts
) -> tuple[tuple[RawFinding, ...], frozenset[str]]:
    """Return the findings of a run, and the files whose changed lines it shows instead of coverage files."""
    source, change, ticket = review.source, review.change, review.request.ticket
    differences = run.behaviour.differences if run.behaviour is not None else ()
    criteria = [criterion.text for criterion in ticket.criteria] if ticket is not None else []
    called = {(difference.path, difference.function) for difference in differences if difference.callers}
    behaviour = BehaviourReading(
        head=texts.readable,
        stated=unchanged_by(source.messages(change), criteria) if differences else "",
        published=published_of(source, change, called),
        precision=precision_of(MEASURED),
    )
    reading = RunReading({file.path: file for file in change.files}, behaviour)
    return run_results(run, reading), covered_files(run)
