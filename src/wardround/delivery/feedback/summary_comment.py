"""The summary of a review on a change request: one comment that every run updates in place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wardround.delivery.feedback.markers import SUMMARY
from wardround.delivery.feedback.plan import FeedbackPlan, introduced_findings
from wardround.delivery.reported_review import ReportedFinding, ReportedReview
from wardround.reports import truncate
from wardround.text.escaping import markdown_code, markdown_text

_MOST_ROWS = 20
_LONGEST = 300
_SHOWN_DIGITS = 12


def summary_comment(review: ReportedReview, plan: FeedbackPlan, run_url: str) -> str:
    """Return the Markdown of the summary.

    Args:
        run_url: address of the run with the complete report; empty if there is none.
    """
    found = introduced_findings(review)
    commit = markdown_code(review.context.head[:_SHOWN_DIGITS])
    parts = [
        f"{SUMMARY}\n**wardround: {review.verdict.name}** ({review.verdict.tier}), "
        f"gate {review.gate.outcome}, {_count(found)}, at {commit}",
        *_reasons(review),
        *_rows("Outside of the diff", plan.elsewhere),
        *_held_back(plan, run_url),
        *_unreviewed(review),
        *([f"[Complete report]({run_url})"] if run_url else []),
    ]
    return "\n\n".join(parts)


def _count(found: Sequence[ReportedFinding]) -> str:
    if not found:
        return "no findings"
    return f"{len(found)} finding{'' if len(found) == 1 else 's'}"


def _reasons(review: ReportedReview) -> Iterator[str]:
    reasons = (*review.gate.reasons, *review.verdict.reasons)
    if reasons:
        yield "\n".join(f"- {markdown_text(truncate(reason, _LONGEST))}" for reason in reasons[:_MOST_ROWS])


def _rows(title: str, findings: Sequence[ReportedFinding]) -> Iterator[str]:
    if not findings:
        return
    lines = [
        f"- {finding.severity}: {markdown_code(f'{finding.file}:{finding.line}')} "
        f"{markdown_text(truncate(finding.message, _LONGEST))} ({markdown_code(finding.rule)})"
        for finding in findings[:_MOST_ROWS]
    ]
    left = len(findings) - _MOST_ROWS
    if left > 0:
        lines.append(f"- and {left} more in the report")
    yield f"**{title}**\n\n" + "\n".join(lines)


def _held_back(plan: FeedbackPlan, run_url: str) -> Iterator[str]:
    if plan.held_back:
        count = len(plan.held_back)
        where = "the complete report" if run_url else "report.json"
        yield f"{count} more finding{'' if count == 1 else 's'} on lines of the diff: held back, in {where}."


def _unreviewed(review: ReportedReview) -> Iterator[str]:
    if not review.unreviewed:
        return
    reasons = {f"{gap.tool}: {gap.reason}": gap.file for gap in reversed(review.unreviewed)}
    lines = [
        f"- {markdown_code(file)}: {markdown_text(truncate(reason, _LONGEST))}"
        for reason, file in list(reasons.items())[:_MOST_ROWS]
    ]
    files = len({gap.file for gap in review.unreviewed})
    yield f"**Not reviewed** ({files} file{'' if files == 1 else 's'})\n\n" + "\n".join(lines)
