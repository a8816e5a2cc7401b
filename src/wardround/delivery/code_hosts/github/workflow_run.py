"""A finished workflow run whose report another run receives, which ``workflow_run`` starts with a token.

The first run may be that of a stranger's fork, so its artifact is data. Which pull request and which commit
it is about is read from the event and from GitHub, never from the artifact.

Sources: GitHub, "Webhook events and payloads" (``workflow_run``), whose ``pull_requests`` is empty for forks;
"REST API endpoints for GitHub Actions artifacts"; "REST API endpoints for pull requests".
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from wardround.change.revisions import is_object_id
from wardround.delivery.code_hosts.client import ApiClient
from wardround.errors import UsageError
from wardround.text.escaping import one_line

_MOST_EVENT_BYTES = 25 * 2**20
"""GitHub caps a payload at 25 MB."""
_PULL_REQUEST = "pull_request"


class _Repository(msgspec.Struct, frozen=True):
    full_name: str


class WorkflowRun(msgspec.Struct, frozen=True):
    """The part of a run that decides what its report may be about.

    Attributes:
        event: that started the run.
        head_sha: the last commit of the pull request at that time.
        head_branch: the branch of the pull request, in ``head_repository``.
    """

    id: int
    event: str
    head_sha: str
    head_branch: str
    head_repository: _Repository


class _Payload(msgspec.Struct, frozen=True):
    workflow_run: WorkflowRun
    repository: _Repository


class _Head(msgspec.Struct, frozen=True):
    sha: str
    repo: _Repository | None = None


class _PullRequest(msgspec.Struct, frozen=True):
    number: int
    head: _Head


class RunArtifact(msgspec.Struct, frozen=True):
    """An artifact as GitHub lists it; ``digest`` is that of the archive, ``sha256:HEX``."""

    name: str
    size_in_bytes: int
    expired: bool = False
    digest: str | None = None


class _Artifacts(msgspec.Struct, frozen=True):
    artifacts: tuple[RunArtifact, ...]


def read_workflow_run(environ: Mapping[str, str]) -> tuple[str, WorkflowRun]:
    """Return the repository of this run, and the finished run that started it.

    Raises:
        UsageError: the event is not that of a run for a pull request.
    """
    payload = _payload(environ.get("GITHUB_EVENT_PATH", ""))
    run = payload.workflow_run
    if run.event != _PULL_REQUEST:
        raise UsageError(
            f"the finished run was started by {one_line(run.event)!r}; only that of a pull request has one"
        )
    if not is_object_id(run.head_sha):
        raise UsageError("GITHUB_EVENT_PATH: workflow_run.head_sha is not a commit")
    return payload.repository.full_name, run


def _payload(path: str) -> _Payload:
    if not path:
        raise UsageError("GITHUB_EVENT_PATH is not set; run this in a workflow that workflow_run starts")
    try:
        with Path(path).open("rb") as file:
            return msgspec.json.decode(file.read(_MOST_EVENT_BYTES), type=_Payload)
    except OSError as cause:
        raise UsageError(f"GITHUB_EVENT_PATH: {cause.strerror}; it must be the event's JSON file") from cause
    except (msgspec.MsgspecError, UnicodeDecodeError) as cause:
        raise UsageError(f"GITHUB_EVENT_PATH is not the event of a workflow_run: {cause}") from cause


def find_pull_request(client: ApiClient, repository: str, run: WorkflowRun) -> int | None:
    """Return the number of the open pull request whose last commit the run is about.

    Returns:
        None if it was closed, or has another commit by now.

    Raises:
        UsageError: more than one has this commit, such as for two target branches.
        RefusedByHost, HostError: GitHub refuses or fails.
    """
    owner = run.head_repository.full_name.partition("/")[0]
    listed = client.pages(
        f"/repos/{repository}/pulls", _PullRequest, state="open", head=f"{owner}:{run.head_branch}"
    )
    numbers = [request.number for request in listed if _is_head(request.head, run)]
    if len(numbers) > 1:
        named = ", ".join(f"#{number}" for number in sorted(numbers))
        raise UsageError(
            f"the commit {run.head_sha[:12]} is the head of {named}; its report is posted to none"
        )
    return numbers[0] if numbers else None


def _is_head(head: _Head, run: WorkflowRun) -> bool:
    return head.sha == run.head_sha and head.repo == run.head_repository


def find_artifact(client: ApiClient, repository: str, run: WorkflowRun, name: str) -> RunArtifact:
    """Return an artifact of a run by its name.

    Raises:
        UsageError: there is none, it expired, GitHub knows no digest of it, or there are several.
        RefusedByHost, HostError: GitHub refuses or fails.
    """
    path = f"/repos/{repository}/actions/runs/{run.id}/artifacts"
    listed = client.get(path, _Artifacts, name=name, per_page=100).artifacts
    found = [artifact for artifact in listed if artifact.name == name and not artifact.expired]
    if len(found) != 1:
        raise UsageError(f"run {run.id} has {len(found)} artifacts {name!r}; it must have exactly one")
    if found[0].digest is None:
        raise UsageError(
            f"GitHub has no digest of the artifact {name!r}; upload it with upload-artifact v4 or later"
        )
    return found[0]
