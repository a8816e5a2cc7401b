"""Findings in test data, which is wrong on purpose."""

from __future__ import annotations

from msgspec.structs import replace

from wardround.context.test_data import is_broken_data
from wardround.findings import SYNTAX_ERROR, Plane
from wardround.processors.model import Candidate, PipelineInputs, ReviewFindings


class DropTestDataFindings:
    """Omit findings in test data, except those about security."""

    def apply(self, review: ReviewFindings, inputs: PipelineInputs) -> ReviewFindings:
        retained: list[Candidate] = []
        unparsed = set(review.unparsed_data)
        for candidate in review.candidates:
            if not _is_intended(candidate, inputs):
                retained.append(candidate)
            elif candidate.finding.defect_class == SYNTAX_ERROR:
                unparsed.add(candidate.result.file)
        return replace(review, candidates=tuple(retained), unparsed_data=frozenset(unparsed))


def _is_intended(candidate: Candidate, inputs: PipelineInputs) -> bool:
    """Return True for a finding in test data that the data is there for."""
    finding, path = candidate.finding, candidate.result.file
    if finding.plane is Plane.SECURITY or not inputs.test_data.is_data(path):
        return False
    if inputs.test_data.is_excluded(path):
        return True
    is_broken = candidate.was_unparsed or is_broken_data(path)
    return finding.defect_class == SYNTAX_ERROR and is_broken
