"""The state of a change request that comments are planned from."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import msgspec

from wardround.delivery.code_hosts.code_host import CodeHost
from wardround.delivery.code_hosts.model import Account, Comment, Thread
from wardround.delivery.feedback.markers import is_summary, marked_finding


class FeedbackState(msgspec.Struct, frozen=True, dict=True):
    """What is on a change request now.

    Attributes:
        account: whose comments are ours.
        changed_lines: path -> lines on which comments are accepted.
        threads, comments: of everybody, oldest first.
    """

    account: Account
    changed_lines: Mapping[str, frozenset[int]]
    threads: tuple[Thread, ...]
    comments: tuple[Comment, ...]

    @cached_property
    def own_threads(self) -> Mapping[str, tuple[Thread, ...]]:
        """Fingerprint -> the threads of this account about the finding, oldest first."""
        found: dict[str, list[Thread]] = {}
        for thread in self.threads:
            fingerprint = marked_finding(thread.body)
            if fingerprint and self.is_own(thread.author):
                found.setdefault(fingerprint, []).append(thread)
        return {fingerprint: tuple(threads) for fingerprint, threads in found.items()}

    @cached_property
    def summaries(self) -> tuple[Comment, ...]:
        """The summaries of this account, oldest first; there should be one at most."""
        return tuple(
            comment for comment in self.comments if self.is_own(comment.author) and is_summary(comment.body)
        )

    def is_own(self, account: Account) -> bool:
        """Return True for the account whose credentials are used."""
        return account.id == self.account.id

    def has_reply(self, thread: Thread) -> bool:
        """Return True if somebody else replied in a thread."""
        return any(not self.is_own(account) for account in thread.repliers)


def read_state(host: CodeHost, changed_lines: Mapping[str, frozenset[int]]) -> FeedbackState:
    """Read the comments of a change request.

    Raises:
        RefusedByHost, HostError: see ``Feedback``.
    """
    feedback = host.feedback
    return FeedbackState(host.account(), changed_lines, tuple(feedback.threads()), tuple(feedback.comments()))
