"""``wardround post``: the findings of a review as comments on a change request."""

from __future__ import annotations

import datetime
import os
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wardround.cli.code_host_options import change_request_reference, code_host_options
from wardround.cli.run import emit_line
from wardround.errors import UsageError

if TYPE_CHECKING:
    from wardround.delivery.code_hosts.code_host import CodeHost
    from wardround.delivery.code_hosts.model import ChangeRequestReference
    from wardround.delivery.feedback.dismissals import Dismissal
    from wardround.delivery.feedback.execution import PostResult, PostSettings
    from wardround.delivery.feedback.plan import FeedbackPlan
    from wardround.delivery.reported_review import ReportedReview


@click.command("post")
@click.argument("report", type=click.Path(path_type=Path), default="report.json", metavar="[REPORT]")
@code_host_options
@click.option("--max-comments", type=click.IntRange(min=0), default=5, show_default=True, metavar="N",
              help="Comments on lines that are open at a time; the summary counts the others.")  # fmt: skip
@click.option("--run-url", metavar="URL", help="Page with the complete report (default: of the CI run).")
@click.option("--judgements", type=click.Path(path_type=Path), metavar="PATH",
              help="Record dismissed comments as judgements, in this folder or file.jsonl.")  # fmt: skip
@click.option("--dry-run", is_flag=True, help="Print what would be written, and write nothing.")
def command(report: Path, **options: Any) -> None:
    """Post a review to a pull request or merge request: a few comments on lines, and one summary.

    REPORT is the JSON report of a review (default: report.json). A repeated run changes only what differs:
    the summary is updated in place, a comment whose finding is fixed is resolved unless somebody replied, and
    nothing is written twice. The token is in GITHUB_TOKEN or GITLAB_TOKEN.

    Exit status: 0 done, or nothing is posted because the change request is closed or has another commit by
    now; 2 usage error, or the host refused a request; 5 the host failed, and the next run continues.
    """
    from wardround.delivery.code_hosts.opening import open_code_host
    from wardround.delivery.feedback.execution import FeedbackPost
    from wardround.delivery.reported_review import read_report

    review = read_report(report)
    if not review.commit:
        raise UsageError(f"{report} is not about a commit; post the report of wardround ci")
    reference = change_request_reference(options)
    with closing(open_code_host(reference, os.environ)) as host:
        post = FeedbackPost(host, review, _settings(options))
        result = post.plan() if options["dry_run"] else post.post()
        dismissals = _dismissals(host, review, result) if options["judgements"] else ()
    for line in _lines(result, is_dry_run=options["dry_run"]):
        emit_line(line)
    if dismissals:
        _record(reference, dismissals, options)


def _dismissals(host: CodeHost, review: ReportedReview, result: PostResult) -> tuple[Dismissal, ...]:
    """Return the dismissed comments whose findings are still reported."""
    from wardround.delivery.feedback.dismissals import Dismissals

    if result.state is None:
        return ()
    return tuple(Dismissals(host.feedback, result.state, review.commit).of(result.plan.known))


def _record(
    reference: ChangeRequestReference, dismissals: Sequence[Dismissal], options: dict[str, Any]
) -> None:
    """Record dismissals as judgements, each once."""
    from wardround.delivery.feedback.judgements import JudgementFile

    recorded = JudgementFile(options["judgements"], reference.repository)
    for dismissal in recorded.without_judgement(dismissals):
        if not options["dry_run"]:
            recorded.record(dismissal, datetime.datetime.now(datetime.UTC).date())
        verb = "would be" if options["dry_run"] else "was"
        finding = dismissal.finding
        emit_line(f"{finding.file}:{dismissal.line}: dismissal {verb} recorded as {dismissal.verdict.value}, "
                  f"{dismissal.reason.value} ({finding.rule})")  # fmt: skip


def _settings(options: dict[str, Any]) -> PostSettings:
    from wardround import host
    from wardround.delivery.feedback.execution import PostSettings
    from wardround.delivery.run_origin import origin_of_run

    origin = origin_of_run(os.environ)
    url = options["run_url"] or ("" if origin is None else origin.workflow_run)
    return PostSettings(options["max_comments"], url, host.load().unproven)


def _lines(result: PostResult, *, is_dry_run: bool) -> Iterator[str]:
    """Yield the operations as lines."""
    if result.skipped:
        yield f"nothing is posted: {result.skipped}"
        return
    yield from _thread_lines(result.plan, "would be" if is_dry_run else "was")
    yield from _summary_lines(result, "would be" if is_dry_run else "was")


def _thread_lines(plan: FeedbackPlan, verb: str) -> Iterator[str]:
    for finding in plan.posted:
        yield f"{finding.file}:{finding.line}: comment {verb} posted ({finding.rule})"
    for thread in plan.resolve:
        yield f"{thread.path}:{thread.line}: comment {verb} resolved, its finding is not reported any more"
    for thread in plan.reopen:
        yield f"{thread.path}:{thread.line}: comment {verb} reopened, its finding is back"


def _summary_lines(result: PostResult, verb: str) -> Iterator[str]:
    if result.is_summary_changed:
        yield f"summary {verb} {'posted' if result.is_summary_new else 'updated'}"
    if result.rejected:
        yield f"{result.rejected} comments were rejected by the host and are in the summary"
    if result.refused:
        yield (
            f"{result.refused} comments could not be resolved or reopened: the token may not do that "
            "(docs/pull-requests.md)"
        )
    if result.plan.held_back:
        yield f"held back: {len(result.plan.held_back)} beyond --max-comments"
    if result.plan.folded:
        yield f"folded as less useful: {len(result.plan.folded)}"
    if not result.plan.changes_threads and not result.is_summary_changed:
        yield "nothing to post: the change request shows this review already"
