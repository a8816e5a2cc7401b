"""The notes of a range, put together from commits, manifests and published surfaces."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from msgspec.structs import replace

from wardround.change.change_source import GitChangeSource
from wardround.change.repository import Repository
from wardround.release_notes.breaking import breaking_changes
from wardround.release_notes.changed_code import ChangedCode
from wardround.release_notes.commit_statements import CommitReader, commit_statements
from wardround.release_notes.history import History, read_history
from wardround.release_notes.model import (
    NoteKind,
    NotesCommit,
    ReleaseNotes,
    Statement,
    SuggestedVersion,
    VersionPart,
)
from wardround.release_notes.overlap import Overlap, readable
from wardround.release_notes.packages import package_folders
from wardround.release_notes.revisions import Revisions
from wardround.release_notes.tag_version import version_of_tag

_ORDER = {kind: position for position, kind in enumerate(NoteKind)}


def write_notes(repository: Repository, revisions: Revisions) -> ReleaseNotes:
    """Write the notes of a range."""
    history = read_history(repository, revisions)
    reader = _reader(repository, history, revisions.head_commit)
    change = repository.range(revisions.base_commit, revisions.head_commit)
    stated = commit_statements(reader, change)
    commits = tuple(commit.note for commit in history.commits)
    breaking = breaking_changes(GitChangeSource(repository, change), commits)
    overlap = Overlap(readable(statement, reader.names) for statement in breaking.statements)
    drafts = overlap.without_repetitions(stated.drafts)
    return ReleaseNotes(
        base=revisions.base,
        base_commit=revisions.base_commit,
        head=revisions.head,
        head_commit=revisions.head_commit,
        date=_date(repository, revisions.head_commit),
        version=_version(revisions),
        commits=commits,
        statements=_in_order((*overlap.statements, *(draft.statement() for draft in drafts)), commits),
        unattributed=tuple(sorted((*stated.unattributed, *breaking.unattributed))),
        not_compared=breaking.not_compared,
    )


def _reader(repository: Repository, history: History, head: str) -> CommitReader:
    code = ChangedCode(repository)
    return CommitReader(
        history,
        package_folders(repository.tracked_paths(head)),
        code,
        code.names(history.commits),
        code.deprecating(history.commits, head),
    )


def _in_order(statements: Iterable[Statement], commits: Sequence[NotesCommit]) -> tuple[Statement, ...]:
    """Return the statements by kind, area and text, the commits of each from the oldest to the newest."""
    age = {commit.id: position for position, commit in enumerate(commits)}
    dated = (
        replace(statement, commits=tuple(sorted(statement.commits, key=lambda name: age.get(name, -1))))
        for statement in statements
    )
    return tuple(sorted(dated, key=_position))


def _position(statement: Statement) -> tuple[int, str, str, tuple[str, ...]]:
    return _ORDER[statement.kind], statement.area, statement.text, statement.commits


def _date(repository: Repository, commit: str) -> str:
    seconds = repository.commit_log.time(commit)
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d")


def _version(revisions: Revisions) -> SuggestedVersion:
    tag = version_of_tag(revisions.base)
    return SuggestedVersion(tag.version if tag else "", "", VersionPart.NONE, "not yet computed")
