"""The definitions of a name in the source of a commit."""

from __future__ import annotations

from wardround.authoring.context.base_code import BaseCode
from wardround.context.code_graph.model import CALLABLE, Symbol, SymbolKind

_KINDS = CALLABLE | {SymbolKind.CLASS, SymbolKind.TYPE, SymbolKind.TABLE, SymbolKind.VIEW}


def definitions(code: BaseCode, name: str) -> list[Symbol]:
    """Return the functions, classes, types and tables of a name outside of tests, one of each file."""
    found: dict[str, Symbol] = {}
    for path in code.graph.files_defining(name):
        symbols = code.graph.symbols_in(path) if path in code.tree.source_set else ()
        for symbol in symbols:
            if symbol.own_name == name and symbol.kind in _KINDS:
                found.setdefault(path, symbol)
    return list(found.values())
