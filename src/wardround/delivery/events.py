"""The event that started a CI run, if it names commits.

Sources: GitHub, "Events that trigger workflows" and "Webhook events and payloads"; Jenkins, the global
variables of a multibranch Pipeline and the variables of the git plugin.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from pathlib import Path

import msgspec

from wardround.change.revisions import object_id
from wardround.errors import UsageError

_MOST_BYTES = 25 * 1024 * 1024
"""GitHub caps a payload at 25 MB."""


class Provider(enum.StrEnum):
    """A CI system."""

    GITHUB = "github"
    JENKINS = "jenkins"


class CiEvent(msgspec.Struct, frozen=True):
    """The commits and branches of an event, independent of the CI system.

    Attributes:
        name: as the system calls it, such as ``pull_request``.
        head: the commit that the event is about; the checkout must contain it.
        target: the branch a change request is to be merged into.
        base: the commit the event itself compares ``head`` with. For a pull request it may be older than the
            tip of ``target``, and for a merge group it is exact.
        previous: the commit that was reviewed last: before a push, or in the last successful build.
        pushed: the first of the commits that were pushed.
        default_branch: the repository's, unless the event is about that branch itself.
        may_be_default: the branch may be the default one, since the event does not name it: a commit that is
            in the default branch is compared with the one before.
        has_parent_only: compare with the commit before, as for a tag, which starts no change.
        is_deletion: a branch or a tag was deleted.
        branch, title, body: of the change request, in which a ticket may be named.
        change_request: its number.
    """

    provider: Provider
    name: str
    head: str | None = None
    target: str | None = None
    base: str | None = None
    previous: str | None = None
    pushed: str | None = None
    default_branch: str | None = None
    may_be_default: bool = False
    has_parent_only: bool = False
    is_deletion: bool = False
    branch: str = ""
    title: str = ""
    body: str = ""
    change_request: str = ""


class _Revision(msgspec.Struct, frozen=True):
    sha: str = ""
    ref: str = ""


class _PullRequest(msgspec.Struct, frozen=True):
    number: int = 0
    head: _Revision = _Revision()
    base: _Revision = _Revision()
    title: str | None = None
    body: str | None = None


class _MergeGroup(msgspec.Struct, frozen=True):
    head_sha: str = ""
    base_sha: str = ""


class _WorkflowRun(msgspec.Struct, frozen=True):
    head_sha: str = ""
    pull_requests: tuple[_PullRequest, ...] = ()


class _Repository(msgspec.Struct, frozen=True):
    default_branch: str = ""


class _Commit(msgspec.Struct, frozen=True):
    id: str = ""


class _Payload(msgspec.Struct, frozen=True):
    """The part of a webhook payload that names commits; every event has some of its fields."""

    pull_request: _PullRequest | None = None
    merge_group: _MergeGroup | None = None
    workflow_run: _WorkflowRun | None = None
    repository: _Repository = _Repository()
    before: str | None = None
    after: str | None = None
    deleted: bool = False
    commits: tuple[_Commit, ...] = ()


def detect(environ: Mapping[str, str]) -> Provider:
    """Return the CI system of this process, by the variables each of them documents.

    Raises:
        UsageError: it is neither.
    """
    if environ.get("GITHUB_ACTIONS") == "true":
        return Provider.GITHUB
    if environ.get("JENKINS_URL"):
        return Provider.JENKINS
    raise UsageError(
        "neither GITHUB_ACTIONS nor JENKINS_URL is set; give --provider, or use wardround review --base REF"
    )


def read_event(provider: Provider, environ: Mapping[str, str]) -> CiEvent:
    """Return the event of this run.

    Raises:
        UsageError: a documented variable or payload is missing or malformed.
    """
    return _github(environ) if provider is Provider.GITHUB else _jenkins(environ)


def _github(environ: Mapping[str, str]) -> CiEvent:
    name = environ.get("GITHUB_EVENT_NAME", "")
    payload = _payload(environ.get("GITHUB_EVENT_PATH", ""))
    branch, default = environ.get("GITHUB_REF_NAME", ""), payload.repository.default_branch
    event = CiEvent(Provider.GITHUB, name, default_branch=default if default != branch else None)
    replace = msgspec.structs.replace
    if payload.pull_request is not None:
        return replace(event, **_pull_request_refs(payload.pull_request))
    if payload.merge_group is not None:
        head, base = payload.merge_group.head_sha, payload.merge_group.base_sha
        return replace(event, head=object_id(head), base=object_id(base))
    if payload.workflow_run is not None:
        run = payload.workflow_run
        request = _pull_request_refs(run.pull_requests[0]) if len(run.pull_requests) == 1 else {}
        return replace(event, **{**request, "head": object_id(run.head_sha)})
    if name != "push":
        return replace(event, has_parent_only=environ.get("GITHUB_REF_TYPE") == "tag")
    return replace(
        event,
        head=object_id(payload.after),
        previous=object_id(payload.before),
        pushed=object_id(payload.commits[0].id) if payload.commits else None,
        has_parent_only=environ.get("GITHUB_REF_TYPE") == "tag",
        is_deletion=payload.deleted,
    )


def _pull_request_refs(request: _PullRequest) -> dict[str, str | None]:
    return {
        "head": object_id(request.head.sha),
        "target": request.base.ref or None,
        "base": object_id(request.base.sha),
        "branch": request.head.ref,
        "title": request.title or "",
        "body": request.body or "",
        "change_request": str(request.number or ""),
    }


def _payload(path: str) -> _Payload:
    if not path:
        raise UsageError("GITHUB_EVENT_PATH is not set; run wardround ci in a GitHub Actions step")
    try:
        with Path(path).open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
        return msgspec.json.decode(content, type=_Payload)
    except OSError as cause:
        raise UsageError(f"GITHUB_EVENT_PATH: {cause.strerror}; it must be the event's JSON file") from cause
    except (msgspec.MsgspecError, UnicodeDecodeError) as cause:
        raise UsageError(f"GITHUB_EVENT_PATH is not an event payload: {cause}") from cause


def _jenkins(environ: Mapping[str, str]) -> CiEvent:
    target, tag = environ.get("CHANGE_TARGET"), environ.get("TAG_NAME")
    if target:
        branch, title = environ.get("CHANGE_BRANCH", ""), environ.get("CHANGE_TITLE", "")
        return CiEvent(
            Provider.JENKINS,
            "change request",
            target=target,
            branch=branch,
            title=title,
            change_request=environ.get("CHANGE_ID", ""),
        )
    return CiEvent(
        Provider.JENKINS,
        "tag" if tag else "branch",
        previous=object_id(environ.get("GIT_PREVIOUS_SUCCESSFUL_COMMIT")),
        default_branch=None if environ.get("BRANCH_IS_PRIMARY") == "true" else "HEAD",
        may_be_default=not environ.get("BRANCH_NAME"),  # only a multibranch job names its branch
        has_parent_only=bool(tag),
    )
