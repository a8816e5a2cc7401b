"""``wardround release-notes``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from wardround.cli.change_options import repo_option
from wardround.cli.exchange_options import exchange_options
from wardround.cli.record_store import store_location, store_option
from wardround.cli.run import emit, emit_line
from wardround.errors import UsageError

if TYPE_CHECKING:
    from wardround.change.repository import Repository
    from wardround.release_notes.history.revisions import Revisions
    from wardround.release_notes.model import ReleaseNotes

_INCONCLUSIVE = 4
_FORMATS = ("markdown", "keep-a-changelog", "github", "json")


@click.command("release-notes")
@click.argument("revisions", metavar="[FROM[..TO]]", required=False)
@click.option("--since-last-tag", is_flag=True, help="From the last tag of a version before HEAD, or --to.")
@click.option("--to", "head", metavar="REF", help="The head of --since-last-tag (default HEAD).")
@click.option("--format", "form", type=click.Choice(_FORMATS), default="markdown", show_default=True)
@click.option("--version", metavar="VERSION", help="Version of the heading (default: the suggested one).")
@click.option("--output", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
              help="New file for the notes (default: standard output).")  # fmt: skip
@click.option("--check", "changelog", metavar="FILE",
              help="Compare this changelog, or folder of fragments, with the commits.")  # fmt: skip
@click.option("--reword", "is_reworded", is_flag=True,
              help="Let the endpoint with the role editor word the statements.")  # fmt: skip
@click.option("--show-prompt", "is_shown", is_flag=True, help="Print the request of --reword; send nothing.")
@exchange_options
@store_option
@repo_option
def command(
    revisions: str | None,
    since_last_tag: bool,
    head: str | None,
    form: str,
    version: str | None,
    output: Path | None,
    changelog: str | None,
    is_reworded: bool,
    is_shown: bool,
    exchange: Path | None,
    exchange_wait: float,
    store_name: str,
    repo: Path | None,
) -> int:
    """Write release notes of the commits from FROM to TO (default HEAD); each statement names its commits.

    With --check it prints a line for each entry of the changelog that names code which no commit contains, or
    a version of a dependency that does not change, and for each breaking change and feature that it omits.
    The section of the version TO counts, or the one of what is not released yet.

    Exit status: 1 with --check if they disagree, 4 with --reword if the endpoint does not answer.
    """
    from wardround.change.repository import Repository

    _require_one_range(revisions, since_last_tag, head)
    _require_new_file(output)
    with Repository(repo) as repository:
        notes = _notes(repository, _revisions(repository, revisions, since_last_tag, head), store_name)
        if changelog is not None:
            return _check(repository, notes, changelog)
        if is_shown:
            return _show_request(repository, notes)
        worded = _reword(repository, notes, exchange, exchange_wait) if is_reworded else notes
        text = _text(worded or notes, form, version, repository.origin())
    _write(output, text)
    return 0 if worded is not None else _INCONCLUSIVE


def _require_one_range(text: str | None, since_last_tag: bool, head: str | None) -> None:
    if since_last_tag == (text is not None):
        raise UsageError("release-notes: give either FROM..TO, such as v1.2.0..HEAD, or --since-last-tag")
    if head is not None and not since_last_tag:
        raise UsageError(f"--to {head}: it belongs to --since-last-tag; write FROM..{head}")


def _require_new_file(file: Path | None) -> None:
    """Refuse a file that exists: a changelog has more than the notes of one range."""
    if file is not None and file.exists():
        raise UsageError(f"--output {file}: it exists; name a new file, and insert the notes yourself")


def _revisions(repository: Repository, text: str | None, since_last_tag: bool, head: str | None) -> Revisions:
    from wardround.release_notes.history.revisions import revisions_of_range, revisions_since_last_tag

    if since_last_tag or text is None:
        return revisions_since_last_tag(repository, head or "HEAD")
    return revisions_of_range(repository, text)


def _notes(repository: Repository, revisions: Revisions, store_name: str) -> ReleaseNotes:
    from wardround.release_notes.notes import Sources, write_notes
    from wardround.release_notes.statements.modelled_kinds import installed_classifier

    with installed_classifier(repository.root) as classifier:
        return write_notes(repository, revisions, Sources(store_location(store_name), classifier))


def _text(notes: ReleaseNotes, form: str, version: str | None, remote: str) -> str:
    from wardround.release_notes.formats import renderer
    from wardround.release_notes.formats.context import RenderContext, suggested_heading
    from wardround.release_notes.repository_page import repository_page

    heading = suggested_heading(notes) if version is None else version
    return renderer(form)(notes, RenderContext(heading, repository_page(remote)))


def _write(file: Path | None, text: str) -> None:
    from wardround.storage.atomic import write_atomic

    if file is None:
        emit(text)
        return
    try:
        write_atomic(file, text.encode("utf-8", "backslashreplace"))
    except OSError as cause:
        raise UsageError(f"--output {file}: {cause.strerror}; name a file in an existing folder") from cause


def _show_request(repository: Repository, notes: ReleaseNotes) -> int:
    from wardround.cli.release_notes_editor import show_request

    show_request(repository, notes)
    return 0


def _reword(
    repository: Repository, notes: ReleaseNotes, exchange: Path | None, wait_s: float
) -> ReleaseNotes | None:
    from wardround.cli.release_notes_editor import reword

    return reword(repository, notes, exchange, wait_s)


def _check(repository: Repository, notes: ReleaseNotes, changelog: str) -> int:
    from wardround.release_notes.changelog.changelog_check import check_changelog

    problems = check_changelog(repository, notes, _path_in(repository, changelog))
    for problem in problems:
        emit_line(problem.text)
    return int(bool(problems))


def _path_in(repository: Repository, path: str) -> str:
    """Return a path relative to the root of the repository, if it exists relative to the current folder."""
    file = Path(path).resolve()
    is_inside = file.exists() and file.is_relative_to(repository.root)
    return file.relative_to(repository.root).as_posix() if is_inside else path
