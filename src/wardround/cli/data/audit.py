from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wardround.cli.data.mine import seconds_of
from wardround.cli.messages import echo_err
from wardround.cli.run import emit_line, progress_line
from wardround.errors import UsageError

if TYPE_CHECKING:
    from wardround_lab.corpora.within_repository_split import WithinRepositorySplit


@click.command("audit")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE...")
@click.option("--eval", "evaluation", multiple=True, type=click.Path(path_type=Path), metavar="FILE",
              help="Records used for evaluation only. Repeatable.")  # fmt: skip
@click.option("--hold-out", multiple=True, metavar="NAME",
              help="Repository whose items in FILE are used for evaluation. Repeatable.")  # fmt: skip
@click.option("--since", metavar="DATE", help="Split FILE by time: older items train, the rest evaluates.")
@click.option("--recipe", type=click.Path(path_type=Path), metavar="FILE",
              help="Take the split from a recipe instead of --hold-out and --since.")  # fmt: skip
@click.option("--kept", type=click.Path(path_type=Path), metavar="FILE",
              help="List of held-out repositories (default: kept-for-measuring.txt if present).")  # fmt: skip
@click.option("--licence", "licences", multiple=True, metavar="NAME=ID",
              help="Licence of a repository whose records do not name it. Repeatable.")  # fmt: skip
@click.option("--allow-licence", "allowed", multiple=True, metavar="ID",
              help="Accept this licence too; may be 'unknown'. Repeatable.")  # fmt: skip
@click.option("--limit", "limits", multiple=True, metavar="CHECK=SHARE",
              help="Tolerate this share of failing items for a check. Repeatable.")  # fmt: skip
@click.option("--clean-to", type=click.Path(path_type=Path), metavar="FOLDER",
              help="Write the FILEs without failing items to this folder.")  # fmt: skip
def command(files: tuple[Path, ...], **options: Any) -> int:
    """Audit the records of FILE for training, and write FILE.audit.json.

    Checks secrets, duplicates, generated and low-quality text, licences, leakage from evaluation to
    training, and shortcuts in the task. Exit status: 0 passed, 1 failed.
    """
    from wardround import host
    from wardround_lab.corpora.audit_runner import AuditPolicy, AuditRunner, check_limits, summary
    from wardround_lab.corpora.holdout import HoldoutRepositories
    from wardround_lab.corpora.secret_scan import SecretScan

    limits = {name: _share(name, value) for name, value in _pairs("--limit", options["limits"])}
    check_limits(limits)
    hold_out, since, own = _split_options(options)
    demands = AuditPolicy(
        hold_out=hold_out,
        since=since,
        own=own,
        kept=HoldoutRepositories.read(options["kept"]),
        licences=dict(_pairs("--licence", options["licences"])),
        allowed=frozenset(options["allowed"]),
        limits=limits,
    )
    scan = SecretScan(host.load().specialists)
    with progress_line() as progress:
        auditing = AuditRunner(files, options["evaluation"], demands, scan, progress)
        audits = auditing.run()
        cleaned = auditing.clean(_folder(options["clean_to"])) if options["clean_to"] else []
    for path in cleaned:
        echo_err(f"{path}: written without what broke a check; audit it")
    for audit in audits:
        emit_line(f"{audit.records}: {'passed' if audit.passed else 'FAILED'}")
    for line in summary(audits[-1].checks):
        emit_line(line)
    failures = dict.fromkeys(sentence for audit in audits for sentence in audit.failures())
    for sentence in failures:
        echo_err(f"wardround: {sentence}")
    return 1 if failures else 0


def _split_options(
    options: dict[str, Any],
) -> tuple[frozenset[str], int | None, WithinRepositorySplit | None]:
    """Return the held-out repositories, the start of the evaluation, and the split rule of a single
    repository.
    """
    if options["recipe"] is None:
        return frozenset(options["hold_out"]), seconds_of("--since", options["since"]), None
    if options["hold_out"] or options["since"]:
        raise UsageError("--recipe defines the split; omit --hold-out and --since")
    from wardround_lab.training.recipe import read_data_part

    data = read_data_part(options["recipe"])
    since = data.since_seconds if data.since else None
    return frozenset(data.evaluation), since, data.own


def _pairs(option: str, given: tuple[str, ...]) -> list[tuple[str, str]]:
    pairs = [text.rpartition("=") for text in given]
    for text, (name, _, value) in zip(given, pairs, strict=True):
        if not name or not value:
            raise UsageError(f"{option} {text}: write NAME=VALUE")
    return [(name, value) for name, _, value in pairs]


def _share(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError as cause:
        raise UsageError(f"--limit {name}={text}: give a share between 0 and 1") from cause


def _folder(path: Path) -> Path:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as cause:
        raise UsageError(f"--clean-to {path}: {cause.strerror}; give another folder") from cause
    return path
