"""Ranking: the open findings are put in order of importance, and the least important are folded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from msgspec.structs import replace

from wardround.processors.dismissals_file import by_rule
from wardround.processors.model import PipelineInputs, ReviewFindings
from wardround.processors.visibility import open_findings


class RankFindings:
    """Rank the findings that people are shown."""

    def apply(self, review: ReviewFindings, inputs: PipelineInputs) -> ReviewFindings:
        shown = open_findings(review.findings, inputs.files, inputs.filter_mode) if inputs.ranks else ()
        if not shown:
            return review
        from wardround.processors.triage import triage  # only reviews with something to rank

        dismissed = by_rule(inputs.dismissals, inputs.today)
        return replace(review, triage=triage(shown, _known(review, inputs), dismissed))


def _known(review: ReviewFindings, inputs: PipelineInputs) -> Mapping[str, int]:
    """Return the number of known findings of each rule: those of the review, and accepted ones elsewhere."""
    reviewed = {finding.file for finding in review.findings}
    accepted = (entry.rule for entry in inputs.baseline.findings if entry.file not in reviewed)
    return Counter([*(finding.rule for finding in review.findings), *accepted])
