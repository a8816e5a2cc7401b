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
    return [(one.name, str(one.kind), one.line, one.end_line) for one in facts.symbols[1:]]


def uses_of(facts: FileFacts) -> set[tuple[str, str, str, str]]:
    """Owner, receiver, name and kind of each use."""
    return {(facts.symbols[one.owner].name, one.receiver, one.name, str(one.kind)) for one in facts.uses}


def symbol_of(graph: CodeGraph, path: str, name: str) -> Symbol:
    (found,) = [one for one in graph.symbols_in(path) if one.name == name]
    return found


def ends(links: Iterable[Link]) -> list[tuple[str, str, int, str]]:
    """File and name of the other end of each link, the line of the use, and the certainty."""
    return [(one.symbol.path, one.symbol.name, one.line, str(one.certainty)) for one in links]
