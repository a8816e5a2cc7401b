"""The base classes of a class, if their members are known."""

from __future__ import annotations

import abc
import builtins
import collections.abc
import enum

from wardround.context.code_graph.graph import CodeGraph
from wardround.context.code_graph.model import Symbol, Use, UseKind

_MOST_BASES = 20
_PLAIN = frozenset({"Protocol", "Generic", "NamedTuple", "TypedDict", "object"})


def may_inherit(graph: CodeGraph, owner: Symbol, name: str) -> bool:
    """Return True if a class has a base outside of the repository that may have a member of this name."""
    waiting, seen = [owner], set[tuple[str, str]]()
    while waiting and len(seen) < _MOST_BASES:
        symbol = waiting.pop()
        if (symbol.path, symbol.name) in seen:
            continue
        seen.add((symbol.path, symbol.name))
        known = _bases_in_repository(graph, symbol)
        for use in _uses_as_base(graph, symbol):
            base = known.get((use.line, use.name))
            if base is not None:
                waiting.append(base)
            elif _may_have(use.name, name):
                return True
    return len(seen) >= _MOST_BASES


def _uses_as_base(graph: CodeGraph, symbol: Symbol) -> list[Use]:
    """Return the uses of names as bases in the classes of a file that have the name of a symbol."""
    facts = graph.facts(symbol.path)
    numbers = {number for number, other in enumerate(facts.symbols) if other.name == symbol.name}
    return [use for use in facts.uses if use.kind is UseKind.INHERITS and use.owner in numbers]


def _bases_in_repository(graph: CodeGraph, symbol: Symbol) -> dict[tuple[int, str], Symbol]:
    links = [link for link in graph.callees(symbol) if link.kind is UseKind.INHERITS]
    return {(link.line, link.symbol.own_name): link.symbol for link in links}


def _may_have(base: str, name: str) -> bool:
    """Return True if an external class may have a member; those of the standard library are known."""
    if base in _PLAIN:
        return False
    for module in (collections.abc, builtins, enum, abc):
        known = getattr(module, base, None)
        if isinstance(known, type):
            return hasattr(known, name)
    return True
