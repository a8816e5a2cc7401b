"""Turning the results of a review into the evidence that the planes judge."""

from __future__ import annotations

from collections.abc import Sequence

from wardround.change.encoding import escape_undecodable
from wardround.config.schema import FailLevel
from wardround.context.run_evidence import RunEvidence
from wardround.context.surface.model import ComparingTool
from wardround.context.work_units import ClaimedFile
from wardround.execution.review_run import RawReview
from wardround.findings import Finding, Status, ToolRun, Unreviewed
from wardround.planes.analyses import Analyses
from wardround.planes.contributors import measured_sources
from wardround.planes.evidence import (
    Evidence,
    FindingEvidence,
    MissingEvidence,
    PartialEvidence,
    ToolEvidence,
)
from wardround.planes.file_evidence import file_evidence
from wardround.planes.measured_precision import precision_of
from wardround.processors.model import ChangeTexts
from wardround.specialists import Specialist


def collect_evidence(
    results: RawReview,
    claimed: Sequence[ClaimedFile],
    texts: ChangeTexts,
    findings: Sequence[Finding],
    unreviewed: Sequence[Unreviewed],
    specialists: Sequence[Specialist],
    analyses: Analyses,
    run: RunEvidence,
    *,
    profile: str,
    gate: str,
    fail_level: FailLevel,
    target_branch: str,
    policy_file: str,
) -> Evidence:
    """Collect what a review has established.

    Args:
        results: of tools and checks.
        claimed: the files with the specialists that claim them.
        texts: the changed files.
        findings: after all steps of the pipeline.
        specialists: that take part in the review.
        analyses: of the texts of the change.
        run: of the change, which the context has.
    """
    recorded = tuple(finding_evidence(finding) for finding in findings if _is_recorded(finding))
    rules = {finding.rule for finding in recorded}
    return Evidence(
        profile=profile,
        gate=gate,
        fail_level=fail_level,
        target_branch=target_branch,
        files=file_evidence(results, claimed, texts, analyses.code.moves),
        change_reviewers=_change_reviewers(specialists, unreviewed),
        findings=recorded,
        missing=tuple(missing_evidence(one) for one in unreviewed),
        tools=(*_tools(results.head.runs, analyses.surface.tools), *analyses.models),
        policy_file=policy_file,
        messages=analyses.messages,
        moves=analyses.code.moves,
        neighbours=analyses.code.neighbours,
        criteria=analyses.criteria,
        exchanges=analyses.exchanges,
        intent=analyses.intent,
        repetitions=analyses.repetitions,
        partial=tuple(PartialEvidence(one.specialist, one.reason) for one in results.partial),
        surface=analyses.surface,
        tests=analyses.tests,
        precision=precision_of(
            measured_sources(analyses.tests, analyses.criteria, analyses.intent, run, rules)
        ),
        supply_chain=analyses.supply_chain,
        boundaries=analyses.boundaries,
        cost=analyses.cost,
    )


def _is_recorded(finding: Finding) -> bool:
    return finding.is_introduced or finding.status is Status.SUPPRESSED


def _change_reviewers(specialists: Sequence[Specialist], unreviewed: Sequence[Unreviewed]) -> tuple[str, ...]:
    failed = {one.specialist for one in unreviewed if one.tool == one.specialist}
    return tuple(sorted(s.name for s in specialists if s.change_checks and s.name not in failed))


def finding_evidence(finding: Finding) -> FindingEvidence:
    """Return the part of a finding that a record keeps.

    Neither the estimate of the judge counts nor a comment that states an intention: facts about a change,
    such as its size, and what it states about itself are the author's choice.
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
    )


def missing_evidence(one: Unreviewed) -> MissingEvidence:
    """Return an unreviewed file as a record keeps it."""
    return MissingEvidence(
        escape_undecodable(one.file), one.specialist, one.tool, escape_undecodable(one.reason)
    )


def _tools(runs: Sequence[ToolRun], comparing: Sequence[ComparingTool]) -> tuple[ToolEvidence, ...]:
    tools = {(run.tool, run.version, run.digest) for run in runs}
    tools |= {(one.tool, one.version, "") for one in comparing}
    return tuple(ToolEvidence(*tool) for tool in sorted(tools))
