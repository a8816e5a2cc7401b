"""Additions of a range to the published surfaces, by name and commit: the evidence that a feature is new.

The comparison of surfaces lists losses of users; with base and head exchanged it lists their gains.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

import msgspec

from wardround.change.change_source import GitChangeSource
from wardround.context.surface import cli_options, dependencies, python_api, script_exports, workflow_inputs
from wardround.context.surface.comparison import Comparer, compare_kinds
from wardround.context.surface.model import SurfaceChange, SurfaceKind
from wardround.context.surface.sides import Sides, sides_of
from wardround.release_notes.surfaces.attribution import Attribution, Search
from wardround.release_notes.surfaces.breaking_groups import without_members
from wardround.release_notes.surfaces.breaks_of_trees import surface_breaks
from wardround.release_notes.surfaces.declaration import PRESENCE
from wardround.release_notes.surfaces.evidence import Evidence
from wardround.release_notes.surfaces.relevance import Relevance
from wardround.release_notes.surfaces.surface_break import SurfaceBreak
from wardround.release_notes.surfaces.two_trees import TwoTrees

_KINDS: tuple[Comparer, ...] = (cli_options, dependencies, python_api, script_exports, workflow_inputs)
_MOST_ADDITIONS = 400
"""Maximum number of additions whose commits are searched."""


class Addition(msgspec.Struct, frozen=True, order=True):
    """A name that users have only since a range.

    Attributes:
        symbol: as users write it: ``shop.Cart.add``, ``--limit``, ``input `version```.
        parameters: of a function that the base has: the added ones; empty if the symbol itself is added.
        commits: oldest first; at least one.
    """

    surface: SurfaceKind
    symbol: str
    path: str
    line: int
    parameters: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()


def additions(source: GitChangeSource) -> tuple[Addition, ...]:
    """Return what a range adds to the published surfaces, sorted."""
    sides = sides_of(source, source.change)
    exchanged = Sides(sides.head, sides.base, [(head, base) for base, head in sides.files])
    trees = TwoTrees(exchanged)
    relevance = Relevance(exchanged, Evidence(()))
    known = filter(relevance.is_known, _additions_of(compare_kinds(exchanged, _KINDS), trees))
    found = list(islice(known, _MOST_ADDITIONS))
    searches = [_reversed_search(item) for item in found]
    causes = Attribution(source.repository, source.change).causes(searches)
    found_causes = zip(found, causes, strict=True)
    return tuple(sorted(_addition(item, cause.commits) for item, cause in found_causes if cause.commits))


def _addition(item: SurfaceBreak, commits: tuple[str, ...]) -> Addition:
    change = item.change
    return Addition(change.kind, item.symbol, change.path, change.line, _added_parameters(item), commits)


def _additions_of(changes: Iterable[SurfaceChange], trees: TwoTrees) -> Iterator[SurfaceBreak]:
    """Yield the changes of exchanged trees that state a new name or parameter."""
    for item in without_members(list(surface_breaks(filter(_is_listed, changes), trees))):
        if (item.is_removal and not _is_module(item)) or _added_parameters(item):
            yield item


def _is_listed(change: SurfaceChange) -> bool:
    """Return False for ranges of versions, which add no name."""
    return change.kind is not SurfaceKind.DEPENDENCIES or change.name.startswith("extra ")


def _is_module(item: SurfaceBreak) -> bool:
    return item.change.kind is SurfaceKind.PYTHON_API and not item.qualified


def _added_parameters(item: SurfaceBreak) -> tuple[str, ...]:
    """Return the parameters that only the head has; a base with ``**`` may have accepted any."""
    if item.signature is None or any(parameter.kind == "**" for parameter in item.head.parameters):
        return ()
    return item.signature.removed


def _reversed_search(item: SurfaceBreak) -> Search:
    """Return the search for the commit that adds what the base lacks."""
    names = [name.lstrip("*") for name in _added_parameters(item)]
    facets = dict.fromkeys(names or [PRESENCE], "")
    return msgspec.structs.replace(item.search, facets=facets, paths=item.search.paths[::-1], is_value=False)
