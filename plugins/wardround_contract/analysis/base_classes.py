"""The base classes of a class, as far as their members are known."""

from __future__ import annotations

import abc
import builtins
import collections.abc
import enum

from wardround.context.code_graph.graph import CodeGraph
from wardround.context.code_graph.model import Symbol, UseKind

_MOST_BASES = 20
_PLAIN = frozenset({"Protocol", "Generic", "NamedTuple", "TypedDict", "object"})


def may_inherit(graph: CodeGraph, owner: Symbol, name: str) -> bool:
    """Return True if a class has a base outside of the repository that may have a member of this name."""
    open_, seen = [owner], set[tuple[str, str]]()
    while open_ and len(seen) < _MOST_BASES:
        one = open_.pop()
        if (one.path, one.name) in seen:
            continue
        seen.add((one.path, one.name))
        facts = graph.facts(one.path)
        numbers = {at for at, symbol in enumerate(facts.symbols) if symbol.name == one.name}
        inherited = [u for u in facts.uses if u.owner in numbers and u.kind is UseKind.INHERITS]
        found = {
            (link.line, link.symbol.own_name): link.symbol
            for link in graph.callees(one)
            if link.kind is UseKind.INHERITS
        }
        for use in inherited:
            base = found.get((use.line, use.name))
            if base is not None:
                open_.append(base)
            elif _may_have(use.name, name):
                return True
    return len(seen) >= _MOST_BASES


def _may_have(base: str, name: str) -> bool:
    """Return True if an external class may have a member; those of the standard library are known."""
    if base in _PLAIN:
        return False
    for module in (collections.abc, builtins, enum, abc):
        known = getattr(module, base, None)
        if isinstance(known, type):
            return hasattr(known, name)
    return True
