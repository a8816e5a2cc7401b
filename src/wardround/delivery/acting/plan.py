"""The plan: the actions that a verdict demands of a change request as it is now.

Pure: it is made from values, so that a dry run shows exactly the actions that would be done.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from wardround.delivery.acting.actions import (
    Action,
    Approve,
    DisableAutoMerge,
    EnableAutoMerge,
    Merge,
    PublishCheck,
    RequestReviews,
    WithdrawApprovals,
)
from wardround.delivery.acting.verified_review import VerifiedReview
from wardround.delivery.code_hosts.model import (
    Account,
    ChangeRequest,
    ChangeRequestState,
    MergeMethod,
    MergeState,
    StatusConclusion,
    VerdictStatus,
)
from wardround.delivery.verdict_status import CHECK, counting_approvals, required_approvals, verdict_status

_SHOWN = 12
"""Digits of a commit id in a message."""


class ActSettings(msgspec.Struct, frozen=True):
    """The settings of the caller.

    Attributes:
        check: name of the check.
        url: of the run with the reports.
        as_commit_status: publish a commit status instead of a check run.
        approve_as: the account that may approve; empty to approve nothing.
        may_merge: merge directly where the host cannot merge automatically.
        method: of merging; None for the default of the repository.
    """

    check: str = CHECK
    url: str = ""
    as_commit_status: bool = False
    approve_as: str = ""
    may_merge: bool = False
    method: MergeMethod | None = None


class Situation(msgspec.Struct, frozen=True):
    """A change request as it is now, and the account that acts."""

    request: ChangeRequest
    state: MergeState
    account: Account


class Plan(msgspec.Struct, frozen=True):
    """The actions in their order.

    Attributes:
        notes: for people, why something is not done.
        is_obsolete: the reviewed commit is not the head of the change request.
    """

    actions: tuple[Action, ...] = ()
    notes: tuple[str, ...] = ()
    is_obsolete: bool = False


def make_plan(review: VerifiedReview, now: Situation, settings: ActSettings) -> Plan:
    """Return the plan for a review."""
    if now.request.state is not ChangeRequestState.OPEN:
        return Plan(notes=(f"the change request is {now.request.state}: nothing is done",))
    if (reason := _other_commit(review, now.state)) is not None:
        keep = now.state.head
        return Plan(tuple(_withdrawals(now, reason, keep)), (reason,), is_obsolete=True)
    if (reason := _other_target(review, now.state)) is not None:
        check = _check(_other_target_status(review, now.state, reason, settings), settings)
        return Plan((*_withdrawals(now, reason), check), (reason,))
    return _CurrentPlan(review, now, settings).plan()


def _other_commit(review: VerifiedReview, state: MergeState) -> str | None:
    """Return a sentence for a review of another commit than the head, or than the test merge of it."""
    commit = review.report.commit
    if commit and commit in (state.head, state.test_merge):
        return None
    return (
        f"the reviewed commit is {commit[:_SHOWN] or 'unknown'}, and the head of the change request is "
        f"{state.head[:_SHOWN]}: what was enabled is withdrawn; review that commit"
    )


def _other_target(review: VerifiedReview, state: MergeState) -> str | None:
    """Return a sentence for a review of a change into another branch, for which another policy may apply.

    Without a record nothing names the branch.
    """
    if not review.record or review.target == state.target:
        return None
    return (
        f"the review is of a change into {review.target or 'an unknown branch'}, not into {state.target}: "
        "what was enabled is withdrawn; review it again"
    )


def _other_target_status(
    review: VerifiedReview, state: MergeState, reason: str, settings: ActSettings
) -> VerdictStatus:
    status = verdict_status(review.report, state.head, name=settings.check, url=settings.url)
    sentence = reason.partition(":")[0]
    return replace(
        status, conclusion=StatusConclusion.ACTION_REQUIRED, title=sentence, summary=f"{sentence}.\n"
    )


def _check(status: VerdictStatus, settings: ActSettings) -> Action:
    return PublishCheck(
        commit=status.commit, reason=status.title, status=status, as_commit_status=settings.as_commit_status
    )


def _withdrawals(now: Situation, reason: str, keep: str = "") -> Iterator[Action]:
    """Yield the actions that undo everything that this account enabled or approved.

    Args:
        keep: a commit whose approval remains.
    """
    enabled_by = now.state.enabled_by
    if now.state.is_enabled and enabled_by is not None and enabled_by.id == now.account.id:
        yield DisableAutoMerge(reason=reason)
    if now.state.own_approvals - {keep}:
        yield WithdrawApprovals(reason=reason, keep=keep)


class _CurrentPlan:
    """The plan for a review of the head."""

    def __init__(self, review: VerifiedReview, now: Situation, settings: ActSettings) -> None:
        self._review = review
        self._now = now
        self._settings = settings
        self._head = now.state.head
        self._verdict = review.report.verdict
        self._reason = f"the verdict is {self._verdict.name} ({self._verdict.tier})"
        self._notes: list[str] = []
        excluded = {now.request.author.id, now.account.id}
        approved = counting_approvals(now.state.approvals, self._head, excluded)
        self._approved = {account.name.lower() for account in approved}
        self._status = verdict_status(
            review.report, self._head, approved, name=settings.check, url=settings.url
        )
        self._is_successful = self._status.conclusion is StatusConclusion.SUCCESS

    def plan(self) -> Plan:
        """Return the actions of the verdict.

        Withdrawals come first. Auto-merge is enabled before the check succeeds, since GitHub enables it only
        while a rule is not satisfied.
        """
        before, after = self._merging()
        check = _check(self._status, self._settings)
        actions = (
            *self._forbidden(), *before, *self._approval(), check, *self._review_requests(), *after
        )  # fmt: skip
        return Plan(actions, tuple(self._notes))

    def _forbidden(self) -> Iterator[Action]:
        """Yield the withdrawal of each earlier action that this verdict does not permit."""
        keep = self._head if self._review.is_mild else ""
        for action in _withdrawals(self._now, self._reason, keep):
            is_enabled_still = self._verdict.name == "auto-merge" and self._review.is_mild
            if not (isinstance(action, DisableAutoMerge) and is_enabled_still):
                yield action

    def _approval(self) -> Iterator[Action]:
        """Yield the approval, if the token is that of the configured account, and not of the author."""
        if not self._review.is_mild or self._head in self._now.state.own_approvals:
            return
        if (obstacle := self._approval_obstacle()) is None:
            yield Approve(commit=self._head, reason=f"{self._reason} by {self._verdict.policy}"[:500])
        elif obstacle:
            self._notes.append(f"not approved: {obstacle}")

    def _approval_obstacle(self) -> str | None:
        """Return the reason why nothing is approved; empty if no approval is demanded."""
        account, named = self._now.account, self._settings.approve_as
        if not named:
            return "--approve-as names no account" if self._verdict.name == "auto-approve" else ""
        if self._now.request.is_draft:
            return "the change request is a draft"
        if account.name.lower() != named.lower():
            return f"the token is that of {account.name}, not of {named}"
        if account.id == self._now.request.author.id:
            return f"{account.name} is the author of the change request"
        return None

    def _merging(self) -> tuple[list[Action], list[Action]]:
        """Return the actions that merge the change, before and after the check is published."""
        if self._verdict.name != "auto-merge" or not self._is_successful:
            return [], []
        if (obstacle := self._merge_obstacle()) is not None:
            self._notes.append(f"not merged: {obstacle}")
            return [], []
        now = self._now.state
        if now.is_enabled:
            return [], []
        enabling = EnableAutoMerge(commit=self._head, reason=self._reason, method=self._settings.method)
        if now.can_auto_merge and not now.can_merge:
            return [enabling], []
        return [], [enabling] if now.requires_queue else self._direct_merge()

    def _merge_obstacle(self) -> str | None:
        """Return the reason why a change is not merged by any mechanism."""
        state, check = self._now.state, self._settings.check
        if self._now.request.is_draft:
            return "the change request is a draft"
        if check in state.required_checks or state.ends_on_push:
            return None
        return (
            f"the branch {state.target} does not require the check {check}, so that a later push would be "
            "merged without a review; require it by a rule of the branch"
        )

    def _direct_merge(self) -> list[Action]:
        """Return the merge of a change that the host cannot merge later."""
        state = self._now.state
        cause = (
            "all rules are satisfied, so that auto-merge has nothing to wait for"
            if state.can_auto_merge
            else "the repository does not permit auto-merge"
        )
        if not self._settings.may_merge:
            self._notes.append(f"not merged: {cause}; --merge merges the reviewed commit")
            return []
        if state.is_administrator:
            self._notes.append(
                "not merged: the account is an administrator, whose merge could bypass rules; use another one"
            )
            return []
        return [Merge(commit=self._head, reason=f"{self._reason}; {cause}", method=self._settings.method)]

    def _review_requests(self) -> Iterator[Action]:
        """Yield the request of each review that the applying rules name, while approvals are missing.

        A host refuses a request as a whole, so that one name it does not know would stop all of them.
        """
        if not self._waits_for_people():
            return
        people, teams = self._reviewers_to_request()
        for person in people:
            yield RequestReviews(commit=self._head, reason=self._status.title, people=(person,))
        for team in teams:
            yield RequestReviews(commit=self._head, reason=self._status.title, teams=(team,))
        if not self._review.teams and (missing := self._unnamed_approvals()):
            self._notes.append(
                f"the applying rules of the policy name too few reviewers: request {missing} more yourself"
            )

    def _waits_for_people(self) -> bool:
        """Return True if approvals are all that is missing."""
        if self._is_successful or self._now.request.is_draft or self._verdict.name == "declined":
            return False
        return self._review.report.gate.outcome == "pass" and required_approvals(self._review.report) > 0

    def _unnamed_approvals(self) -> int:
        """Return the number of required approvals for which no person is named and nobody has approved."""
        author = self._now.request.author.name.lower()
        people = {person.lower() for person in self._review.people} - {author}
        return max(0, required_approvals(self._review.report) - len(people | self._approved))

    def _reviewers_to_request(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return people who are not requested, have not approved and are not the author, and teams."""
        state, author = self._now.state, self._now.request.author.name.lower()
        known = {*state.people, *self._approved, author}
        people = tuple(person for person in self._review.people if person.lower() not in known)
        return people, tuple(team for team in self._review.teams if team.lower() not in state.teams)
