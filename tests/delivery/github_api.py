"""Reviews and comments of one pull request of GitHub on loopback.

The schemas state what GitHub's description of its REST interface requires; the GraphQL requests are checked
against the part of the published schema that the product uses.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from graphql import GraphQLError, graphql_sync

from tests.delivery.api_server import ApiServer, Call, Reply, Route
from tests.delivery.graphql_schema import used_schema

TOKEN = "token-of-the-test"
ME = {"id": 41_898_282, "login": "github-actions[bot]"}
PERSON = {"id": 7, "login": "maria"}
_MOST_CHARACTERS = 65_536

_TEXT = {"type": "string", "minLength": 1, "maxLength": _MOST_CHARACTERS}
_COMMENT = {"type": "object", "required": ["body"], "properties": {"body": _TEXT}}
_REVIEW = {
    "type": "object",
    "additionalProperties": False,
    "required": ["commit_id", "event", "comments", "body"],
    "properties": {
        "commit_id": {"type": "string", "pattern": "^[0-9a-f]{40}$"},
        "event": {"enum": ["APPROVE", "REQUEST_CHANGES", "COMMENT"]},
        "body": _TEXT,
        "comments": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["path", "body", "line"],
                "properties": {
                    "path": {"type": "string"},
                    "body": _TEXT,
                    "line": {"type": "integer", "minimum": 1},
                    "side": {"enum": ["LEFT", "RIGHT"]},
                    "start_line": {"type": "integer", "minimum": 1},
                    "start_side": {"enum": ["LEFT", "RIGHT", "side"]},
                },
            },
        },
    },
}


@dataclass
class ReviewThread:
    """A thread as the server keeps it: the comments are (id, body, user)."""

    id: str
    path: str
    line: int
    comments: list[tuple[int, str, Mapping[str, Any]]]
    commit: str = "a" * 40
    resolver: Mapping[str, Any] | None = None
    dislikes: list[Mapping[str, Any]] = field(default_factory=list)

    @property
    def body(self) -> str:
        return self.comments[0][1]


class GithubServer(ApiServer):
    """A server that can fail around a request: ``around`` gets the request and the way to handle it."""

    around: Callable[[Request, Callable[[], Reply | None]], Reply | None] | None = None

    def respond(self, method: str, target: str, headers: Mapping[str, str], content: bytes) -> Reply | None:
        def handle() -> Reply | None:
            return super(GithubServer, self).respond(method, target, headers, content)

        request = Request(method, target, content)
        return handle() if self.around is None else self.around(request, handle)


@dataclass(frozen=True)
class Request:
    """A request that nothing has handled yet."""

    method: str
    target: str
    content: bytes

    @property
    def is_write(self) -> bool:
        if self.target.endswith("/graphql"):
            return b"mutation" in self.content
        return self.method != "GET"


@dataclass
class RateLimits:
    """GitHub's documented secondary limits, in which each comment of a review counts as a request.

    Source: GitHub, "Rate limits for the REST API": 900 points a minute, of which a write costs five, 80
    requests a minute and 500 an hour that create content.
    """

    now: Callable[[], float]
    points: list[tuple[float, int]] = field(default_factory=list)
    content: list[tuple[float, int]] = field(default_factory=list)
    refused: int = 0

    def around(self, request: Request, handle: Callable[[], Reply | None]) -> Reply | None:
        created = (
            request.content.count(b'"path":') or 1 if request.method == "POST" and request.is_write else 0
        )
        cost = 5 if request.is_write else 1
        limits = [
            (self.points, cost, 900, 60),
            (self.content, created, 80, 60),
            (self.content, created, 500, 3600),
        ]
        for used, wanted, most, seconds in limits:
            recent = [(at, count) for at, count in used if at > self.now() - seconds]
            if wanted and sum(count for _, count in recent) + wanted > most:
                self.refused += 1
                wait = str(int(recent[0][0] + seconds - self.now()) + 1)
                return Reply(
                    403, {"message": "You have exceeded a secondary rate limit"}, {"Retry-After": wait}
                )
        self.points.append((self.now(), cost))
        self.content.append((self.now(), created))
        return handle()


class GithubApi:
    """One pull request, number 7 of acme/shop, with a file whose lines ``changed`` are part of the diff."""

    posts_of_a_review = "reviews"
    comments_path = "issues/7/comments"

    def __init__(self, head: str, changed: Mapping[str, range | tuple[range, ...]]) -> None:
        self.head = head
        self.state = "open"
        self.merged = False
        self.is_draft = False
        self.first_head = head
        self.changed = dict(changed)
        self.texts = {head: "".join(f"value_{number} = {number}\n" for number in range(1, 61))}
        self.merges: dict[str, tuple[str, ...]] = {}
        self.threads: list[ReviewThread] = []
        self.comments: dict[int, tuple[str, Mapping[str, Any]]] = {}
        self.reviews = 0
        self.can_resolve = True
        self.viewer: Mapping[str, Any] | None = ME
        self.user: Mapping[str, Any] | None = None
        self.permissions = {PERSON["login"]: "write"}
        self.rejected_lines: set[int] = set()
        self._last_id = 100
        repository, pull = "/repos/acme/shop", "/repos/acme/shop/pulls/7"
        self.server = GithubServer(
            [
                Route("GET", pull, self._pull_request),
                Route("GET", f"{pull}/files", self._files),
                Route("GET", f"{repository}/git/commits/{{sha}}", self._git_commit),
                Route("GET", f"{repository}/contents/src/a.py", self._contents),
                Route("POST", f"{pull}/reviews", self._review, _REVIEW),
                Route("DELETE", f"{repository}/pulls/comments/{{id}}", self._delete_line_comment),
                Route("GET", f"{repository}/issues/7/comments", self._comments),
                Route("POST", f"{repository}/issues/7/comments", self._comment, _COMMENT),
                Route("PATCH", f"{repository}/issues/comments/{{id}}", self._update, _COMMENT),
                Route("DELETE", f"{repository}/issues/comments/{{id}}", self._delete),
                Route("GET", f"{repository}/collaborators/{{name}}/permission", self._permission),
                Route("GET", "/user", self._user),
                Route("POST", "/graphql", self._graphql),
            ],
            TOKEN,
        )

    def new_id(self) -> int:
        self._last_id += 1
        return self._last_id

    def reply(self, thread: ReviewThread, body: str, user: Mapping[str, Any] = PERSON) -> None:
        """Let somebody reply in a thread."""
        thread.comments.append((self.new_id(), body, user))

    def summaries(self) -> list[str]:
        """The comments of this account."""
        return [body for body, user in self.comments.values() if user == ME]

    @property
    def writes(self) -> int:
        """The number of requests that wrote something."""
        return sum(
            call.method in ("POST", "PATCH", "DELETE") and not _is_query(call) for call in self.server.calls
        )

    def _pull_request(self, call: Call) -> Reply:
        side = {"sha": self.head, "ref": "topic"}
        base = {"sha": "b" * 40, "ref": "main"}
        return Reply(
            200,
            {"number": 7, "state": self.state, "merged": self.merged, "draft": self.is_draft, "user": PERSON}
            | {"head": side, "base": base},
        )

    def _files(self, call: Call) -> Reply:
        files = [
            {
                "filename": path,
                "patch": patch_of(self.hunks(path)),
            }
            for path in self.changed
        ]
        return self.server.page(call, files)

    def hunks(self, path: str) -> tuple[range, ...]:
        """The line numbers of each hunk of a file; every line is an added one."""
        changed = self.changed.get(path, ())
        return (changed,) if isinstance(changed, range) else changed

    def _git_commit(self, call: Call) -> Reply:
        parents = self.merges.get(call.values["sha"])
        if parents is None:
            return Reply(404, {"message": "Not Found"})
        return Reply(200, {"sha": call.values["sha"], "parents": [{"sha": parent} for parent in parents]})

    def _contents(self, call: Call) -> Reply:
        text = self.texts.get(call.query["ref"], self.texts[self.first_head])
        return Reply(200, {"encoding": "base64", "content": base64.b64encode(text.encode()).decode()})

    def _review(self, call: Call) -> Reply:
        for comment in call.body["comments"]:
            first, last = comment.get("start_line", comment["line"]), comment["line"]
            hunks = self.hunks(comment["path"])
            is_in_hunk = any(first in hunk and last in hunk for hunk in hunks)
            if not is_in_hunk or first > last or last in self.rejected_lines:
                return Reply(
                    422, {"message": "Unprocessable Entity", "errors": ["Line could not be resolved"]}
                )
        if call.body["commit_id"] != self.head:
            return Reply(422, {"message": "Unprocessable Entity", "errors": ["commit_id is not of the head"]})
        self.reviews += 1
        for comment in call.body["comments"]:
            number = self.new_id()
            written = (number, comment["body"], ME)
            self.threads.append(
                ReviewThread(
                    f"T{number}", comment["path"], comment["line"], [written], call.body["commit_id"]
                )
            )
        return Reply(200, {"id": self.new_id()})

    def _delete_line_comment(self, call: Call) -> Reply:
        number = int(call.values["id"])
        found = [thread for thread in self.threads if thread.comments[0][0] == number]
        if not found:
            return Reply(404, {"message": "Not Found"})
        self.threads.remove(found[0])
        return Reply(204)

    def _comments(self, call: Call) -> Reply:
        listed = [{"id": id, "body": body, "user": user} for id, (body, user) in self.comments.items()]
        return self.server.page(call, listed)

    def _comment(self, call: Call) -> Reply:
        number = self.new_id()
        self.comments[number] = (call.body["body"], ME)
        return Reply(201, {"id": number})

    def _update(self, call: Call) -> Reply:
        number = int(call.values["id"])
        if number not in self.comments:
            return Reply(404, {"message": "Not Found"})
        self.comments[number] = (call.body["body"], self.comments[number][1])
        return Reply(200, {"id": number})

    def _delete(self, call: Call) -> Reply:
        found = self.comments.pop(int(call.values["id"]), None)
        return Reply(404, {"message": "Not Found"}) if found is None else Reply(204)

    def _graphql(self, call: Call) -> Reply:
        done = graphql_sync(
            used_schema(), call.body["query"], root_value=self._root(), variable_values=call.body["variables"]
        )
        errors = [{"message": error.message, **(error.extensions or {})} for error in done.errors or ()]
        return Reply(200, {"data": done.data, **({"errors": errors} if errors else {})})

    def _root(self) -> dict[str, Any]:
        return {
            "viewer": self._viewer,
            "repository": lambda info, owner, name: {
                "pullRequest": lambda info, number: self._threads_object()
            },
            "resolveReviewThread": lambda info, input: self._resolve(input["threadId"], ME),
            "unresolveReviewThread": lambda info, input: self._resolve(input["threadId"], None),
        }

    def _viewer(self, info: Any) -> dict[str, Any]:
        if self.viewer is None:
            raise GraphQLError("Resource not accessible by integration", extensions={"type": "FORBIDDEN"})
        return _user(self.viewer)

    def _user(self, call: Call) -> Reply:
        if self.user is None:
            return Reply(403, {"message": "Resource not accessible by integration"})
        return Reply(200, dict(self.user))

    def _permission(self, call: Call) -> Reply:
        known = self.permissions.get(call.values["name"])
        if known is None:
            return Reply(404, {"message": "Not Found"})
        return Reply(200, {"permission": known, "role_name": known, "user": None})

    def _threads_object(self) -> dict[str, Any]:
        return {"reviewThreads": self._page_of_threads}

    def _page_of_threads(self, info: Any, first: int, after: str | None = None) -> dict[str, Any]:
        assert first <= 100
        start = int(after or 0)
        page = self.threads[start : start + first]
        following = start + first
        info = {"hasNextPage": following < len(self.threads), "endCursor": str(following)}
        return {"nodes": [_thread(thread) for thread in page], "pageInfo": info}

    def _resolve(self, id: str, resolver: Mapping[str, Any] | None) -> dict[str, Any]:
        found = [thread for thread in self.threads if thread.id == id]
        if not found:
            message = f"Could not resolve to a node with the global id of '{id}'"
            raise GraphQLError(message, extensions={"type": "NOT_FOUND"})
        if not self.can_resolve:
            raise GraphQLError("Resource not accessible by integration", extensions={"type": "FORBIDDEN"})
        found[0].resolver = resolver
        return {"thread": _thread(found[0])}


def _is_query(call: Call) -> bool:
    return call.path == "/graphql" and not call.body["query"].lstrip().startswith("mutation")


def patch_of(hunks: Sequence[range]) -> str:
    """Return a patch that adds lines, one hunk for each range, as a host shows it."""
    headed = ([f"@@ -{lines.start},0 +{lines.start},{len(lines)} @@", *_added(lines)] for lines in hunks)
    return "\n".join(line for hunk in headed for line in hunk)


def _added(lines: range) -> Iterator[str]:
    return (f"+line {number}" for number in lines)


def _user(user: Mapping[str, Any]) -> dict[str, Any]:
    kind = "Bot" if re.search(r"\[bot\]$", user["login"]) else "User"
    return {"__typename": kind, "login": user["login"], "databaseId": user["id"]}


def _thread(thread: ReviewThread) -> dict[str, Any]:
    dislikes = [{"user": _user(user)} for user in thread.dislikes]
    nodes = [
        {
            "databaseId": number,
            "originalCommit": {"oid": thread.commit},
            "body": body,
            "author": _user(user),
            "reactions": {"nodes": dislikes if at == 0 else []},
        }
        for at, (number, body, user) in enumerate(thread.comments)
    ]
    return {
        "id": thread.id,
        "isResolved": thread.resolver is not None,
        "isOutdated": False,
        "path": thread.path,
        "line": thread.line,
        "originalLine": thread.line,
        "resolvedBy": None if thread.resolver is None else _user(thread.resolver),
        "comments": {"nodes": nodes[:50], "totalCount": len(nodes)},
    }
