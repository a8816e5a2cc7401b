"""Findings of a run join those of tools and checks, and replace those that only infer what tests run."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from wardround.findings import RUN, Finding, RawFinding, Status
from wardround.processors.classify import new_finding
from wardround.processors.model import PipelineInputs, ReviewFindings


class AddRunFindings:
    """Add the results of a run; the change causes each one.

    They are added after duplicates are merged, so that they replace no finding but one about lines whose
    coverage a run in the sandbox shows.
    """

    def apply(self, review: ReviewFindings, inputs: PipelineInputs) -> ReviewFindings:
        if not inputs.run_results and not inputs.run_covered:
            return review
        retained = (finding for finding in review.findings if not _is_replaced(finding, inputs))
        findings = (*retained, *_findings(inputs))
        return replace(review, findings=tuple(sorted(findings, key=lambda finding: finding.sort_key)))


def _is_replaced(finding: Finding, inputs: PipelineInputs) -> bool:
    return finding.file in inputs.run_covered and inputs.catalogue.rule(finding.rule).infers_coverage


def _findings(inputs: PipelineInputs) -> Iterator[Finding]:
    for result in inputs.run_results:
        finding = _to_finding(result, inputs)
        if finding is not None:
            yield finding


def _to_finding(result: RawFinding, inputs: PipelineInputs) -> Finding | None:
    rule = inputs.catalogue.rule(f"{RUN}/{result.code}")
    severity = inputs.config.for_file(result.file).severity(rule.id, result.severity or rule.severity)
    is_new = inputs.files[result.file].is_added_line(result.span.line)
    status = Status.NEW if is_new else Status.CAUSED
    return None if severity is None else new_finding(result, rule, RUN, severity, status)
