"""``wardround ci``: the review as a CI system calls it."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wardround.cli.accepting import accept_option
from wardround.cli.change_options import repo_option
from wardround.cli.completion import complete_formats
from wardround.cli.exchange_options import exchange_options
from wardround.cli.fail_on_verdict import fail_on_verdict_option
from wardround.cli.messages import echo_err
from wardround.cli.policy_floor import policy_floor_option
from wardround.cli.record_store import store_option
from wardround.cli.recording import sign_options
from wardround.cli.run import emit, run_and_report
from wardround.cli.run_options import run_options
from wardround.cli.ticket import ticket_option

if TYPE_CHECKING:
    from wardround.cli.ci_options import CiOptions
    from wardround.cli.options import RecordSpec, TicketSpec
    from wardround.config.request import ReviewRequest
    from wardround.delivery.ci_event import CiEvent
    from wardround.delivery.comparison import RevisionRange
    from wardround.delivery.report_directory import ReportDirectory
    from wardround.review_result import ReviewResult

PROVIDERS = ("github", "gitlab", "jenkins", "azure", "bitbucket", "generic")


@click.command("ci")
@click.option("--provider", type=click.Choice(["auto", *PROVIDERS]), default="auto",
              show_default=True, help="CI system whose event is read; generic: by variables.")  # fmt: skip
@repo_option
@click.option("--base-ref", metavar="REF", help="Revision to compare with (default: from the event).")
@click.option("--head-ref", metavar="REF", help="Last commit of the change (default: HEAD).")
@click.option(
    "--fail-level",
    type=click.Choice(["", "none", "info", "warn", "error"]),
    help="Lowest severity that blocks.",
)
@click.option(
    "--filter-mode", type=click.Choice(["", "added", "diff_context", "file", "nofilter"]),
    help="Findings that are shown: on added lines, also next to them, in the changed files, or all.",
)  # fmt: skip
@fail_on_verdict_option
@click.option("--config-from", type=click.Choice(["base", "head"]), default="base", show_default=True,
              help="Side whose configuration applies.")  # fmt: skip
@click.option("--reports-dir", metavar="DIR",
              help="New directory for the reports (default: in the temporary directory).")  # fmt: skip
@click.option("--report", "reports", multiple=True, metavar="NAME[=FILE]",
              help="Also write this format to the directory. Repeatable.",
              shell_complete=complete_formats)  # fmt: skip
@policy_floor_option
@ticket_option
@sign_options
@store_option
@accept_option
@run_options
@exchange_options
@click.option("--build-environments", is_flag=True,
              help="Build missing environments for the run; this uses the network.")  # fmt: skip
@click.option("--no-fetch", is_flag=True, help="Do not fetch from origin.")
def command(**options: Any) -> int:
    """Review the change that started this CI run, and write the reports.

    The event decides which commits are compared: a pull request with its target branch, a merge commit with
    its first parent, a push with the commit before it, a branch build with the last successful one. Commits
    missing in a shallow clone are fetched from origin. The exit status is that of review; a checkout
    without the commit of the event is inconclusive.
    """
    from wardround.cli.ci_options import CiOptions

    return ci(CiOptions.of(options))


def ci(options: CiOptions) -> int:
    """Run the command."""
    from msgspec.structs import replace

    from wardround.delivery.ci_event import Provider
    from wardround.delivery.events import PROVIDER, detect, read_event

    names = _named_revisions(options)
    if options.provider != "auto":
        os.environ[PROVIDER] = options.provider  # for the origin in the record, too
    system = detect(os.environ)
    event = read_event(system, os.environ)
    request = replace(options.request, target_branch=event.target or "")
    root, comparison = _compare(options.repo, event, *names, may_fetch=not options.no_fetch)
    if options.build_environments and request.run != () and comparison.error is None:
        from wardround.cli.ci_environments import build_missing  # few runs build anything

        build_missing(root, comparison.base, comparison.head, options.sandbox)
    run = CiRun(options, event, root, comparison)
    review, reports = run.review(request, "github" if system is Provider.GITHUB else "text")
    run.post(review, reports)
    return review.exit_status


def _named_revisions(options: CiOptions) -> tuple[str | None, str | None]:
    """Return the base and the head that the options name.

    Raises:
        UsageError: one is not a revision.
    """
    from wardround.change.revisions import require_ref

    base = require_ref(options.base_ref, "--base-ref") if options.base_ref else None
    head = require_ref(options.head_ref, "--head-ref") if options.head_ref else None
    return base, head


class CiRun:
    """The review of the change of an event: its reports, its record and its post."""

    def __init__(self, options: CiOptions, event: CiEvent, root: Path, comparison: RevisionRange) -> None:
        self._options = options
        self._event = event
        self._root = root
        self._comparison = comparison

    def review(self, request: ReviewRequest, shown_format: str) -> tuple[ReviewResult, Path]:
        """Review the change; print the report, and write all reports and the record to the directory.

        Returns:
            The review, and the directory.
        """
        from wardround.cli.options import ChangeSpec, ReportSpec
        from wardround.delivery.ci_reports import ci_reports
        from wardround.delivery.report_directory import ReportDirectory
        from wardround.reports import renderer

        reports = ci_reports(self._options.reports)
        comparison, folder = self._comparison, self._options.reports_dir
        target = ChangeSpec(base=comparison.base, head=comparison.head, repo=self._root)
        shown = ReportSpec(shown_format, None)
        requested = Path(folder) if folder else None
        with ReportDirectory.create(requested, self._root, os.environ) as directory:
            record, ticket = self._record(directory), self._ticket()
            review = run_and_report(target, request, (shown,), self._amend_review, record, ticket)
            for report in reports:
                directory.write(report.file, renderer(report.format)(review))
        return review, directory.path

    def post(self, review: ReviewResult, reports: Path) -> None:
        """Post the review where the CI system shows it."""
        from wardround.delivery.posting import PostedReview, post_all

        error = self._comparison.error
        headline = error or self._notice(review)
        printed = partial(emit, escaped=True)
        posted = PostedReview(review, self._event, headline, error is not None, os.environ, printed, reports)
        post_all(posted, lambda text: echo_err(f"wardround: {text}"))

    def _record(self, directory: ReportDirectory) -> RecordSpec:
        """Return the record, which is one of the reports; an unknown change has no other report."""
        from msgspec.structs import replace

        from wardround.delivery.ci_reports import RECORD

        requested = self._options.record
        accept = requested.accept if self._comparison.error is None else None
        return replace(requested, sink=lambda data: directory.write(RECORD, data.decode()), accept=accept)

    def _ticket(self) -> TicketSpec:
        from msgspec.structs import replace

        event = self._event
        requested = self._options.requested_ticket
        return replace(requested, branch=event.branch, title=event.title, body=event.body)

    def _amend_review(self, review: ReviewResult) -> ReviewResult:
        """Add the notes of the event to a review; a change that was not reviewed makes it inconclusive."""
        from msgspec.structs import replace

        from wardround.conclusion import unreviewed_result

        if self._comparison.error is not None:
            return unreviewed_result(review, self._comparison.error)
        notice = self._notice(review)
        return review if notice is None else replace(review, notes=(notice, *review.notes))

    def _notice(self, review: ReviewResult) -> str | None:
        comparison = self._comparison
        if comparison.notice is None and not review.change.files:
            return f"the commits since {comparison.base[:12]} change no file: there is nothing to review"
        return comparison.notice


def _compare(
    repo: Path | None, event: CiEvent, base: str | None, head: str | None, *, may_fetch: bool
) -> tuple[Path, RevisionRange]:
    """Return the root of the repository and the commits to compare."""
    from wardround.change.repository import Repository
    from wardround.delivery.checkout import Checkout
    from wardround.delivery.comparison import EventComparison
    from wardround.delivery.environment import harden

    harden(os.environ, repo or Path.cwd())
    with Repository(repo) as repository:
        checkout = Checkout(repository, os.environ, may_fetch=may_fetch)
        comparison = EventComparison(checkout, event).compare(base, head)
        start = checkout.merge_base(comparison.base, comparison.head, deepening=())
        checkout.complete(*filter(None, (comparison.head, start)))
        return repository.root, comparison
