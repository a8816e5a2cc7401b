"""What a range adds to the published surfaces, by name and commit: the evidence that a feature is new.

The comparison of surfaces lists what users lose. With base and head exchanged it lists what they gain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice

import msgspec

from wardround.change.change_source import GitChangeSource
from wardround.context.surface import cli_options, dependencies, python_api, script_exports, workflow_inputs
from wardround.context.surface.comparison import Comparer, compare_kinds
from wardround.context.surface.model import SurfaceChange, SurfaceKind
from wardround.context.surface.sides import Sides, sides_of
from wardround.release_notes.attribution import Attribution, Search
from wardround.release_notes.breaking_groups import without_members
from wardround.release_notes.declaration import PRESENCE
from wardround.release_notes.evidence import Evidence
from wardround.release_notes.file_breaks import file_break
from wardround.release_notes.python_breaks import PythonBreaks
from wardround.release_notes.relevance import Relevance
from wardround.release_notes.surface_break import SurfaceBreak
from wardround.release_notes.two_trees import TwoTrees

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
    known = filter(relevance.is_known, _additions(compare_kinds(exchanged, _KINDS), trees))
    found = list(islice(known, _MOST_ADDITIONS))
    searches = [_reversed_search(item) for item in found]
    causes = Attribution(source.repository, source.change).causes(searches)
    found_causes = zip(found, causes, strict=True)
    return tuple(sorted(_addition(item, cause.commits) for item, cause in found_causes if cause.commits))


def _addition(item: SurfaceBreak, commits: tuple[str, ...]) -> Addition:
    change = item.change
    return Addition(change.kind, item.symbol, change.path, change.line, _added_parameters(item), commits)


def _additions(changes: Iterable[SurfaceChange], trees: TwoTrees) -> Iterator[SurfaceBreak]:
    read = map(_reader(trees), filter(_is_stated, changes))
    yield from filter(_is_addition, without_members([item for item in read if item is not None]))


def _reader(trees: TwoTrees) -> Callable[[SurfaceChange], SurfaceBreak | None]:
    python = PythonBreaks(trees)

    def read(change: SurfaceChange) -> SurfaceBreak | None:
        return python.read(change) if change.kind is SurfaceKind.PYTHON_API else file_break(change, trees)

    return read


def _is_stated(change: SurfaceChange) -> bool:
    """Return True unless it is a dependency; a new extra is one that users name."""
    return change.kind is not SurfaceKind.DEPENDENCIES or change.name.startswith("extra ")


def _is_addition(item: SurfaceBreak) -> bool:
    is_module = item.change.kind is SurfaceKind.PYTHON_API and not item.qualified
    return bool(_added_parameters(item)) or (item.is_removal and not is_module)


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
