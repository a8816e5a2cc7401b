"""``wardround ci``: the review as a CI system calls it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wardround.cli.accepting import accept_option
from wardround.cli.exchange_options import exchange_options
from wardround.cli.policy_floor import policy_floor_option
from wardround.cli.record_store import store_option
from wardround.cli.recording import sign_options
from wardround.cli.run import emit, run_and_report
from wardround.cli.run_options import parse_run, run_options
from wardround.cli.ticket import ticket_option

if TYPE_CHECKING:
    from wardround.delivery.comparison import RevisionRange
    from wardround.delivery.events import CiEvent
    from wardround.review import ReviewResult

RECORD = "review.intoto.jsonl"
REPORTS = {"json": "report.json", "sarif": "report.sarif", "text": "report.txt"}


@click.command("ci")
@click.option("--provider", type=click.Choice(["auto", "github", "jenkins"]), default="auto",
              show_default=True, help="CI system whose event is read.")  # fmt: skip
@click.option(
    "--repo", type=click.Path(path_type=Path), metavar="DIR", help="Repository (default: current directory)."
)
@click.option("--base-ref", metavar="REF", help="Revision to compare with (default: from the event).")
@click.option("--head-ref", metavar="REF", help="Last commit of the change (default: HEAD).")
@click.option(
    "--fail-level",
    type=click.Choice(["", "none", "info", "warn", "error"]),
    help="Lowest severity that blocks.",
)
@click.option("--filter-mode", type=click.Choice(["", "added", "diff_context", "file", "nofilter"]))
@click.option("--config-from", type=click.Choice(["base", "head"]), default="base", show_default=True,
              help="Side whose configuration applies.")  # fmt: skip
@click.option("--reports-dir", metavar="DIR",
              help="New directory for the reports (default: in the temporary directory).")  # fmt: skip
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
    return ci(**options)


def ci(
    *, provider: str, repo: Path | None, base_ref: str | None, head_ref: str | None, fail_level: Any,
    filter_mode: Any, config_from: Any, reports_dir: str | None, no_fetch: bool, policy_floor: Path | None,
    ticket: str, sign_with: str, public_key: str, passphrase_env: str, store_name: str,
    accepted_record: str, run: str | None, sandbox: str | None, build_environments: bool,
    exchange: Path | None, exchange_wait: float,
) -> int:  # fmt: skip
    """Run the command."""
    from wardround.change.revisions import require_ref
    from wardround.cli.options import ChangeSpec, RecordSpec, ReportSpec, TicketSpec
    from wardround.config.request import ReviewRequest
    from wardround.delivery import summary
    from wardround.delivery.events import Provider, detect, read_event
    from wardround.delivery.report_directory import ReportDirectory
    from wardround.reports import renderer
    from wardround.tools.tool import Profile

    base = require_ref(base_ref, "--base-ref") if base_ref else None
    head = require_ref(head_ref, "--head-ref") if head_ref else None
    system = detect(os.environ) if provider == "auto" else Provider(provider)
    event = read_event(system, os.environ)
    request = ReviewRequest(
        profile=Profile.CI, fail_level=fail_level or None, filter_mode=filter_mode or None,
        config_from=config_from, target_branch=event.target or "", policy_floor=policy_floor,
        run=parse_run(run or None), sandbox=sandbox, exchange=exchange, exchange_wait=exchange_wait,
    )  # fmt: skip
    root, comparison = _compare(repo, event, base, head, may_fetch=not no_fetch)
    if build_environments and request.run != () and comparison.error is None:
        from wardround.cli.ci_environments import build_missing  # few runs build anything

        build_missing(root, comparison.base, comparison.head, sandbox)
    target = ChangeSpec(base=comparison.base, head=comparison.head, repo=root)
    shown = ReportSpec("github" if system is Provider.GITHUB else "text", None)
    with ReportDirectory.create(Path(reports_dir) if reports_dir else None, root, os.environ) as directory:
        record = RecordSpec(
            None,
            lambda data: directory.write(RECORD, data.decode()),
            sign_with,
            public_key,
            passphrase_env,
            store_name,
            accept=accepted_record if comparison.error is None else None,
        )
        review = run_and_report(
            target,
            request,
            (shown,),
            lambda review: _amended(review, comparison),
            record,
            TicketSpec(ticket, False, event.branch, event.title, event.body),
        )
        for name, file in REPORTS.items():
            directory.write(file, renderer(name)(review))
    if system is Provider.GITHUB:
        headline = comparison.error or _notice(comparison, review)
        _announce(headline, "warning" if comparison.error is None else "error")
        if summary_file := os.environ.get("GITHUB_STEP_SUMMARY"):
            summary.append(Path(summary_file), summary.render(review, headline), "GITHUB_STEP_SUMMARY")
        if outputs_file := os.environ.get("GITHUB_OUTPUT"):
            verdict = review.conclusion.verdict
            outputs = f"verdict={verdict.name}\ntier={verdict.tier}\n"
            summary.append(Path(outputs_file), outputs, "GITHUB_OUTPUT")
    return review.exit_status


def _compare(
    repo: Path | None, event: CiEvent, base: str | None, head: str | None, *, may_fetch: bool
) -> tuple[Path, RevisionRange]:
    """Return the root of the repository and the commits to compare."""
    from wardround.change.repository import Repository
    from wardround.delivery.checkout import Checkout
    from wardround.delivery.comparison import Comparing
    from wardround.delivery.environment import harden

    harden(os.environ, repo or Path.cwd())
    with Repository(repo) as repository:
        checkout = Checkout(repository, os.environ, may_fetch=may_fetch)
        comparison = Comparing(checkout, event).compare(base, head)
        start = checkout.merge_base(comparison.base, comparison.head, deepening=())
        checkout.complete(*filter(None, (comparison.head, start)))
        return repository.root, comparison


def _amended(review: ReviewResult, comparison: RevisionRange) -> ReviewResult:
    """Add the notes of the event to a review; a change that was not reviewed makes it inconclusive."""
    from msgspec.structs import replace

    from wardround.conclusion import without_review

    if comparison.error is not None:
        return without_review(review, comparison.error)
    notice = _notice(comparison, review)
    return review if notice is None else replace(review, notes=(notice, *review.notes))


def _notice(comparison: RevisionRange, review: ReviewResult) -> str | None:
    if comparison.notice is None and not review.change.files:
        return f"the commits since {comparison.base[:12]} change no file: there is nothing to review"
    return comparison.notice


def _announce(headline: str | None, kind: str) -> None:
    """Annotate a run that reviewed nothing or not the requested change."""
    from wardround.reports.github import Annotation
    from wardround.text.escaping import one_line

    if headline is not None:
        emit(f"{Annotation(kind, one_line(headline), {'title': 'wardround'})}\n", escaped=True)
