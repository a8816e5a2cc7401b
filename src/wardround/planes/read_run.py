"""Reading a run against the change: its messages, its texts and its published functions."""

from __future__ import annotations

from wardround.change.change_source import ChangeSource
from wardround.change.diff import Change
from wardround.config.request import ReviewRequest
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
    run: RunEvidence, source: ChangeSource, change: Change, texts: ChangeTexts, request: ReviewRequest
) -> tuple[tuple[RawFinding, ...], frozenset[str]]:
    """Return the findings of a run, and the files whose changed lines it shows in place of coverage files."""
    differences = run.behaviour.differences if run.behaviour is not None else ()
    criteria = [one.text for one in request.ticket.criteria] if request.ticket is not None else []
    called = {(one.path, one.function) for one in differences if one.callers}
    behaviour = BehaviourReading(
        head=texts.readable,
        stated=unchanged_by(source.messages(change), criteria) if differences else "",
        published=published_of(source, change, called),
        precision=precision_of(MEASURED),
    )
    reading = RunReading({file.path: file for file in change.files}, behaviour)
    return run_results(run, reading), covered_files(run)
