"""Approvals and merging of a pull request of GitHub.

Sources: GitHub, "REST API endpoints for pull request reviews" and "for review requests", and the mutations
``enablePullRequestAutoMerge``, ``disablePullRequestAutoMerge``, ``enqueuePullRequest`` and
``dequeuePullRequest`` of GraphQL.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from wardround.delivery.code_hosts.client import ApiClient
from wardround.delivery.code_hosts.errors import RefusedByHost
from wardround.delivery.code_hosts.github.graphql import Graphql
from wardround.delivery.code_hosts.github.merge_query import STATE, FoundState, MergeQuery
from wardround.delivery.code_hosts.model import (
    Account,
    ChangeRequestReference,
    MergeMethod,
    MergeState,
)
from wardround.text.escaping import markdown_text

_ENABLE = """
mutation($id: ID!, $commit: GitObjectID!, $method: PullRequestMergeMethod) {
  enablePullRequestAutoMerge(
    input: {pullRequestId: $id, expectedHeadOid: $commit, mergeMethod: $method}
  ) { clientMutationId }
}
"""
_ENABLE_QUEUED = """
mutation($id: ID!, $commit: GitObjectID!) {
  enablePullRequestAutoMerge(input: {pullRequestId: $id, expectedHeadOid: $commit}) { clientMutationId }
}
"""
_ENQUEUE = """
mutation($id: ID!, $commit: GitObjectID!) {
  enqueuePullRequest(input: {pullRequestId: $id, expectedHeadOid: $commit}) { clientMutationId }
}
"""
_DISABLE = """
mutation($id: ID!) {
  disablePullRequestAutoMerge(input: {pullRequestId: $id}) { clientMutationId }
}
"""
_DEQUEUE = """
mutation($id: ID!) {
  dequeuePullRequest(input: {id: $id}) { clientMutationId }
}
"""
_APPROVED = "APPROVED"


class _Reviewer(msgspec.Struct, frozen=True):
    id: int


class _Review(msgspec.Struct, frozen=True):
    id: int
    state: str
    user: _Reviewer | None = None
    commit_id: str | None = None


class _Merged(msgspec.Struct, frozen=True):
    merged: bool


class GithubMerging:
    """Approves and merges a pull request by GitHub's own mechanisms.

    Args:
        account: the account of the token.
    """

    def __init__(self, client: ApiClient, reference: ChangeRequestReference, account: Account) -> None:
        self._client = client
        self._graphql = Graphql(client)
        self._reference = reference
        self._account = account
        self._path = f"/repos/{reference.repository}/pulls/{reference.number}"

    def state(self) -> MergeState:
        """Return approvals, requested reviewers and auto-merge, all read by one query.

        The approvals of this account are those of REST, which also lists the ones of bots.
        """
        own = frozenset(review.commit_id or "" for review in self._own_approvals())
        return replace(self._find().state, own_approvals=own)

    def approve(self, commit: str, body: str) -> None:
        """Approve exactly one commit."""
        review = {"commit_id": commit, "event": "APPROVE", "body": markdown_text(body)}
        self._client.write("POST", f"{self._path}/reviews", review)

    def withdraw_approvals(self, body: str, keep: str = "") -> None:
        """Dismiss the approvals of this account, except those of one commit."""
        for review in self._own_approvals():
            if not keep or review.commit_id != keep:
                self._dismiss(review.id, body)

    def request_reviews(self, people: Sequence[str], teams: Sequence[str]) -> None:
        """Request reviews; GitHub names a team of an organisation without the organisation."""
        slugs = [team.rpartition("/")[2] for team in teams]
        body = {"reviewers": list(people)} if people else {}
        body |= {"team_reviewers": slugs} if teams else {}
        self._client.write("POST", f"{self._path}/requested_reviewers", body)

    def enable_auto_merge(self, commit: str, method: MergeMethod | None = None) -> None:
        """Enable auto-merge for exactly this commit, or add it to the merge queue.

        GitHub enables auto-merge only while a rule is not satisfied; then the queue takes it directly.
        """
        found = self._find()
        variables: dict[str, str] = {"id": found.id, "commit": commit}
        if not found.state.requires_queue:
            chosen = method or found.default_method
            self._graphql.mutate(_ENABLE, {**variables, "method": chosen.value.upper()})
        elif found.state.can_merge or not found.state.can_auto_merge:
            self._graphql.mutate(_ENQUEUE, variables)
        else:
            self._graphql.mutate(_ENABLE_QUEUED, variables)

    def disable_auto_merge(self) -> None:
        """Disable auto-merge, and remove the pull request from the merge queue."""
        found = self._find()
        if found.has_auto_merge:
            self._graphql.mutate(_DISABLE, {"id": found.id})
        if found.is_queued:
            self._graphql.mutate(_DEQUEUE, {"id": found.id})

    def merge(self, commit: str, method: MergeMethod | None = None) -> None:
        """Merge exactly this commit, if the rules of the branch are satisfied without a right to bypass them.

        A pull request that a lost response merged already is left as it is.
        """
        found = self._find()
        if not found.state.can_merge:
            raise RefusedByHost("GitHub does not report that the rules of the branch are satisfied", 405)
        body = {"sha": commit, "merge_method": (method or found.default_method).value}
        try:
            self._client.write("PUT", f"{self._path}/merge", body)
        except RefusedByHost:
            if not self._client.get(self._path, _Merged).merged:
                raise

    def _find(self) -> FoundState:
        owner, _, name = self._reference.repository.partition("/")
        variables = {"owner": owner, "name": name, "number": self._reference.number}
        return self._graphql.query(STATE, variables, MergeQuery).found

    def _own_approvals(self) -> list[_Review]:
        reviews = self._client.pages(f"{self._path}/reviews", _Review)
        return [
            review
            for review in reviews
            if review.state == _APPROVED and review.user is not None and review.user.id == self._account.id
        ]

    def _dismiss(self, number: int, body: str) -> None:
        message = {"message": markdown_text(body)}
        try:
            self._client.write("PUT", f"{self._path}/reviews/{number}/dismissals", message)
        except RefusedByHost:
            if any(review.id == number for review in self._own_approvals()):  # not dismissed before
                raise
