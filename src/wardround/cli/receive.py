"""``wardround receive``: the report of a run without a token, checked by a run that has one."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wardround.cli.messages import echo_err
from wardround.cli.run import emit_line

if TYPE_CHECKING:
    from wardround.delivery.code_hosts.client import ApiClient
    from wardround.delivery.code_hosts.github.workflow_run import WorkflowRun
    from wardround.delivery.reported_review import ReportedReview

_SHOWN_DIGITS = 12


@click.command("receive")
@click.argument("archive", type=click.Path(path_type=Path), metavar="ARCHIVE")
@click.option("--artifact", default="wardround-reports", show_default=True, metavar="NAME",
              help="Name of the artifact.")  # fmt: skip
@click.option("--api", metavar="URL", help="Address of GitHub's interface (default: of the run).")
@click.option("--report", "report_file", type=click.Path(path_type=Path), default=Path("report.json"),
              show_default=True, metavar="FILE", help="File to create with the checked report.")  # fmt: skip
def command(archive: Path, artifact: str, api: str | None, report_file: Path) -> int:
    """Check the report of the workflow run that started this one, such as that of a fork.

    ARCHIVE is the zip file of its artifact, not unpacked, or the folder that has only this file. Size and
    digest must be those that GitHub has, and the report must be about the commit of the run. The report is
    written again with the fields that wardround knows. Commit and pull request come from the event and from
    GitHub. In a step, the outputs "change-request" and "report" are set; the first is empty if the pull
    request is closed or has a newer commit.
    """
    from contextlib import closing

    from wardround.delivery.code_hosts.github.host import github_client
    from wardround.delivery.code_hosts.github.workflow_run import find_pull_request, read_workflow_run
    from wardround.delivery.code_hosts.reference import DEFAULT_APIS

    repository, run = read_workflow_run(os.environ)
    address = api or os.environ.get("GITHUB_API_URL") or DEFAULT_APIS["github"]
    with closing(github_client(address, os.environ)) as client:
        report = _received_report(client, repository, run, archive, artifact)
        number = find_pull_request(client, repository, run)
    _write(report, report_file)
    _set_outputs(number, report_file)
    commit = run.head_sha[:_SHOWN_DIGITS]
    if number is None:
        echo_err(f"wardround: no open pull request has the commit {commit} now; nothing is posted")
    else:
        emit_line(f"the report about {commit} belongs to {repository}#{number}")
    return 0


def _received_report(
    client: ApiClient, repository: str, run: WorkflowRun, archive: Path, artifact: str
) -> ReportedReview:
    """Return the report of an archive, if that is the artifact of the run and about its commit."""
    from wardround.delivery.code_hosts.github.workflow_run import find_artifact
    from wardround.delivery.report_archive import read_archive, report_in, require_digest

    content = read_archive(archive)
    listed = find_artifact(client, repository, run, artifact)
    require_digest(content, listed.size_in_bytes, listed.digest or "")
    return report_in(content, run.head_sha)


def _write(report: ReportedReview, file: Path) -> None:
    """Create a file with a report.

    Raises:
        UsageError: it exists, or cannot be created.
    """
    import msgspec

    from wardround.errors import UsageError

    try:
        with file.open("xb") as opened:
            opened.write(msgspec.json.encode(report))
    except OSError as cause:
        raise UsageError(f"--report {file}: {cause.strerror}; name a file that does not exist") from cause


def _set_outputs(number: int | None, file: Path) -> None:
    from wardround.delivery.summary import append
    from wardround.text.escaping import one_line

    if outputs := os.environ.get("GITHUB_OUTPUT"):
        lines = f"change-request={number or ''}\nreport={one_line(str(file))}\n"
        append(Path(outputs), lines, "GITHUB_OUTPUT")
