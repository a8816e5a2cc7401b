"""The statements of a range that break users: changes of published surfaces, and what messages state."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import msgspec

from wardround.change.change_source import GitChangeSource
from wardround.context.surface.comparison import compare
from wardround.context.surface.model import NotCompared, SurfaceKind
from wardround.context.surface.sides import Sides, sides_of
from wardround.release_notes.model import BreakingForm, NotesCommit, Statement, Unattributed
from wardround.release_notes.surfaces.attribution import Attribution, Cause
from wardround.release_notes.surfaces.breaking_groups import further_symbols, group_breaks
from wardround.release_notes.surfaces.breaking_text import migration_of, text_of
from wardround.release_notes.surfaces.breaks_of_trees import surface_breaks
from wardround.release_notes.surfaces.evidence import Evidence
from wardround.release_notes.surfaces.footers import stated_breaks, unmatched_breaks
from wardround.release_notes.surfaces.moved_symbols import MovedSymbols
from wardround.release_notes.surfaces.relevance import Relevance
from wardround.release_notes.surfaces.replacements import named_replacement, stated_replacement
from wardround.release_notes.surfaces.surface_break import SurfaceBreak
from wardround.release_notes.surfaces.two_trees import TwoTrees

_MOVABLE = frozenset({SurfaceKind.PYTHON_API, SurfaceKind.SCRIPT_EXPORTS})


class BreakingChanges(msgspec.Struct, frozen=True):
    """The changes of a range that break users.

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
    evidence = Evidence(commits)
    compared = _Compared(source, sides, evidence, Relevance(sides, evidence))
    results = list(compared.results(list(surface_breaks(surface.breaking, TwoTrees(sides)))))
    statements = [result for result in results if isinstance(result, Statement)]
    stated = unmatched_breaks(stated_breaks(commits), statements)
    return BreakingChanges(
        (*statements, *(evidence.statement(text, causes) for text, causes in stated.items())),
        tuple(result for result in results if isinstance(result, Unattributed)),
        surface.not_compared,
    )


class _Compared(msgspec.Struct, frozen=True, dict=True):
    """The range whose surfaces are compared."""

    source: GitChangeSource
    sides: Sides
    evidence: Evidence
    relevance: Relevance

    def results(self, found: Sequence[SurfaceBreak]) -> Iterator[Statement | Unattributed]:
        """Yield a statement for each change that users notice and that has a commit."""
        attribution = Attribution(self.source.repository, self.source.change)
        causes = attribution.causes([change.search for change in found])
        for group, cause in group_breaks(zip(found, causes, strict=True)):
            text = text_of(group[0]) + further_symbols(group)
            if not any(self.relevance.is_noticed(change, cause) for change in group):
                yield Unattributed(text, self.relevance.reason(group[0]), cause.commits)
            elif cause.commits:
                yield self.evidence.statement(text, cause.commits, self._form(group[0], cause))
            else:
                yield Unattributed(text, cause.reason)

    def _form(self, found: SurfaceBreak, cause: Cause) -> BreakingForm:
        change = found.change
        return BreakingForm(
            surface=change.kind,
            symbol=found.symbol,
            old=found.base.form,
            new=found.head.form,
            migration=migration_of(found, self._replacement(found, cause)),
            path=change.path,
            line=change.line,
        )

    def _replacement(self, found: SurfaceBreak, cause: Cause) -> str:
        """Return what users use instead of a removed symbol: by its deprecation, its body, or a message."""
        if not found.is_removal or found.change.kind not in _MOVABLE:
            return ""
        stated = ""
        if found.change.kind is SurfaceKind.PYTHON_API and found.qualified:
            stated = stated_replacement(self.sides.base.read(found.change.path) or "", found.qualified)
        return stated or self._moved.new_name(found) or self._new_name(found, cause)

    def _new_name(self, found: SurfaceBreak, cause: Cause) -> str:
        head = self.sides.head.read(found.change.path) or ""
        messages = (self.evidence.message(commit) for commit in cause.commits)
        names = (named_replacement(message, found.own_name, head) for message in messages)
        new = next(filter(None, names), "")
        return f"{found.symbol.removesuffix(found.own_name)}{new}" if new else ""

    @cached_property
    def _moved(self) -> MovedSymbols:
        return MovedSymbols(self.source)
