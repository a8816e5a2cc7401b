"""Paths and accounts of GitLab's interface."""

from __future__ import annotations

from urllib.parse import quote

import msgspec

from wardround.delivery.code_hosts.client import ApiClient
from wardround.delivery.code_hosts.errors import RefusedByHost
from wardround.delivery.code_hosts.model import NOBODY, Account, ChangeRequestReference


class User(msgspec.Struct, frozen=True):
    """A user; only the administrator's own account has ``is_admin``."""

    id: int
    username: str
    bot: bool = False
    is_admin: bool = False

    @property
    def account(self) -> Account:
        """The user as an account."""
        return Account(self.id, self.username)


def account_of(user: User | None) -> Account:
    """Return a user as an account."""
    return NOBODY if user is None else user.account


def project_path(reference: ChangeRequestReference) -> str:
    """Return the path of the project, whose name is one escaped part of it."""
    return f"/projects/{quote(reference.repository, safe='')}"


def request_path(reference: ChangeRequestReference) -> str:
    """Return the path of the merge request."""
    return f"{project_path(reference)}/merge_requests/{reference.number}"


class Pipeline(msgspec.Struct, frozen=True):
    """A pipeline; of a merged result, ``sha`` is the merge commit."""

    id: int
    sha: str


class MergeRequest(msgspec.Struct, frozen=True):
    """A merge request; ``sha`` is the last commit of its source branch."""

    iid: int
    state: str
    target_branch: str
    author: User | None = None
    sha: str | None = None
    draft: bool = False
    detailed_merge_status: str = ""
    merge_when_pipeline_succeeds: bool = False
    merge_user: User | None = None
    reviewers: tuple[User, ...] | None = None
    head_pipeline: Pipeline | None = None


class _Commit(msgspec.Struct, frozen=True):
    parent_ids: tuple[str, ...] = ()


_GONE = 404


def parents_of(client: ApiClient, project: str, commit: str) -> tuple[str, ...]:
    """Return the parents of a commit; none if the project does not have it."""
    try:
        return client.get(f"{project}/repository/commits/{commit}", _Commit).parent_ids
    except RefusedByHost as refused:
        if refused.status != _GONE:
            raise
        return ()


def pipeline_of_head(
    client: ApiClient, reference: ChangeRequestReference, request: MergeRequest
) -> Pipeline | None:
    """Return the pipeline of the last commit or of a merge of it; None without one."""
    pipeline, head = request.head_pipeline, request.sha
    if pipeline is None or head is None or pipeline.sha == head:
        return pipeline
    parents = parents_of(client, project_path(reference), pipeline.sha)
    return pipeline if list(parents[1:]) == [head] else None
