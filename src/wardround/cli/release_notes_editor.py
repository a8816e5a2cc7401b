"""``wardround release-notes --reword``: the wording of statements by an endpoint."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from wardround.cli.messages import echo_err
from wardround.cli.run import emit, progress_line

if TYPE_CHECKING:
    from wardround.authoring.endpoint.opening import EndpointAccess
    from wardround.change.repository import Repository
    from wardround.release_notes.model import ReleaseNotes
    from wardround.release_notes.wording.editor import Editor
    from wardround.release_notes.wording.rewording import RewordedNotes

_SHOWN = 5


def reword(
    repository: Repository, notes: ReleaseNotes, exchange: Path | None, wait_s: float
) -> ReleaseNotes | None:
    """Return the notes with other words, and report the rejected wordings on standard error.

    Returns:
        None if the endpoint does not answer; the reason is reported.
    """
    from wardround.authoring.endpoint.opening import EndpointAccess
    from wardround.authoring.endpoint.roles import ExchangeFailed

    access = EndpointAccess(os.environ, exchange=exchange, wait_s=wait_s)
    try:
        with progress_line() as progress:
            progress("release notes: waiting for the wording")
            reworded = _editor(repository, access).reword(notes)
            progress("")
    except ExchangeFailed as cause:
        echo_err(f"wardround: the statements have their own words, as no wording was returned: {cause}")
        return None
    for line in _report(reworded):
        echo_err(line)
    return reworded.notes


def show_request(repository: Repository, notes: ReleaseNotes) -> None:
    """Print the first request for a wording, and send nothing."""
    from wardround.authoring.endpoint.opening import EndpointAccess
    from wardround.authoring.endpoint.roles import PromptRequested

    access = EndpointAccess(os.environ, is_replay=True)
    try:
        _editor(repository, access, is_shown=True).reword(notes)
    except PromptRequested as request:
        emit(f"{request.body.decode()}\n", escaped=True)


def _editor(repository: Repository, access: EndpointAccess, *, is_shown: bool = False) -> Editor:
    from wardround import host
    from wardround.change.change_source import decode_text
    from wardround.config import loader
    from wardround.release_notes.wording.editor import Editor
    from wardround.storage.paths import state_dir

    loaded = host.load()
    tree = repository.tree(repository.head() or repository.empty_tree)
    config = loader.read(tree.read, (), loaded.specialists)

    def read(path: str) -> str | None:
        content = tree.read(path)
        return None if content is None else decode_text(content)

    return Editor(config.root, access, loaded, read, state_dir() / "release-notes", is_shown=is_shown)


def _report(reworded: RewordedNotes) -> Iterator[str]:
    from wardround.text.escaping import one_line

    yield f"wardround: statements reworded: {reworded.reworded}, wordings rejected: {len(reworded.rejected)}"
    for rejected in reworded.rejected[:_SHOWN]:
        yield f"  rejected: {one_line(rejected.wording)[:200]} ({one_line(rejected.reason)})"
    if len(reworded.rejected) > _SHOWN:
        yield f"  and {len(reworded.rejected) - _SHOWN} more"
    if reworded.unanswered:
        yield f"wardround: statements whose answer cannot be used: {reworded.unanswered}"
