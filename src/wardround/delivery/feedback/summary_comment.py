"""The summary of a review on a change request: one comment that every run updates in place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from urllib.parse import quote

from wardround.delivery.feedback.markers import summary_marker
from wardround.delivery.feedback.plan import FeedbackPlan, introduced_findings
from wardround.delivery.reported_review import ReportedFinding, ReportedReview
from wardround.findings import Severity, Unreviewed
from wardround.reports import truncate
from wardround.reports.markdown import bullet_list, rule_link, unreviewed_lines
from wardround.text.escaping import markdown_code, markdown_text

_MOST_ROWS = 20
_LONGEST = 300
_SHOWN_DIGITS = 12
_PLAIN = "/:?&=#%+,;@~"
"""Characters of an address without a meaning in a link of Markdown, besides letters, digits and ``_.-``."""
_MOST_CHARACTERS = 60_000
"""GitHub takes 65,536; the rest is for the line that states the cut."""


def summary_comment(review: ReportedReview, plan: FeedbackPlan, run_url: str) -> str:
    """Return the Markdown of the summary.

    Args:
        run_url: address of the run with the complete report; empty if there is none.
    """
    blocks = [
        f"{summary_marker(plan.resolved)}\n{_headline(review)}",
        *_held_back(review, plan, run_url),
        *_reasons(review),
        *_elsewhere(plan.elsewhere),
        *_gaps(review),
    ]
    return "\n\n".join(_blocks_within(blocks, _MOST_CHARACTERS))


def _headline(review: ReportedReview) -> str:
    """Return the line that changes with every push, for it names the commit."""
    verdict, found = review.verdict, introduced_findings(review)
    tier = markdown_text(truncate(verdict.tier, _SHOWN_DIGITS))
    commit = markdown_code(review.context.head[:_SHOWN_DIGITS])
    return (
        f"**wardround: {verdict.name}** ({tier}), gate {review.gate.outcome}, {_counts(found)}, at {commit}"
    )


def _counts(found: Sequence[ReportedFinding]) -> str:
    counts = Counter(str(finding.severity) for finding in found)
    named = [f"{counts[level.label]} {level.label}" for level in reversed(Severity) if counts[level.label]]
    total = f"{len(found)} finding{'' if len(found) == 1 else 's'}"
    return f"{total} ({', '.join(named)})" if found else "no findings"


def _reasons(review: ReportedReview) -> list[str]:
    reasons = (*review.gate.reasons, *review.verdict.reasons)
    return bullet_list("", [truncate(reason, _LONGEST) for reason in reasons])


def _elsewhere(findings: Sequence[ReportedFinding]) -> Iterator[str]:
    """Yield the findings whose lines accept no comment."""
    if not findings:
        return
    rows = [
        f"- {finding.severity}: {markdown_code(truncate(f'{finding.file}:{finding.line}', _LONGEST))} "
        f"{markdown_text(truncate(finding.message, _LONGEST))} "
        f"({rule_link(truncate(finding.rule, _LONGEST), finding.url)})"
        for finding in findings[:_MOST_ROWS]
    ]
    if left := len(findings) - _MOST_ROWS:
        rows += [f"- and {left} more in the report"] * (left > 0)
    yield f"**On lines that take no comment** ({len(findings)})\n\n" + "\n".join(rows)


def _held_back(review: ReportedReview, plan: FeedbackPlan, run_url: str) -> Iterator[str]:
    """Yield the number of findings that nothing here shows, and where they are."""
    where = f"[the complete report]({quote(run_url, safe=_PLAIN)})" if run_url else "report.json"
    if count := len(plan.held_back):
        more = f"{count} more finding{'' if count == 1 else 's'} on lines of the diff"
        yield f"{more}: held back, in {where}."
    if count := len(plan.folded):
        yield f"{count} folded as less useful: in {where}."
    if count := review.held_back:
        yield f"{count} more outside of the lines that the filter mode shows: not in the report."
    if run_url and not (plan.held_back or plan.folded):
        yield f"More is in {where}."


def _gaps(review: ReportedReview) -> list[str]:
    gaps = [Unreviewed(gap.file, gap.specialist, gap.tool, gap.reason) for gap in review.unreviewed]
    lines = [truncate(line, _LONGEST) for line in unreviewed_lines(gaps)]
    return bullet_list("Not reviewed", lines)


def _blocks_within(blocks: Sequence[str], most: int) -> Iterator[str]:
    """Yield the first blocks that fit; the first of all always does."""
    room = most
    for block in blocks:
        room -= len(block) + 2
        if room < 0:
            yield "The rest is in the report: it is too long for a comment."
            return
        yield block
