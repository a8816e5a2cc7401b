"""One merge request of GitLab on loopback: discussions, drafts, statuses, approvals, auto-merge and trains.

The schemas state what the documentation of GitLab requires. As there, a push ends auto-merge,
a draft note is seen by its author alone, and a status that is pending cannot become pending again.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from typing import Any

from tests.delivery.api_server import ApiServer, Call, Reply, Route
from tests.delivery.github_api import ME, PERSON, TOKEN, ReviewThread

PROJECT = "/projects/acme%2Fshop"
REQUEST = f"{PROJECT}/merge_requests/7"
AUTHOR = {"id": 1, "login": "Ada"}
BEN = {"id": 3, "login": "ben"}
USERS = (ME, PERSON, AUTHOR, BEN)
BASE, START = "b" * 40, "5" * 40
PUSHED_AT = ("2026-01-01T10:00:00Z", "2026-01-02T10:00:00Z")
"""The times of the first version of the diff, and of one that is pushed."""

_TEXT = {"type": "string", "minLength": 1, "maxLength": 1_000_000}
_SHA = {"type": "string", "pattern": "^[0-9a-f]{40}$"}
_LINE = {"type": "integer", "minimum": 1}
_END = {
    "type": "object",
    "required": ["line_code", "type"],
    "properties": {
        "line_code": {"type": "string", "pattern": "^[0-9a-f]{40}_[0-9]+_[0-9]+$"},
        "type": {"enum": ["new", "old", "expanded"]},
    },
}
_ENDS = {"start": _END, "end": _END}
_POSITION = {
    "type": "object",
    "additionalProperties": False,
    "required": ["base_sha", "head_sha", "start_sha", "position_type", "new_path", "old_path"],
    "properties": {
        **dict.fromkeys(("base_sha", "head_sha", "start_sha"), _SHA),
        **dict.fromkeys(("new_path", "old_path"), _TEXT),
        "position_type": {"enum": ["text", "image", "file"]},
        "new_line": _LINE,
        "old_line": _LINE,
        "line_range": {"type": "object", "required": ["start", "end"], "properties": _ENDS},
    },
}  # fmt: skip
_DRAFT = {"type": "object", "required": ["note"], "properties": {"note": _TEXT, "position": _POSITION}}
_NOTE = {"type": "object", "required": ["body"], "properties": {"body": _TEXT}}
_RESOLVE = {"type": "object", "required": ["resolved"], "properties": {"resolved": {"type": "boolean"}}}
_STATUS = {
    "type": "object",
    "additionalProperties": False,
    "required": ["state"],
    "properties": {
        "state": {"enum": ["pending", "running", "success", "failed", "canceled", "skipped"]},
        "name": _TEXT,
        "description": {"type": "string", "maxLength": 255},
        "target_url": {"type": "string", "maxLength": 255},
        "pipeline_id": {"type": "integer"},
    },
}
_APPROVE = {"type": "object", "properties": {"sha": _SHA}}
_MERGE = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "sha": _SHA,
        "squash": {"type": "boolean"},
        "auto_merge": {"type": "boolean"},
        "merge_when_pipeline_succeeds": {"type": "boolean"},
    },
}
_UPDATE = {
    "type": "object",
    "additionalProperties": False,
    "properties": {"reviewer_ids": {"type": "array", "items": {"type": "integer"}}},
}


class GitlabApi:
    """Merge request 7 of acme/shop, with files whose lines ``changed`` were added.

    Attributes:
        threads, comments: as ``GithubApi`` has them; a review is a publication of drafts.
        drafts: those of the account: id -> body and position.
        approved: user -> the time of the approval.
        access_levels: user -> the role in the project; 30 is a Developer.
        enabled_by: the account that set auto-merge, or added the merge request to the train.
    """

    posts_of_a_review = "draft_notes/bulk_publish"
    comments_path = "merge_requests/7/notes"

    def __init__(self, head: str, changed: Mapping[str, range] | None = None) -> None:
        self.head = self.first_head = head
        self.state = "open"
        self.merged = ""
        self.changed = dict(changed or {})
        self.patches: dict[str, str] = {}
        self.texts = {head: "".join(f"value_{number} = {number}\n" for number in range(1, 61))}
        self.merges: dict[str, tuple[str, ...]] = {}
        self.threads: list[ReviewThread] = []
        self.positions: list[Mapping[str, Any]] = []
        self.comments: dict[int, tuple[str, Mapping[str, Any]]] = {}
        self.drafts: dict[int, tuple[str, Mapping[str, Any] | None]] = {}
        self.reviews = 0
        self.is_draft = False
        self.other_rules_wait = False
        self.has_trains = False
        self.merge_method = "merge"
        self.resets_approvals = True
        self.approved: dict[int, str] = {}
        self.pushed_at = PUSHED_AT[0]
        self.reviewers: list[int] = []
        self.statuses: list[dict[str, Any]] = []
        self.pipeline: tuple[int, str] | None = (70, head)
        self.enabled_by: Mapping[str, Any] | None = None
        self.in_train = False
        self.squash: bool | None = None
        self.before_write: Callable[[str], None] = lambda path: None
        self.access_levels = {PERSON["id"]: 30}
        self._last_id = 100
        discussion = f"{REQUEST}/discussions/{{id}}"
        train = f"{PROJECT}/merge_trains/merge_requests/7"
        self.server = ApiServer(
            [
                Route("GET", "/user", lambda call: Reply(200, _user(ME))),
                Route("GET", "/users", self._users),
                Route("GET", "/users/{id}", self._one_user),
                Route("GET", PROJECT, self._project),
                Route("GET", f"{PROJECT}/members/all/{{id}}", self._member),
                Route("GET", REQUEST, self._request),
                Route("PUT", REQUEST, self._write(self._update_request), _UPDATE),
                Route("GET", f"{REQUEST}/diffs", self._diffs),
                Route("GET", f"{REQUEST}/versions", self._versions),
                Route("GET", f"{PROJECT}/repository/commits/{{sha}}", self._commit),
                Route("GET", f"{PROJECT}/repository/files/{{path}}", self._file),
                Route("GET", f"{REQUEST}/discussions", self._discussions),
                Route("PUT", discussion, self._resolve, _RESOLVE),
                Route("DELETE", f"{discussion}/notes/{{note}}", self._delete_thread),
                Route("GET", f"{REQUEST}/notes/{{id}}/award_emoji", self._emojis),
                Route("GET", f"{REQUEST}/notes", self._notes),
                Route("POST", f"{REQUEST}/notes", self._note, _NOTE),
                Route("PUT", f"{REQUEST}/notes/{{id}}", self._update_note, _NOTE),
                Route("DELETE", f"{REQUEST}/notes/{{id}}", self._delete_note),
                Route("GET", f"{REQUEST}/draft_notes", self._list_drafts),
                Route("POST", f"{REQUEST}/draft_notes", self._draft, _DRAFT),
                Route("POST", f"{REQUEST}/draft_notes/bulk_publish", self._publish_all),
                Route("PUT", f"{REQUEST}/draft_notes/{{id}}/publish", self._publish_one),
                Route("DELETE", f"{REQUEST}/draft_notes/{{id}}", self._delete_draft),
                Route("GET", f"{PROJECT}/repository/commits/{{sha}}/statuses", self._list_statuses),
                Route("POST", f"{PROJECT}/statuses/{{sha}}", self._write(self._set_status), _STATUS),
                Route("GET", f"{REQUEST}/approvals", self._approvals),
                Route("GET", f"{PROJECT}/approvals", self._approval_settings),
                Route("POST", f"{REQUEST}/approve", self._write(self._approve), _APPROVE),
                Route("POST", f"{REQUEST}/unapprove", self._write(self._unapprove)),
                Route("PUT", f"{REQUEST}/merge", self._write(self._merge), _MERGE),
                Route("POST", f"{REQUEST}/cancel_merge_when_pipeline_succeeds", self._write(self._cancel)),
                Route("GET", train, self._train_car),
                Route("POST", train, self._write(self._enter_train), _MERGE),
            ],
            TOKEN,
            "PRIVATE-TOKEN",
        )

    @property
    def writes(self) -> int:
        """The number of requests that wrote something."""
        return sum(call.method != "GET" for call in self.server.calls)

    def new_id(self) -> int:
        self._last_id += 1
        return self._last_id

    def reply(self, thread: ReviewThread, body: str, user: Mapping[str, Any] = PERSON) -> None:
        """Let somebody reply in a thread."""
        thread.comments.append((self.new_id(), body, user))

    def summaries(self) -> list[str]:
        """The comments of this account."""
        return [body for body, user in self.comments.values() if user == ME]

    def push(self, commit: str) -> None:
        """Push a commit: auto-merge ends, and approvals with the setting of the project."""
        if not self.merged:
            self.head, self.enabled_by, self.in_train = commit, None, False
            self.pipeline, self.pushed_at = (71, commit), PUSHED_AT[1]
            self.approved = {} if self.resets_approvals else self.approved

    @property
    def is_satisfied(self) -> bool:
        newest = {status["name"]: status["status"] for status in self.statuses}
        has_passed = all(state == "success" for state in newest.values())
        return has_passed and not self.is_draft and not self.other_rules_wait

    def settle(self) -> None:
        """Merge the head if that is enabled and the rules are satisfied."""
        if self.enabled_by and self.is_satisfied and not self.merged:
            self.merged, self.enabled_by, self.in_train = self.head, None, False

    def _write(self, handle: Callable[[Call], Reply]) -> Callable[[Call], Reply]:
        def write(call: Call) -> Reply:
            self.before_write(call.path)
            reply = handle(call)
            self.settle()
            return reply

        return write

    def _users(self, call: Call) -> Reply:
        return Reply(200, [_user(user) for user in USERS if user["login"] == call.query["username"]])

    def _one_user(self, call: Call) -> Reply:
        (user,) = (user for user in USERS if str(user["id"]) == call.values["id"])
        return Reply(200, _user(user))

    def _member(self, call: Call) -> Reply:
        level = self.access_levels.get(int(call.values["id"]))
        return _missing() if level is None else Reply(200, {"access_level": level})

    def _project(self, call: Call) -> Reply:
        return Reply(200, {"merge_method": self.merge_method, "merge_trains_enabled": self.has_trains})

    def _request(self, call: Call) -> Reply:
        status = "draft_status" if self.is_draft else "mergeable" if self.is_satisfied else "ci_still_running"
        state = {"open": "opened"}.get(self.state, self.state)
        pipeline = self.pipeline
        return Reply(
            200,
            {
                "iid": 7,
                "state": "merged" if self.merged else state,
                "target_branch": "main",
                "author": _user(AUTHOR),
                "sha": self.head,
                "draft": self.is_draft,
                "detailed_merge_status": status,
                "merge_when_pipeline_succeeds": self.enabled_by is not None and not self.in_train,
                "merge_user": _user(self.enabled_by) if self.enabled_by else None,
                "reviewers": [_user(user) for user in USERS if user["id"] in self.reviewers],
                "head_pipeline": pipeline and {"id": pipeline[0], "sha": pipeline[1]},
            },
        )

    def _update_request(self, call: Call) -> Reply:
        self.reviewers = call.body["reviewer_ids"]
        return Reply(200, {})

    def _diffs(self, call: Call) -> Reply:
        added = {
            path: f"@@ -{lines.start},0 +{lines.start},{len(lines)} @@\n"
            + "".join(f"+line {number}\n" for number in lines)
            for path, lines in self.changed.items()
        }
        files = [
            {"old_path": path, "new_path": path, "diff": diff}
            for path, diff in (added | self.patches).items()
        ]
        return self.server.page(call, files)

    def _versions(self, call: Call) -> Reply:
        version = {"head_commit_sha": self.head, "base_commit_sha": BASE, "start_commit_sha": START}
        return self.server.page(call, [version | {"created_at": self.pushed_at}])

    def _commit(self, call: Call) -> Reply:
        parents = self.merges.get(call.values["sha"])
        if parents is None:
            return _missing()
        return Reply(200, {"id": call.values["sha"], "parent_ids": list(parents)})

    def _file(self, call: Call) -> Reply:
        if call.values["path"] != "src/a.py":
            return _missing()
        text = self.texts.get(call.query["ref"], self.texts[self.first_head])
        return Reply(200, {"encoding": "base64", "content": base64.b64encode(text.encode()).decode()})

    def _discussions(self, call: Call) -> Reply:
        return self.server.page(call, [_discussion(thread) for thread in self.threads])

    def _resolve(self, call: Call) -> Reply:
        found = [thread for thread in self.threads if thread.id == call.values["id"]]
        if not found:
            return _missing()
        found[0].resolver = ME if call.body["resolved"] else None
        return Reply(200, _discussion(found[0]))

    def _delete_thread(self, call: Call) -> Reply:
        found = [thread for thread in self.threads if str(thread.comments[0][0]) == call.values["note"]]
        if not found:
            return _missing()
        self.threads.remove(found[0])
        return Reply(204)

    def _emojis(self, call: Call) -> Reply:
        (thread,) = (thread for thread in self.threads if str(thread.comments[0][0]) == call.values["id"])
        return self.server.page(
            call, [{"name": "thumbsdown", "user": _user(user)} for user in thread.dislikes]
        )

    def _notes(self, call: Call) -> Reply:
        assert (call.query["sort"], call.query["order_by"]) == ("asc", "created_at")
        listed = [_note(id, body, user) for id, (body, user) in self.comments.items()]
        on_lines = [note for thread in self.threads for note in _discussion(thread)["notes"]]
        system = _note(1, "added 1 commit", AUTHOR) | {"system": True}
        return self.server.page(call, [system, *listed, *on_lines])

    def _note(self, call: Call) -> Reply:
        number = self.new_id()
        self.comments[number] = (call.body["body"], ME)
        return Reply(201, _note(number, *self.comments[number]))

    def _update_note(self, call: Call) -> Reply:
        number = int(call.values["id"])
        if number not in self.comments:
            return _missing()
        self.comments[number] = (call.body["body"], self.comments[number][1])
        return Reply(200, _note(number, *self.comments[number]))

    def _delete_note(self, call: Call) -> Reply:
        return _missing() if self.comments.pop(int(call.values["id"]), None) is None else Reply(204)

    def _list_drafts(self, call: Call) -> Reply:
        return self.server.page(call, [{"id": id, "note": note} for id, (note, _) in self.drafts.items()])

    def _draft(self, call: Call) -> Reply:
        position = call.body.get("position")
        shas = (BASE, START, self.head)
        if position and (position["base_sha"], position["start_sha"], position["head_sha"]) != shas:
            return Reply(400, {"message": "400 Bad request - Position is not of the newest version"})
        if position and not self._is_in_diff(position):
            message = '400 Bad request - Note {:line_code=>["can\'t be blank", "must be a valid line code"]}'
            return Reply(400, {"message": message})
        number = self.new_id()
        self.drafts[number] = (call.body["note"], position)
        return Reply(201, {"id": number, "note": call.body["note"]})

    def _is_in_diff(self, position: Mapping[str, Any]) -> bool:
        if position["new_path"] in self.patches:
            return True
        is_added = position["new_line"] in self.changed.get(position["new_path"], range(0))
        return is_added and "old_line" not in position

    def _publish_all(self, call: Call) -> Reply:
        self.reviews += bool(self.drafts)
        for number in list(self.drafts):
            self._publish(number)
        return Reply(204)

    def _publish_one(self, call: Call) -> Reply:
        if int(call.values["id"]) not in self.drafts:
            return _missing()
        self._publish(int(call.values["id"]))
        return Reply(204)

    def _publish(self, draft: int) -> None:
        body, position = self.drafts.pop(draft)
        number = self.new_id()
        if position is None:
            self.comments[number] = (body, ME)
            return
        self.positions.append(position)
        thread = ReviewThread(
            f"{number:040x}", position["new_path"], position["new_line"], [(number, body, ME)]
        )
        self.threads.append(thread)

    def _delete_draft(self, call: Call) -> Reply:
        return _missing() if self.drafts.pop(int(call.values["id"]), None) is None else Reply(204)

    def _list_statuses(self, call: Call) -> Reply:
        found = [
            status
            for status in self.statuses
            if (status["sha"], status["name"]) == (call.values["sha"], call.query["name"])
        ]
        return self.server.page(call, found)

    def _set_status(self, call: Call) -> Reply:
        sha, state, name = call.values["sha"], call.body["state"], call.body["name"]
        pipeline = call.body.get("pipeline_id")
        if pipeline is not None and (pipeline, sha) != self.pipeline:
            return _missing()
        current = next((s for s in self.statuses if (s["name"], s["status"]) == (name, "pending")), None)
        if current is not None and state == "pending":
            message = 'Cannot transition status via :enqueue from :pending (Reason(s): Status cannot ...")'
            return Reply(400, {"message": message})
        if current is None:
            current = {"id": self.new_id(), "name": name, "sha": sha, "pipeline": pipeline}
            self.statuses.append(current)
        current |= {"status": state, "description": call.body.get("description")}
        return Reply(201, current)

    def _approvals(self, call: Call) -> Reply:
        users = {user["id"]: user for user in USERS}
        approved = [{"user": _user(users[id]), "approved_at": time} for id, time in self.approved.items()]
        return Reply(200, {"approved_by": approved})

    def _approval_settings(self, call: Call) -> Reply:
        return Reply(200, {"reset_approvals_on_push": self.resets_approvals})

    def _approve(self, call: Call) -> Reply:
        if call.body.get("sha") not in (None, self.head):
            return Reply(409, {"message": f"SHA does not match HEAD of source branch: {self.head}"})
        if ME["id"] in self.approved:
            return Reply(401, {"message": "401 Unauthorized"})
        self.approved[ME["id"]] = "2026-01-03T10:00:00Z"
        return Reply(201, {})

    def _unapprove(self, call: Call) -> Reply:
        return _missing() if self.approved.pop(ME["id"], None) is None else Reply(201, {})

    def _merge(self, call: Call) -> Reply:
        is_auto = call.body.get("auto_merge", False)
        if self.merged or self.state != "open" or self.is_draft or not (self.is_satisfied or is_auto):
            return Reply(405, {"message": "405 Method Not Allowed"})
        if call.body.get("sha") not in (None, self.head):
            return Reply(409, {"message": f"SHA does not match HEAD of source branch: {self.head}"})
        self.squash = call.body.get("squash")
        if self.is_satisfied:
            self.merged = self.head
        else:
            self.enabled_by = ME
        return Reply(200, {})

    def _cancel(self, call: Call) -> Reply:
        if self.enabled_by is None:
            return Reply(406, {"message": "406 Not Acceptable"})
        self.enabled_by, self.in_train = None, False
        return Reply(201, {"status": "success"})

    def _train_car(self, call: Call) -> Reply:
        if not self.has_trains:
            return Reply(403, {"message": "403 Forbidden"})
        if not self.in_train or self.enabled_by is None:
            return _missing()
        return Reply(200, {"id": 1, "status": "fresh", "user": _user(self.enabled_by)})

    def _enter_train(self, call: Call) -> Reply:
        if not self.has_trains:
            return Reply(403, {"message": "403 Forbidden"})
        if call.body.get("sha") not in (None, self.head):
            return Reply(409, {"message": "SHA does not match HEAD of source branch"})
        self.enabled_by, self.in_train = ME, True
        return Reply(201, [])


def _missing() -> Reply:
    return Reply(404, {"message": "404 Not found"})


def _user(user: Mapping[str, Any]) -> dict[str, Any]:
    return {"id": user["id"], "username": user["login"], "bot": user == ME}


def _note(number: int, body: str, user: Mapping[str, Any]) -> dict[str, Any]:
    return {"id": number, "type": None, "body": body, "author": _user(user), "system": False}


def _discussion(thread: ReviewThread) -> dict[str, Any]:
    resolved = {
        "type": "DiffNote",
        "position": {"new_path": thread.path, "new_line": thread.line, "head_sha": None},
        "resolved": thread.resolver is not None,
        "resolved_by": None if thread.resolver is None else _user(thread.resolver),
    }
    notes = [_note(*comment) | resolved for comment in thread.comments]
    return {"id": thread.id, "individual_note": False, "notes": notes}
