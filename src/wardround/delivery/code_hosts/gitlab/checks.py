"""Commit statuses of GitLab, which count as external jobs of the pipeline of a commit.

| Conclusion | State | Effect where pipelines must succeed |
|---|---|---|
| success, neutral | ``success`` | none |
| action required | ``pending`` | the pipeline does not end, so nothing is merged |
| failure | ``failed`` | the pipeline fails |

Source: GitLab, "Commits API", "Set commit pipeline status".
"""

from __future__ import annotations

from typing import Any

import msgspec

from wardround.delivery.code_hosts.client import ApiClient
from wardround.delivery.code_hosts.gitlab.project import (
    MergeRequest,
    pipeline_of_head,
    project_path,
    request_path,
)
from wardround.delivery.code_hosts.model import ChangeRequestReference, StatusConclusion, VerdictStatus

_STATES = {
    StatusConclusion.SUCCESS: "success",
    StatusConclusion.NEUTRAL: "success",
    StatusConclusion.ACTION_REQUIRED: "pending",
    StatusConclusion.FAILURE: "failed",
}
_WAITING = "pending"
_LONGEST_DESCRIPTION = 255


class _Status(msgspec.Struct, frozen=True):
    id: int
    status: str
    name: str
    description: str | None = None


class GitlabCommitStatuses:
    """Commit statuses in the pipeline of the merge request, or of the commit if it has none."""

    def __init__(self, client: ApiClient, reference: ChangeRequestReference) -> None:
        self._client = client
        self._reference = reference
        self._project = project_path(reference)

    def publish(self, status: VerdictStatus) -> None:
        """Set the status of a commit, unless the newest one of its name is the same."""
        commit, pipeline = self._target(status.commit)
        state, description = _STATES[status.conclusion], status.title[:_LONGEST_DESCRIPTION]
        before = self._newest(commit, status.name)
        if (state, description) == before:
            return
        body = {
            "name": status.name,
            **({"target_url": status.url} if status.url else {}),
            **({"pipeline_id": pipeline} if pipeline else {}),
        }
        if before[0] == state == _WAITING:  # GitLab rejects a transition from pending to pending
            self._set(commit, {**body, "state": "canceled"})
        self._set(commit, {**body, "state": state, "description": description})

    def _target(self, commit: str) -> tuple[str, int]:
        """Return the commit and the pipeline that merging depends on: of a merged result if there is one."""
        request = self._client.get(request_path(self._reference), MergeRequest)
        if request.sha != commit:
            return commit, 0
        pipeline = pipeline_of_head(self._client, self._reference, request)
        return (commit, 0) if pipeline is None else (pipeline.sha, pipeline.id)

    def _newest(self, commit: str, name: str) -> tuple[str, str]:
        """Return state and description of the newest status; empty without any."""
        path = f"{self._project}/repository/commits/{commit}/statuses"
        listed = self._client.pages(path, _Status, name=name)
        found = [status for status in listed if status.name == name]
        newest = max(found, key=lambda status: status.id, default=None)
        return ("", "") if newest is None else (newest.status, newest.description or "")

    def _set(self, commit: str, body: dict[str, Any]) -> None:
        self._client.write("POST", f"{self._project}/statuses/{commit}", body)
