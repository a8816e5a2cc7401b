from __future__ import annotations

import datetime
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wardround.cli.change_options import repo_option
from wardround.cli.judgement_folder import FOLDER
from wardround.cli.run import emit_line, require_one
from wardround.errors import UsageError

if TYPE_CHECKING:
    from wardround.processors.dismissals_file import Dismissals
    from wardround.reports.last_review import ReportedFinding

_SHORTEST = 6
"""Digits by which a finding may be named."""


@click.command("dismiss")
@click.argument("fingerprint", required=False)
@click.option("--reason", metavar="TEXT", help="Why the finding is dismissed; required, and recorded.")
@click.option("--verdict", type=click.Choice(["true", "wrong", "unclear"]),
              help="Also record a judgement of the finding; needs --code.")  # fmt: skip
@click.option("--code", metavar="CODE", help="The reason code of the judgement; docs/judging.md lists them.")
@click.option("--reader", metavar="NAME", default="dismissals", show_default=True,
              help="The reader of the judgement.")  # fmt: skip
@click.option("--report", type=click.Path(path_type=Path), metavar="FILE",
              help="JSON report with the finding (default: the last review here).")  # fmt: skip
@click.option("--shown", is_flag=True, help="List the findings of the last review here, with fingerprints.")
@click.option("--list", "listing", is_flag=True, help="List the dismissed findings.")
@click.option("--remove", metavar="FINGERPRINT", help="Remove a dismissal.")
@repo_option
def command(fingerprint: str | None, **options: Any) -> None:
    """Dismiss one finding, with a reason, in .wardround-dismissals.json; commit that file.

    FINGERPRINT is a fingerprint of a report, or its first digits. A dismissed finding counts as suppressed.
    Its rule and file come from the last review of this repository on this machine. With --verdict and --code
    the dismissal is also a judgement, as wardround eval judge records them.
    """
    ways = {
        "FINGERPRINT": fingerprint is not None,
        "--list": options["listing"],
        "--shown": options["shown"],
        "--remove": options["remove"] is not None,
    }
    require_one(ways, "do one thing at a time")
    root, file, stored = _read_dismissals(options["repo"])
    if options["listing"]:
        _list(stored)
    elif options["shown"]:
        _show(root)
    elif options["remove"] is not None:
        _remove(root, file, stored, options["remove"])
    elif fingerprint is None:
        raise click.UsageError("which finding? give its fingerprint; wardround dismiss --shown lists them")
    else:
        _dismiss(root, file, stored, fingerprint, options)


def _dismiss(root: Path, file: Path, stored: Dismissals, given: str, options: dict[str, Any]) -> None:
    from wardround.processors.dismissals_file import Dismissal, can_be_dismissed
    from wardround.reports import last_review

    reason = " ".join((options["reason"] or "").split())
    if not reason:
        raise click.UsageError("--reason is missing: state why the finding is acceptable")
    if (options["verdict"] is None) != (options["code"] is None):
        raise click.UsageError("--verdict and --code go together: a judgement has both")
    report = options["report"]
    known = last_review.load_report(report) if report is not None else last_review.load(root)
    item = _find_by_fingerprint(given, known, str(report) if report is not None else "the last review here")
    if not can_be_dismissed(item.rule):
        raise UsageError(f"{item.rule} is about what steers a review and cannot be dismissed; mend its cause")
    today = datetime.datetime.now(datetime.UTC).date()
    judged = "" if options["verdict"] is None else _record_judgement(root, item, today, options)
    _save(
        root,
        file,
        stored.with_entry(Dismissal(item.file, item.rule, item.fingerprint, today, reason, item.content)),
    )
    added = f"git add {file.relative_to(root)} and commit it: reviews read the staged version"
    emit_line(f"{file.name}: {item.rule} in {item.file} dismissed; {added}")
    if judged:
        emit_line(f"{judged}: judgement recorded")


def _record_judgement(
    root: Path, item: ReportedFinding, today: datetime.date, options: dict[str, Any]
) -> str:
    """Record the judgement of a dismissed finding, and return the path of its file."""
    from wardround.change.repository import Repository
    from wardround.change.repository_name import repository_name
    from wardround.rules.judgement_files import record_judgement
    from wardround.rules.judgements import FindingKey, judgement_of

    with Repository(root) as repository:
        head = repository.head()
        name = repository_name(repository)
    if head is None:
        raise UsageError("a judgement names a commit, and there is none yet; dismiss without --verdict")
    key = FindingKey(name, head, item.file, item.line, item.rule)
    entry = judgement_of(key, options["verdict"], options["code"], options["reader"], today)
    return str(record_judgement(root / FOLDER, entry, root).relative_to(root))


def _list(stored: Dismissals) -> None:
    for entry in stored.dismissed:
        emit_line(f"{entry.fingerprint}  {entry.day}  {entry.rule}  {entry.file}")
        emit_line(f"    {entry.reason}")
    emit_line(f"{len(stored.dismissed)} dismissed")


def _show(root: Path) -> None:
    from wardround.reports import last_review

    known = last_review.load(root)
    for finding in known:
        emit_line(f"{finding.fingerprint}  {finding.rule}  {finding.file}:{finding.line}")
    emit_line(f"{len(known)} shown by the last review here")


def _remove(root: Path, file: Path, stored: Dismissals, given: str) -> None:
    hits = [e.fingerprint for e in stored.dismissed if _is_prefix(given, e.fingerprint)]
    if len(hits) != 1:
        how = "more than one dismissal begins" if hits else "no dismissal begins"
        raise UsageError(f"{how} with {given!r}; wardround dismiss --list lists them")
    _save(root, file, stored.without(hits[0]))
    emit_line(f"{file.name}: {hits[0]} removed; git add and commit the file: reviews read the staged version")


def _find_by_fingerprint(given: str, known: Sequence[ReportedFinding], where: str) -> ReportedFinding:
    """Return the finding with a fingerprint or fingerprint prefix."""
    hits = [finding for finding in known if _is_prefix(given, finding.fingerprint)]
    if len(hits) > 1:
        raise UsageError(f"{len(hits)} findings of {where} begin with {given!r}; give more digits")
    if not hits:
        raise UsageError(
            f"{where} showed no finding {given!r}; run the review that shows it first, "
            "or name its JSON report with --report"
        )
    return hits[0]


def _is_prefix(given: str, fingerprint: str) -> bool:
    return len(given) >= _SHORTEST and fingerprint.startswith(given.lower())


def _read_dismissals(repo: Path | None) -> tuple[Path, Path, Dismissals]:
    """Return the root of the repository, the dismissals file of the work tree, and its content."""
    from wardround import host
    from wardround.change.repository import INDEX, Repository
    from wardround.config import loader
    from wardround.processors import dismissals_file

    with Repository(repo) as repository:
        settings = loader.read(repository.tree(INDEX).read, [], host.load().specialists)
        name = dismissals_file.path_for(settings.root.baseline)
        file = repository.root / name
        content = file.read_bytes() if file.exists() else None
        return repository.root, file, dismissals_file.load(content, name)


def _save(root: Path, file: Path, stored: Dismissals) -> None:
    from wardround.processors.dismissals_file import dump
    from wardround.storage import directories

    directories.replace_file(file, dump(stored), root)
