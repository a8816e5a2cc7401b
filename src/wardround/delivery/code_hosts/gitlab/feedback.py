"""Discussions and notes of a merge request.

Comments on lines are draft notes that are published together, so that people get one notification. Sources:
GitLab, "Discussions API", "Notes API", "Draft notes API", "Emoji reactions API", "Project members API", and
"Merge requests API" for versions and diffs.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote

import msgspec

from wardround.delivery.code_hosts.client import ApiClient
from wardround.delivery.code_hosts.diff_lines import PatchLine, lines_of_patch, patch_lines
from wardround.delivery.code_hosts.errors import RefusedByHost
from wardround.delivery.code_hosts.gitlab.project import (
    User,
    account_of,
    parents_of,
    project_path,
    request_path,
)
from wardround.delivery.code_hosts.model import (
    Account,
    ChangeRequestReference,
    Comment,
    LineComment,
    Thread,
)

_FORBIDDEN = 403
_GONE = 404
_CONFLICT = 409
_DEVELOPER = 30
"""The lowest role that may push."""
_ON_LINES = "DiffNote"
_DISLIKE = "thumbsdown"
_MARKER = "<!-- wardround:"
"""Begins each comment of ours."""


class _Position(msgspec.Struct, frozen=True):
    head_sha: str | None = None
    new_path: str | None = None
    new_line: int | None = None


class _Note(msgspec.Struct, frozen=True):
    id: int
    body: str
    type: str | None = None
    author: User | None = None
    system: bool = False
    resolved: bool = False
    resolved_by: User | None = None
    position: _Position | None = None


class _Discussion(msgspec.Struct, frozen=True):
    id: str
    notes: tuple[_Note, ...] = ()


class _Emoji(msgspec.Struct, frozen=True):
    name: str
    user: User | None = None


class _Version(msgspec.Struct, frozen=True):
    head_commit_sha: str
    base_commit_sha: str
    start_commit_sha: str


class _FileDiff(msgspec.Struct, frozen=True):
    old_path: str
    new_path: str
    diff: str = ""
    deleted_file: bool = False


class _File(msgspec.Struct, frozen=True):
    content: str


class _Member(msgspec.Struct, frozen=True):
    access_level: int


class _Draft(msgspec.Struct, frozen=True):
    id: int
    note: str = ""


class GitlabFeedback:
    """Comments on one merge request.

    Args:
        account: the account of the token, whose comments are read with their reactions.
    """

    most_comments = 100

    def __init__(self, client: ApiClient, reference: ChangeRequestReference, account: Account) -> None:
        self._client = client
        self._project = project_path(reference)
        self._path = request_path(reference)
        self._account = account

    def text(self, path: str, commit: str) -> str | None:
        address = f"{self._project}/repository/files/{quote(path, safe='')}"
        try:
            found = self._client.get(address, _File, ref=commit)
            return base64.b64decode(found.content).decode()
        except ValueError:  # also of its subclass UnicodeDecodeError: the file is no text
            return None
        except RefusedByHost as refused:
            if refused.status != _GONE:
                raise
            return None

    def is_merge_of(self, commit: str, head: str) -> bool:
        return list(parents_of(self._client, self._project, commit)[1:]) == [head]

    def suggestion_language(self, lines: int) -> str:
        return f"suggestion:-{lines - 1}+0"

    def changed_lines(self) -> Mapping[str, frozenset[int]]:
        return {file.new_path: lines_of_patch(file.diff) for file in self._diffs()}

    def threads(self) -> Sequence[Thread]:
        listed = self._client.pages(f"{self._path}/discussions", _Discussion)
        return [self._thread(found) for found in listed if found.notes and found.notes[0].type == _ON_LINES]

    def comments(self) -> Sequence[Comment]:
        listed = self._client.pages(f"{self._path}/notes", _Note, sort="asc", order_by="created_at")
        notes = (note for note in listed if note.type is None and not note.system)
        return [_comment(note) for note in notes]

    def post_review(self, commit: str, comments: Sequence[LineComment]) -> None:
        drafts = list(self._client.pages(f"{self._path}/draft_notes", _Draft))
        leftovers = [draft for draft in drafts if draft.note.startswith(_MARKER)]
        for draft in leftovers:  # of a run that was killed
            self._write_present("DELETE", f"{self._path}/draft_notes/{draft.id}")
        positions = _Positions(self._version(commit), list(self._diffs()))
        numbers = [self._draft(comment, positions) for comment in comments]
        self._publish(numbers, has_others=len(leftovers) < len(drafts))

    def can_write(self, account: Account) -> bool:
        """Return True for a member of the project or of its groups who is at least a Developer."""
        try:
            member = self._client.get(f"{self._project}/members/all/{account.id}", _Member)
        except RefusedByHost as refused:
            if refused.status not in (_FORBIDDEN, _GONE):
                raise
            return False
        return member.access_level >= _DEVELOPER

    def create_comment(self, body: str) -> None:
        self._client.write("POST", f"{self._path}/notes", {"body": body})

    def update_comment(self, comment: Comment, body: str) -> None:
        self._write_present("PUT", f"{self._path}/notes/{comment.id}", {"body": body})

    def delete_comment(self, comment: Comment) -> None:
        self._write_present("DELETE", f"{self._path}/notes/{comment.id}")

    def resolve(self, thread: Thread) -> None:
        self._write_present("PUT", f"{self._path}/discussions/{thread.id}", {"resolved": True})

    def reopen(self, thread: Thread) -> None:
        self._write_present("PUT", f"{self._path}/discussions/{thread.id}", {"resolved": False})

    def delete_thread(self, thread: Thread) -> None:
        self._write_present("DELETE", f"{self._path}/discussions/{thread.id}/notes/{thread.comment_id}")

    def _diffs(self) -> Iterator[_FileDiff]:
        files = self._client.pages(f"{self._path}/diffs", _FileDiff)
        return (file for file in files if not file.deleted_file)

    def _version(self, commit: str) -> _Version:
        """Return the version of the diff whose head is a commit.

        Raises:
            RefusedByHost: there is none, since a push came first, or GitLab has not computed it yet.
        """
        versions = self._client.pages(f"{self._path}/versions", _Version)
        found = next((version for version in versions if version.head_commit_sha == commit), None)
        if found is None:
            raise RefusedByHost(
                f"GitLab has no diff of {commit[:12]} for this merge request; run post again once it has",
                _CONFLICT,
            )
        return found

    def _draft(self, comment: LineComment, positions: _Positions) -> int:
        body = {"note": comment.body, "position": positions.position(comment)}
        created = self._client.write("POST", f"{self._path}/draft_notes", body, _Draft)
        assert created is not None
        return created.id

    def _publish(self, numbers: Sequence[int], *, has_others: bool) -> None:
        """Publish drafts together, or each on its own where a person has further drafts with this token."""
        if not has_others:
            self._client.write("POST", f"{self._path}/draft_notes/bulk_publish")
            return
        for number in numbers:  # one that is missing was published by a request whose response was lost
            self._write_present("PUT", f"{self._path}/draft_notes/{number}/publish")

    def _thread(self, found: _Discussion) -> Thread:
        first = found.notes[0]
        position = first.position or _Position()
        return Thread(
            id=found.id,
            comment_id=str(first.id),
            body=first.body,
            author=account_of(first.author),
            replies=tuple(_comment(note) for note in found.notes[1:] if not note.system),
            is_resolved=first.resolved,
            resolver=None if first.resolved_by is None else first.resolved_by.account,
            is_outdated=position.new_line is None,
            path=position.new_path or "",
            line=position.new_line or 0,
            reactions=tuple(self._dislikes(first)),
        )

    def _dislikes(self, note: _Note) -> Iterator[tuple[str, Account]]:
        """Yield the reactions to a note of this account; each note costs a request."""
        if account_of(note.author).id != self._account.id:
            return
        emojis = self._client.pages(f"{self._path}/notes/{note.id}/award_emoji", _Emoji)
        yield from ((emoji.name, account_of(emoji.user)) for emoji in emojis if emoji.name == _DISLIKE)

    def _write_present(self, method: str, path: str, body: Any = None) -> None:
        """Change or delete something, unless it was deleted meanwhile."""
        try:
            self._client.write(method, path, body)
        except RefusedByHost as refused:
            if refused.status != _GONE:
                raise


def _comment(note: _Note) -> Comment:
    return Comment(str(note.id), note.body, account_of(note.author))


class _Positions:
    """Places comments in one version of the diff."""

    def __init__(self, version: _Version, files: Sequence[_FileDiff]) -> None:
        self._version = version
        self._files = {file.new_path: file for file in files}

    def position(self, comment: LineComment) -> dict[str, Any]:
        """Return the position of a comment: an unchanged line is named in the old file, too."""
        file = self._files.get(comment.path)
        lines = {} if file is None else patch_lines(file.diff)
        end = lines.get(comment.end_line)
        old_line = {} if end is None or end.is_added else {"old_line": end.old}
        is_single = comment.line == comment.end_line
        return {
            "position_type": "text",
            "base_sha": self._version.base_commit_sha,
            "start_sha": self._version.start_commit_sha,
            "head_sha": self._version.head_commit_sha,
            "old_path": comment.path if file is None else file.old_path,
            "new_path": comment.path,
            "new_line": comment.end_line,
            **old_line,
            **({} if is_single else {"line_range": _line_range(comment, lines)}),
        }


def _line_range(comment: LineComment, lines: Mapping[int, PatchLine]) -> dict[str, Any]:
    ends = {"start": comment.line, "end": comment.end_line}
    return {name: _range_end(comment.path, number, lines[number]) for name, number in ends.items()}


def _range_end(path: str, number: int, line: PatchLine) -> dict[str, Any]:
    """Return one end of a range, whose line code has the digest of the path and both numbers."""
    digest = hashlib.sha1(path.encode(), usedforsecurity=False).hexdigest()
    return {
        "line_code": f"{digest}_{line.old}_{number}",
        "type": "new" if line.is_added else "old",
        "new_line": number,
        **({} if line.is_added else {"old_line": line.old}),
    }
