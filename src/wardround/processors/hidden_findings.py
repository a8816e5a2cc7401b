"""Findings that a change hides from a gate it does not control, by ignore comments of tools that it adds."""

from __future__ import annotations

from msgspec.structs import replace

from wardround.findings import INTRODUCED, Finding, Severity, Span
from wardround.processors.model import PipelineInputs, ReviewFindings


class RevealHiddenFindings:
    """Keep those hidden findings that would block the change and that nothing else reports."""

    def apply(self, review: ReviewFindings, inputs: PipelineInputs) -> ReviewFindings:
        reported = {_key(candidate.finding) for candidate in review.candidates if not candidate.is_hidden}
        least = inputs.blocking_severity
        kept = (
            candidate
            for candidate in review.candidates
            if not candidate.is_hidden
            or (_may_block(candidate.finding, least) and _key(candidate.finding) not in reported)
        )
        return replace(review, candidates=tuple(kept))


def _key(finding: Finding) -> tuple[str, str, Span]:
    return finding.file, finding.rule, finding.span


def _may_block(finding: Finding, least: Severity) -> bool:
    return finding.severity >= least and finding.status in INTRODUCED
