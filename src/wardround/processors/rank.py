"""Ranking: the open findings are put in order of importance, and the least important are folded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from wardround.findings import Finding
from wardround.processors.dismissals_file import by_rule
from wardround.processors.model import PipelineInputs, ReviewFindings
from wardround.processors.visibility import open_findings

if TYPE_CHECKING:
    from wardround.processors.action_rates import Rates
    from wardround.processors.triage import ScoredFinding


class RankFindings:
    """Rank the findings that people are shown."""

    def apply(self, review: ReviewFindings, inputs: PipelineInputs) -> ReviewFindings:
        shown = open_findings(review.findings, inputs.files, inputs.filter_mode) if inputs.ranks else ()
        if not shown:
            return review
        from wardround.processors.triage import triage  # only reviews with something to rank

        rates = inputs.action_rates()
        return replace(review, triage=triage(_scored(shown, review, inputs, rates), rates.ranking))


def _scored(
    shown: tuple[Finding, ...], review: ReviewFindings, inputs: PipelineInputs, rates: Rates
) -> list[ScoredFinding]:
    from wardround.processors.counters import FindingCounters
    from wardround.processors.triage import ScoredFinding

    counters = FindingCounters(review.findings, inputs.texts.head, inputs.baseline)
    dismissed = by_rule(inputs.dismissals, inputs.today)
    return [ScoredFinding(f, counters.of(f), rates.rate(f.rule), dismissed.get(f.rule, 0.0)) for f in shown]
