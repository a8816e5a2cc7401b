"""The links between symbols and files of one tree, in both directions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from msgspec.structs import replace

from wardround.context.code_graph import normal_form
from wardround.context.code_graph.extraction import language_of
from wardround.context.code_graph.import_names import may_mean, names_of_file
from wardround.context.code_graph.model import (
    CALLABLE,
    Certainty,
    Importer,
    Link,
    Reach,
    Similar,
    Symbol,
    SymbolKind,
    UseKind,
    used_name,
)
from wardround.context.code_graph.resolution import Resolver, Target
from wardround.context.code_graph.store import Role
from wardround.context.code_graph.tree_facts import TreeFacts
from wardround.retrieval.test_discovery import holds_tests

_MOST_FILES = 400
"""Files that use a name, above which only those are read that import the file of its definition."""
_MOST_NAMES = 20
_CONSTRUCTORS = frozenset({"__init__", "__new__", "__post_init__", "constructor"})
_MOST_STEPS = 3
_MOST_VISITED = 150
_NEAR = 3
"""Adjacent symbols on either side that are siblings."""
_MOST_ALIKE = 12
"""Symbols of one name, above which the name is too common for siblings."""
_LEAST_SIMILAR = 0.5
_RESOLVED = frozenset({Certainty.RESOLVED})


class _Step(NamedTuple):
    """A symbol on the way from a test; ``via`` are the names between it and the start."""

    symbol: Symbol
    distance: int
    certainty: Certainty
    via: tuple[str, ...]


class Links:
    """Callers, callees, importers, tests and siblings."""

    def __init__(self, tree: TreeFacts, resolver: Resolver) -> None:
        self._tree = tree
        self._resolver = resolver
        self._callers: dict[Target, tuple[Link, ...]] = {}

    def target(self, symbol: Symbol) -> Target | None:
        """Return the place of a symbol in this tree, by its file and name; None if it has none."""
        symbols = self._tree.outline(symbol.path).symbols
        found = [number for number, one in enumerate(symbols) if one.name == symbol.name]
        if not found:
            return None
        exact = [number for number in found if symbols[number] == symbol]
        return Target(symbol.path, (exact or found)[0])

    # Callers and callees

    def callers(self, symbol: Symbol) -> tuple[Link, ...]:
        """Return the uses of a symbol by others, resolved ones first, then by path and line."""
        target = self.target(symbol)
        if target is None:
            return ()
        known = self._callers.get(target)
        if known is None:
            found = self._module_users(target) if target.number == 0 else self._users(target)
            known = self._callers[target] = tuple(sorted(set(found), key=_link_order))
        return known

    def _users(self, target: Target) -> Iterator[Link]:
        symbol = self._resolver.symbol(target)
        if symbol.own_name in _CONSTRUCTORS and symbol.owner_name:
            owner = self.target(Symbol(symbol.path, 1, 1, symbol.owner_name, SymbolKind.CLASS))
            if owner is not None:
                yield from self._users(owner)
                return
        names = self._names_of(target, symbol)
        for path in self._candidates(target, names):
            symbols = self._tree.outline(path).symbols
            for use in (use for name in names for use in self._tree.uses_named(path, name)):
                if not _is_within(symbols[use.owner], symbol):
                    found = self._resolver.resolve(path, use)
                    if target in found.targets:
                        yield Link(symbols[use.owner], path, use.line, use.kind, found.certainty)

    def _names_of(self, target: Target, symbol: Symbol) -> list[str]:
        """Return the names by which files use a symbol: its own, and those that imports give it."""
        names = [symbol.own_name]
        for name in names:
            self._add_aliases(names, target, name, self._tree.files_with(name, Role.RENAMES))
            if len(names) > _MOST_NAMES:
                break
        if self._is_default(symbol):
            self._add_aliases(names, target, "default", [one.path for one in self.importers(target.path)])
        return names

    def _add_aliases(self, names: list[str], target: Target, name: str, paths: Iterable[str]) -> None:
        for path in paths:
            for one in self._tree.outline(path).imports:
                is_new = one.name == name and one.alias not in names
                if is_new and target in self._resolver.followed(path, one):
                    names.append(one.alias)

    def _candidates(self, target: Target, names: Iterable[str]) -> list[str]:
        """Return the files that may use a symbol."""
        found = {path for name in names for path in self._tree.files_with(name, Role.USES)}
        if len(found) > _MOST_FILES:
            found &= {target.path, *(one.path for one in self.importers(target.path))}
        return sorted(found)

    def _is_default(self, symbol: Symbol) -> bool:
        imports = self._tree.outline(symbol.path).imports
        named = any(one.alias == "default" and one.name == symbol.name and one.is_export for one in imports)
        return named or symbol.name == "default"

    def _module_users(self, target: Target) -> Iterator[Link]:
        for one in self.importers(target.path):
            module = self._tree.outline(one.path).symbols[0]
            yield Link(module, one.path, one.line, UseKind.REFERENCE, Certainty.RESOLVED)

    def callees(self, symbol: Symbol) -> tuple[Link, ...]:
        """Return the definitions that a symbol uses, resolved ones first, then by path and line."""
        facts = self._tree.outline(symbol.path)
        found = set()
        for use in self._tree.uses(facts.path):
            if _is_within(facts.symbols[use.owner], symbol):
                resolved = self._resolver.resolve(symbol.path, use)
                for target in resolved.targets:
                    other = self._resolver.symbol(target)
                    if not _is_within(other, symbol):
                        found.add(Link(other, symbol.path, use.line, use.kind, resolved.certainty))
        return tuple(sorted(found, key=_link_order))

    def uses_of(self, name: str) -> tuple[Link, ...]:
        """Return every use of a name, and every string that ends with it, by path and line.

        ``resolved`` are uses that lead to a definition in the tree; the symbol is the one around the use.
        """
        found = []
        for path in self._tree.files_with(name, Role.USES):
            facts = self._tree.outline(path)
            for use in self._tree.uses(facts.path):
                if name in (use.name, used_name(use)):
                    resolved = self._resolver.resolve(path, use)
                    is_resolved = bool(resolved.targets) and resolved.certainty is Certainty.RESOLVED
                    certainty = Certainty.RESOLVED if is_resolved else Certainty.NAMED
                    found.append(Link(facts.symbols[use.owner], path, use.line, use.kind, certainty))
        return tuple(sorted(found, key=lambda one: (one.path, one.line, one.kind)))

    # Files

    def importers(self, path: str) -> tuple[Importer, ...]:
        """Return the files that import a file, by path."""
        names = {*names_of_file(path), *self._package_names(path)}
        candidates = {one for name in names for one in self._tree.files_with(name, Role.IMPORTS)}
        found = []
        for one in sorted(candidates - {path}):
            imports = (each for each in self._tree.outline(one).imports if may_mean(each, names))
            meant = [each for each in imports if self._resolver.imported_file(one, each) == path]
            if meant:
                taken = sorted({each.name for each in meant if each.name})
                found.append(Importer(one, min(each.line for each in meant), tuple(taken)))
        return tuple(found)

    def _package_names(self, path: str) -> Iterator[str]:
        """Yield the names of the packages whose entry a file may be."""
        for manifest in self._tree.manifests.values():
            is_inside = path.startswith(f"{manifest.folder}/" if manifest.folder else "")
            if manifest.name and is_inside and self._resolver.entry(manifest.name) == path:
                yield manifest.name.rpartition("/")[2]

    def imported(self, path: str) -> tuple[str, ...]:
        """Return the files that a file imports, by path."""
        imports = self._tree.outline(path).imports
        found = {self._resolver.imported_file(path, one) for one in imports}
        return tuple(sorted(found - {"", path}))

    # Tests

    def tests_reaching(self, symbol: Symbol) -> tuple[Reach, ...]:
        """Return the tests that reach a symbol over at most three uses, the resolved ones first."""
        found: dict[Symbol, Reach] = {}
        for certainties in (_RESOLVED, frozenset(Certainty)):
            for reach in self._reaching(symbol, certainties):
                found.setdefault(reach.test, reach)
        return tuple(sorted(found.values(), key=_reach_order))

    def _reaching(self, symbol: Symbol, certainties: frozenset[Certainty]) -> Iterator[Reach]:
        """Yield the tests that reach a symbol over links of some certainties, breadth first."""
        steps = [_Step(symbol, 0, Certainty.RESOLVED, ())]
        seen = {(symbol.path, symbol.name)}
        for step in steps:
            if step.distance == _MOST_STEPS or len(seen) > _MOST_VISITED:
                break
            for link in self._uses_running(step.symbol, certainties):
                other = link.symbol
                certainty = _weaker(step.certainty, link.certainty)
                if other.kind is SymbolKind.TEST or (holds_tests(other.path) and not other.name):
                    yield Reach(other, step.distance + 1, certainty, step.via)
                elif (other.path, other.name) not in seen and other.name:
                    seen.add((other.path, other.name))
                    steps.append(_Step(other, step.distance + 1, certainty, (other.name, *step.via)))

    def _uses_running(self, symbol: Symbol, certainties: frozenset[Certainty]) -> Iterator[Link]:
        """Yield the uses that may run a symbol: its own, and those of what runs it without its name."""
        for link in self.callers(self._first_of(symbol)):
            if link.certainty in certainties:
                yield link
        if Certainty.NAMED in certainties:
            for other in self._stand_ins(symbol):
                yield from (replace(link, certainty=Certainty.NAMED) for link in self.callers(other))

    def _first_of(self, symbol: Symbol) -> Symbol:
        """Return the first definition of a name: of an overloaded function the one that imports mean."""
        symbols = self._tree.outline(symbol.path).symbols
        return next((one for one in symbols if one.name == symbol.name), symbol)

    def _stand_ins(self, symbol: Symbol) -> Iterator[Symbol]:
        """Yield the symbols whose use may run another that is used without its name.

        They are the function around an inner function, the class of a special method, and the methods of
        base classes that a method overrides.
        """
        if not symbol.owner_name:
            return
        owner = self.target(Symbol(symbol.path, 1, 1, symbol.owner_name, SymbolKind.CLASS))
        around = None if owner is None else self._resolver.symbol(owner)
        if around is not None and around.kind in CALLABLE:
            yield around
        elif owner is not None and around is not None and around.kind is SymbolKind.CLASS:
            if symbol.own_name.startswith("__") and symbol.own_name.endswith("__"):
                yield around
            for base in self._resolver.bases(owner):
                yield from map(self._resolver.symbol, self._resolver.member(base, symbol.own_name))

    # Siblings

    def siblings(self, symbol: Symbol) -> tuple[Symbol, ...]:
        """Return adjacent symbols of the same kind, and those of the same name and kind elsewhere."""
        adjacent = self._adjacent(symbol)
        alike = [one for one in self._alike(symbol) if one not in adjacent]
        return (*adjacent, *alike)

    def _adjacent(self, symbol: Symbol) -> list[Symbol]:
        group = [
            one for one in self._tree.outline(symbol.path).symbols
            if one.owner_name == symbol.owner_name and one.kind is symbol.kind and one.name
        ]  # fmt: skip
        own = next((at for at, one in enumerate(group) if one.name == symbol.name), len(group))
        return group[max(own - _NEAR, 0) : own] + group[own + 1 : own + 1 + _NEAR]

    def _alike(self, symbol: Symbol) -> list[Symbol]:
        if not symbol.name:
            return []
        found = [
            one
            for path in self._tree.files_with(symbol.own_name, Role.DEFINES)
            if path != symbol.path and language_of(path) == language_of(symbol.path)
            for one in self._tree.outline(path).symbols
            if one.name.endswith(symbol.own_name)
            and one.own_name == symbol.own_name
            and one.kind is symbol.kind
        ]
        return found if len(found) <= _MOST_ALIKE else []

    def similar(self, symbol: Symbol) -> tuple[Similar, ...]:
        """Return the symbols whose syntax is at least half the same, the most similar first."""
        found = []
        for path, number in self._tree.symbols_with_shape(symbol) if symbol.shape else ():
            other = self._tree.outline(path).symbols[number]
            share = normal_form.similarity(symbol.shape, other.shape)
            if share >= _LEAST_SIMILAR and (other.path, other.name) != (symbol.path, symbol.name):
                found.append(Similar(other, round(share, 4)))
        return tuple(sorted(found, key=lambda one: (-one.similarity, one.symbol)))


def _is_within(symbol: Symbol, outer: Symbol) -> bool:
    if symbol.path != outer.path or not outer.name:
        return symbol == outer
    return symbol.name == outer.name or symbol.name.startswith(f"{outer.name}.")


def _weaker(*some: Certainty) -> Certainty:
    return Certainty.NAMED if Certainty.NAMED in some else Certainty.RESOLVED


def _link_order(link: Link) -> tuple[bool, str, int, Symbol, str]:
    return link.certainty is Certainty.NAMED, link.path, link.line, link.symbol, link.kind


def _reach_order(reach: Reach) -> tuple[bool, int, Symbol]:
    return reach.certainty is Certainty.NAMED, reach.distance, reach.test
