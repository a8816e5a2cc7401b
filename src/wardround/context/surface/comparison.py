"""The comparison of all published surfaces of a change, and what announces their changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from msgspec.structs import replace

from wardround.change.change_source import ChangeSource, GitChangeSource
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
from wardround.context.surface.announcement import Notice, announced, notices_of
from wardround.context.surface.model import ComparingTool, NotCompared, Surface, SurfaceChange, SurfaceKind
from wardround.context.surface.sides import Sides, sides_of
from wardround.errors import PLUGIN_EXCEPTIONS

_MOST_CHANGES = 300
"""The limit on changes that are not breaking; it bounds the size of a record."""
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
    """Compare the published surfaces of both sides; a diff has no trees, so nothing is compared.

    Args:
        messages: of the commits of the change.
    """
    if not isinstance(source, GitChangeSource) or not change.files:
        return Surface()
    return compare(sides_of(source, change), messages)


def compare(sides: Sides, messages: Sequence[str] = ()) -> Surface:
    """Compare the published surfaces of both sides of a change."""
    found = [one for kind in _KINDS for one in _compared(kind, sides)]
    changes = [one for one in found if isinstance(one, SurfaceChange)]
    missing = {one for one in found if isinstance(one, NotCompared)}
    notices = notices_of(sides, messages) if any(one.is_breaking for one in changes) else []
    tools = {one for one in found if isinstance(one, ComparingTool)}
    surface = _limited(sorted(set(_recordable(changes, notices))))
    return replace(surface, not_compared=tuple(sorted(missing)), tools=tuple(sorted(tools)))


def _compared(kind: Comparer, sides: Sides) -> list[Result]:
    """Return the results for a kind; one that crashes on an unusual file is not compared."""
    try:
        return list(kind.compare(sides))
    except PLUGIN_EXCEPTIONS as cause:
        reason = " ".join(f"the comparison failed: {type(cause).__name__}: {cause}".split())
        return [NotCompared(kind.KIND, escape_undecodable(reason)[:_LONGEST_REASON])]


def _recordable(changes: Iterable[SurfaceChange], notices: Sequence[Notice]) -> Iterator[SurfaceChange]:
    for one in changes:
        source = announced(one, notices)
        yield replace(
            one,
            path=escape_undecodable(one.path),
            announced_by=None if source is None else escape_undecodable(source),
        )


def _limited(changes: Sequence[SurfaceChange]) -> Surface:
    breaking = [one for one in changes if one.is_breaking]
    others = [one for one in changes if not one.is_breaking]
    shown = (*breaking[:_MOST_BREAKING], *others[:_MOST_CHANGES])
    return Surface(shown, omitted=len(changes) - len(shown))
