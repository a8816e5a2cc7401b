"""The summary, the outputs and the annotation of a step of GitHub Actions."""

from __future__ import annotations

from pathlib import Path

from wardround.delivery import summary
from wardround.delivery.events import Provider
from wardround.delivery.posting import PostedReview
from wardround.reports import markdown
from wardround.reports.github import Annotation
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
            verdict = posted.review.conclusion.verdict
            summary.append(Path(file), f"verdict={verdict.name}\ntier={verdict.tier}\n", "GITHUB_OUTPUT")
