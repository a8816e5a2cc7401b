"""``wardround post``: the findings of a review as comments on a change request."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wardround.cli.change_options import repo_option
from wardround.cli.code_host_options import change_request_reference, code_host_options
from wardround.cli.run import emit_line

if TYPE_CHECKING:
    from wardround.delivery.feedback.execution import PostResult, PostSettings
    from wardround.delivery.reported_review import ReportedReview


@click.command("post")
@click.argument("report", type=click.Path(path_type=Path), default="report.json", metavar="[REPORT]")
@code_host_options
@click.option("--max-comments", type=click.IntRange(0, 100), default=5, show_default=True, metavar="N",
              help="Comments on lines that are open at a time; the summary counts the others.")  # fmt: skip
@click.option("--run-url", metavar="URL", help="Page with the complete report (default: of the CI run).")
@click.option("--dry-run", is_flag=True, help="Print what would be written, and write nothing.")
@repo_option
def command(report: Path, **options: Any) -> None:
    """Post a review to a pull request or merge request: a few comments on lines, and one summary.

    REPORT is the JSON report of a review (default: report.json). A repeated run changes only what differs:
    the summary is updated in place, a comment whose finding is gone is resolved unless somebody replied, and
    nothing is written twice. The token is in GITHUB_TOKEN or GITLAB_TOKEN.
    """
    from wardround.delivery.code_hosts.opening import open_code_host
    from wardround.delivery.feedback.execution import FeedbackPost
    from wardround.delivery.reported_review import read_report

    review = read_report(report)
    host = open_code_host(change_request_reference(options), os.environ)
    with _settings(review, options) as settings:
        post = FeedbackPost(host, review, settings)
        result = post.plan() if options["dry_run"] else post.post()
    for line in _lines(result, is_dry_run=options["dry_run"]):
        emit_line(line)


@contextmanager
def _settings(review: ReportedReview, options: dict[str, Any]) -> Iterator[PostSettings]:
    """Open the repository, from which suggestions are made; without one there are none."""
    from wardround import host
    from wardround.change.change_source import decode_text
    from wardround.change.repository import Repository
    from wardround.delivery.feedback.execution import PostSettings
    from wardround.delivery.run_origin import origin_of_run
    from wardround.errors import GitError

    origin = origin_of_run(os.environ)
    url = options["run_url"] or ("" if origin is None else origin.workflow_run)
    try:
        repository = Repository(options["repo"])
    except GitError:
        yield PostSettings(options["max_comments"], url, lambda path: None, lambda path, text: None)
        return
    loaded = host.load()

    def complaint(path: str, text: str) -> str | None:
        claiming = loaded.specialists_for(path, text.encode("utf-8", "surrogateescape"))
        return next((c for c in (s.syntax_error_of(text) for s in claiming) if c is not None), None)

    with repository:
        tree = repository.revision(review.commit) if repository.has(review.commit) else None

        def text_of(path: str) -> str | None:
            content = None if tree is None else tree.read(path)
            return None if content is None else decode_text(content)

        yield PostSettings(options["max_comments"], url, text_of, complaint)


def _lines(result: PostResult, *, is_dry_run: bool) -> Iterator[str]:
    """Yield the operations as lines."""
    if result.skipped:
        yield f"nothing is posted: {result.skipped}"
        return
    plan, verb = result.plan, "would be" if is_dry_run else "was"
    for finding in plan.posted:
        yield f"{finding.file}:{finding.line}: comment {verb} posted ({finding.rule})"
    for thread in plan.resolve:
        yield f"{thread.path}:{thread.line}: comment {verb} resolved, its finding is gone"
    for thread in plan.reopen:
        yield f"{thread.path}:{thread.line}: comment {verb} reopened, its finding is back"
    if result.is_summary_changed:
        yield f"summary {verb} {'posted' if result.is_summary_new else 'updated'}"
    if plan.held_back:
        yield f"held back: {len(plan.held_back)} beyond --max-comments"
    if not plan.changes_threads and not result.is_summary_changed:
        yield "nothing to post: the change request shows this review already"
