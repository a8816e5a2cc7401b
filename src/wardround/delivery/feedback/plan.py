"""The plan of the comments on a change request: a pure function of the report and of the state there."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

import msgspec

from wardround.delivery.code_hosts.model import Comment, LineComment, Thread
from wardround.delivery.feedback.comment_text import FindingComments
from wardround.delivery.feedback.state import FeedbackState
from wardround.delivery.reported_review import ReportedFinding, ReportedReview

_INTRODUCED = ("new", "caused")
_RANK = {"error": 0, "warn": 1, "info": 2}


class FeedbackPlan(msgspec.Struct, frozen=True):
    """The operations that make a change request show a review.

    Attributes:
        posted: the findings of ``review_comments``, in order.
        resolve, reopen: threads of this account.
        resolved: fingerprints of the threads that this account resolved, whose findings are not reported.
        duplicate_threads, duplicate_summaries: of this account, which another run wrote at the same time.
        held_back: findings that could have a comment, and have none because of the limit.
        elsewhere: findings without a comment because their lines accept none.
        folded: findings without a comment because they are less useful than others.
        known: findings that have a thread already, open or resolved by a person.
    """

    review_comments: tuple[LineComment, ...] = ()
    posted: tuple[ReportedFinding, ...] = ()
    resolve: tuple[Thread, ...] = ()
    reopen: tuple[Thread, ...] = ()
    resolved: tuple[str, ...] = ()
    duplicate_threads: tuple[Thread, ...] = ()
    duplicate_summaries: tuple[Comment, ...] = ()
    held_back: tuple[ReportedFinding, ...] = ()
    elsewhere: tuple[ReportedFinding, ...] = ()
    folded: tuple[ReportedFinding, ...] = ()
    known: tuple[ReportedFinding, ...] = ()

    @property
    def changes_threads(self) -> bool:
        """True if anything but the summary is written."""
        return bool(self.review_comments or self.resolve or self.reopen or self.has_duplicates)

    @property
    def has_duplicates(self) -> bool:
        """True if another run wrote the same."""
        return bool(self.duplicate_threads or self.duplicate_summaries)


class WriteLog(msgspec.Struct, eq=False):
    """The results of one run's requests, which what the host lists may not show yet.

    Attributes:
        posted: fingerprints of findings whose comment the host accepted.
        rejected: fingerprints of findings on whose lines it accepts none.
        refused: ids of threads that it does not let this account resolve or reopen.
        summary: the text of the last update; empty without one.
        has_new_summary: it accepted a new summary.
    """

    posted: set[str] = msgspec.field(default_factory=set)
    rejected: set[str] = msgspec.field(default_factory=set)
    refused: set[str] = msgspec.field(default_factory=set)
    summary: str = ""
    has_new_summary: bool = False


class FeedbackPlanner(msgspec.Struct, frozen=True):
    """Compares a review with a change request.

    Attributes:
        most: number of threads of this account that are open at a time.
        has_same_lines: whether the lines of the report are those of the head, for a path.
    """

    review: ReportedReview
    comments: FindingComments
    has_same_lines: Callable[[str], bool]
    log: WriteLog
    most: int

    def plan(self, state: FeedbackState) -> FeedbackPlan:
        """Return the operations that are still missing."""
        reported = {finding.fingerprint: finding for finding in introduced_findings(self.review)}
        first = {fingerprint: threads[0] for fingerprint, threads in state.own_threads.items()}
        current = [thread for fingerprint, thread in first.items() if fingerprint in reported]
        with_thread = first.keys() | self.log.posted
        known, fresh = _divide(reported.values(), lambda finding: finding.fingerprint in with_thread)
        folded, shown = _divide(fresh, lambda finding: finding.is_folded)
        placed, elsewhere = _divide(shown, lambda finding: self._is_placed(finding, state))
        room = self._room(current, first.keys())
        resolve = self._with_permission(_obsolete_threads(state, reported.keys()))
        return FeedbackPlan(
            review_comments=tuple(map(self.comments.comment, placed[:room])),
            posted=tuple(placed[:room]),
            resolve=resolve,
            reopen=self._with_permission(thread for thread in current if _is_resolved_by_us(thread, state)),
            resolved=tuple(_resolved_findings(state, reported.keys(), resolve)),
            duplicate_threads=tuple(_younger_threads(state)),
            duplicate_summaries=state.summaries[1:],
            held_back=tuple(placed[room:]),
            elsewhere=tuple(elsewhere),
            folded=tuple(folded),
            known=tuple(known),
        )

    def _room(self, current: Sequence[Thread], listed: Collection[str]) -> int:
        """Return the number of comments that may still be posted."""
        unlisted = len(self.log.posted.difference(listed))
        return max(0, self.most - unlisted - sum(not thread.is_resolved for thread in current))

    def _is_placed(self, finding: ReportedFinding, state: FeedbackState) -> bool:
        if finding.fingerprint in self.log.rejected:
            return False
        is_in_diff = any(finding.line in hunk for hunk in state.hunks.get(finding.file, ()))
        return is_in_diff and self.has_same_lines(finding.file)

    def _with_permission(self, threads: Iterable[Thread]) -> tuple[Thread, ...]:
        """Return the threads that the host lets this account resolve and reopen."""
        return tuple(thread for thread in threads if thread.id not in self.log.refused)


def _divide(
    findings: Iterable[ReportedFinding], condition: Callable[[ReportedFinding], bool]
) -> tuple[list[ReportedFinding], list[ReportedFinding]]:
    """Return the findings for which a condition holds, and the others."""
    holds: list[ReportedFinding] = []
    others: list[ReportedFinding] = []
    for finding in findings:
        (holds if condition(finding) else others).append(finding)
    return holds, others


def introduced_findings(review: ReportedReview) -> list[ReportedFinding]:
    """Return the findings that the change introduces: errors first, then the most likely."""
    found = [finding for finding in review.findings if finding.status in _INTRODUCED]
    return sorted(found, key=lambda f: (_RANK[f.severity], -f.confidence, f.file, f.line, f.fingerprint))


def _obsolete_threads(state: FeedbackState, reported: Iterable[str]) -> Iterator[Thread]:
    """Yield open threads whose finding is not reported, unless somebody replied or reopened them."""
    kept = state.resolved_before.union(reported)
    for fingerprint, threads in state.own_threads.items():
        if fingerprint not in kept:
            yield from (t for t in threads if not t.is_resolved and not state.has_reply(t))


def _resolved_findings(
    state: FeedbackState, reported: Iterable[str], resolve: Sequence[Thread]
) -> Iterator[str]:
    """Yield the fingerprints whose threads this account resolved, also those that a person reopened."""
    kept, now = frozenset(reported), {thread.id for thread in resolve}
    for fingerprint, threads in state.own_threads.items():
        is_ours = any(thread.id in now or _is_resolved_by_us(thread, state) for thread in threads)
        if fingerprint not in kept and (is_ours or fingerprint in state.resolved_before):
            yield fingerprint


def _is_resolved_by_us(thread: Thread, state: FeedbackState) -> bool:
    """Return True if this account resolved a thread, as it does when the finding is not reported."""
    return thread.is_resolved and thread.resolver is not None and state.is_own(thread.resolver)


def _younger_threads(state: FeedbackState) -> Iterator[Thread]:
    """Yield the threads of another run about the same finding, unless somebody replied there."""
    for threads in state.own_threads.values():
        yield from (thread for thread in threads[1:] if not state.has_reply(thread))
