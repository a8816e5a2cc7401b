"""The summary, the outputs and the annotation of a step of GitHub Actions."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from wardround.delivery import summary
from wardround.delivery.ci_event import Provider
from wardround.delivery.ci_reports import RECORD, SARIF
from wardround.delivery.posting import PostedReview
from wardround.findings import INTRODUCED
from wardround.policy.gate import is_blocking
from wardround.reports import markdown
from wardround.reports.github import Annotation
from wardround.review_result import ReviewResult
from wardround.text.escaping import one_line


class GithubStep:
    """Posts to the step that runs the review."""

    def post(self, posted: PostedReview) -> None:
        """Annotate the run, and append to the files of the runner."""
        if posted.event.provider is not Provider.GITHUB:
            return
        if posted.headline is not None:
            kind = "error" if posted.is_error else "warning"
            posted.write(f"{Annotation(kind, one_line(posted.headline), {'title': 'wardround'})}\n")
        if file := posted.environ.get("GITHUB_STEP_SUMMARY"):
            content = markdown.render_within(posted.review, summary.MOST_BYTES, posted.headline)
            summary.append(Path(file), content, "GITHUB_STEP_SUMMARY")
        if file := posted.environ.get("GITHUB_OUTPUT"):
            lines = "".join(f"{name}={value}\n" for name, value in _outputs(posted).items())
            summary.append(Path(file), lines, "GITHUB_OUTPUT")


def _outputs(posted: PostedReview) -> Mapping[str, object]:
    """Return the outputs of the step: no value of a change is among them, and no line break."""
    verdict = posted.review.conclusion.verdict
    return {
        "verdict": verdict.name,
        "tier": verdict.tier,
        **_counts(posted.review),
        **_files(posted.reports),
    }


def _counts(review: ReviewResult) -> Mapping[str, int]:
    """Return the numbers of findings: those that are open, that the change introduced, and that block."""
    findings, level = review.open_findings, review.gate.fail_level
    return {
        "findings-total": len(findings),
        "findings-new": sum(finding.status in INTRODUCED for finding in findings),
        "findings-blocking": sum(is_blocking(finding, level) for finding in review.findings),
    }


def _files(reports: Path | None) -> Mapping[str, str]:
    """Return the paths of the reports, and the digest of the record."""
    if reports is None or "\n" in str(reports) or "\r" in str(reports):
        return {}
    found = {"report-dir": str(reports), "sarif-file": str(reports / SARIF)}
    record = reports / RECORD
    if not record.exists():
        return found
    digest = hashlib.sha256(record.read_bytes()).hexdigest()
    return {**found, "record-file": str(record), "record-digest": f"sha256:{digest}"}
