"""The state of a change request that comments are planned from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import msgspec

from wardround.delivery.code_hosts.code_host import CodeHost
from wardround.delivery.code_hosts.model import Account, Comment, Thread
from wardround.delivery.feedback.markers import is_summary, marked_finding, marked_resolved


class FeedbackState(msgspec.Struct, frozen=True, dict=True):
    """The comments on a change request now.

    Attributes:
        account: whose comments are ours.
        hunks: path -> the lines of each hunk, on which comments are accepted.
        threads, comments: of everybody.
    """

    account: Account
    hunks: Mapping[str, Sequence[range]]
    threads: tuple[Thread, ...]
    comments: tuple[Comment, ...]

    @cached_property
    def own_threads(self) -> Mapping[str, tuple[Thread, ...]]:
        """Fingerprint -> the threads of this account about the finding, oldest first."""
        found: dict[str, list[Thread]] = {}
        for thread in sorted(self.threads, key=lambda thread: _age(thread.comment_id)):
            fingerprint = marked_finding(thread.body)
            if fingerprint and self.is_own(thread.author):
                found.setdefault(fingerprint, []).append(thread)
        return {fingerprint: tuple(threads) for fingerprint, threads in found.items()}

    @cached_property
    def summaries(self) -> tuple[Comment, ...]:
        """The summaries of this account, oldest first; there should be one at most."""
        own = (comment for comment in self.comments if self.is_own(comment.author))
        return tuple(sorted((c for c in own if is_summary(c.body)), key=lambda comment: _age(comment.id)))

    @cached_property
    def resolved_before(self) -> frozenset[str]:
        """Findings whose threads an earlier run resolved: one that is open now was reopened by a person."""
        return frozenset[str]().union(*(marked_resolved(summary.body) for summary in self.summaries))

    def is_own(self, account: Account) -> bool:
        """Return True for the account whose credentials are used."""
        return account.id == self.account.id

    def has_reply(self, thread: Thread) -> bool:
        """Return True if somebody else replied in a thread."""
        return any(not self.is_own(reply.author) for reply in thread.replies)


def _age(number: str) -> tuple[int, str]:
    """Return the order of an id; those of a host are numbers that only grow."""
    return len(number), number


def read_state(host: CodeHost) -> FeedbackState:
    """Read the comments of a change request.

    Raises:
        RefusedByHost, HostError: see ``Feedback``.
    """
    feedback = host.feedback
    return FeedbackState(
        host.account(), feedback.hunks(), tuple(feedback.threads()), tuple(feedback.comments())
    )
