"""Reviews, review threads and comments of a pull request.

Sources: GitHub, "REST API endpoints for pull request reviews", "... for issue comments", and the GraphQL
objects ``PullRequestReviewThread`` and ``PullRequestReviewComment``; only GraphQL knows whether a thread is
resolved.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote

import msgspec

from wardround.delivery.code_hosts.client import ApiClient
from wardround.delivery.code_hosts.diff_lines import hunks_of_patch
from wardround.delivery.code_hosts.errors import RefusedByHost
from wardround.delivery.code_hosts.github.graphql import Graphql
from wardround.delivery.code_hosts.model import NOBODY, Account, Comment, LineComment, Thread

_FORBIDDEN, _GONE, _UNPROCESSABLE = 403, 404, 422

_REVIEW_BODY = "Comments of wardround on lines; its summary is a comment of its own."
"""GitHub requires a text for a review that comments."""
_THREADS = """
query Threads($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      reviewThreads(first: 50, after: $after) {
        pageInfo { hasNextPage endCursor }
        nodes {
          id isResolved isOutdated path line originalLine
          resolvedBy { databaseId login }
          comments(first: 50) {
            totalCount
            nodes {
              databaseId body originalCommit { oid }
              author { login ... on User { databaseId } ... on Bot { databaseId } }
              reactions(content: THUMBS_DOWN, first: 10) { nodes { user { databaseId login } } }
            }
          }
        }
      }
    }
  }
}
"""
_RESOLVE = """
mutation Resolve($thread: ID!) { resolveReviewThread(input: {threadId: $thread}) { thread { id } } }
"""
_REOPEN = """
mutation Reopen($thread: ID!) { unresolveReviewThread(input: {threadId: $thread}) { thread { id } } }
"""


class _Actor(msgspec.Struct, frozen=True, rename="camel"):
    login: str
    database_id: int = 0

    @property
    def account(self) -> Account:
        return Account(self.database_id, self.login)


class _Reaction(msgspec.Struct, frozen=True):
    user: _Actor | None = None


class _Reactions(msgspec.Struct, frozen=True):
    nodes: tuple[_Reaction, ...] = ()


class _Commit(msgspec.Struct, frozen=True):
    oid: str


class _ThreadComment(msgspec.Struct, frozen=True, rename="camel"):
    database_id: int
    body: str
    author: _Actor | None = None
    original_commit: _Commit | None = None
    reactions: _Reactions = _Reactions()


class _ThreadComments(msgspec.Struct, frozen=True, rename="camel"):
    nodes: tuple[_ThreadComment, ...] = ()
    total_count: int = 0


class _ThreadNode(msgspec.Struct, frozen=True, rename="camel"):
    id: str
    is_resolved: bool
    is_outdated: bool
    path: str
    comments: _ThreadComments
    line: int | None = None
    original_line: int | None = None
    resolved_by: _Actor | None = None


class _PageInfo(msgspec.Struct, frozen=True, rename="camel"):
    has_next_page: bool
    end_cursor: str | None = None


class _ThreadPage(msgspec.Struct, frozen=True, rename="camel"):
    page_info: _PageInfo
    nodes: tuple[_ThreadNode, ...]


class _PullRequest(msgspec.Struct, frozen=True, rename="camel"):
    review_threads: _ThreadPage


class _Repository(msgspec.Struct, frozen=True, rename="camel"):
    pull_request: _PullRequest


class _Threads(msgspec.Struct, frozen=True):
    repository: _Repository


class _User(msgspec.Struct, frozen=True):
    id: int
    login: str


class _IssueComment(msgspec.Struct, frozen=True):
    id: int
    user: _User | None = None
    body: str = ""


class _Permission(msgspec.Struct, frozen=True):
    permission: str


class _File(msgspec.Struct, frozen=True):
    filename: str
    patch: str = ""


class _Contents(msgspec.Struct, frozen=True):
    content: str = ""
    encoding: str = ""


class _Parent(msgspec.Struct, frozen=True):
    sha: str


class _GitCommit(msgspec.Struct, frozen=True):
    parents: tuple[_Parent, ...]


class GithubFeedback:
    """Comments on one pull request.

    Args:
        repository: ``owner/name``.
    """

    most_comments = 30
    """A review with more fails: the server answers with status 502."""

    def __init__(self, client: ApiClient, repository: str, number: int) -> None:
        self._client = client
        self._graphql = Graphql(client)
        self._owner, _, self._name = repository.partition("/")
        self._repository = f"/repos/{repository}"
        self._pull = f"/repos/{repository}/pulls/{number}"
        self._issue = f"/repos/{repository}/issues/{number}"
        self._comments = f"/repos/{repository}/issues/comments"
        self._line_comments = f"/repos/{repository}/pulls/comments"
        self._number = number

    def hunks(self) -> Mapping[str, Sequence[range]]:
        files = self._client.pages(f"{self._pull}/files", _File)
        return {file.filename: hunks_of_patch(file.patch) for file in files}

    def text(self, path: str, commit: str) -> str | None:
        """Return the text of a file of at most 1 MB, which is the limit of the interface."""
        address = f"{self._repository}/contents/{quote(path, safe='/')}"
        try:
            found = self._client.get(address, _Contents, ref=commit)
        except RefusedByHost as refused:
            if refused.status not in (_FORBIDDEN, _GONE):
                raise
            return None
        if found.encoding != "base64":
            return None
        try:
            return base64.b64decode(found.content).decode()
        except (ValueError, UnicodeDecodeError):
            return None

    def is_merge_of(self, commit: str, head: str) -> bool:
        try:
            found = self._client.get(f"{self._repository}/git/commits/{commit}", _GitCommit)
        except RefusedByHost as refused:
            if refused.status not in (_GONE, _UNPROCESSABLE):
                raise
            return False
        return [parent.sha for parent in found.parents[1:]] == [head]

    def suggestion_language(self, lines: int) -> str:
        return "suggestion"

    def threads(self) -> Sequence[Thread]:
        found: list[Thread] = []
        after: str | None = None
        while True:
            variables = {"owner": self._owner, "name": self._name, "number": self._number, "after": after}
            page = self._graphql.query(_THREADS, variables, _Threads)
            threads = page.repository.pull_request.review_threads
            found += [_thread(node) for node in threads.nodes if node.comments.nodes]
            if not threads.page_info.has_next_page:
                return found
            after = threads.page_info.end_cursor

    def can_write(self, account: Account) -> bool:
        """Return True if GitHub states so; it shows ``maintain`` as ``write`` and ``triage`` as ``read``."""
        address = f"{self._repository}/collaborators/{quote(account.name, safe='')}/permission"
        try:
            found = self._client.get(address, _Permission)
        except RefusedByHost as refused:
            if refused.status not in (_FORBIDDEN, _GONE):
                raise
            return False
        return found.permission in ("admin", "write")

    def comments(self) -> Sequence[Comment]:
        listed = self._client.pages(f"{self._issue}/comments", _IssueComment)
        return [Comment(str(comment.id), comment.body, _account(comment.user)) for comment in listed]

    def post_review(self, commit: str, comments: Sequence[LineComment]) -> None:
        written = [_line_comment(comment) for comment in comments]
        review = {"commit_id": commit, "event": "COMMENT", "body": _REVIEW_BODY, "comments": written}
        self._client.write("POST", f"{self._pull}/reviews", review)

    def create_comment(self, body: str) -> None:
        self._client.write("POST", f"{self._issue}/comments", {"body": body})

    def update_comment(self, comment: Comment, body: str) -> None:
        with _accepting_gone():
            self._client.write("PATCH", f"{self._comments}/{comment.id}", {"body": body})

    def delete_comment(self, comment: Comment) -> None:
        with _accepting_gone():
            self._client.write("DELETE", f"{self._comments}/{comment.id}")

    def resolve(self, thread: Thread) -> None:
        with _accepting_gone():
            self._graphql.mutate(_RESOLVE, {"thread": thread.id})

    def reopen(self, thread: Thread) -> None:
        with _accepting_gone():
            self._graphql.mutate(_REOPEN, {"thread": thread.id})

    def delete_thread(self, thread: Thread) -> None:
        with _accepting_gone():
            self._client.write("DELETE", f"{self._line_comments}/{thread.comment_id}")


@contextmanager
def _accepting_gone() -> Iterator[None]:
    """Accept that somebody deleted a comment or a thread since it was read."""
    try:
        yield
    except RefusedByHost as refused:
        if refused.status != _GONE:
            raise


def _line_comment(comment: LineComment) -> dict[str, Any]:
    """Return a comment of a review; only one of several lines has a start."""
    start = {} if comment.line == comment.end_line else {"start_line": comment.line, "start_side": "RIGHT"}
    return {"path": comment.path, "line": comment.end_line, "side": "RIGHT", **start, "body": comment.body}


def _thread(node: _ThreadNode) -> Thread:
    first = node.comments.nodes[0]
    return Thread(
        id=node.id,
        comment_id=str(first.database_id),
        body=first.body,
        author=_actor(first.author),
        replies=tuple(_replies(node.comments)),
        is_resolved=node.is_resolved,
        resolver=None if node.resolved_by is None else node.resolved_by.account,
        is_outdated=node.is_outdated,
        path=node.path,
        line=node.line or node.original_line or 0,
        commit="" if first.original_commit is None else first.original_commit.oid,
        first_line=node.original_line or 0,
        reactions=tuple(("-1", _actor(reaction.user)) for reaction in first.reactions.nodes),
    )


def _replies(comments: _ThreadComments) -> Iterator[Comment]:
    """Yield the replies of a thread; one without an author represents those that the query leaves out."""
    for reply in comments.nodes[1:]:
        yield Comment(str(reply.database_id), reply.body, _actor(reply.author))
    if comments.total_count > len(comments.nodes):
        yield Comment("", "", NOBODY)


def _actor(actor: _Actor | None) -> Account:
    return NOBODY if actor is None else actor.account


def _account(user: _User | None) -> Account:
    return NOBODY if user is None else Account(user.id, user.login)
