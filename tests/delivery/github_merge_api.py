"""A pull request of GitHub on a server of loopback: its reviews, checks, rules, auto-merge and queue.

It merges as GitHub does: whatever commit is the head when all rules are satisfied, unless a request names
the commit that it expects. The schemas state what GitHub's description of its REST interface requires.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from graphql import GraphQLError, graphql_sync

from tests.delivery.api_server import ApiServer, Call, Reply, Route
from tests.delivery.graphql_schema import used_schema

TOKEN = "token-of-the-test"
REPOSITORY = "acme/shop"
PULL = f"/repos/{REPOSITORY}/pulls/7"
HEAD, PUSHED, BASE, TEST_MERGE = "a" * 40, "e" * 40, "b" * 40, "c" * 40
CHECK = "wardround"
OTHER_APP = 99
_PASSED = ("success", "neutral", "skipped")
_TEXT = {"type": "string"}
_OUTPUT = {
    "type": "object",
    "required": ["title", "summary"],
    "properties": {"title": _TEXT, "summary": {"type": "string", "maxLength": 65535}},
}
_CONCLUSIONS = [
    "action_required", "cancelled", "failure", "neutral", "success", "skipped", "stale", "timed_out"
]  # fmt: skip
CHECK_RUN = {
    "type": "object",
    "required": ["name", "head_sha"],
    "properties": {
        "name": _TEXT,
        "head_sha": _TEXT,
        "details_url": _TEXT,
        "external_id": _TEXT,
        "status": {"enum": ["queued", "in_progress", "completed"]},
        "completed_at": {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$"},
        "conclusion": {"enum": _CONCLUSIONS},
        "output": _OUTPUT,
    },
}
CHECK_RUN_UPDATE = {**CHECK_RUN, "required": ["conclusion"]}
STATUS = {
    "type": "object",
    "required": ["state"],
    "properties": {
        "state": {"enum": ["error", "failure", "pending", "success"]},
        "target_url": _TEXT,
        "description": {"type": "string", "maxLength": 140},
        "context": _TEXT,
    },
}
REVIEW = {
    "type": "object",
    "properties": {
        "commit_id": _TEXT,
        "body": _TEXT,
        "event": {"enum": ["APPROVE", "REQUEST_CHANGES", "COMMENT"]},
    },
}
DISMISSAL = {"type": "object", "required": ["message"], "properties": {"message": _TEXT}}
REVIEWERS = {
    "type": "object",
    "properties": {
        "reviewers": {"type": "array", "items": _TEXT},
        "team_reviewers": {"type": "array", "items": _TEXT},
    },
}
MERGE = {
    "type": "object",
    "properties": {"sha": _TEXT, "merge_method": {"enum": ["merge", "squash", "rebase"]}},
}


@dataclass(frozen=True)
class Member:
    """An account; ``can_write`` decides whether its approvals count."""

    id: int
    login: str
    is_person: bool = True
    can_write: bool = True

    @property
    def rest(self) -> dict[str, Any]:
        return {"id": self.id, "login": self.login, "type": "User" if self.is_person else "Bot"}

    @property
    def graphql(self) -> dict[str, Any]:
        kind = "User" if self.is_person else "Bot"
        return {"__typename": kind, "login": self.login, "databaseId": self.id}


AUTHOR = Member(1, "Ada")
BOT = Member(2, "wardround-bot", is_person=False)
BEN, CHLOE = Member(3, "ben"), Member(4, "chloe")
STRANGER = Member(5, "stranger", can_write=False)
MEMBERS = {member.login: member for member in (AUTHOR, BOT, BEN, CHLOE, STRANGER)}


@dataclass
class PullRequest:
    """The state of the pull request, the repository and the rules of the target branch.

    Attributes:
        texts: of approvals and dismissals, which GitHub shows as Markdown.
    """

    account: Member = BOT
    author: Member = AUTHOR
    head: str = HEAD
    target: str = "main"
    test_merge: tuple[str, str] = (TEST_MERGE, HEAD)
    is_draft: bool = False
    is_closed: bool = False
    required_checks: tuple[str, ...] = (CHECK,)
    other_rules_wait: bool = False
    auto_merge_allowed: bool = True
    has_queue: bool = False
    permission: str = "WRITE"
    can_bypass: bool = False
    can_create_checks: bool = True
    app: int = 1
    reviews: list[dict[str, Any]] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    people: list[str] = field(default_factory=list)
    teams: list[str] = field(default_factory=list)
    checks: list[dict[str, Any]] = field(default_factory=list)
    statuses: list[dict[str, Any]] = field(default_factory=list)
    enabled_by: Member | None = None
    queued_by: Member | None = None
    merged: str = ""
    bypassed: bool = False
    _numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def review(self, member: Member, state: str = "APPROVED", commit: str = "") -> None:
        self.reviews.append(
            {
                "id": next(self._numbers),
                "user": member.rest,
                "state": state,
                "commit_id": commit or self.head,
            }
        )

    def push(self, commit: str = PUSHED) -> None:
        """Push a commit by somebody who may write: auto-merge stays enabled, approvals stay as they are."""
        if not self.merged:
            self.head = commit
            self.settle()

    @property
    def is_satisfied(self) -> bool:
        """All rules of the target branch are satisfied for the head."""
        return (
            not self.is_draft
            and not self.other_rules_wait
            and all(map(self.has_passed, self.required_checks))
        )

    def has_passed(self, name: str) -> bool:
        runs = [run for run in self.checks if (run["name"], run["head_sha"]) == (name, self.head)]
        if runs:
            return runs[-1]["conclusion"] in _PASSED
        return any(
            (s["context"], s["sha"], s["state"]) == (name, self.head, "success") for s in self.statuses[-1:]
        )

    def settle(self) -> None:
        """Merge the head, whatever commit it is, if that is enabled and the rules are satisfied."""
        if (self.enabled_by or self.queued_by) and self.is_satisfied and not self.merged:
            self.merged, self.enabled_by, self.queued_by = self.head, None, None


class GithubApi:
    """The server. ``writes`` are the requests that changed something, as method and path or mutation."""

    def __init__(self, pull: PullRequest) -> None:
        self.pull = pull
        self.writes: list[str] = []
        self.before_write: Callable[[str], None] = lambda name: None
        self.after_write: Callable[[str], None] = lambda name: None
        self.after_read: Callable[[str], None] = lambda name: None
        repository = f"/repos/{REPOSITORY}"
        self.server = ApiServer(
            [
                Route("POST", "/graphql", self._graphql),
                Route("GET", PULL, self._read(self._pull)),
                Route("GET", f"{PULL}/reviews", self._read(self._reviews)),
                Route("POST", f"{PULL}/reviews", self._write(self._add_review), REVIEW),
                Route("PUT", f"{PULL}/reviews/{{id}}/dismissals", self._write(self._dismiss), DISMISSAL),
                Route("POST", f"{PULL}/requested_reviewers", self._write(self._request), REVIEWERS),
                Route("PUT", f"{PULL}/merge", self._write(self._merge), MERGE),
                Route("GET", f"{repository}/commits/{{ref}}/check-runs", self._check_runs),
                Route("POST", f"{repository}/check-runs", self._write(self._add_check), CHECK_RUN),
                Route(
                    "PATCH",
                    f"{repository}/check-runs/{{id}}",
                    self._write(self._edit_check),
                    CHECK_RUN_UPDATE,
                ),
                Route("GET", f"{repository}/commits/{{ref}}/statuses", self._statuses),
                Route("POST", f"{repository}/statuses/{{sha}}", self._write(self._add_status), STATUS),
            ],
            TOKEN,
        )

    @contextmanager
    def serve(self) -> Iterator[str]:
        with self.server.serve() as url:
            yield url

    def _read(self, handle: Callable[[Call], Reply]) -> Callable[[Call], Reply]:
        def read(call: Call) -> Reply:
            reply = handle(call)
            self.after_read(call.path)
            return reply

        return read

    def _write(self, handle: Callable[[Call], Reply]) -> Callable[[Call], Reply]:
        def write(call: Call) -> Reply:
            name = f"{call.method} {call.path}"
            self.before_write(name)
            reply = handle(call)
            if reply.status < 300:
                self.writes.append(name)
                self.pull.settle()
                self.after_write(name)
            return reply

        return write

    def _pull(self, call: Call) -> Reply:
        pull = self.pull
        return Reply(
            200,
            {
                "number": 7,
                "node_id": "PR_7",
                "state": "closed" if pull.is_closed or pull.merged else "open",
                "draft": pull.is_draft,
                "merged": bool(pull.merged),
                "head": {"sha": pull.head, "ref": "topic"},
                "base": {"sha": BASE, "ref": pull.target},
                "user": pull.author.rest,
            },
        )

    def _reviews(self, call: Call) -> Reply:
        return self.server.page(call, self.pull.reviews)

    def _add_review(self, call: Call) -> Reply:
        pull = self.pull
        if call.body["event"] == "APPROVE" and pull.account == pull.author:
            return Reply(422, {"message": "Can not approve your own pull request"})
        pull.review(pull.account, "APPROVED", call.body["commit_id"])
        pull.texts.append(call.body["body"])
        return Reply(200, pull.reviews[-1])

    def _dismiss(self, call: Call) -> Reply:
        review = next(entry for entry in self.pull.reviews if str(entry["id"]) == call.values["id"])
        if review["state"] != "APPROVED":
            return Reply(422, {"message": "Can not dismiss a dismissed pull request review"})
        review["state"] = "DISMISSED"
        self.pull.texts.append(call.body["message"])
        return Reply(200, review)

    def _request(self, call: Call) -> Reply:
        people = call.body.get("reviewers", [])
        if unknown := [name for name in people if name not in MEMBERS or not MEMBERS[name].can_write]:
            message = f"Reviews may only be requested from collaborators. {unknown[0]} is not one."
            return Reply(422, {"message": message})
        self.pull.people += people
        self.pull.teams += call.body.get("team_reviewers", [])
        return Reply(201, {"number": 7})

    def _merge(self, call: Call) -> Reply:
        pull = self.pull
        if call.body.get("sha") not in (None, pull.head):
            return Reply(409, {"message": "Head branch was modified. Review and try the merge again."})
        if pull.merged or not (pull.is_satisfied or pull.can_bypass):
            return Reply(405, {"message": "Pull Request is not mergeable"})
        pull.bypassed = not pull.is_satisfied
        pull.merged = pull.head
        return Reply(200, {"sha": "f" * 40, "merged": True, "message": "Pull Request successfully merged"})

    def _check_runs(self, call: Call) -> Reply:
        name = call.query["check_name"]
        runs = [
            run for run in self.pull.checks if (run["name"], run["head_sha"]) == (name, call.values["ref"])
        ]
        return Reply(200, {"total_count": len(runs), "check_runs": runs[::-1]})

    def _add_check(self, call: Call) -> Reply:
        if not self.pull.can_create_checks:
            return Reply(403, {"message": "You must authenticate via a GitHub App."})
        run = {"id": len(self.pull.checks) + 1, "app": {"id": self.pull.app}, **call.body}
        self.pull.checks.append(run)
        return Reply(201, run)

    def _edit_check(self, call: Call) -> Reply:
        run = next(run for run in self.pull.checks if str(run["id"]) == call.values["id"])
        if run["app"]["id"] != self.pull.app:
            return Reply(403, {"message": "Invalid app_id"})
        run.update(call.body)
        return Reply(200, run)

    def _statuses(self, call: Call) -> Reply:
        found = [entry for entry in self.pull.statuses if entry["sha"] == call.values["ref"]]
        return self.server.page(call, found[::-1])

    def _add_status(self, call: Call) -> Reply:
        self.pull.statuses.append({**call.body, "sha": call.values["sha"]})
        return Reply(201, self.pull.statuses[-1])

    def _graphql(self, call: Call) -> Reply:
        """Execute a query or a mutation; errors come with status 200."""
        resolved = Graph(self.pull)
        is_mutation = call.body["query"].lstrip().startswith("mutation")
        if is_mutation:
            self.before_write(resolved.name_of(call.body["query"]))
        result = graphql_sync(
            used_schema(), call.body["query"], resolved, variable_values=call.body["variables"]
        )
        if is_mutation and not result.errors:
            name = resolved.name_of(call.body["query"])
            self.writes.append(name)
            self.pull.settle()
            self.after_write(name)
        elif not is_mutation:
            self.after_read("graphql")
        errors = [
            {"message": error.message, "type": (error.extensions or {}).get("type", "UNPROCESSABLE")}
            for error in result.errors or ()
        ]
        return Reply(200, {"data": result.data, **({"errors": errors} if errors else {})})


class Graph:
    """The root of queries and mutations; its methods are resolvers."""

    def __init__(self, pull: PullRequest) -> None:
        self._pull = pull

    @staticmethod
    def name_of(query: str) -> str:
        names = ("enablePullRequestAutoMerge", "disablePullRequestAutoMerge", "enqueuePull", "dequeuePull")
        return next(name for name in names if f" {name}" in query).removesuffix("Pull")

    def viewer(self, info: Any) -> Mapping[str, Any]:
        return self._pull.account.graphql

    def repository(self, info: Any, owner: str, name: str) -> Mapping[str, Any] | None:
        pull = self._pull
        return {
            "autoMergeAllowed": pull.auto_merge_allowed,
            "mergeCommitAllowed": False,
            "squashMergeAllowed": True,
            "viewerPermission": pull.permission,
            "pullRequest": lambda info, number: self._pull_request() if number == 7 else None,
        }

    def _pull_request(self) -> Mapping[str, Any]:
        pull = self._pull
        merge, parent = pull.test_merge
        checks = [{"context": name} for name in pull.required_checks]
        parameters = {"__typename": "RequiredStatusChecksParameters", "requiredStatusChecks": checks}
        return {
            "id": "PR_7",
            "headRefOid": pull.head,
            "baseRefName": pull.target,
            "mergeStateStatus": "CLEAN" if pull.is_satisfied else "BLOCKED",
            "isMergeQueueEnabled": pull.has_queue,
            "potentialMergeCommit": {"oid": merge, "parents": {"nodes": [{"oid": BASE}, {"oid": parent}]}},
            "autoMergeRequest": pull.enabled_by and {"enabledBy": pull.enabled_by.graphql},
            "mergeQueueEntry": pull.queued_by and {"enqueuer": pull.queued_by.graphql},
            "latestOpinionatedReviews": self._opinions,
            "reviewRequests": {"nodes": [*map(self._person, pull.people), *map(self._team, pull.teams)]},
            "baseRef": {
                "refUpdateRule": {"requiredStatusCheckContexts": [None]},
                "rules": {"nodes": [{"parameters": None}, {"parameters": parameters}]},
            },
        }

    def _person(self, login: str) -> Mapping[str, Any]:
        return {"requestedReviewer": {"__typename": "User", "login": login}}

    def _team(self, slug: str) -> Mapping[str, Any]:
        return {"requestedReviewer": {"__typename": "Team", "combinedSlug": f"acme/{slug}"}}

    def _opinions(self, info: Any, first: int, writersOnly: bool) -> Mapping[str, Any]:  # noqa: N803
        latest = {
            review["user"]["login"]: review
            for review in self._pull.reviews
            if review["state"] != "COMMENTED"
            and (MEMBERS[review["user"]["login"]].can_write or not writersOnly)
        }
        return {
            "nodes": [
                {
                    "state": review["state"],
                    "author": MEMBERS[name].graphql,
                    "commit": {"oid": review["commit_id"]},
                }
                for name, review in list(latest.items())[:first]
            ]
        }

    def enablePullRequestAutoMerge(self, info: Any, input: Mapping[str, Any]) -> Any:  # noqa: N802
        pull = self._pull
        self._require_head(input)
        if not pull.auto_merge_allowed:
            raise self._error("Auto merge is not allowed for this repository")
        if pull.is_satisfied:
            raise self._error("Pull request Pull request is in clean status")
        if not pull.has_queue and input["mergeMethod"] != "SQUASH":
            raise self._error("Merge method merge commits are not allowed on this repository")
        pull.enabled_by = pull.account
        return {}

    def disablePullRequestAutoMerge(self, info: Any, input: Mapping[str, Any]) -> Any:  # noqa: N802
        if self._pull.enabled_by is None:
            raise self._error("Can't disable auto-merge for this pull request")
        self._pull.enabled_by = None
        return {}

    def enqueuePullRequest(self, info: Any, input: Mapping[str, Any]) -> Any:  # noqa: N802
        self._require_head(input)
        if not self._pull.is_satisfied:
            raise self._error("Pull request is not mergeable")
        self._pull.queued_by = self._pull.account
        return {}

    def dequeuePullRequest(self, info: Any, input: Mapping[str, Any]) -> Any:  # noqa: N802
        self._pull.queued_by = None
        return {}

    def _require_head(self, given: Mapping[str, Any]) -> None:
        if given.get("expectedHeadOid") not in (None, self._pull.head):
            raise self._error("Head sha didn't match expected head sha")

    def _error(self, message: str) -> GraphQLError:
        return GraphQLError(message, extensions={"type": "UNPROCESSABLE"})
