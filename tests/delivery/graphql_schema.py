"""The part of GitHub's GraphQL schema that wardround uses, as names, types and arguments.

Requests are validated and executed against it. ``python -m tests.delivery.graphql_schema FILE`` compares it
with a schema that GitHub publishes, such as that of the npm package ``@octokit/graphql-schema``.
"""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path

from graphql import GraphQLInputObjectType, GraphQLNamedType, GraphQLSchema, build_schema

USED = """
scalar GitObjectID

type Query {
  repository(owner: String!, name: String!): Repository
  viewer: User!
}

type Mutation {
  enablePullRequestAutoMerge(input: EnablePullRequestAutoMergeInput!): EnablePullRequestAutoMergePayload
  disablePullRequestAutoMerge(input: DisablePullRequestAutoMergeInput!): DisablePullRequestAutoMergePayload
  enqueuePullRequest(input: EnqueuePullRequestInput!): EnqueuePullRequestPayload
  dequeuePullRequest(input: DequeuePullRequestInput!): DequeuePullRequestPayload
  resolveReviewThread(input: ResolveReviewThreadInput!): ResolveReviewThreadPayload
  unresolveReviewThread(input: UnresolveReviewThreadInput!): UnresolveReviewThreadPayload
}

enum PullRequestMergeMethod { MERGE REBASE SQUASH }
enum PullRequestReviewState { APPROVED CHANGES_REQUESTED COMMENTED DISMISSED PENDING }
enum MergeStateStatus { BEHIND BLOCKED CLEAN DIRTY HAS_HOOKS UNKNOWN UNSTABLE }
enum ReactionContent { CONFUSED EYES HEART HOORAY LAUGH ROCKET THUMBS_DOWN THUMBS_UP }
enum RepositoryPermission { ADMIN MAINTAIN READ TRIAGE WRITE }

input EnablePullRequestAutoMergeInput {
  clientMutationId: String
  expectedHeadOid: GitObjectID
  mergeMethod: PullRequestMergeMethod = MERGE
  pullRequestId: ID!
}
input DisablePullRequestAutoMergeInput { clientMutationId: String pullRequestId: ID! }
input EnqueuePullRequestInput {
  clientMutationId: String
  expectedHeadOid: GitObjectID
  jump: Boolean
  pullRequestId: ID!
}
input ResolveReviewThreadInput { clientMutationId: String threadId: ID! }
input UnresolveReviewThreadInput { clientMutationId: String threadId: ID! }
input DequeuePullRequestInput { clientMutationId: String id: ID! }

type EnablePullRequestAutoMergePayload { clientMutationId: String }
type DisablePullRequestAutoMergePayload { clientMutationId: String }
type EnqueuePullRequestPayload { clientMutationId: String }
type DequeuePullRequestPayload { clientMutationId: String }
type ResolveReviewThreadPayload { clientMutationId: String thread: PullRequestReviewThread }
type UnresolveReviewThreadPayload { clientMutationId: String thread: PullRequestReviewThread }

interface Actor { login: String! }
type User implements Actor { login: String! databaseId: Int }
type Bot implements Actor { login: String! databaseId: Int }
type Mannequin implements Actor { login: String! databaseId: Int }
type Team { combinedSlug: String! }
union RequestedReviewer = Bot | Mannequin | Team | User

type Repository {
  autoMergeAllowed: Boolean!
  mergeCommitAllowed: Boolean!
  squashMergeAllowed: Boolean!
  viewerPermission: RepositoryPermission
  pullRequest(number: Int!): PullRequest
}
type PullRequest {
  id: ID!
  headRefOid: GitObjectID!
  baseRefName: String!
  baseRef: Ref
  mergeStateStatus: MergeStateStatus!
  isMergeQueueEnabled: Boolean!
  potentialMergeCommit: Commit
  autoMergeRequest: AutoMergeRequest
  mergeQueueEntry: MergeQueueEntry
  latestOpinionatedReviews(first: Int, writersOnly: Boolean = false): PullRequestReviewConnection
  reviewRequests(first: Int): ReviewRequestConnection
  reviewThreads(first: Int, after: String): PullRequestReviewThreadConnection!
}
type PullRequestReviewThreadConnection { nodes: [PullRequestReviewThread] pageInfo: PageInfo! }
type PageInfo { hasNextPage: Boolean! endCursor: String }
type PullRequestReviewThread {
  id: ID!
  isResolved: Boolean!
  isOutdated: Boolean!
  path: String!
  line: Int
  originalLine: Int
  resolvedBy: User
  comments(first: Int): PullRequestReviewCommentConnection!
}
type PullRequestReviewCommentConnection { nodes: [PullRequestReviewComment] totalCount: Int! }
type PullRequestReviewComment {
  databaseId: Int
  body: String!
  author: Actor
  originalCommit: Commit
  reactions(content: ReactionContent, first: Int): ReactionConnection!
}
type ReactionConnection { nodes: [Reaction] }
type Reaction { user: User }
type AutoMergeRequest { enabledBy: Actor }
type MergeQueueEntry { enqueuer: Actor! }
type Commit { oid: GitObjectID! parents(first: Int): CommitConnection! }
type CommitConnection { nodes: [Commit] }
type PullRequestReviewConnection { nodes: [PullRequestReview] }
type PullRequestReview { state: PullRequestReviewState! author: Actor commit: Commit }
type ReviewRequestConnection { nodes: [ReviewRequest] }
type ReviewRequest { requestedReviewer: RequestedReviewer }
type Ref { refUpdateRule: RefUpdateRule rules(first: Int): RepositoryRuleConnection }
type RefUpdateRule { requiredStatusCheckContexts: [String] }
type RepositoryRuleConnection { nodes: [RepositoryRule] }
type RepositoryRule { parameters: RuleParameters }
union RuleParameters = RequiredStatusChecksParameters | PullRequestParameters
type RequiredStatusChecksParameters { requiredStatusChecks: [StatusCheckConfiguration!]! }
type PullRequestParameters { requiredApprovingReviewCount: Int! }
type StatusCheckConfiguration { context: String! }
"""


@cache
def used_schema() -> GraphQLSchema:
    """The schema of the names in use."""
    return build_schema(USED)


def differences(published: GraphQLSchema) -> list[str]:
    """The names in use that a published schema does not have, or has with another type."""
    missing: list[str] = []
    for name, used in used_schema().type_map.items():
        if not name.startswith("__"):
            missing += _type_differences(name, used, published.type_map.get(name))
    return missing


def _type_differences(name: str, used: GraphQLNamedType, other: GraphQLNamedType | None) -> list[str]:
    if type(other) is not type(used):
        return [name]
    found = []
    for field, definition in getattr(used, "fields", {}).items():
        published = getattr(other, "fields", {}).get(field)
        is_same = published is not None and str(published.type) == str(definition.type)
        found += [] if is_same else [f"{name}.{field}"]
        if is_same and not isinstance(used, GraphQLInputObjectType):
            found += [
                f"{name}.{field}({argument})"
                for argument, value in definition.args.items()
                if argument not in published.args or str(published.args[argument].type) != str(value.type)
            ]
    found += [f"{name}.{value}" for value in getattr(used, "values", {}) if value not in other.values]  # type: ignore[union-attr]
    return found + [f"{name} | {kind}" for kind in getattr(used, "types", ()) if not _has(other, str(kind))]


def _has(union: GraphQLNamedType, kind: str) -> bool:
    return kind in map(str, union.types)  # type: ignore[attr-defined]


if __name__ == "__main__":
    text = Path(sys.argv[1]).read_text(encoding="utf-8")
    print("\n".join(differences(build_schema(text, assume_valid=True))) or "no difference")
