"""The section of the text report about the conclusion: the notes of the analyses, the run, the verdict."""

from __future__ import annotations

from collections.abc import Iterator

from wardround.analyses.analysis import ReportLine
from wardround.analyses.derived import lines_of
from wardround.analyses.registry import known_analyses
from wardround.change.repository import INDEX, WORKTREE
from wardround.policy.conclude import Conclusion
from wardround.reports.finding_lines import Style
from wardround.reports.language_model import SECTION, dropped_lines
from wardround.reports.run import run_lines
from wardround.reports.terminal import wrap
from wardround.review_result import ReviewResult
from wardround.text.escaping import one_line

_REASONS = 3
"""The number of reasons that the line of the verdict shows; --format json has all."""


def conclusion_lines(review: ReviewResult, style: Style) -> list[str]:
    """Return the lines from the claims of a language model to the verdict."""
    return [
        *analysis_lines(review, style),
        *run_lines(review.conclusion.context.ran),
        *_verdict(review),
    ]


def analysis_lines(review: ReviewResult, style: Style) -> list[str]:
    """Return the lines of the analyses, after the claims of a language model that are no findings."""
    return [*_dropped_claims(review, style), *_analyses(review.conclusion, style)]


def _analyses(conclusion: Conclusion, style: Style) -> Iterator[str]:
    """Yield the lines of each analysis."""
    for analysis in known_analyses():
        notes = conclusion.evidence.notes_of(type(analysis))
        for line in lines_of(analysis, notes, conclusion.context):
            yield from report_lines(line, style)


def report_lines(line: ReportLine, style: Style) -> list[str]:
    """Return a line of an analysis, wrapped to the width of the terminal."""
    head = one_line(line.head)
    styled = style(head, line.style) if line.style else None
    return wrap(one_line(line.text), line.indent, head, styled)


def _dropped_claims(review: ReviewResult, style: Style) -> list[str]:
    """Return the claims of a language model that are no findings, in a verbose review."""
    lines = list(dropped_lines(review.conclusion.evidence)) if review.verbose else []
    return [style(SECTION, "bold"), *lines, ""] if lines else []


def _verdict(review: ReviewResult) -> list[str]:
    """Return the verdict with its first reasons, where somebody is to act on it.

    Nobody approves an uncommitted change, for which only a verdict that blocks is shown.
    """
    verdict = review.conclusion.verdict
    is_uncommitted = review.change.head in (INDEX, WORKTREE) and not review.verbose
    if not review.change.files or (is_uncommitted and not review.is_blocked_by_verdict):
        return []
    explaining = [
        reason for reason in verdict.reasons if not reason.policy.endswith(f"#tiers.{verdict.tier}")
    ]
    texts = [one_line(reason.text) for reason in explaining]
    more = f" (and {len(texts) - _REASONS} more)" if len(texts) > _REASONS else ""
    approvals = f", {verdict.approvals} approvals" if verdict.approvals else ""
    reasons = "; ".join(texts[:_REASONS])
    return wrap(f"{verdict.name} ({verdict.tier}{approvals}): {reasons}{more}", 2, "verdict: ")
