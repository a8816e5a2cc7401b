"""The files to change, those first that others of them import."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from wardround.authoring.context.model import ContextItem, WriteContext
from wardround.authoring.plan.model import PlannedFile
from wardround.context.code_graph.graph import CodeGraph

_MOST = 4
_LEADING_FUNCTIONS = 3
"""Functions whose files are planned whatever their rank."""
_LEADING_FILES = 2
_MOST_FUNCTIONS = 4
_MOST_OTHERS = 5


def files_to_change(context: WriteContext) -> list[str]:
    """Return the files that most probably have to change, best first."""
    named = [item.pointer.path for item in context.files if _is_named(item)]
    leading = [item.pointer.path for item in context.functions[:_LEADING_FUNCTIONS]]
    first = [item.pointer.path for item in context.files[:_LEADING_FILES]]
    return list(dict.fromkeys([*named, *leading, *first]))[:_MOST]


def _is_named(item: ContextItem) -> bool:
    return any(reason.startswith(("the task names", "defines ")) for reason in item.reasons)


def planned_files(context: WriteContext, graph: CodeGraph, paths: Sequence[str]) -> tuple[PlannedFile, ...]:
    """Return files in the order in which to change them."""
    imported = {path: [other for other in graph.imported_files(path) if other in paths] for path in paths}
    reasons = {item.pointer.path: item.reasons for item in context.files}
    return tuple(
        PlannedFile(
            path,
            reasons.get(path, ()),
            tuple(_functions(context, path)),
            tuple(other for other in imported[path] if other != path),
        )
        for path in _dependencies_first(paths, imported)
    )


def other_files(context: WriteContext, paths: Sequence[str]) -> tuple[PlannedFile, ...]:
    """Return the next files, for the case that the first ones are not the right ones."""
    rest = [item for item in context.files if item.pointer.path not in paths]
    return tuple(PlannedFile(item.pointer.path, item.reasons) for item in rest[:_MOST_OTHERS])


def _dependencies_first(paths: Sequence[str], imported: dict[str, list[str]]) -> list[str]:
    """Return paths so that imported files precede; in a cycle the better one precedes."""
    order: list[str] = []
    open_ = list(paths)
    while open_:
        ready = [path for path in open_ if not set(imported[path]) & set(open_) - {path}]
        path = ready[0] if ready else open_[0]
        open_.remove(path)
        order.append(path)
    return order


def _functions(context: WriteContext, path: str) -> Iterator[tuple[str, str]]:
    own = [item for item in context.functions if item.pointer.path == path]
    for item in distinct_symbols(own)[:_MOST_FUNCTIONS]:
        yield place_of(item), "; ".join(item.reasons[:2])


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
