"""Refutation: a specialist that knows the values of an expression discards the findings of others there."""

from __future__ import annotations

from msgspec.structs import replace

from wardround.change.encoding import lower_suffix
from wardround.processors.model import Candidate, PipelineInputs, ReviewFindings


class RefuteFindings:
    """Omit the findings that a specialist of the file refutes, unless the project enabled the rule."""

    def apply(self, review: ReviewFindings, inputs: PipelineInputs) -> ReviewFindings:
        retained = (candidate for candidate in review.candidates if not _is_refuted(candidate, inputs))
        return replace(review, candidates=tuple(retained))


def _is_refuted(candidate: Candidate, inputs: PipelineInputs) -> bool:
    """Return True if a specialist refutes a tool or another specialist."""
    finding, result = candidate.finding, candidate.result
    if result.explicitly_enabled:
        return False
    reporter = finding.rule.partition("/")[0]
    refuting = [
        specialist
        for specialist in inputs.reviewers[result.file]
        if not specialist.name == finding.specialist == reporter
    ]
    text = inputs.texts.head(result.file) if refuting else None
    if text is None:
        return False
    kind = lower_suffix(result.file)
    return any(
        specialist.refutes(kind, text, finding.defect_class, result.span, inputs.other_text)
        for specialist in refuting
    )
