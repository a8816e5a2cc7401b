"""Required reviews that did not happen, as a report lists them."""

from __future__ import annotations

from msgspec.structs import replace

from wardround.findings import INVALID_WORKFLOW, PARSE_FAILURE_PREFIX, UNPARSED, Finding, Severity, Unreviewed
from wardround.processors.model import PipelineInputs, ReviewFindings
from wardround.processors.normalize_message import normalize


class ReportUnreviewed:
    """List what was not reviewed, but for files that a finding reports as impossible to parse.

    A tool may decline a file that is well-formed for the defect that an error of another tool names.
    """

    def apply(self, review: ReviewFindings, inputs: PipelineInputs) -> ReviewFindings:
        unparsed = {f.file for f in review.findings if f.defect_class in UNPARSED} | review.unparsed_data
        refused = {f.file for f in review.findings if _is_refused(f)}
        remaining = {
            replace(u, reason=normalize(review.mask_text(u.reason)))
            for u in inputs.unreviewed
            if not (u.file in unparsed and _is_for_its_syntax(u))
            and not (u.file in refused and u.reason.startswith(PARSE_FAILURE_PREFIX))
        }
        return replace(review, unreviewed=tuple(sorted(remaining)))


def _is_refused(finding: Finding) -> bool:
    return finding.defect_class == INVALID_WORKFLOW and finding.severity is Severity.ERROR


def _is_for_its_syntax(unreviewed: Unreviewed) -> bool:
    return unreviewed.tool == unreviewed.specialist or unreviewed.reason.startswith(PARSE_FAILURE_PREFIX)
