"""The values that are exchanged with a code host."""

from __future__ import annotations

import enum

import msgspec


class ChangeRequestReference(msgspec.Struct, frozen=True):
    """A change request: a pull request of GitHub or a merge request of GitLab.

    Attributes:
        host: name of the code host, ``github`` or ``gitlab``.
        api: address of its interface without a trailing slash, such as ``https://api.github.com``.
        repository: ``owner/name``, or the path of a project in its groups.
    """

    host: str
    api: str
    repository: str
    number: int


class Account(msgspec.Struct, frozen=True):
    """An account of a code host; ``id`` does not change with the name."""

    id: int
    name: str


NOBODY = Account(0, "")
"""The author of what a deleted account wrote."""


class ChangeRequestState(enum.StrEnum):
    """The state of a change request."""

    OPEN = "open"
    CLOSED = "closed"
    MERGED = "merged"


class ChangeRequest(msgspec.Struct, frozen=True):
    """A change request as the code host has it now.

    Attributes:
        head: id of its last commit.
        base: id of the commit of the target branch that the host compares it with.
        target: the branch it is to be merged into.
    """

    number: int
    head: str
    base: str
    target: str
    author: Account
    state: ChangeRequestState = ChangeRequestState.OPEN
    is_draft: bool = False


class LineComment(msgspec.Struct, frozen=True):
    """A comment on lines of the head that are part of the diff.

    Attributes:
        line, end_line: first and last line, 1-based.
        body: Markdown, with the marker of the finding.
    """

    path: str
    line: int
    end_line: int
    body: str


class Comment(msgspec.Struct, frozen=True):
    """A comment on a change request as a whole, or a reply in a thread; a younger one has a larger id."""

    id: str
    body: str
    author: Account


class Thread(msgspec.Struct, frozen=True):
    """A discussion on lines of a change request.

    Attributes:
        comment_id: id of its first comment; a younger one has a larger id.
        body: of its first comment.
        author: of its first comment.
        replies: the other comments.
        resolver: who resolved it; None once it was reopened.
        is_outdated: the lines are no longer part of the diff.
        commit, first_line: those on which it was posted; empty and 0 if the host does not name them.
        reactions: names of the reactions of others to the first comment, such as ``-1`` or ``thumbsdown``.
    """

    id: str
    comment_id: str
    body: str
    author: Account
    replies: tuple[Comment, ...] = ()
    is_resolved: bool = False
    resolver: Account | None = None
    is_outdated: bool = False
    path: str = ""
    line: int = 0
    commit: str = ""
    first_line: int = 0
    reactions: tuple[tuple[str, Account], ...] = ()


class Approval(msgspec.Struct, frozen=True):
    """The latest opinion of an account that may write to the repository, where it is an approval in force.

    Attributes:
        commit: the approved one; empty if the host does not name it and withdraws approvals on a push.
        is_person: False for bots and apps.
    """

    account: Account
    commit: str
    is_person: bool = True


class MergeMethod(enum.StrEnum):
    """The way in which the commits of a change request reach the target branch."""

    MERGE = "merge"
    SQUASH = "squash"
    REBASE = "rebase"


class MergeState(msgspec.Struct, frozen=True):
    """Approvals and merging of a change request, read at one time.

    Attributes:
        head: the last commit.
        target: the branch it is to be merged into.
        test_merge: the commit with which the host tests the merging of exactly this head, and which a run
            of its CI system reviews; empty without one.
        approvals: those in force, of any commit.
        own_approvals: the commits that this account has approved; one without a name is the head.
        people, teams: whose review is requested; names in lower case.
        enabled_by: the account that enabled auto-merge or added the change request to the merge queue.
        is_enabled: auto-merge is enabled, or the change request is in the merge queue.
        requires_queue: the target branch has a merge queue.
        can_auto_merge: the repository permits auto-merge.
        can_merge: all rules are satisfied, so that it can be merged now.
        is_administrator: the account may bypass the rules of the target branch.
        ends_on_push: the host disables auto-merge when a commit is pushed.
        required_checks: names of the checks that rules of the target branch require.
    """

    head: str
    target: str = ""
    test_merge: str = ""
    approvals: tuple[Approval, ...] = ()
    own_approvals: frozenset[str] = frozenset()
    people: frozenset[str] = frozenset()
    teams: frozenset[str] = frozenset()
    enabled_by: Account | None = None
    is_enabled: bool = False
    requires_queue: bool = False
    can_auto_merge: bool = False
    can_merge: bool = False
    is_administrator: bool = False
    ends_on_push: bool = False
    required_checks: frozenset[str] = frozenset()


class StatusConclusion(enum.StrEnum):
    """The conclusion of a check, in the words of GitHub's check runs."""

    SUCCESS = "success"
    NEUTRAL = "neutral"
    ACTION_REQUIRED = "action_required"
    FAILURE = "failure"


class VerdictStatus(msgspec.Struct, frozen=True):
    """The verdict of a review as a check of a commit.

    Attributes:
        name: of the check, which rules of a branch can require.
        title: one line.
        summary: Markdown.
        url: of the run with the reports; empty if there is none.
    """

    name: str
    commit: str
    conclusion: StatusConclusion
    title: str
    summary: str
    url: str = ""
