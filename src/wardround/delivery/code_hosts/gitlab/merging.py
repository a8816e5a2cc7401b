"""Approvals and merging of a merge request of GitLab.

GitLab ends an auto-merge when a commit is pushed, and names no commit of an approval: an approval counts for
the last commit if it is younger than the last version of the diff. GitLab removes approvals some time after a
push, so that the setting of a project decides only where GitLab reports no time. Sources: GitLab, "Merge
requests API", "Merge request approvals API", "Merge trains API", "Users API".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

import msgspec

from wardround.delivery.code_hosts.client import ApiClient, Shape
from wardround.delivery.code_hosts.errors import RefusedByHost
from wardround.delivery.code_hosts.gitlab.project import (
    MergeRequest,
    User,
    pipeline_of_head,
    project_path,
    request_path,
)
from wardround.delivery.code_hosts.model import (
    Account,
    Approval,
    ChangeRequestReference,
    MergeMethod,
    MergeState,
)

_ABSENT = frozenset({403, 404})
"""Statuses of a feature that the edition or the project does not have."""
_NOT_ACCEPTABLE = 406
_UNPROCESSABLE = 422
_MERGED = "merged"
_MERGEABLE = "mergeable"
_OLDER = "an older commit"
"""In place of the commit of an approval that is not of the last commit; it equals none."""
_METHODS = {
    MergeMethod.MERGE: frozenset({"merge", "rebase_merge"}),
    MergeMethod.REBASE: frozenset({"ff"}),
    MergeMethod.SQUASH: frozenset({"merge", "rebase_merge", "ff"}),
}
"""Method -> the settings of a project under which a merge request is merged that way."""


class _Project(msgspec.Struct, frozen=True):
    merge_method: str = "merge"
    merge_trains_enabled: bool = False


class _ApprovalSettings(msgspec.Struct, frozen=True):
    reset_approvals_on_push: bool = False


class _Approver(msgspec.Struct, frozen=True):
    user: User
    approved_at: datetime | None = None


class _Approvals(msgspec.Struct, frozen=True):
    approved_by: tuple[_Approver, ...] = ()


class _Version(msgspec.Struct, frozen=True):
    head_commit_sha: str
    created_at: datetime


class _TrainCar(msgspec.Struct, frozen=True):
    status: str
    user: User | None = None


class GitlabMerging:
    """Approves and merges a merge request by GitLab's own mechanisms.

    Args:
        user: the account of the token.
    """

    def __init__(self, client: ApiClient, reference: ChangeRequestReference, user: User) -> None:
        self._client = client
        self._reference = reference
        self._user = user
        self._project_path = project_path(reference)
        self._path = request_path(reference)
        self._train_path = f"{self._project_path}/merge_trains/merge_requests/{reference.number}"

    def state(self) -> MergeState:
        """Return approvals, reviewers and auto-merge; a push between the requests shows in the head."""
        approvals = tuple(self._approvals())
        project = self._project()
        car = self._train_car() if project.merge_trains_enabled else None
        request = self._request()
        head = request.sha or ""
        pipeline = pipeline_of_head(self._client, self._reference, request)
        own = (approval.commit for approval in approvals if approval.account.id == self._user.id)
        return MergeState(
            head=head,
            target=request.target_branch,
            test_merge=pipeline.sha if pipeline is not None and pipeline.sha != head else "",
            approvals=approvals,
            own_approvals=frozenset(own),
            people=frozenset(reviewer.username.lower() for reviewer in request.reviewers or ()),
            enabled_by=_enabled_by(request, car),
            is_enabled=car is not None or request.merge_when_pipeline_succeeds,
            requires_queue=project.merge_trains_enabled,
            can_auto_merge=True,
            can_merge=request.detailed_merge_status == _MERGEABLE,
            is_administrator=self._user.is_admin,
            ends_on_push=True,
        )

    def approve(self, commit: str, body: str) -> None:
        """Approve exactly one commit; GitLab rejects it for another head. It keeps no text."""
        self._client.write("POST", f"{self._path}/approve", {"sha": commit})

    def withdraw_approvals(self, body: str, keep: str = "") -> None:
        """Withdraw the approval of this account, unless it is of one commit."""
        own = [approval for approval in self._approvals() if approval.account.id == self._user.id]
        if own and own[0].commit != keep:
            self._client.write("POST", f"{self._path}/unapprove")

    def request_reviews(self, people: Sequence[str], teams: Sequence[str]) -> None:
        """Add reviewers, who are people: an approval rule of GitLab is what requests groups.

        Raises:
            RefusedByHost: a person is unknown, or teams are named.
        """
        present = [reviewer.id for reviewer in self._request().reviewers or ()]
        wanted = [self._user_id(name) for name in people]
        if missing := [number for number in wanted if number not in present]:
            self._client.write("PUT", self._path, {"reviewer_ids": [*present, *missing]})
        if teams:
            raise RefusedByHost(
                f"GitLab requests no reviews of groups ({', '.join(teams)}); name people in the "
                "policy, or add an approval rule to the project",
                _UNPROCESSABLE,
            )

    def enable_auto_merge(self, commit: str, method: MergeMethod | None = None) -> None:
        """Set auto-merge for exactly this commit, or add the merge request to the merge train."""
        project = self._project()
        body: dict[str, str | bool] = {"sha": commit, "auto_merge": True, **_squash(method, project)}
        if project.merge_trains_enabled:
            self._client.write("POST", self._train_path, body)
            return
        # versions of GitLab before 17.11 know the older name of the parameter alone
        self._accept({**body, "merge_when_pipeline_succeeds": True}, commit)

    def disable_auto_merge(self) -> None:
        """Cancel auto-merge, and remove the merge request from the merge train.

        Raises:
            RefusedByHost: it is enabled still; GitLab reports that only in the text of a success.
        """
        try:
            self._client.write("POST", f"{self._path}/cancel_merge_when_pipeline_succeeds")
        except RefusedByHost as refusal:
            if refusal.status != _NOT_ACCEPTABLE:  # it is not enabled
                raise
        if self._request().merge_when_pipeline_succeeds:
            raise RefusedByHost("GitLab did not cancel auto-merge; cancel it there", _UNPROCESSABLE)

    def merge(self, commit: str, method: MergeMethod | None = None) -> None:
        """Merge exactly this commit; one that a lost response merged already is left as it is."""
        request, project = self._request(), self._project()
        if request.state != _MERGED and request.detailed_merge_status != _MERGEABLE:
            status = request.detailed_merge_status or "unknown"
            raise RefusedByHost(f"GitLab does not report that it can be merged (status: {status})", 405)
        self._accept({"sha": commit, **_squash(method, project)}, commit)

    def _accept(self, body: dict[str, str | bool], commit: str) -> None:
        """Merge or set auto-merge; a refusal of what is done already is none."""
        try:
            self._client.write("PUT", f"{self._path}/merge", body)
        except RefusedByHost:
            request = self._request()
            is_enabled = bool(body.get("auto_merge")) and request.merge_when_pipeline_succeeds
            if request.sha != commit or not (request.state == _MERGED or is_enabled):
                raise

    def _request(self) -> MergeRequest:
        return self._client.get(self._path, MergeRequest)

    def _project(self) -> _Project:
        return self._client.get(self._project_path, _Project)

    def _train_car(self) -> _TrainCar | None:
        car = self._optional(self._train_path, _TrainCar)
        return None if car is None or car.status == _MERGED else car

    def _approvals(self) -> Iterator[Approval]:
        """Yield the approvals, with the last commit for those that are of it."""
        approvers = self._client.get(f"{self._path}/approvals", _Approvals).approved_by
        if not approvers:
            return
        settings = self._optional(f"{self._project_path}/approvals", _ApprovalSettings)
        newest = next(self._client.pages(f"{self._path}/versions", _Version), None)
        is_reset = settings is not None and settings.reset_approvals_on_push
        for approver in approvers:
            is_current = is_reset if approver.approved_at is None else _is_younger(approver, newest)
            commit = newest.head_commit_sha if is_current and newest is not None else _OLDER
            user = self._client.get(f"/users/{approver.user.id}", User)
            yield Approval(approver.user.account, commit, is_person=not user.bot)

    def _user_id(self, name: str) -> int:
        found = self._client.get("/users", list[User], username=name)
        if not found:
            raise RefusedByHost(f"GitLab has no user {name}; correct the reviewers of the policy", 404)
        return found[0].id

    def _optional(self, path: str, shape: type[Shape]) -> Shape | None:
        try:
            return self._client.get(path, shape)
        except RefusedByHost as refusal:
            if refusal.status not in _ABSENT:
                raise
            return None


def _is_younger(approver: _Approver, version: _Version | None) -> bool:
    if version is None or approver.approved_at is None:
        return False
    return approver.approved_at > version.created_at


def _enabled_by(request: MergeRequest, car: _TrainCar | None) -> Account | None:
    if car is not None:
        return None if car.user is None else car.user.account
    user = request.merge_user if request.merge_when_pipeline_succeeds else None
    return None if user is None else user.account


def _squash(method: MergeMethod | None, project: _Project) -> dict[str, bool]:
    """Return the parameter for a method; squashing is what GitLab leaves to the request.

    Raises:
        RefusedByHost: the project merges in another way.
    """
    if method is None:
        return {}
    if project.merge_method not in _METHODS[method]:
        raise RefusedByHost(
            f"the project merges by {project.merge_method}, not by {method.value}; leave the method out",
            _UNPROCESSABLE,
        )
    return {"squash": method is MergeMethod.SQUASH}
