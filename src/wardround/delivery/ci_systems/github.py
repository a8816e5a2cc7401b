"""Runs of GitHub Actions.

Sources: GitHub, "Events that trigger workflows", "Webhook events and payloads" and "Variables reference".
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from wardround.change.revisions import object_id
from wardround.delivery.ci_event import CiEvent, Provider
from wardround.errors import UsageError
from wardround.records.record import RecordedOrigin

_MOST_BYTES = 25 * 1024 * 1024
"""GitHub caps a payload at 25 MB."""


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


def github_event(environ: Mapping[str, str]) -> CiEvent:
    """Return the event, which GitHub names in variables and a file.

    Raises:
        UsageError: the file is missing or malformed.
    """
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


def github_origin(environ: Mapping[str, str]) -> RecordedOrigin:
    """Return the run."""
    server, name = (
        environ.get("GITHUB_SERVER_URL", "https://github.com"),
        environ.get("GITHUB_REPOSITORY", ""),
    )
    repository = f"{server}/{name}" if name else ""
    number, attempt = environ.get("GITHUB_RUN_ID", ""), environ.get("GITHUB_RUN_ATTEMPT", "1")
    run = f"{repository}/actions/runs/{number}/attempts/{attempt}" if number else ""
    return RecordedOrigin(
        repository=repository,
        workflow_run=run,
        actor=environ.get("GITHUB_ACTOR", ""),
        workflow=environ.get("GITHUB_WORKFLOW_REF", ""),
        workflow_commit=environ.get("GITHUB_WORKFLOW_SHA", ""),
    )
