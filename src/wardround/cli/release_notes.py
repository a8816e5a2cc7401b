"""``wardround release-notes``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from wardround.cli.change_options import repo_option
from wardround.cli.record_store import store_location, store_option
from wardround.cli.run import emit
from wardround.errors import UsageError

if TYPE_CHECKING:
    from wardround.change.repository import Repository
    from wardround.release_notes.model import ReleaseNotes
    from wardround.release_notes.revisions import Revisions

_FORMATS = ("markdown", "keep-a-changelog", "github", "json")


@click.command("release-notes")
@click.argument("revisions", metavar="[FROM[..TO]]", required=False)
@click.option(
    "--since-last-tag", is_flag=True, help="From the nearest tag of a version before HEAD, or --to."
)
@click.option("--to", "head", metavar="REF", help="The head of --since-last-tag (default HEAD).")
@click.option("--format", "form", type=click.Choice(_FORMATS), default="markdown", show_default=True)
@click.option("--version", metavar="VERSION", help="Version of the heading (default: the suggested one).")
@click.option("--output", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
              help="New file for the notes (default: standard output).")  # fmt: skip
@store_option
@repo_option
def command(
    revisions: str | None,
    since_last_tag: bool,
    head: str | None,
    form: str,
    version: str | None,
    output: Path | None,
    store_name: str,
    repo: Path | None,
) -> None:
    """Write release notes of the commits from FROM to TO (default HEAD); each statement names its commits."""
    from wardround.change.repository import Repository
    from wardround.release_notes.formats.context import suggested_heading

    if output is not None and output.exists():
        raise UsageError(f"--output {output}: it exists; name a new file, and insert the notes yourself")
    _require_one_range(revisions, since_last_tag, head)
    with Repository(repo) as repository:
        notes = _notes(repository, _revisions(repository, revisions, since_last_tag, head), store_name)
        heading = suggested_heading(notes) if version is None else version
        text = _text(notes, form, heading, repository.origin())
    if output is None:
        emit(text, escaped=form == "json")
    else:
        _write(output, text)


def _require_one_range(text: str | None, since_last_tag: bool, head: str | None) -> None:
    if since_last_tag == (text is not None):
        raise UsageError("release-notes: give either FROM..TO, such as v1.2.0..HEAD, or --since-last-tag")
    if head is not None and not since_last_tag:
        raise UsageError(f"--to {head}: it belongs to --since-last-tag; write FROM..{head}")


def _revisions(repository: Repository, text: str | None, since_last_tag: bool, head: str | None) -> Revisions:
    from wardround.release_notes.revisions import revisions_of_range, revisions_since_last_tag

    if since_last_tag or text is None:
        return revisions_since_last_tag(repository, head or "HEAD")
    return revisions_of_range(repository, text)


def _notes(repository: Repository, revisions: Revisions, store_name: str) -> ReleaseNotes:
    from wardround.release_notes.modelled_kinds import installed_classifier
    from wardround.release_notes.notes import Sources, write_notes

    with installed_classifier(repository.root) as classifier:
        return write_notes(repository, revisions, Sources(store_location(store_name), classifier))


def _text(notes: ReleaseNotes, form: str, version: str, remote: str) -> str:
    from wardround.release_notes.formats import renderer
    from wardround.release_notes.formats.context import RenderContext
    from wardround.release_notes.repository_page import repository_page

    return renderer(form)(notes, RenderContext(version, repository_page(remote)))


def _write(file: Path, text: str) -> None:
    from wardround.storage.atomic import write_atomic

    try:
        write_atomic(file, text.encode("utf-8", "backslashreplace"))
    except OSError as cause:
        raise UsageError(f"--output {file}: {cause.strerror}; name a file in an existing folder") from cause
