"""Reviews, and posts of them to a pull request on loopback."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import msgspec

from tests.delivery.github_api import TOKEN, GithubApi
from tests.delivery.gitlab_api import GitlabApi
from tests.delivery.test_client import StoppedClock
from wardround.delivery.code_hosts.client import ClientLimits
from wardround.delivery.code_hosts.model import ChangeRequestReference
from wardround.delivery.code_hosts.opening import open_code_host
from wardround.delivery.feedback.execution import FeedbackPost, PostResult, PostSettings
from wardround.delivery.reported_review import ReportedReview, parse_report

HEAD = "a" * 40
MERGE = "d" * 40


def finding(line: int, severity: str = "warn", **values: Any) -> dict[str, Any]:
    return {
        "fingerprint": f"{line:016x}",
        "rule": "tool/R1",
        "plane": "semantic",
        "severity": severity,
        "file": "src/a.py",
        "line": line,
        "column": 1,
        "end_line": line,
        "end_column": 2,
        "message": f"message {line}",
        "rationale": "Why it matters.",
        "status": "new",
        "url": None,
        **values,
    }


def report_content(*findings: dict[str, Any], head: str = HEAD, **values: Any) -> bytes:
    content = {
        "schema": "wardround.report/1",
        "context": {"id": "sha256:0", "base": "b" * 40, "head": head},
        "gate": {"outcome": "pass"},
        "verdict": {"name": "human-review", "tier": "T3", "policy": "default@sha256:0"},
        "findings": list(findings),
        **values,
    }
    return msgspec.json.encode(content)


def report(*findings: dict[str, Any], head: str = HEAD, **values: Any) -> ReportedReview:
    return parse_report(report_content(*findings, head=head, **values), "report.json")


Api = TypeVar("Api", GithubApi, GitlabApi, GithubApi | GitlabApi)
APIS: dict[str, type[GithubApi] | type[GitlabApi]] = {"github": GithubApi, "gitlab": GitlabApi}


@dataclass
class PostingTo(Generic[Api]):
    """A pull request or merge request on loopback, and posts to it."""

    host: str
    api: Api
    url: str

    def post(
        self,
        review: ReportedReview,
        most: int = 5,
        clock: StoppedClock | None = None,
        unproven: Callable[[str, str, str], str | None] = lambda path, before, after: None,
        environ: Mapping[str, str] | None = None,
        run_url: str = "https://ci.example/run/1",
    ) -> PostResult:
        reference = ChangeRequestReference(self.host, self.url, "acme/shop", 7)
        limits = ClientLimits(pause=0.0) if clock is None else ClientLimits(patience=1e9)
        variables = {f"{self.host.upper()}_TOKEN": TOKEN, **(environ or {})}
        host = open_code_host(reference, variables, limits, clock or StoppedClock())
        settings = PostSettings(most, run_url, unproven)
        try:
            return FeedbackPost(host, review, settings).post()
        finally:
            host.close()


Posting = PostingTo[GithubApi | GitlabApi]
GithubPosting = PostingTo[GithubApi]
