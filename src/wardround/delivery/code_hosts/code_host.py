"""The interface of a code host, in three parts: comments, checks and merging."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from wardround.delivery.code_hosts.model import (
    Account,
    ChangeRequest,
    Comment,
    LineComment,
    Thread,
    VerdictStatus,
)


class Feedback(Protocol):
    """Comments on a change request.

    Every method may raise ``HostError``, ``RefusedByHost`` or, if it creates something, ``LostResponse``.
    """

    most_comments: int
    """Maximum number of line comments in one request."""

    def changed_lines(self) -> Mapping[str, frozenset[int]]:
        """Return path -> the lines of the head on which the host accepts comments."""
        ...

    def threads(self) -> Sequence[Thread]:
        """Return all threads on lines, oldest first."""
        ...

    def comments(self) -> Sequence[Comment]:
        """Return all comments on the change request as a whole, oldest first."""
        ...

    def post_review(self, commit: str, comments: Sequence[LineComment]) -> None:
        """Post comments on lines of a commit, as one review where the host has reviews."""
        ...

    def create_comment(self, body: str) -> None:
        """Comment on the change request as a whole."""
        ...

    def update_comment(self, comment: Comment, body: str) -> None:
        """Replace the text of a comment of this account."""
        ...

    def delete_comment(self, comment: Comment) -> None:
        """Delete a comment of this account; one that is gone already is no error."""
        ...

    def resolve(self, thread: Thread) -> None:
        """Resolve a thread."""
        ...


class Checks(Protocol):
    """Checks of commits."""

    def publish(self, status: VerdictStatus) -> None:
        """Create the check of a commit, or update that of this account with the same name."""
        ...


class Merging(Protocol):
    """Approvals and merging of a change request, with the rights of the account and no others."""

    def approve(self, commit: str, body: str) -> None:
        """Approve exactly one commit."""
        ...

    def withdraw_approval(self, body: str) -> None:
        """Withdraw the approvals of this account; without any, do nothing."""
        ...

    def approvals(self, commit: str) -> Sequence[Account]:
        """Return the accounts whose approval of exactly this commit counts now."""
        ...

    def request_reviews(self, people: Sequence[str], teams: Sequence[str]) -> None:
        """Ask people and teams for a review; those already asked are left out."""
        ...

    def enable_auto_merge(self, commit: str) -> None:
        """Let the host merge exactly this commit once its own rules are satisfied."""
        ...

    def disable_auto_merge(self) -> None:
        """Undo ``enable_auto_merge``; a change request without it is left as it is."""
        ...


class CodeHost(Protocol):
    """A change request on a code host, opened with the credentials of one account."""

    feedback: Feedback
    checks: Checks
    merging: Merging

    def account(self) -> Account:
        """Return the account whose credentials are used."""
        ...

    def change_request(self) -> ChangeRequest:
        """Return the change request as it is now."""
        ...
