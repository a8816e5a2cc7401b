"""Checks of GitHub: check runs, or commit statuses for tokens that cannot create check runs.

Sources: GitHub, "REST API endpoints for check runs" and "REST API endpoints for commit statuses".
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import msgspec

from wardround.delivery.code_hosts.client import ApiClient
from wardround.delivery.code_hosts.errors import RefusedByHost
from wardround.delivery.code_hosts.model import StatusConclusion, VerdictStatus

_OWN = "wardround"
"""The external id of our check runs: jobs of GitHub Actions have check runs, too, that may have our name."""
_LONGEST_SUMMARY = 65_535
_LONGEST_DESCRIPTION = 140
_FORBIDDEN = 403
_STATES = {
    StatusConclusion.SUCCESS: "success",
    StatusConclusion.NEUTRAL: "success",
    StatusConclusion.ACTION_REQUIRED: "pending",
    StatusConclusion.FAILURE: "failure",
}
"""The states of commit statuses, which know no required action; one that is pending blocks as well."""


class _Output(msgspec.Struct, frozen=True):
    title: str | None = None
    summary: str | None = None


class _CheckRun(msgspec.Struct, frozen=True):
    id: int
    name: str
    status: str
    conclusion: str | None = None
    external_id: str | None = None
    details_url: str | None = None
    output: _Output = _Output()


class _CheckRuns(msgspec.Struct, frozen=True):
    check_runs: tuple[_CheckRun, ...] = ()


class GithubCheckRuns:
    """Check runs, which only apps can create: the ``GITHUB_TOKEN`` of a workflow, or that of a GitHub App."""

    def __init__(self, client: ApiClient, repository: str) -> None:
        self._client = client
        self._path = f"/repos/{repository}"

    def publish(self, status: VerdictStatus) -> None:
        """Create a check run, or update the one that this app created for the commit.

        Raises:
            RefusedByHost: the token cannot create check runs, or the commit does not exist.
        """
        body = _check_run(status)
        for run in self._own_runs(status):
            if _is_same(run, body):
                return
            if self._is_updated(run, body):
                return
        self._create({**body, "head_sha": status.commit, "external_id": _OWN})

    def _own_runs(self, status: VerdictStatus) -> Iterator[_CheckRun]:
        """Yield the check runs of this name, the newest first."""
        found = self._client.get(
            f"{self._path}/commits/{status.commit}/check-runs",
            _CheckRuns,
            check_name=status.name,
            filter="latest",
            per_page=100,
        )
        yield from (run for run in found.check_runs if run.external_id == _OWN)

    def _is_updated(self, run: _CheckRun, body: dict[str, Any]) -> bool:
        """Return False for a check run of another app, which cannot be updated."""
        try:
            self._client.write("PATCH", f"{self._path}/check-runs/{run.id}", body)
        except RefusedByHost as refusal:
            if refusal.status == _FORBIDDEN:
                return False
            raise
        return True

    def _create(self, body: dict[str, Any]) -> None:
        try:
            self._client.write("POST", f"{self._path}/check-runs", body)
        except RefusedByHost as refusal:
            if refusal.status != _FORBIDDEN:
                raise
            advice = (
                "a check run needs the GITHUB_TOKEN of a workflow with checks: write, or that of a GitHub "
                "App; with a personal token give --commit-status"
            )
            raise RefusedByHost(f"GitHub does not let this token create a check run: {advice}", 403) from None


class GithubCommitStatuses:
    """Commit statuses, which every token with the permission to write them can create."""

    def __init__(self, client: ApiClient, repository: str) -> None:
        self._client = client
        self._path = f"/repos/{repository}"

    def publish(self, status: VerdictStatus) -> None:
        """Create a commit status, unless the newest one of its context is the same."""
        body = {
            "state": _STATES[status.conclusion],
            "context": status.name,
            "description": status.title[:_LONGEST_DESCRIPTION],
            **({"target_url": status.url} if status.url else {}),
        }
        if self._newest(status) != (body["state"], body["description"]):
            self._client.write("POST", f"{self._path}/statuses/{status.commit}", body)

    def _newest(self, status: VerdictStatus) -> tuple[str, str]:
        """Return state and description of the newest status of the context; empty without any."""
        statuses = self._client.pages(f"{self._path}/commits/{status.commit}/statuses", _Status)
        found = (entry for entry in statuses if entry.context == status.name)
        return next(((entry.state, entry.description or "") for entry in found), ("", ""))


class _Status(msgspec.Struct, frozen=True):
    state: str
    context: str
    description: str | None = None


def _check_run(status: VerdictStatus) -> dict[str, Any]:
    """Return the body of a request that completes a check run."""
    return {
        "name": status.name,
        "status": "completed",
        "conclusion": status.conclusion.value,
        "completed_at": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "output": {"title": status.title, "summary": _shorten(status.summary)},
        **({"details_url": status.url} if status.url else {}),
    }


def _shorten(summary: str) -> str:
    """Return a summary within the limit of GitHub, cut at the end of a line."""
    if len(summary) <= _LONGEST_SUMMARY:
        return summary
    ending = "\n\nThe rest is in the reports.\n"
    return summary[: _LONGEST_SUMMARY - len(ending)].rpartition("\n")[0] + ending


def _is_same(run: _CheckRun, body: dict[str, Any]) -> bool:
    output = body["output"]
    return (run.status, run.conclusion, run.output.title, run.output.summary) == (
        "completed",
        body["conclusion"],
        output["title"],
        output["summary"],
    )
