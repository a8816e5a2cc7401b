"""Findings of a language model join those of tools and checks: suppressions and dismissals apply to them."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from wardround.findings import LANGUAGE_MODEL, Finding, RawFinding, Status
from wardround.processors.classify import new_finding
from wardround.processors.deduplicate import merge
from wardround.processors.model import PipelineInputs, ReviewFindings
from wardround.processors.same_claims import SameClaim


class AddModelFindings:
    """Add the results of a language model, which are at added lines only, as new findings.

    They are added after the duplicates of tools and checks are merged, so that they replace and change none
    of these findings. A claim that several planes report is one finding.
    """

    def apply(self, review: ReviewFindings, inputs: PipelineInputs) -> ReviewFindings:
        if not inputs.model_results:
            return review
        findings = (*review.findings, *merge(_findings(inputs), SameClaim()))
        return replace(review, findings=tuple(sorted(findings, key=lambda finding: finding.sort_key)))


def _findings(inputs: PipelineInputs) -> Iterator[Finding]:
    for result in inputs.model_results:
        finding = _to_finding(result, inputs)
        if finding is not None:
            yield finding


def _to_finding(result: RawFinding, inputs: PipelineInputs) -> Finding | None:
    rule = inputs.catalogue.rule(f"{LANGUAGE_MODEL}/{result.code}")
    default = result.severity or rule.severity
    severity = inputs.config.for_file(result.file).severity(rule.id, default)
    return None if severity is None else new_finding(result, rule, LANGUAGE_MODEL, severity, Status.NEW)
