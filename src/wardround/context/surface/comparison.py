"""The comparison of all published surfaces of a change, and what announces their changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Protocol

from msgspec.structs import replace

from wardround.change.change_source import ChangeSource
from wardround.change.diff import Change
from wardround.change.encoding import escape_undecodable
from wardround.context.surface import (
    cli_options,
    container,
    dependencies,
    http_api,
    python_api,
    script_exports,
    settings,
    sql_schema,
    workflow_inputs,
)
from wardround.context.surface.announcement import Notice, announcing_source, notices_of
from wardround.context.surface.model import ComparingTool, NotCompared, Surface, SurfaceChange, SurfaceKind
from wardround.context.surface.sides import Sides, sides_of
from wardround.errors import PLUGIN_EXCEPTIONS

_MOST_CHANGES = 300
"""Maximum number of changes that are not breaking; it bounds the size of a record."""
_MOST_BREAKING = 1_000
_LONGEST_REASON = 300
Result = SurfaceChange | NotCompared | ComparingTool


class Comparer(Protocol):
    """A module that compares one kind of surface."""

    @property
    def KIND(self) -> SurfaceKind:  # noqa: N802  (a constant of the module)
        """The kind it compares."""

    def compare(self, sides: Sides, /) -> Iterator[Result]:
        """Yield the changes of the surface, what was not compared, and the library that compared it."""


_KINDS: tuple[Comparer, ...] = (
    cli_options,
    container,
    dependencies,
    http_api,
    python_api,
    script_exports,
    settings,
    sql_schema,
    workflow_inputs,
)


def surface_of(source: ChangeSource, change: Change, messages: Sequence[str]) -> Surface:
    """Compare the published surfaces of base and head; a diff has no trees, so nothing is compared.

    Args:
        messages: messages of the commits of the change.
    """
    git_source = source.in_repository
    if git_source is None or not change.files:
        return Surface()
    return compare(sides_of(git_source, change), messages)


def compare(sides: Sides, messages: Sequence[str] = ()) -> Surface:
    """Compare the published surfaces at base and head of a change."""
    changes: list[SurfaceChange] = []
    missing: set[NotCompared] = set()
    tools: set[ComparingTool] = set()
    for result in chain.from_iterable(_compare_base_and_head(kind, sides) for kind in _KINDS):
        match result:
            case SurfaceChange():
                changes.append(result)
            case NotCompared():
                missing.add(result)
            case ComparingTool():
                tools.add(result)
    notices = notices_of(sides, messages) if any(change.is_breaking for change in changes) else []
    surface = _limit_changes(sorted(set(_recordable(changes, notices))))
    return replace(surface, not_compared=tuple(sorted(missing)), tools=tuple(sorted(tools)))


def compare_kinds(sides: Sides, kinds: Sequence[Comparer]) -> list[SurfaceChange]:
    """Return the breaking changes of some kinds of surfaces, without a limit on their number."""
    results = chain.from_iterable(_compare_base_and_head(kind, sides) for kind in kinds)
    return sorted({result for result in results if isinstance(result, SurfaceChange) and result.is_breaking})


def _compare_base_and_head(kind: Comparer, sides: Sides) -> list[Result]:
    """Return the results for a kind; one that crashes on an unusual file is not compared."""
    try:
        return list(kind.compare(sides))
    except PLUGIN_EXCEPTIONS as cause:
        reason = " ".join(f"the comparison failed: {type(cause).__name__}: {cause}".split())
        return [NotCompared(kind.KIND, escape_undecodable(reason)[:_LONGEST_REASON])]


def _recordable(changes: Iterable[SurfaceChange], notices: Sequence[Notice]) -> Iterator[SurfaceChange]:
    for change in changes:
        source = announcing_source(change, notices)
        yield replace(
            change,
            path=escape_undecodable(change.path),
            announced_by=None if source is None else escape_undecodable(source),
        )


def _limit_changes(changes: Sequence[SurfaceChange]) -> Surface:
    breaking = [change for change in changes if change.is_breaking]
    others = [change for change in changes if not change.is_breaking]
    shown = (*breaking[:_MOST_BREAKING], *others[:_MOST_CHANGES])
    return Surface(shown, omitted=len(changes) - len(shown))
