"""The state of the merging of a pull request, as one query of GraphQL returns it."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from wardround.delivery.code_hosts.errors import RefusedByHost
from wardround.delivery.code_hosts.model import Account, Approval, MergeMethod, MergeState

STATE = """
query($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) {
    autoMergeAllowed
    mergeCommitAllowed
    squashMergeAllowed
    viewerPermission
    pullRequest(number: $number) {
      id
      headRefOid
      baseRefName
      mergeStateStatus
      isMergeQueueEnabled
      potentialMergeCommit { oid parents(first: 3) { nodes { oid } } }
      autoMergeRequest { enabledBy { ...account } }
      mergeQueueEntry { enqueuer { ...account } }
      latestOpinionatedReviews(first: 100, writersOnly: true) {
        nodes { state author { ...account } commit { oid } }
      }
      reviewRequests(first: 100) {
        nodes { requestedReviewer { ... on User { login } ... on Team { combinedSlug } } }
      }
      baseRef {
        refUpdateRule { requiredStatusCheckContexts }
        rules(first: 100) {
          nodes {
            parameters {
              ... on RequiredStatusChecksParameters { requiredStatusChecks { context } }
            }
          }
        }
      }
    }
  }
}
fragment account on Actor {
  __typename
  login
  ... on User { databaseId }
  ... on Bot { databaseId }
}
"""
_READY = {"CLEAN", "HAS_HOOKS", "UNSTABLE"}
"""The states in which every rule of the target branch is satisfied."""
_PERSON = "User"
_NOT_FOUND = 404


class _Commit(msgspec.Struct, frozen=True):
    oid: str


class _Commits(msgspec.Struct, frozen=True):
    nodes: tuple[_Commit, ...] = ()


class _TestMerge(msgspec.Struct, frozen=True):
    oid: str
    parents: _Commits


class _Actor(msgspec.Struct, frozen=True, rename="camel"):
    login: str
    type_name: str = msgspec.field(name="__typename", default="")
    database_id: int | None = None

    @property
    def account(self) -> Account:
        """The actor as an account; an organisation or a former user has the number 0."""
        return Account(self.database_id or 0, self.login)


class _AutoMerge(msgspec.Struct, frozen=True, rename="camel"):
    enabled_by: _Actor | None = None


class _QueueEntry(msgspec.Struct, frozen=True):
    enqueuer: _Actor | None = None


class _Review(msgspec.Struct, frozen=True):
    state: str
    author: _Actor | None = None
    commit: _Commit | None = None


class _Reviews(msgspec.Struct, frozen=True):
    nodes: tuple[_Review, ...] = ()


class _RequestedReviewer(msgspec.Struct, frozen=True, rename="camel"):
    login: str = ""
    combined_slug: str = ""


class _ReviewRequest(msgspec.Struct, frozen=True, rename="camel"):
    requested_reviewer: _RequestedReviewer | None = None


class _ReviewRequests(msgspec.Struct, frozen=True):
    nodes: tuple[_ReviewRequest, ...] = ()


class _Check(msgspec.Struct, frozen=True):
    context: str


class _Parameters(msgspec.Struct, frozen=True, rename="camel"):
    required_status_checks: tuple[_Check, ...] = ()


class _Rule(msgspec.Struct, frozen=True):
    parameters: _Parameters | None = None


class _Rules(msgspec.Struct, frozen=True):
    nodes: tuple[_Rule, ...] = ()


class _UpdateRule(msgspec.Struct, frozen=True, rename="camel"):
    required_status_check_contexts: tuple[str | None, ...] | None = None


class _Target(msgspec.Struct, frozen=True, rename="camel"):
    ref_update_rule: _UpdateRule | None = None
    rules: _Rules | None = None

    @property
    def required_checks(self) -> Iterator[str]:
        """The names of the checks that rulesets and the protection of the branch require."""
        if self.ref_update_rule is not None:
            yield from filter(None, self.ref_update_rule.required_status_check_contexts or ())
        for rule in self.rules.nodes if self.rules is not None else ():
            if rule.parameters is not None:
                yield from (check.context for check in rule.parameters.required_status_checks)


class _PullRequest(msgspec.Struct, frozen=True, rename="camel"):
    id: str
    head_ref_oid: str
    base_ref_name: str
    merge_state_status: str
    is_merge_queue_enabled: bool
    latest_opinionated_reviews: _Reviews | None = None
    review_requests: _ReviewRequests | None = None
    potential_merge_commit: _TestMerge | None = None
    auto_merge_request: _AutoMerge | None = None
    merge_queue_entry: _QueueEntry | None = None
    base_ref: _Target | None = None

    @property
    def test_merge(self) -> str:
        """The test merge of this head; GitHub may still have that of an older one."""
        merge = self.potential_merge_commit
        parents = () if merge is None else merge.parents.nodes
        is_of_head = len(parents) == 2 and parents[1].oid == self.head_ref_oid
        return merge.oid if merge is not None and is_of_head else ""

    @property
    def approvals(self) -> Iterator[Approval]:
        """The approvals of accounts that may write."""
        reviews = self.latest_opinionated_reviews
        for review in reviews.nodes if reviews is not None else ():
            if review.state == "APPROVED" and review.author is not None and review.commit is not None:
                is_person = review.author.type_name == _PERSON
                yield Approval(review.author.account, review.commit.oid, is_person)

    @property
    def requested(self) -> Iterator[_RequestedReviewer]:
        """The requested reviewers."""
        requests = self.review_requests
        for request in requests.nodes if requests is not None else ():
            if request.requested_reviewer is not None:
                yield request.requested_reviewer

    @property
    def enabled_by(self) -> Account | None:
        """The account that enabled auto-merge or added the pull request to the queue."""
        actors = (
            self.auto_merge_request.enabled_by if self.auto_merge_request else None,
            self.merge_queue_entry.enqueuer if self.merge_queue_entry else None,
        )
        return next((actor.account for actor in actors if actor is not None), None)


class _Repository(msgspec.Struct, frozen=True, rename="camel"):
    auto_merge_allowed: bool
    merge_commit_allowed: bool
    squash_merge_allowed: bool
    pull_request: _PullRequest | None = None
    viewer_permission: str | None = None


class FoundState(msgspec.Struct, frozen=True):
    """The state of merging, and what only GitHub knows about it.

    Attributes:
        id: of the pull request in GraphQL.
        default_method: the first one that the repository permits.
    """

    id: str
    state: MergeState
    has_auto_merge: bool
    is_queued: bool
    default_method: MergeMethod


class MergeQuery(msgspec.Struct, frozen=True):
    """The data of the query ``STATE``."""

    repository: _Repository | None = None

    @property
    def found(self) -> FoundState:
        """The state.

        Raises:
            RefusedByHost: the pull request does not exist, or is not visible.
        """
        repository = self.repository
        request = repository.pull_request if repository is not None else None
        if repository is None or request is None:
            raise RefusedByHost("GitHub has no such pull request, or this token may not read it", _NOT_FOUND)
        return FoundState(
            request.id,
            _merge_state(repository, request),
            request.auto_merge_request is not None,
            request.merge_queue_entry is not None,
            _default_method(repository),
        )


def _merge_state(repository: _Repository, request: _PullRequest) -> MergeState:
    requested = tuple(request.requested)
    return MergeState(
        head=request.head_ref_oid,
        target=request.base_ref_name,
        test_merge=request.test_merge,
        approvals=tuple(request.approvals),
        people=frozenset(reviewer.login.lower() for reviewer in requested if reviewer.login),
        teams=frozenset(reviewer.combined_slug.lower() for reviewer in requested if reviewer.combined_slug),
        enabled_by=request.enabled_by,
        is_enabled=request.auto_merge_request is not None or request.merge_queue_entry is not None,
        requires_queue=request.is_merge_queue_enabled,
        can_auto_merge=repository.auto_merge_allowed,
        can_merge=request.merge_state_status in _READY,
        is_administrator=repository.viewer_permission == "ADMIN",
        required_checks=frozenset(request.base_ref.required_checks if request.base_ref else ()),
    )


def _default_method(repository: _Repository) -> MergeMethod:
    if repository.merge_commit_allowed:
        return MergeMethod.MERGE
    return MergeMethod.SQUASH if repository.squash_merge_allowed else MergeMethod.REBASE
