"""Symbols and links in short forms that tests compare."""

from __future__ import annotations

from collections.abc import Iterable

from wardround.context.code_graph.extraction import read_file
from wardround.context.code_graph.graph import CodeGraph
from wardround.context.code_graph.model import FileFacts, Link, Symbol


def facts_of(path: str, source: str | bytes) -> FileFacts:
    return read_file(path, source.encode() if isinstance(source, str) else source).facts


def symbols_of(facts: FileFacts) -> list[tuple[str, str, int, int]]:
    """Name, kind, first and last line of each symbol but the module."""
    return [(symbol.name, str(symbol.kind), symbol.line, symbol.end_line) for symbol in facts.symbols[1:]]


def uses_of(facts: FileFacts) -> set[tuple[str, str, str, str]]:
    """Owner, receiver, name and kind of each use."""
    return {(facts.symbols[use.owner].name, use.receiver, use.name, str(use.kind)) for use in facts.uses}


def symbol_of(graph: CodeGraph, path: str, name: str) -> Symbol:
    (found,) = [item for item in graph.symbols_in(path) if item.name == name]
    return found


def ends(links: Iterable[Link]) -> list[tuple[str, str, int, str]]:
    """File and name of the other end of each link, the line of the use, and the certainty."""
    return [(link.symbol.path, link.symbol.name, link.line, str(link.certainty)) for link in links]
