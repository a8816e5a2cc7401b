"""The notes of a range, put together from what commits, manifests and published surfaces show."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from wardround.change.repository import Repository
from wardround.release_notes.commit_statements import CommitReader, commit_statements
from wardround.release_notes.history import read_history
from wardround.release_notes.model import (
    NoteKind,
    ReleaseNotes,
    Statement,
    SuggestedVersion,
    VersionPart,
)
from wardround.release_notes.packages import package_folders
from wardround.release_notes.revisions import Revisions
from wardround.release_notes.tag_version import version_of_tag

_ORDER = {kind: position for position, kind in enumerate(NoteKind)}


def write_notes(repository: Repository, revisions: Revisions) -> ReleaseNotes:
    """Write the notes of a range."""
    history = read_history(repository, revisions)
    packages = package_folders(repository.tracked_paths(revisions.head_commit))
    stated = commit_statements(CommitReader(history, packages))
    return ReleaseNotes(
        base=revisions.base,
        base_commit=revisions.base_commit,
        head=revisions.head,
        head_commit=revisions.head_commit,
        date=_date(repository, revisions.head_commit),
        version=_version(revisions),
        commits=tuple(commit.note for commit in history.commits),
        statements=_in_order(stated.statements()),
        unattributed=tuple(sorted(stated.unattributed)),
    )


def _in_order(statements: Iterable[Statement]) -> tuple[Statement, ...]:
    return tuple(sorted(statements, key=_position))


def _position(statement: Statement) -> tuple[int, str, str, tuple[str, ...]]:
    return _ORDER[statement.kind], statement.area, statement.text, statement.commits


def _date(repository: Repository, commit: str) -> str:
    seconds = repository.commit_log.time(commit)
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d")


def _version(revisions: Revisions) -> SuggestedVersion:
    tag = version_of_tag(revisions.base)
    return SuggestedVersion(tag.version if tag else "", "", VersionPart.NONE, "not yet computed")
