"""The interface of a code host, in three parts: comments, checks and merging."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from wardround.delivery.code_hosts.model import (
    Account,
    ChangeRequest,
    Comment,
    LineComment,
    MergeMethod,
    MergeState,
    Thread,
    VerdictStatus,
)


class Feedback(Protocol):
    """Comments on a change request.

    Every method may raise ``HostError``, ``RefusedByHost`` or, if it creates something, ``LostResponse``.
    """

    most_comments: int
    """Maximum number of line comments in one request."""

    def hunks(self) -> Mapping[str, Sequence[range]]:
        """Return path -> the lines of the head in each hunk of the diff.

        The host accepts comments on these lines; one on several lines begins and ends in the same hunk.
        """
        ...

    def text(self, path: str, commit: str) -> str | None:
        """Return the text of a file at a commit; None for anything but a text file."""
        ...

    def is_merge_of(self, commit: str, head: str) -> bool:
        """Return True if a commit is a merge of a head into the target branch, made by the host for tests."""
        ...

    def suggestion_language(self, lines: int) -> str:
        """Return the language of a block of code that replaces the lines of its comment.

        Args:
            lines: their number.
        """
        ...

    def threads(self) -> Sequence[Thread]:
        """Return all threads on lines, oldest first."""
        ...

    def comments(self) -> Sequence[Comment]:
        """Return all comments on the change request as a whole, oldest first."""
        ...

    def can_write(self, account: Account) -> bool:
        """Return True if an account may write to the repository."""
        ...

    def post_review(self, commit: str, comments: Sequence[LineComment]) -> None:
        """Post comments on lines of a commit, as one review where the host has reviews."""
        ...

    def create_comment(self, body: str) -> None:
        """Comment on the change request as a whole."""
        ...

    def update_comment(self, comment: Comment, body: str) -> None:
        """Replace the text of a comment of this account, if it still exists."""
        ...

    def delete_comment(self, comment: Comment) -> None:
        """Delete a comment of this account, unless it is deleted already."""
        ...

    def resolve(self, thread: Thread) -> None:
        """Resolve a thread, if it still exists."""
        ...

    def reopen(self, thread: Thread) -> None:
        """Reopen a resolved thread, if it still exists."""
        ...

    def delete_thread(self, thread: Thread) -> None:
        """Delete a thread of this account in which nobody replied, if it still exists."""
        ...


class Checks(Protocol):
    """Checks of commits."""

    def publish(self, status: VerdictStatus) -> None:
        """Create the check of a commit, or update that of this account with the same name."""
        ...


class Merging(Protocol):
    """Approvals and merging of a change request, with the rights of the account and no others.

    A request that names a commit applies to exactly that commit: the host rejects it for another head.
    Nothing here uses the rights of an administrator to bypass a rule. The methods that write may raise
    ``LostResponse``, after which ``state`` shows whether it was done.
    """

    def state(self) -> MergeState:
        """Return approvals, requested reviewers and auto-merge, all read at one time."""
        ...

    def approve(self, commit: str, body: str) -> None:
        """Approve exactly one commit."""
        ...

    def withdraw_approvals(self, body: str, keep: str = "") -> None:
        """Withdraw the approvals of this account, except those of one commit; without any, do nothing."""
        ...

    def request_reviews(self, people: Sequence[str], teams: Sequence[str]) -> None:
        """Request reviews of people and teams; those already requested are left out."""
        ...

    def enable_auto_merge(self, commit: str, method: MergeMethod | None = None) -> None:
        """Let the host merge exactly this commit once its own rules are satisfied.

        Where the target branch has a merge queue, the change request is added to it.
        """
        ...

    def disable_auto_merge(self) -> None:
        """Undo ``enable_auto_merge``; a change request without it is left as it is."""
        ...

    def merge(self, commit: str, method: MergeMethod | None = None) -> None:
        """Merge exactly this commit now, if the rules of the host are satisfied."""
        ...


class CodeHost(Protocol):
    """A change request on a code host, opened with the credentials of one account."""

    @property
    def feedback(self) -> Feedback:
        """Comments on the change request."""
        ...

    @property
    def checks(self) -> Checks:
        """Checks of commits."""
        ...

    @property
    def commit_statuses(self) -> Checks:
        """Checks for a token that cannot create those of ``checks``; the same where there is one kind."""
        ...

    @property
    def merging(self) -> Merging:
        """Approvals and merging."""
        ...

    def account(self) -> Account:
        """Return the account whose credentials are used."""
        ...

    def change_request(self) -> ChangeRequest:
        """Return the change request as it is now."""
        ...

    def close(self) -> None:
        """Close the connections."""
        ...
