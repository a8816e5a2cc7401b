"""The statements of a range that break users: changes of published surfaces, and what messages state."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from wardround.change.change_source import GitChangeSource
from wardround.context.surface.comparison import compare
from wardround.context.surface.model import NotCompared, SurfaceChange, SurfaceKind
from wardround.context.surface.sides import Sides, sides_of
from wardround.release_notes.attribution import Attribution
from wardround.release_notes.breaking_groups import further_symbols, group_breaks
from wardround.release_notes.breaking_text import migration_of, text_of
from wardround.release_notes.file_breaks import file_break
from wardround.release_notes.footers import StatedBreak, stated_breaks
from wardround.release_notes.model import BreakingForm, NoteKind, NotesCommit, Statement, Unattributed
from wardround.release_notes.python_breaks import PythonBreaks
from wardround.release_notes.relevance import NOT_NOTICED, Relevance
from wardround.release_notes.replacements import stated_replacement
from wardround.release_notes.surface_break import SurfaceBreak
from wardround.release_notes.two_trees import TwoTrees

_WORDS = {"requires-python": r"python", "engines.node": r"node(?:\.?js)?"}
"""The words that messages have for a requirement, as patterns."""


class BreakingChanges(msgspec.Struct, frozen=True):
    """What breaks users in a range.

    Attributes:
        unattributed: changes of surfaces without a commit that makes them.
    """

    statements: tuple[Statement, ...] = ()
    unattributed: tuple[Unattributed, ...] = ()
    not_compared: tuple[NotCompared, ...] = ()


def breaking_changes(source: GitChangeSource, commits: Sequence[NotesCommit]) -> BreakingChanges:
    """Return the breaking changes of a range.

    Args:
        source: the change between the trees of both revisions.
        commits: of the range; their messages are read, and a merge commit is evidence next to what it merged.
    """
    sides = sides_of(source, source.change)
    surface = compare(sides)
    found = list(_breaks(surface.breaking, TwoTrees(sides)))
    causes = Attribution(source.repository, source.change).causes([item.search for item in found])
    evidence = _Evidence(commits)
    statements, missing = [], []
    relevance = Relevance(sides, commits)
    for group, cause in group_breaks(zip(found, causes, strict=True)):
        text = text_of(group[0]) + further_symbols(group)
        if not any(relevance.is_noticed(item, cause) for item in group):
            missing.append(Unattributed(text, NOT_NOTICED, cause.commits))
            continue
        if cause.commits:
            statements.append(evidence.statement(text, cause.commits, _form(group[0], sides)))
        else:
            missing.append(Unattributed(text, cause.reason))
    stated = _unmatched(stated_breaks(tuple(commits)), statements)
    statements += [evidence.statement(item.text, (item.commit.id,), None) for item in stated]
    return BreakingChanges(tuple(statements), tuple(missing), surface.not_compared)


def _breaks(changes: Iterable[SurfaceChange], trees: TwoTrees) -> Iterator[SurfaceBreak]:
    python = PythonBreaks(trees)
    for change in changes:
        is_python = change.kind is SurfaceKind.PYTHON_API
        found = python.read(change) if is_python else file_break(change, trees)
        if found is not None:
            yield found


def _form(found: SurfaceBreak, sides: Sides) -> BreakingForm:
    change = found.change
    return BreakingForm(
        surface=change.kind,
        symbol=found.symbol,
        old=found.base.form,
        new=found.head.form,
        migration=migration_of(found, _replacement(found, sides)),
        path=change.path,
        line=change.line,
    )


def _replacement(found: SurfaceBreak, sides: Sides) -> str:
    """Return the name that the deprecation at the base tells users to use."""
    change = found.change
    if change.kind is not SurfaceKind.PYTHON_API or not found.is_removal or not found.qualified:
        return ""
    return stated_replacement(sides.base.read(change.path) or "", found.qualified)


class _Evidence:
    """The commits of the notes, by themselves and by what they merged."""

    def __init__(self, commits: Sequence[NotesCommit]) -> None:
        self._by_id: Mapping[str, NotesCommit] = {commit.id: commit for commit in commits}
        self._merges = {merged: commit.id for commit in commits for merged in commit.merged}

    def statement(self, text: str, causes: Iterable[str], form: BreakingForm | None) -> Statement:
        """Return a breaking statement; a merged commit is followed by its merge."""
        commits = tuple(dict.fromkeys(name for cause in causes for name in self._with_merge(cause)))
        references = tuple(dict.fromkeys(name for commit in commits for name in self._references(commit)))
        return Statement(NoteKind.BREAKING, text, commits, references=references, breaking=form)

    def _with_merge(self, commit: str) -> Iterator[str]:
        yield commit
        if commit in self._merges:
            yield self._merges[commit]

    def _references(self, commit: str) -> tuple[str, ...]:
        known = self._by_id.get(commit)
        return () if known is None else known.references


def _unmatched(stated: Iterable[StatedBreak], statements: Sequence[Statement]) -> Iterator[StatedBreak]:
    """Yield what messages state and no comparison found."""
    for item in stated:
        if not any(_describes(item, statement) for statement in statements):
            yield item


def _describes(stated: StatedBreak, statement: Statement) -> bool:
    """Return True if a message is about a change of a surface: the same commit, and a name of the change."""
    form = statement.breaking
    if form is None or not {stated.commit.id, *stated.commit.merged} & set(statement.commits):
        return False
    message = f"{stated.commit.subject}\n{stated.text}"
    pattern = _WORDS.get(form.symbol)
    if pattern is not None:
        return re.search(rf"(?i)\b{pattern}\b", message) is not None
    words = (form.symbol.rpartition(".")[2], *re.findall(r"`([^`]+)`", statement.text))
    return any(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", message) for word in words if len(word) > 2)
