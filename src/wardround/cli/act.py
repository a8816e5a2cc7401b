"""``wardround act``: the verdict of a review acts on its change request."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wardround.cli.code_host_options import change_request_reference, code_host_options
from wardround.cli.messages import echo_err
from wardround.cli.run import emit_line

if TYPE_CHECKING:
    from wardround.delivery.acting.acting import Acting
    from wardround.delivery.acting.plan import ActSettings
    from wardround.delivery.acting.verified_review import VerifiedReview
    from wardround.delivery.code_hosts.model import ChangeRequestReference

_NOT_VERIFIED = 1
_REFUSED = 2


@click.command("act")
@click.argument("report", type=click.Path(path_type=Path), metavar="[REPORT]", default=Path("report.json"))
@code_host_options
@click.option("--apply", "is_applied", is_flag=True, help="Do it (default: only print the actions).")
@click.option("--record", type=click.Path(path_type=Path), metavar="FILE",
              help="Signed record of the review, which must hold and equal the report.")  # fmt: skip
@click.option("--key", "key_files", multiple=True, type=click.Path(path_type=Path), metavar="FILE",
              help="Public key to accept instead of the trusted ones; may be repeated.")  # fmt: skip
@click.option("--unsigned", is_flag=True, help="Act on a report that no record confirms.")
@click.option("--approve-as", default="", metavar="LOGIN",
              help="Approve, if the token is that of this account.")  # fmt: skip
@click.option("--merge", "may_merge", is_flag=True,
              help="Merge directly where the host cannot merge the change automatically.")  # fmt: skip
@click.option("--merge-method", type=click.Choice(["merge", "squash", "rebase"]),
              help="Method of merging (default: that of the repository).")  # fmt: skip
@click.option("--check", default="wardround", show_default=True, metavar="NAME",
              help="Name of the check, which the target branch requires.")  # fmt: skip
@click.option("--commit-status", is_flag=True,
              help="Publish a commit status, for a token that cannot create check runs.")  # fmt: skip
@click.option("--log", type=click.Path(path_type=Path), metavar="FILE",
              help="Append each action to this file, as JSON lines.")  # fmt: skip
def command(**options: Any) -> int:
    """Publish the verdict of REPORT as a check, and approve, merge or request reviews as it demands.

    REPORT is the JSON report of a review (default: report.json). Nothing is written without --apply, and all
    of it is about exactly the reviewed commit: after a push it is withdrawn.

    Exit status: 0 done, 1 the record does not hold or is not that of the report, 2 usage error, or the host
    refused an action, 5 the host failed.
    """
    from wardround.delivery.acting.verified_review import NotVerified

    _require_consistent(options)
    reference = change_request_reference(options)
    try:
        review = _review(options)
        review.require_about(reference)
    except NotVerified as cause:
        echo_err(f"wardround: {cause}")
        return _NOT_VERIFIED
    return _act(reference, review, options)


def _require_consistent(options: dict[str, Any]) -> None:
    """Require that nothing is done without a record, unless that is requested."""
    if options["record"] and options["unsigned"]:
        raise click.UsageError("--record and --unsigned cannot go together; choose one")
    if options["key_files"] and not options["record"]:
        raise click.UsageError("--key needs --record; name the record that it verifies")
    if options["is_applied"] and not (options["record"] or options["unsigned"]):
        raise click.UsageError("--apply needs --record FILE, or --unsigned for a report without a record")


def _review(options: dict[str, Any]) -> VerifiedReview:
    """Read the report, and verify its record if there is one."""
    from wardround.delivery.acting.verified_review import VerifiedReview, verified_review
    from wardround.delivery.reported_review import read_report
    from wardround.errors import UsageError

    report = read_report(options["report"])
    if not report.commit:
        raise UsageError(f"{options['report']} is not about a commit; act on the report of wardround ci")
    record: Path | None = options["record"]
    if record is None:
        return VerifiedReview(report)
    from wardround.records import keys
    from wardround.records.public_keys import read_public_key
    from wardround.records.reading import record_content

    key_files = options["key_files"]
    accepted = tuple(map(read_public_key, key_files)) if key_files else keys.trusted_keys()
    return verified_review(report, record_content(record), str(record), accepted)


def _act(reference: ChangeRequestReference, review: VerifiedReview, options: dict[str, Any]) -> int:
    """Print the plan, or apply it."""
    from wardround.delivery.acting.acting import Acting
    from wardround.delivery.acting.action_log import ActionLog
    from wardround.delivery.code_hosts.opening import open_code_host

    if not review.record:
        echo_err("wardround: no record confirms the report; --record FILE verifies it")
    with closing(open_code_host(reference, os.environ)) as host:
        about = f"{reference.repository}#{reference.number}"
        constant = {"change_request": about, "account": host.account().name, "record": review.record}
        log = ActionLog(options["log"] if options["is_applied"] else None, constant)
        acting = Acting(host, review, _settings(options), log, emit_line)
        return _apply(acting) if options["is_applied"] else _print_plan(acting)


def _print_plan(acting: Acting) -> int:
    plan = acting.plan()
    for action in plan.actions:
        emit_line(f"would {action.text}")
    _show_notes(plan.notes)
    return 0


def _apply(acting: Acting) -> int:
    outcome = acting.apply()
    _show_notes(outcome.plan.notes)
    for refusal in outcome.refusals:
        echo_err(f"wardround: {refusal}")
    return _REFUSED if outcome.refusals and not outcome.plan.is_obsolete else 0


def _show_notes(notes: tuple[str, ...]) -> None:
    for note in notes:
        emit_line(f"note: {note}")


def _settings(options: dict[str, Any]) -> ActSettings:
    from wardround.delivery.acting.plan import ActSettings
    from wardround.delivery.code_hosts.model import MergeMethod
    from wardround.delivery.run_origin import origin_of_run

    origin = origin_of_run(os.environ)
    method = options["merge_method"]
    return ActSettings(
        check=options["check"],
        url=origin.workflow_run if origin is not None else "",
        as_commit_status=options["commit_status"],
        approve_as=options["approve_as"],
        may_merge=options["may_merge"],
        method=MergeMethod(method) if method else None,
    )
