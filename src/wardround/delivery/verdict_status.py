"""The verdict of a review as the status of a commit.

| Gate and verdict | Conclusion |
|---|---|
| the gate is blocked, or ``declined`` | failure |
| the gate is inconclusive | action required, with any approvals |
| ``auto-merge``, ``auto-approve`` | success, once the approvals that a rule demands are there |
| ``human-review``, ``escalate`` | action required until enough people have approved exactly this commit |

``neutral`` is never used: the rules of a branch count it as success.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from wardround.delivery.code_hosts.model import Account, Approval, StatusConclusion, VerdictStatus
from wardround.delivery.reported_review import ReportedReview
from wardround.reports import truncate
from wardround.text.escaping import markdown_text, one_line

CHECK = "wardround"
"""The name of the check, which the rules of a branch require."""
_PEOPLE = {"human-review", "escalate"}
"""The verdicts for which somebody has to approve, even if no rule names a number."""
_MOST_REASONS = 20
_LONGEST_REASON = 400
_LONGEST_TITLE = 120


def required_approvals(review: ReportedReview) -> int:
    """Return the number of people who must approve."""
    return max(review.verdict.approvals, 1 if review.verdict.name in _PEOPLE else 0)


def counting_approvals(
    approvals: Sequence[Approval], commit: str, excluded: Collection[int]
) -> tuple[Account, ...]:
    """Return the people whose approval counts: of exactly this commit, and each of them once.

    Args:
        excluded: ids of accounts that cannot approve: the author of the change, and the own one.
    """
    people = {
        approval.account.id: approval.account
        for approval in approvals
        if approval.is_person and approval.commit in (commit, "") and approval.account.id not in excluded
    }
    return tuple(people[number] for number in sorted(people))


def verdict_status(
    review: ReportedReview,
    commit: str,
    approvals: Sequence[Account] = (),
    *,
    name: str = CHECK,
    url: str = "",
) -> VerdictStatus:
    """Return the status of a commit.

    Args:
        commit: the head of the change request.
        approvals: the people whose approval counts.
        url: of the run with the reports.
    """
    conclusion, sentence = _conclusion(review, len(approvals))
    title = truncate(one_line(f"{review.verdict.name} ({review.verdict.tier}): {sentence}"), _LONGEST_TITLE)
    return VerdictStatus(name, commit, conclusion, title, _summary(review, sentence, approvals), url)


def _conclusion(review: ReportedReview, approvals: int) -> tuple[StatusConclusion, str]:
    """Return the conclusion and a sentence that states what is missing."""
    required = required_approvals(review)
    if review.gate.outcome == "blocked":
        return StatusConclusion.FAILURE, "findings block this change"
    if review.verdict.name == "declined":
        return StatusConclusion.FAILURE, "the policy declines this change"
    if review.gate.outcome == "inconclusive":
        return StatusConclusion.ACTION_REQUIRED, "a required result is missing; run the review again"
    counted = f"{min(approvals, required)} of {required} approvals of this commit"
    if approvals < required:
        return StatusConclusion.ACTION_REQUIRED, counted
    return StatusConclusion.SUCCESS, counted if required else "no approval is required"


def _summary(review: ReportedReview, sentence: str, approvals: Sequence[Account]) -> str:
    """Return the summary as Markdown, in which no text of the change is markup."""
    blocks = [f"**{review.verdict.name}** ({review.verdict.tier}): {markdown_text(sentence)}."]
    blocks += _list_section("Verdict", review.verdict.reasons)
    blocks += _list_section("Gate", review.gate.reasons)
    blocks += _list_section("Approved by", [account.name for account in approvals])
    blocks += [f"Policy: {markdown_text(review.verdict.policy)}."]
    return "\n\n".join(blocks) + "\n"


def _list_section(title: str, lines: Sequence[str]) -> Iterator[str]:
    if lines:
        more = [f"and {len(lines) - _MOST_REASONS} more"] if len(lines) > _MOST_REASONS else []
        items = [*lines[:_MOST_REASONS], *more]
        yield f"**{title}**"
        yield "\n".join(f"- {markdown_text(truncate(line, _LONGEST_REASON))}" for line in items)
