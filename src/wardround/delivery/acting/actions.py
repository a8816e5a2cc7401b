"""The actions on a change request: each can be described before it is done."""

from __future__ import annotations

from abc import abstractmethod

import msgspec

from wardround.delivery.code_hosts.code_host import CodeHost
from wardround.delivery.code_hosts.model import MergeMethod, VerdictStatus

_SHOWN = 12
"""Digits of a commit id in a message."""


class Action(msgspec.Struct, frozen=True, kw_only=True):
    """Something that is written to a code host.

    Attributes:
        commit: the commit that it is about; empty for the change request as a whole.
        reason: for people, one line.
    """

    commit: str = ""
    reason: str

    name = ""
    """The name in the log, a verb and its object."""

    @property
    def target(self) -> str:
        """The object that is written, for people and the log."""
        return "the change request"

    @property
    def text(self) -> str:
        """The action with its commit and its reason, for people."""
        commit = f" at {self.commit[:_SHOWN]}" if self.commit else ""
        return f"{self.name.replace('-', ' ')} ({self.target}{commit}): {self.reason}"

    @property
    def key(self) -> tuple[str, str, str]:
        """The identity of the action in another plan."""
        return (self.name, self.target, self.commit)

    @abstractmethod
    def perform(self, host: CodeHost) -> None:
        """Do it.

        Raises:
            LostResponse, RefusedByHost, HostError: as the methods of the host.
        """


class PublishCheck(Action, frozen=True):
    """Publishes the check of the reviewed commit."""

    status: VerdictStatus
    as_commit_status: bool = False

    name = "publish-check"

    @property
    def target(self) -> str:
        return f"{self.status.name}: {self.status.conclusion.value}"

    def perform(self, host: CodeHost) -> None:
        """Create the check, or update it."""
        checks = host.commit_statuses if self.as_commit_status else host.checks
        checks.publish(self.status)


class EnableAutoMerge(Action, frozen=True):
    """Lets the host merge the reviewed commit once its rules are satisfied."""

    method: MergeMethod | None = None

    name = "enable-auto-merge"

    def perform(self, host: CodeHost) -> None:
        """Enable it for the commit."""
        host.merging.enable_auto_merge(self.commit, self.method)


class Merge(Action, frozen=True):
    """Merges the reviewed commit now."""

    method: MergeMethod | None = None

    name = "merge"

    def perform(self, host: CodeHost) -> None:
        """Merge the commit."""
        host.merging.merge(self.commit, self.method)


class Approve(Action, frozen=True):
    """Approves the reviewed commit."""

    name = "approve"

    def perform(self, host: CodeHost) -> None:
        """Approve the commit."""
        host.merging.approve(self.commit, self.reason)


class RequestReviews(Action, frozen=True):
    """Requests reviews of people and teams."""

    people: tuple[str, ...] = ()
    teams: tuple[str, ...] = ()

    name = "request-reviews"

    @property
    def target(self) -> str:
        return ", ".join((*self.people, *self.teams))

    def perform(self, host: CodeHost) -> None:
        """Request the reviews."""
        host.merging.request_reviews(self.people, self.teams)


class DisableAutoMerge(Action, frozen=True):
    """Undoes what this account enabled."""

    name = "disable-auto-merge"

    def perform(self, host: CodeHost) -> None:
        """Disable it."""
        host.merging.disable_auto_merge()


class WithdrawApprovals(Action, frozen=True):
    """Withdraws the approvals of this account.

    Attributes:
        keep: a commit whose approval remains.
    """

    keep: str = ""

    name = "withdraw-approvals"

    def perform(self, host: CodeHost) -> None:
        """Withdraw them."""
        host.merging.withdraw_approvals(self.reason, self.keep)
