"""The links between symbols and files of one tree, in both directions."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
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
    SimilarSymbol,
    Symbol,
    SymbolKind,
    UseKind,
    used_name,
)
from wardround.context.code_graph.resolution import Resolver, Target
from wardround.context.code_graph.store import Role
from wardround.context.code_graph.tree_facts import TreeFacts
from wardround.retrieval.test_discovery import contains_tests

_MOST_FILES = 400
"""Number of files that use a name, above which only those are read that import the file of its definition."""
_MOST_NAMES = 20
_CONSTRUCTORS = frozenset({"__init__", "__new__", "__post_init__", "constructor"})
_MOST_STEPS = 3
_MOST_VISITED = 150
_NEAR = 3
"""Number of adjacent symbols before and after one that are siblings."""
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
        """Return the location of a symbol in this tree, by its file and name; None if it has none."""
        symbols = self._tree.outline(symbol.path).symbols
        found = [number for number, candidate in enumerate(symbols) if candidate.name == symbol.name]
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
        """Return the names by which files use a symbol: its own, and its aliases in imports."""
        names = [symbol.own_name]
        for name in names:
            self._add_aliases(names, target, name, self._tree.files_with(name, Role.RENAMES))
            if len(names) > _MOST_NAMES:
                break
        if self._is_default(symbol):
            self._add_aliases(
                names, target, "default", [importer.path for importer in self.importers(target.path)]
            )
        return names

    def _add_aliases(self, names: list[str], target: Target, name: str, paths: Iterable[str]) -> None:
        for path in paths:
            for import_ in self._tree.outline(path).imports:
                is_new = import_.name == name and import_.alias not in names
                if is_new and target in self._resolver.follow(path, import_):
                    names.append(import_.alias)

    def _candidates(self, target: Target, names: Iterable[str]) -> list[str]:
        """Return the files that may use a symbol."""
        found = {path for name in names for path in self._tree.files_with(name, Role.USES)}
        if len(found) > _MOST_FILES:
            found &= {target.path, *(importer.path for importer in self.importers(target.path))}
        return sorted(found)

    def _is_default(self, symbol: Symbol) -> bool:
        imports = self._tree.outline(symbol.path).imports
        named = any(
            import_.alias == "default" and import_.name == symbol.name and import_.is_export
            for import_ in imports
        )
        return named or symbol.name == "default"

    def _module_users(self, target: Target) -> Iterator[Link]:
        for importer in self.importers(target.path):
            module = self._tree.outline(importer.path).symbols[0]
            yield Link(module, importer.path, importer.line, UseKind.REFERENCE, Certainty.RESOLVED)

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
        return tuple(sorted(found, key=lambda use: (use.path, use.line, use.kind)))

    # Files

    def importers(self, path: str) -> tuple[Importer, ...]:
        """Return the files that import a file, by path."""
        names = {*names_of_file(path), *self._package_names(path)}
        candidates = {importing for name in names for importing in self._tree.files_with(name, Role.IMPORTS)}
        found = (self._importer(importing, path, names) for importing in sorted(candidates - {path}))
        return tuple(importer for importer in found if importer is not None)

    def _importer(self, importing: str, imported: str, names: Collection[str]) -> Importer | None:
        """Return the imports of one file in another; None if there are none."""
        possible = [each for each in self._tree.outline(importing).imports if may_mean(each, names)]
        imports = [each for each in possible if self._resolver.imported_file(importing, each) == imported]
        if not imports:
            return None
        imported_names = sorted({each.name for each in imports if each.name})
        return Importer(importing, min(each.line for each in imports), tuple(imported_names))

    def _package_names(self, path: str) -> Iterator[str]:
        """Yield the names of the packages whose entry a file may be."""
        for manifest in self._tree.manifests.values():
            is_inside = path.startswith(f"{manifest.folder}/" if manifest.folder else "")
            if manifest.name and is_inside and self._resolver.entry(manifest.name) == path:
                yield manifest.name.rpartition("/")[2]

    def imported_files(self, path: str) -> tuple[str, ...]:
        """Return the files that a file imports, by path."""
        imports = self._tree.outline(path).imports
        found = {self._resolver.imported_file(path, import_) for import_ in imports}
        return tuple(sorted(found - {"", path}))

    # Tests

    def tests_reaching(self, symbol: Symbol, *, is_resolved: bool = False) -> tuple[Reach, ...]:
        """Return the tests that reach a symbol over at most three uses, the resolved ones first.

        Args:
            is_resolved: exclude the others, which take most of the time.
        """
        found: dict[Symbol, Reach] = {}
        for certainties in (_RESOLVED,) if is_resolved else (_RESOLVED, frozenset(Certainty)):
            for reach in self._tests_reaching(symbol, certainties):
                found.setdefault(reach.test, reach)
        return tuple(sorted(found.values(), key=_reach_order))

    def _tests_reaching(self, symbol: Symbol, certainties: frozenset[Certainty]) -> Iterator[Reach]:
        """Yield the tests that reach a symbol over links of some certainties, breadth first."""
        steps = [_Step(symbol, 0, Certainty.RESOLVED, ())]
        seen = {(symbol.path, symbol.name)}
        for step in steps:
            if step.distance == _MOST_STEPS or len(seen) > _MOST_VISITED:
                break
            for link in self._uses_running(step.symbol, certainties):
                other = link.symbol
                certainty = _weaker(step.certainty, link.certainty)
                if other.kind is SymbolKind.TEST or (contains_tests(other.path) and not other.name):
                    yield Reach(other, step.distance + 1, certainty, step.via)
                elif (other.path, other.name) not in seen and other.name:
                    seen.add((other.path, other.name))
                    steps.append(_Step(other, step.distance + 1, certainty, (other.name, *step.via)))

    def _uses_running(self, symbol: Symbol, certainties: frozenset[Certainty]) -> Iterator[Link]:
        """Yield the uses that may run a symbol: its own, and those of code that runs it without its name."""
        for link in self.callers(self._first_of(symbol)):
            if link.certainty in certainties:
                yield link
        if Certainty.NAMED in certainties:
            for other in self._stand_ins(symbol):
                yield from (replace(link, certainty=Certainty.NAMED) for link in self.callers(other))

    def _first_of(self, symbol: Symbol) -> Symbol:
        """Return the first definition of a name: for an overloaded function the one that imports refer to."""
        symbols = self._tree.outline(symbol.path).symbols
        return next((candidate for candidate in symbols if candidate.name == symbol.name), symbol)

    def _stand_ins(self, symbol: Symbol) -> Iterator[Symbol]:
        """Yield the symbols whose use may run another that is used without its name.

        They are the function around an inner function, the class of a special method, and the methods of
        base classes that a method overrides.
        """
        if not symbol.owner_name:
            return
        owner = self.target(Symbol(symbol.path, 1, 1, symbol.owner_name, SymbolKind.CLASS))
        around = None if owner is None else self._resolver.symbol(owner)
        if owner is None or around is None:
            return
        if around.kind in CALLABLE:
            yield around
        elif around.kind is SymbolKind.CLASS:
            if symbol.own_name.startswith("__") and symbol.own_name.endswith("__"):
                yield around
            for base in self._resolver.bases(owner):
                yield from map(self._resolver.symbol, self._resolver.member(base, symbol.own_name))

    # Siblings

    def siblings(self, symbol: Symbol) -> tuple[Symbol, ...]:
        """Return adjacent symbols of the same kind, and those of the same name and kind elsewhere."""
        adjacent = self._adjacent_symbols(symbol)
        alike = [candidate for candidate in self._alike(symbol) if candidate not in adjacent]
        return (*adjacent, *alike)

    def _adjacent_symbols(self, symbol: Symbol) -> list[Symbol]:
        group = [
            candidate for candidate in self._tree.outline(symbol.path).symbols
            if candidate.owner_name == symbol.owner_name and candidate.kind is symbol.kind and candidate.name
        ]  # fmt: skip
        own = next((at for at, candidate in enumerate(group) if candidate.name == symbol.name), len(group))
        return group[max(own - _NEAR, 0) : own] + group[own + 1 : own + 1 + _NEAR]

    def _alike(self, symbol: Symbol) -> list[Symbol]:
        if not symbol.name:
            return []
        found = [
            candidate
            for path in self._tree.files_with(symbol.own_name, Role.DEFINES)
            if path != symbol.path and language_of(path) == language_of(symbol.path)
            for candidate in self._tree.outline(path).symbols
            if candidate.name.endswith(symbol.own_name)
            and candidate.own_name == symbol.own_name
            and candidate.kind is symbol.kind
        ]
        return found if len(found) <= _MOST_ALIKE else []

    def similar(self, symbol: Symbol) -> tuple[SimilarSymbol, ...]:
        """Return the symbols whose syntax is at least half the same, the most similar first."""
        found = []
        for path, number in self._tree.symbols_with_shape(symbol) if symbol.shape else ():
            other = self._tree.outline(path).symbols[number]
            share = normal_form.similarity(symbol.shape, other.shape)
            if share >= _LEAST_SIMILAR and (other.path, other.name) != (symbol.path, symbol.name):
                found.append(SimilarSymbol(other, round(share, 4)))
        return tuple(sorted(found, key=lambda match: (-match.similarity, match.symbol)))


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
