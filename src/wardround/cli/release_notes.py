"""``wardround release-notes``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wardround.cli.change_options import repo_option
from wardround.cli.exchange_options import exchange_options
from wardround.cli.record_store import store_location, store_option
from wardround.cli.run import emit, emit_line
from wardround.errors import UsageError

if TYPE_CHECKING:
    from wardround.change.repository import Repository
    from wardround.cli.release_notes_options import ReleaseNotesOptions
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
def command(**options: Any) -> int:
    """Write release notes of the commits from FROM to TO (default HEAD); each statement names its commits.

    With --check it prints a line for each entry of the changelog that names code which no commit contains, or
    a version of a dependency that does not change, and for each breaking change and feature that it omits.
    The section of the version TO counts, or the one of what is not released yet.

    Exit status: 1 with --check if they disagree, 4 with --reword if the endpoint does not answer.
    """
    from wardround.cli.release_notes_options import ReleaseNotesOptions

    return write(ReleaseNotesOptions(**options))


def write(options: ReleaseNotesOptions) -> int:
    """Run the command."""
    from wardround.change.repository import Repository

    options.require_consistent()
    with Repository(options.repo) as repository:
        notes = _notes(repository, options.range_in(repository), options.store_name)
        if options.changelog is not None:
            return _check(repository, notes, options.changelog)
        if options.is_shown:
            return _show_request(repository, notes)
        worded = _reword(repository, notes, options) if options.is_reworded else notes
        text = _text(worded or notes, options, repository.origin())
    _write(options.output, text)
    return 0 if worded is not None else _INCONCLUSIVE


def _notes(repository: Repository, revisions: Revisions, store_name: str) -> ReleaseNotes:
    from wardround.release_notes.notes import Sources, write_notes
    from wardround.release_notes.statements.modelled_kinds import installed_classifier

    with installed_classifier(repository.root) as classifier:
        return write_notes(repository, revisions, Sources(store_location(store_name), classifier))


def _text(notes: ReleaseNotes, options: ReleaseNotesOptions, remote: str) -> str:
    from wardround.release_notes.formats import renderer
    from wardround.release_notes.formats.context import RenderContext, suggested_heading
    from wardround.release_notes.repository_page import repository_page

    heading = suggested_heading(notes) if options.version is None else options.version
    return renderer(options.form)(notes, RenderContext(heading, repository_page(remote)))


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


def _reword(repository: Repository, notes: ReleaseNotes, options: ReleaseNotesOptions) -> ReleaseNotes | None:
    from wardround.cli.release_notes_editor import reword

    return reword(repository, notes, options.exchange, options.exchange_wait)


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
