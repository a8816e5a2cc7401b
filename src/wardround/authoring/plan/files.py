"""The files to change, those first that others of them import."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from wardround.authoring.context.code_ranking import NO_EVIDENCE
from wardround.authoring.context.model import ContextItem, WriteContext
from wardround.authoring.plan.model import PlannedFile
from wardround.context.code_graph.graph import CodeGraph

_MOST = 4
_LEADING_FUNCTIONS = 3
"""Functions whose files are planned whatever their rank."""
_LEADING_FILES = 2
_NAMED = ("the task names", "defines ")
_MOST_FUNCTIONS = 4
_MOST_OTHERS = 5


def files_to_change(context: WriteContext) -> list[str]:
    """Return the files that most probably have to change, best first."""
    items = (
        *filter(is_named, context.files),
        *context.functions[:_LEADING_FUNCTIONS],
        *context.files[:_LEADING_FILES],
    )
    return list(dict.fromkeys(item.pointer.path for item in items))[:_MOST]


def is_named(item: ContextItem) -> bool:
    """Return True if the task names the item, or something in it."""
    return any(reason.startswith(_NAMED) for reason in item.reasons)


class FilePlans:
    """The planned files of a context."""

    def __init__(self, context: WriteContext, graph: CodeGraph) -> None:
        self._context = context
        self._graph = graph

    def in_order(self, paths: Sequence[str]) -> tuple[PlannedFile, ...]:
        """Return files in the order in which to change them."""
        imported = {path: self._imports_of(path, paths) for path in paths}
        reasons = {item.pointer.path: item.reasons for item in self._context.files}
        return tuple(
            PlannedFile(path, reasons.get(path, ()), self._functions(path), tuple(imported[path]))
            for path in _dependencies_first(imported)
        )

    def others(self, paths: Sequence[str]) -> tuple[PlannedFile, ...]:
        """Return the next files, for the case that the first ones are not the right ones."""
        rest = [item for item in self._context.files if item.pointer.path not in paths]
        return tuple(PlannedFile(item.pointer.path, item.reasons) for item in rest[:_MOST_OTHERS])

    def _imports_of(self, path: str, paths: Sequence[str]) -> list[str]:
        imported = self._graph.imported_files(path)
        return [other for other in paths if other in imported and other != path]

    def _functions(self, path: str) -> tuple[tuple[str, str], ...]:
        own = [item for item in self._context.functions if item.pointer.path == path]
        evident = [item for item in own if item.reasons[0] != NO_EVIDENCE]
        first = distinct_symbols(evident)[:_MOST_FUNCTIONS]
        return tuple((place_of(item), "; ".join(item.reasons[:2])) for item in first)


def _dependencies_first(imported: Mapping[str, Sequence[str]]) -> list[str]:
    """Return paths so that imported files precede; in a cycle the better one precedes."""
    order: list[str] = []
    open_ = list(imported)
    while open_:
        ready = (path for path in open_ if not set(imported[path]).intersection(open_))
        path = next(ready, open_[0])
        open_.remove(path)
        order.append(path)
    return order


def distinct_symbols(items: Iterable[ContextItem]) -> list[ContextItem]:
    """Return the first item of each symbol, without those of further overloads and parts."""
    found: dict[tuple[str, str], ContextItem] = {}
    for item in items:
        at = item.pointer
        found.setdefault((at.path, at.symbol or str(at.first_line)), item)
    return list(found.values())


def place_of(item: ContextItem) -> str:
    """Return the lines and the name of an item, as a reader finds them."""
    at = item.pointer
    is_line = at.first_line == at.last_line
    lines = f"line {at.first_line}" if is_line else f"lines {at.first_line}-{at.last_line}"
    return f"{lines} `{at.symbol}`" if at.symbol else lines
