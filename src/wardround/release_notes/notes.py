"""The notes of a range, put together from commits, manifests and published surfaces."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime

import msgspec
from msgspec.structs import replace

from wardround.change.change_source import GitChangeSource
from wardround.change.repository import Repository
from wardround.context.surface.sides import sides_of
from wardround.inference.api import Classifier
from wardround.records.location import Location
from wardround.release_notes.history.changed_code import ChangedCode
from wardround.release_notes.history.history import History, read_history
from wardround.release_notes.history.packages import package_folders
from wardround.release_notes.history.remaining_changes import RemainingChanges
from wardround.release_notes.history.review_records import RecordsByCommit, records_by_commit
from wardround.release_notes.history.revisions import Revisions
from wardround.release_notes.history.tag_version import version_of_tag
from wardround.release_notes.model import (
    NoteKind,
    NotesCommit,
    ReleaseNotes,
    Statement,
    SuggestedVersion,
)
from wardround.release_notes.statements.commit_statements import CommitReader, commit_statements
from wardround.release_notes.statements.modelled_kinds import modelled_kinds
from wardround.release_notes.statements.new_names import with_additions
from wardround.release_notes.statements.overlap import Overlap, readable
from wardround.release_notes.statements.stated_migrations import with_stated_migrations
from wardround.release_notes.surfaces.additions import additions
from wardround.release_notes.surfaces.breaking import breaking_changes
from wardround.release_notes.version import manifest_version, suggested_version

_ORDER = {kind: position for position, kind in enumerate(NoteKind)}


class Sources(msgspec.Struct, frozen=True):
    """The input of notes besides the repository.

    Attributes:
        store: of review records; None for those that commits name.
        classifier: of commits without a prefix; None without a model.
    """

    store: Location | None = None
    classifier: Classifier | None = None


NO_SOURCES = Sources()


def write_notes(repository: Repository, revisions: Revisions, sources: Sources = NO_SOURCES) -> ReleaseNotes:
    """Write the notes of a range."""
    history = read_history(repository, revisions)
    models = modelled_kinds(sources.classifier, history.commits)
    reader = _reader(repository, history, revisions, models)
    change = repository.range(revisions.base_commit, revisions.head_commit)
    stated = commit_statements(reader, change)
    commits = tuple(commit.note for commit in history.commits)
    source = GitChangeSource(repository, change)
    breaking = breaking_changes(source, commits)
    overlap = Overlap(readable(statement, reader.names) for statement in breaking.statements)
    drafts = with_additions(overlap.without_repetitions(stated.drafts), additions(source), overlap.statements)
    records = records_by_commit(repository, revisions, history.commits, sources.store)
    complete = _Completion(commits, records)
    broken = with_stated_migrations(overlap.statements, history.by_id)
    statements = complete.in_order((*broken, *(draft.statement() for draft in drafts)))
    return ReleaseNotes(
        base=revisions.base,
        base_commit=revisions.base_commit,
        head=revisions.head,
        head_commit=revisions.head_commit,
        date=_time(repository, revisions.head_commit).strftime("%Y-%m-%d"),
        version=_version(source, revisions, statements),
        commits=commits,
        statements=statements,
        unattributed=tuple(sorted((*stated.unattributed, *breaking.unattributed))),
        not_compared=breaking.not_compared,
    )


def _reader(
    repository: Repository, history: History, revisions: Revisions, models: Mapping[str, NoteKind]
) -> CommitReader:
    code = ChangedCode(repository)
    base, head = revisions.base_commit, revisions.head_commit
    is_diverged = repository.commit_log.merge_base(base, head) != base
    return CommitReader(
        history,
        package_folders(repository.tracked_paths(head)),
        code,
        RemainingChanges(ChangedCode(repository), base, head, is_diverged),
        code.names(history.commits),
        code.deprecating(history.commits, head),
        models,
    )


class _Completion:
    """Puts the commits of statements in order, and adds the review records of those commits."""

    def __init__(self, commits: Sequence[NotesCommit], records: RecordsByCommit) -> None:
        self._age = {commit.id: position for position, commit in enumerate(commits)}
        self._records = records

    def in_order(self, statements: Iterable[Statement]) -> tuple[Statement, ...]:
        """Return the statements by kind, area and text, the commits of each from the oldest on."""
        return tuple(sorted(map(self._complete, statements), key=_position))

    def _complete(self, statement: Statement) -> Statement:
        commits = tuple(sorted(statement.commits, key=lambda commit: self._age.get(commit, -1)))
        named = (digest for commit in commits for digest in self._records.get(commit, ()))
        return replace(statement, commits=commits, records=tuple(dict.fromkeys(named)))


def _position(statement: Statement) -> tuple[int, str, str, tuple[str, ...]]:
    return _ORDER[statement.kind], statement.area, statement.text, statement.commits


def _time(repository: Repository, commit: str) -> datetime:
    return datetime.fromtimestamp(repository.commit_log.time(commit), UTC)


def _version(
    source: GitChangeSource, revisions: Revisions, statements: Sequence[Statement]
) -> SuggestedVersion:
    """Suggest the version after that of the tag of the base, or of the manifest for another base."""
    tag = version_of_tag(revisions.base)
    current = tag.version if tag else manifest_version(sides_of(source, source.change).base)
    return suggested_version(current, statements, _time(source.repository, revisions.base_commit).year)
