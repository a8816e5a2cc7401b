"""The plan of the comments on a change request: a pure function of the report and of the state there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import msgspec

from wardround.delivery.code_hosts.model import Comment, LineComment, Thread
from wardround.delivery.feedback.comment_text import FindingComments
from wardround.delivery.feedback.state import FeedbackState
from wardround.delivery.reported_review import ReportedFinding, ReportedReview

MOST_COMMENTS = 5
"""Default number of open comments on lines: reviewers who write more are muted."""
_INTRODUCED = ("new", "caused")
_RANK = {"error": 0, "warn": 1, "info": 2}


class FeedbackPlan(msgspec.Struct, frozen=True):
    """The operations that make a change request show a review.

    Attributes:
        posted: the findings of ``review_comments``, in order.
        resolve, reopen: threads of this account.
        duplicates: threads and summaries of this account that another run wrote at the same time.
        held_back: findings that could have a comment, and have none because of the limit.
        elsewhere: findings outside of the diff, which only the summary shows.
        is_known: findings whose thread a person resolved or this account keeps open.
    """

    review_comments: tuple[LineComment, ...] = ()
    posted: tuple[ReportedFinding, ...] = ()
    resolve: tuple[Thread, ...] = ()
    reopen: tuple[Thread, ...] = ()
    duplicate_threads: tuple[Thread, ...] = ()
    duplicate_summaries: tuple[Comment, ...] = ()
    held_back: tuple[ReportedFinding, ...] = ()
    elsewhere: tuple[ReportedFinding, ...] = ()
    known: tuple[ReportedFinding, ...] = ()

    @property
    def changes_threads(self) -> bool:
        """True if anything but the summary is written."""
        return bool(self.review_comments or self.resolve or self.reopen or self.has_duplicates)

    @property
    def has_duplicates(self) -> bool:
        """True if another run wrote the same."""
        return bool(self.duplicate_threads or self.duplicate_summaries)


def plan_feedback(
    review: ReportedReview,
    state: FeedbackState,
    comments: FindingComments,
    has_same_lines: Callable[[str], bool],
    most: int = MOST_COMMENTS,
) -> FeedbackPlan:
    """Return the operations that are still missing.

    Args:
        has_same_lines: whether the lines of the report are those of the head, for a path.
        most: number of threads of this account that are open at a time.
    """
    reported = {finding.fingerprint: finding for finding in introduced_findings(review)}
    first = {fingerprint: threads[0] for fingerprint, threads in state.own_threads.items()}
    current = [thread for fingerprint, thread in first.items() if fingerprint in reported]
    fresh = [finding for finding in reported.values() if finding.fingerprint not in first]
    placed, elsewhere = _by_place(fresh, state, has_same_lines)
    room = max(0, most - sum(not thread.is_resolved for thread in current))
    return FeedbackPlan(
        review_comments=tuple(comments.comment(finding) for finding in placed[:room]),
        posted=tuple(placed[:room]),
        resolve=tuple(_obsolete_threads(state, reported.keys())),
        reopen=tuple(thread for thread in current if _is_resolved_by_us(thread, state)),
        duplicate_threads=tuple(_younger_threads(state)),
        duplicate_summaries=state.summaries[1:],
        held_back=tuple(placed[room:]),
        elsewhere=tuple(elsewhere),
        known=tuple(finding for finding in reported.values() if finding.fingerprint in first),
    )


def introduced_findings(review: ReportedReview) -> list[ReportedFinding]:
    """Return the findings that the change introduces: errors first, then the most likely."""
    found = [finding for finding in review.findings if finding.status in _INTRODUCED]
    return sorted(found, key=lambda f: (_RANK[f.severity], -f.confidence, f.file, f.line, f.fingerprint))


def _by_place(
    findings: Sequence[ReportedFinding], state: FeedbackState, has_same_lines: Callable[[str], bool]
) -> tuple[list[ReportedFinding], list[ReportedFinding]]:
    """Return the findings on lines of the diff, and the others."""
    placed: list[ReportedFinding] = []
    elsewhere: list[ReportedFinding] = []
    for finding in findings:
        is_in_diff = finding.line in state.changed_lines.get(finding.file, frozenset())
        (placed if is_in_diff and has_same_lines(finding.file) else elsewhere).append(finding)
    return placed, elsewhere


def _obsolete_threads(state: FeedbackState, reported: Iterable[str]) -> Iterable[Thread]:
    """Yield open threads whose finding is gone; one in which somebody replied is left to people."""
    kept = frozenset(reported)
    for fingerprint, threads in state.own_threads.items():
        if fingerprint not in kept:
            yield from (t for t in threads if not t.is_resolved and not state.has_reply(t))


def _is_resolved_by_us(thread: Thread, state: FeedbackState) -> bool:
    """Return True if this account resolved a thread because its finding was gone."""
    return thread.is_resolved and thread.resolver is not None and state.is_own(thread.resolver)


def _younger_threads(state: FeedbackState) -> Iterable[Thread]:
    """Yield the threads of another run about the same finding, unless somebody replied there."""
    for threads in state.own_threads.values():
        yield from (thread for thread in threads[1:] if not state.has_reply(thread))
