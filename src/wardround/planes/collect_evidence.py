"""Turning the results of a review into the evidence that the planes judge."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from wardround.change.diff import Change, ChangedFile
from wardround.change.encoding import escape_undecodable
from wardround.config.schema import FailLevel
from wardround.context.symbol_moves import SymbolMove
from wardround.execution.review_run import RawReview
from wardround.findings import Finding, Status, ToolRun, Unreviewed
from wardround.planes.criterion.results import CriterionResult
from wardround.planes.evidence import (
    Evidence,
    FileEvidence,
    FileRole,
    FindingEvidence,
    MissingEvidence,
    ToolEvidence,
)
from wardround.specialists import Specialist

_ANY_TEXT = frozenset({"secrets", "text"})
"""Specialists that read text of any kind: a file that only they claim is not judged otherwise."""
_DOCUMENTATION = (".adoc", ".md", ".mdx", ".rst", ".txt")
_DOCUMENTATION_NAMES = frozenset(
    {"authors", "changelog", "contributing", "copying", "license", "notice", "readme"}
)
_MOST_MESSAGES = 100
_LONGEST_MESSAGE = 10_000
"""The limits on commit messages, in characters; they bound the size of a record."""
_RECORDED = frozenset({Status.NEW, Status.CAUSED, Status.SUPPRESSED})


def collect_evidence(
    results: RawReview,
    findings: Sequence[Finding],
    unreviewed: Sequence[Unreviewed],
    specialists: Sequence[Specialist],
    messages: Sequence[str],
    moves: tuple[SymbolMove, ...] = (),
    criteria: tuple[CriterionResult, ...] = (),
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
        findings: after all steps of the pipeline.
        specialists: that take part in the review.
        messages: of the commits, newest first.
        criteria: the states of the acceptance criteria.
        moves: the moved symbols, by their paths at the head.
    """
    return Evidence(
        profile=profile,
        gate=gate,
        fail_level=fail_level,
        target_branch=target_branch,
        files=_files(results.change, results.claimed, _reviewers(results), moves),
        moves=moves,
        criteria=criteria,
        change_reviewers=_change_reviewers(specialists, unreviewed),
        findings=tuple(finding_evidence(finding) for finding in findings if finding.status in _RECORDED),
        missing=tuple(missing_evidence(one) for one in unreviewed),
        tools=_tools(results.head.runs),
        policy_file=policy_file,
        messages=tuple(escape_undecodable(text)[:_LONGEST_MESSAGE] for text in messages[:_MOST_MESSAGES]),
    )


def _reviewers(results: RawReview) -> dict[str, set[str]]:
    reviewers: dict[str, set[str]] = defaultdict(set)
    for reviewer, path in results.head.by_file:
        reviewers[path].add(reviewer.name)
    return reviewers


def _files(
    change: Change,
    claimed: Mapping[str, Sequence[Specialist]],
    reviewers: Mapping[str, Collection[str]],
    moves: Sequence[SymbolMove],
) -> tuple[FileEvidence, ...]:
    moved: dict[str, set[int]] = defaultdict(set)
    for move in moves:
        moved[move.path] |= set(move.moved_lines)
    files = []
    for file in sorted(change.files, key=lambda file: file.path):
        names = [specialist.name for specialist in claimed.get(file.path, ())]
        moved_lines = sum(map(file.is_added_line, moved.get(file.path, ())))
        files.append(_file(file, names, reviewers.get(file.path, ()), moved_lines))
    return tuple(files)


def _file(
    file: ChangedFile, specialists: Sequence[str], reviewers: Collection[str], moved_lines: int
) -> FileEvidence:
    return FileEvidence(
        escape_undecodable(file.path),
        _role(file.path, specialists),
        tuple(sorted(specialists)),
        tuple(sorted(reviewers)),
        file.added_lines,
        moved_lines,
    )


def _role(path: str, specialists: Collection[str]) -> FileRole:
    if "tests" in specialists:
        return FileRole.TEST
    if not _ANY_TEXT.issuperset(specialists):
        return FileRole.SOURCE
    name = path.rpartition("/")[2].lower()
    is_documentation = name.endswith(_DOCUMENTATION) or name.partition(".")[0] in _DOCUMENTATION_NAMES
    return FileRole.DOCUMENTATION if is_documentation else FileRole.OTHER


def _change_reviewers(specialists: Sequence[Specialist], unreviewed: Sequence[Unreviewed]) -> tuple[str, ...]:
    failed = {one.specialist for one in unreviewed if one.tool == one.specialist}
    return tuple(sorted(s.name for s in specialists if s.change_checks and s.name not in failed))


def finding_evidence(finding: Finding) -> FindingEvidence:
    """Return the part of a finding that a record keeps."""
    span = finding.span
    return FindingEvidence(
        finding.fingerprint,
        finding.rule,
        finding.defect_class,
        finding.plane,
        finding.specialist,
        finding.severity.label,
        finding.status,
        finding.confidence,
        escape_undecodable(finding.file),
        span.line,
        span.column,
        span.end_line,
        span.end_column,
        escape_undecodable(finding.message),
        finding.sources,
    )


def missing_evidence(one: Unreviewed) -> MissingEvidence:
    """Return an unreviewed file as a record keeps it."""
    return MissingEvidence(
        escape_undecodable(one.file), one.specialist, one.tool, escape_undecodable(one.reason)
    )


def _tools(runs: Sequence[ToolRun]) -> tuple[ToolEvidence, ...]:
    tools = {(run.tool, run.version, run.digest) for run in runs}
    return tuple(ToolEvidence(*tool) for tool in sorted(tools))
