"""Ranking: the open findings are put in order of importance, and the least important are folded."""

from __future__ import annotations

from msgspec.structs import replace

from wardround.processors.dismissals_file import dismissals_by_rule
from wardround.processors.model import PipelineInputs, ReviewFindings
from wardround.processors.visibility import open_findings


class RankFindings:
    """Rank the findings that people are shown."""

    def apply(self, review: ReviewFindings, inputs: PipelineInputs) -> ReviewFindings:
        shown = open_findings(review.findings, inputs.files, inputs.filter_mode) if inputs.ranks else ()
        if not shown:
            return review
        from wardround.processors.judge.counters import known_by_rule
        from wardround.processors.triage import triage  # only reviews with something to rank

        known = known_by_rule(review.findings, inputs.baseline)
        dismissed = dismissals_by_rule(inputs.dismissals, inputs.today)
        return replace(review, triage=triage(shown, known, dismissed, inputs.catalogue.is_high_impact))
