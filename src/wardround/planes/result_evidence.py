"""The results of tools, checks and analyses as evidence."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from wardround.analyses.results import AnalysisResults
from wardround.change.encoding import escape_undecodable
from wardround.execution.review_run import RawReview
from wardround.findings import Finding, Status, ToolRun, Unreviewed
from wardround.planes.evidence import (
    FindingEvidence,
    MissingEvidence,
    PartialEvidence,
    ToolEvidence,
    crash_name_of_analysis,
)
from wardround.specialists import Specialist


def recorded_findings(findings: Sequence[Finding]) -> tuple[FindingEvidence, ...]:
    """Return the findings that a record keeps: the introduced and the suppressed ones."""
    recorded = (f for f in findings if f.is_introduced or f.status is Status.SUPPRESSED)
    return tuple(map(finding_evidence, recorded))


def change_reviewers(specialists: Sequence[Specialist], unreviewed: Sequence[Unreviewed]) -> tuple[str, ...]:
    """Return the specialists whose checks of the entire change ran."""
    failed = {missing.specialist for missing in unreviewed if missing.tool == missing.specialist}
    return tuple(sorted(s.name for s in specialists if s.change_checks and s.name not in failed))


def finding_evidence(finding: Finding) -> FindingEvidence:
    """Return the part of a finding that a record keeps.

    Neither the estimate of the judge counts nor a comment that states an intention: the author chooses facts
    about a change, such as its size, and its statements about itself.
    """
    span = finding.span
    return FindingEvidence(
        finding.fingerprint,
        finding.rule,
        finding.defect_class,
        finding.plane,
        finding.specialist,
        finding.severity_of_rule.label,
        finding.status,
        finding.confidence,
        escape_undecodable(finding.file),
        span.line,
        span.column,
        span.end_line,
        span.end_column,
        escape_undecodable(finding.message),
        finding.sources,
        finding.is_silenced,
        msgspec.UNSET if finding.claim is None else finding.claim,
        escape_undecodable(finding.dismissal_reason) if finding.dismissal_reason else msgspec.UNSET,
    )


def missing_evidence(missing: Unreviewed) -> MissingEvidence:
    """Return an unreviewed file as a record keeps it."""
    return MissingEvidence(
        escape_undecodable(missing.file),
        missing.specialist,
        missing.tool,
        escape_undecodable(missing.reason),
    )


def tool_evidence(runs: Sequence[ToolRun], analyses: AnalysisResults) -> tuple[ToolEvidence, ...]:
    """Return the tools and models of a review, the models of analyses last."""
    tools = {(run.tool, run.version, run.digest) for run in runs}
    tools |= {(library.tool, library.version, "") for library in analyses.tools}
    models = [ToolEvidence(name, version) for name, version in analyses.models]
    return (*(ToolEvidence(*tool) for tool in sorted(tools)), *models)


def partial_evidence(results: RawReview, analyses: AnalysisResults) -> tuple[PartialEvidence, ...]:
    """Return the checks that ran without something that they need, and the analyses that crashed."""
    checks = (PartialEvidence(partial.specialist, partial.reason) for partial in results.partial)
    crashes = (PartialEvidence(crash_name_of_analysis(name), why) for name, why in analyses.crashes.items())
    return (*checks, *crashes)
