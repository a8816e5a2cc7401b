"""Statements from the messages and the changed files of commits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from wardround.change.diff import Change
from wardround.release_notes.history.changed_code import ChangedCode
from wardround.release_notes.history.history import History, HistoryCommit
from wardround.release_notes.history.packages import PackageFolders
from wardround.release_notes.history.path_class import PathClass, classes_of
from wardround.release_notes.history.remaining_changes import RemainingChanges
from wardround.release_notes.history.reverts import Cancelled, pair_reverts
from wardround.release_notes.model import NoteKind, Unattributed
from wardround.release_notes.statements import subject_words
from wardround.release_notes.statements.commit_kind import KindEvidence, kind_of
from wardround.release_notes.statements.dependencies import DependencyChanges, without_bumps
from wardround.release_notes.statements.draft import Draft
from wardround.release_notes.statements.grouping import group_drafts
from wardround.release_notes.statements.sentence import Subject, is_empty, read_subject, sentence


@dataclass(frozen=True)
class CommitReader:
    """Reads the statement of a commit.

    Attributes:
        remaining: compares the commits with base and head.
        names: the names that changed code of the product defines.
        deprecating: the commits that add a warning of a deprecation.
        models: commit -> the kind that a model states.
    """

    history: History
    packages: PackageFolders
    code: ChangedCode
    remaining: RemainingChanges
    names: frozenset[str] = frozenset()
    deprecating: frozenset[str] = frozenset()
    models: Mapping[str, NoteKind] = field(default_factory=dict)

    def draft(self, unit: HistoryCommit) -> Draft:
        """Return what a commit states."""
        subject = read_subject(_title(unit, self.history))
        is_trivial = subject.is_correction or bool(subject_words.TRIVIAL.fullmatch(subject.text))
        kind = NoteKind.INTERNAL if is_trivial else kind_of(self._evidence(unit, subject))
        text = sentence(subject.text, self.names)
        parts = (unit.id,) if not unit.merged else (*unit.merged, unit.id)
        return Draft(
            kind,
            text,
            parts,
            self.packages.area(unit.paths) or _area(subject, kind),
            unit.pull_request,
            self._references(unit),
            is_trivial=is_trivial,
            is_marked_breaking=subject.is_breaking,
        )

    def _evidence(self, unit: HistoryCommit, subject: Subject) -> KindEvidence:
        return KindEvidence(
            unit.message,
            subject,
            self._classes(unit),
            self.models.get(unit.id),
            not self.deprecating.isdisjoint((unit.id, *unit.merged)),
        )

    def _classes(self, unit: HistoryCommit) -> frozenset[PathClass]:
        """Return the classes of the changed files; contents are read where they can make a difference."""
        by_path = classes_of(unit.paths)
        return self.code.classes(unit) if PathClass.PRODUCT in by_path else by_path

    def _parts(self, unit: HistoryCommit) -> Iterator[HistoryCommit]:
        yield unit
        yield from (self.history.by_id[part] for part in unit.merged if part in self.history.by_id)

    def _references(self, unit: HistoryCommit) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for part in self._parts(unit) for name in part.references))


@dataclass(frozen=True)
class CommitStatements:
    """The statements of commits, and what states nothing."""

    drafts: Sequence[Draft]
    unattributed: tuple[Unattributed, ...]


def commit_statements(reader: CommitReader, change: Change) -> CommitStatements:
    """Return the statements of the commits of a range, joined by what belongs together."""
    units = [commit for commit in reader.history.commits if not commit.is_merged]
    reverts = pair_reverts(units)
    active, absent = _present(reader, [unit for unit in units if _states_something(unit, reverts)])
    dependencies = list(DependencyChanges(reader.code, change).drafts(active))
    drafts = [reader.draft(unit) for unit in active]
    readable = [draft for draft in drafts if not is_empty(draft.text)]
    others = without_bumps(_with_corrections(readable, reverts), dependencies)
    return CommitStatements(
        [*group_drafts(others), *dependencies],
        (*reverts.pairs, *_unreadable(drafts), *_in_base(reader.history), *absent),
    )


def _present(
    reader: CommitReader, units: Iterable[HistoryCommit]
) -> tuple[list[HistoryCommit], list[Unattributed]]:
    """Return the commits whose change is between base and head, and the others with the reason."""
    present, absent = list[HistoryCommit](), list[Unattributed]()
    for unit in units:
        problem = reader.remaining.problem(unit)
        if not problem:
            present.append(unit)
        elif unit.message.title:
            absent.append(Unattributed(unit.message.title, problem, (unit.id,)))
    return present, absent


def _states_something(unit: HistoryCommit, reverts: Cancelled) -> bool:
    if unit.id in reverts.commits or unit.id in reverts.corrected:
        return False
    is_untitled_merge = len(unit.logged.parents) > 1 and not unit.message.title
    return not unit.message.is_branch_merge and not is_untitled_merge


def _with_corrections(drafts: Sequence[Draft], reverts: Cancelled) -> list[Draft]:
    """Return the drafts with the reverts of parts of their commits."""
    corrections = {target: revert for revert, target in reverts.corrected.items()}
    return [
        draft
        if draft.commits[-1] not in corrections
        else draft.with_evidence_of(Draft(draft.kind, draft.text, (corrections[draft.commits[-1]],)))
        for draft in drafts
    ]


def _area(subject: Subject, kind: NoteKind) -> str:
    """Return the scope of a subject, unless it only repeats the kind."""
    return "" if subject.scope.lower().rstrip("s") in kind else subject.scope


def _title(unit: HistoryCommit, history: History) -> str:
    """Return the title of a commit; if it names only a reference, or nothing, the first line below it."""
    title = unit.message.title
    subject = read_subject(title).text
    if not is_empty(subject):
        return title
    return next((line for line in unit.message.body.split("\n") if not is_empty(line)), title)


def _unreadable(drafts: Iterable[Draft]) -> Iterator[Unattributed]:
    """Yield one item for all commits whose message states nothing."""
    found = [draft for draft in drafts if is_empty(draft.text)]
    commits = tuple(dict.fromkeys(commit for draft in found for commit in draft.commits))
    if len(found) > 1:
        yield Unattributed(f"{len(found)} commits", "their messages state nothing", commits)
    for draft in found if len(found) == 1 else ():
        yield Unattributed(draft.text or "(no text)", "the message states nothing", commits)


def _in_base(history: History) -> Iterator[Unattributed]:
    for commit in history.in_base:
        if commit.message.title:
            yield Unattributed(commit.message.title, "the base has the same change", (commit.id,))
