"""``wardround release-notes``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from wardround.cli.change_options import repo_option
from wardround.cli.exchange_options import exchange_options
from wardround.cli.run import emit, emit_line
from wardround.errors import UsageError

if TYPE_CHECKING:
    from wardround.change.repository import Repository
    from wardround.release_notes.model import ReleaseNotes
    from wardround.release_notes.revisions import Revisions

_INCONCLUSIVE = 4
_FORMATS = ("keep-a-changelog", "github", "json", "markdown")


@click.command("release-notes")
@click.argument("revisions", metavar="[FROM..TO]", required=False)
@click.option(
    "--since-last-tag",
    is_flag=True,
    help="From the nearest tag of a version before HEAD, or before TO of --to.",
)
@click.option("--to", "head", metavar="TO", help="The head of --since-last-tag (default HEAD).")
@click.option("--format", "form", type=click.Choice(_FORMATS), default="markdown", show_default=True)
@click.option(
    "--version", "version", metavar="VERSION", help="Version of the heading (default: the suggested one)."
)
@click.option(
    "--check",
    "changelog",
    metavar="FILE",
    help="Compare this changelog, or folder of fragments, with the commits; exit status 1 if they disagree.",
)
@click.option(
    "--reword",
    "is_reworded",
    is_flag=True,
    help="Let the endpoint with the role editor word the statements, within their facts.",
)
@click.option("--show-prompt", "is_shown", is_flag=True, help="Print the request of --reword; send nothing.")
@exchange_options
@repo_option
def command(
    revisions: str | None,
    since_last_tag: bool,
    head: str | None,
    form: str,
    version: str | None,
    changelog: str | None,
    is_reworded: bool,
    is_shown: bool,
    exchange: Path | None,
    exchange_wait: float,
    repo: Path | None,
) -> int:
    """Write release notes of the commits from FROM to TO; each statement names its commits.

    With --check it prints a line for each entry of the changelog that names code which no commit contains, or
    a version of a dependency that does not change, and for each breaking change and feature that it omits.
    The section of the version TO counts, or the one of what is not released yet.

    Exit status: 1 with --check if they disagree, 4 with --reword if the endpoint does not answer.
    """
    from wardround.change.repository import Repository
    from wardround.release_notes.formats import renderer
    from wardround.release_notes.formats.context import RenderContext
    from wardround.release_notes.notes import write_notes
    from wardround.release_notes.repository_page import repository_page

    with Repository(repo) as repository:
        notes = write_notes(repository, _revisions(repository, revisions, since_last_tag, head))
        if changelog is not None:
            return _check(repository, notes, changelog)
        if is_shown:
            return _show_request(repository, notes)
        worded = _reword(repository, notes, exchange, exchange_wait) if is_reworded else notes
        page = repository_page(repository.origin())
    text = renderer(form)(worded or notes, RenderContext(version or notes.version.suggested, page))
    emit(text)
    return 0 if worded is not None else _INCONCLUSIVE


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
    from wardround.release_notes.changelog_check import check_changelog

    problems = check_changelog(repository, notes, _path_in(repository, changelog))
    for problem in problems:
        emit_line(problem.text)
    return int(bool(problems))


def _path_in(repository: Repository, path: str) -> str:
    """Return a path relative to the root of the repository, if it exists relative to the current folder."""
    file = Path(path).resolve()
    is_inside = file.exists() and file.is_relative_to(repository.root)
    return file.relative_to(repository.root).as_posix() if is_inside else path


def _revisions(repository: Repository, text: str | None, since_last_tag: bool, head: str | None) -> Revisions:
    from wardround.release_notes.revisions import revisions_of_range, revisions_since_last_tag

    if since_last_tag == (text is not None):
        raise UsageError("release-notes: give either FROM..TO, such as v1.2.0..HEAD, or --since-last-tag")
    if since_last_tag:
        return revisions_since_last_tag(repository, head or "HEAD")
    if head is not None:
        raise UsageError(f"--to {head}: it belongs to --since-last-tag; write FROM..{head}")
    assert text is not None
    return revisions_of_range(repository, text)
