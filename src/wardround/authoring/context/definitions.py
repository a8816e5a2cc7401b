"""The definitions of a name in the source of a commit."""

from __future__ import annotations

from collections.abc import Iterable

from wardround.authoring.context.base_code import BaseCode
from wardround.context.code_graph.model import CALLABLE, Symbol, SymbolKind

_KINDS = CALLABLE | {SymbolKind.CLASS, SymbolKind.TYPE, SymbolKind.TABLE, SymbolKind.VIEW}


def definitions(code: BaseCode, name: str) -> list[Symbol]:
    """Return the functions, classes, types and tables of a name outside of tests, one of each file."""
    paths = code.tree.source_set.intersection(code.graph.files_defining(name))
    found = (_first_definition(code.graph.symbols_in(path), name) for path in sorted(paths))
    return [symbol for symbol in found if symbol is not None]


def _first_definition(symbols: Iterable[Symbol], name: str) -> Symbol | None:
    for symbol in symbols:
        if symbol.own_name == name and symbol.kind in _KINDS:
            return symbol
    return None
