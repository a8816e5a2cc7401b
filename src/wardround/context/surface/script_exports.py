"""The exports of published packages of npm: names, members of classes and types, and parameters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from msgspec.structs import replace

from wardround.context.code_graph.extraction import language_of, read_file
from wardround.context.code_graph.manifests import Manifest, is_manifest, read_manifest
from wardround.context.code_graph.model import FileFacts, Import, Symbol, SymbolKind
from wardround.context.code_graph.script_modules import ScriptModules
from wardround.context.surface.model import NotCompared, SurfaceChange, SurfaceKind
from wardround.context.surface.packages import UNPUBLISHED, Package, is_in, node_packages
from wardround.context.surface.script_declarations import Parameters, heritage, members, parameters
from wardround.context.surface.sides import Side, Sides
from wardround.lazy import LazyPattern

KIND = SurfaceKind.SCRIPT_EXPORTS
_ENTRY_KEYS = ("exports", "main", "module", "types", "typings", "browser")
_MOST_FILES = 600
"""Maximum number of modules that one package exports from: about three seconds for base and head."""
_MOST_MANIFESTS = 400
_MOST_DEPTH = 12
_LEAST_GROUP = 3
"""The number of types that lose the same member, from which on they are one change."""
_HIDDEN = LazyPattern(r"^\s*(?:private|protected|#|_)|@internal|@private")
_INTERNAL = LazyPattern(r"(?i)/_|internal|private|unstable|experimental|package\.json")
_BUILT = LazyPattern(r"(?:^|/)(?:dist|build|out|bundle)/|\.min\.")
_TEST = LazyPattern(r"\.(?:test|spec|stories|bench|config)\.\w+$")


class Export(NamedTuple):
    """An exported name, and its definition if it is in the repository.

    Attributes:
        symbol: its name in the file that defines it; empty for a name of another package.
    """

    name: str
    path: str
    line: int
    symbol: str


def compare(sides: Sides) -> Iterator[SurfaceChange | NotCompared]:
    """Yield what the packages with changed scripts export no more, or in another form."""
    changed = sorted(path for path in sides.changed_paths if _is_source(path))
    seen: set[tuple[str, int, str]] = set()
    for base in node_packages(sides.base, changed):
        if not _is_published_library(base, sides):
            continue
        for result in _group_changes(list(_compare_package(sides, base, changed))):
            if isinstance(result, SurfaceChange):
                key = (result.path, result.line, result.detail)
                if key in seen:
                    continue
                seen.add(key)
            yield result


def _is_published_library(base: Package, sides: Sides) -> bool:
    """Return True for a package with entries for importers that the change does not remove."""
    heads = node_packages(sides.head, [base.manifest])
    if not any(head.manifest == base.manifest for head in heads):
        return False
    return any(key in base.document for key in _ENTRY_KEYS) and not UNPUBLISHED.search(base.manifest)


def _group_changes(found: Sequence[SurfaceChange | NotCompared]) -> Iterator[SurfaceChange | NotCompared]:
    """Yield the changes; changes of one member in many types of a file are grouped."""
    groups: dict[tuple[str, str, str], list[SurfaceChange]] = {}
    for result in found:
        if isinstance(result, NotCompared):
            yield result
            continue
        member, _, package = result.name.partition("` of ")
        own = member.rpartition(".")[2] if "." in member else member
        groups.setdefault(
            (result.path, f"`{own.lstrip('`')}` of {{}} types of {package}", result.detail), []
        ).append(result)
    for (_, name, _), group in groups.items():
        first = group[0]
        yield from group if len(group) < _LEAST_GROUP else [replace(first, name=name.format(len(group)))]


def _is_source(path: str) -> bool:
    is_script = language_of(path) == "script" and not _BUILT.search(path)
    return is_script and not UNPUBLISHED.search(path) and not _TEST.search(path)


def _compare_package(
    sides: Sides, package: Package, changed: Sequence[str]
) -> Iterator[SurfaceChange | NotCompared]:
    before, after = _Exports(sides.base), _Exports(sides.head)
    for subpath in before.subpaths(package.manifest):
        if subpath not in after.subpaths(package.manifest):
            continue  # a removed subpath is a change of the manifest
        old, new = before.of(package, subpath), after.of(package, subpath)
        problem = before.problem() or after.problem() or after.new_problem(before)
        if problem:
            yield NotCompared(KIND, f"{package.name}: {problem}")
            return
        if old and not after.entry(package, subpath):
            yield NotCompared(
                KIND, f"{package.name}: no source of its entry point `{subpath}` is found at the head"
            )
            continue
        own = {name: export for name, export in old.items() if is_in(export.path, package.folder)}
        yield from _changes(_Pair(before, after, package.name + subpath[1:]), own, new, changed)


@dataclass(frozen=True)
class _Pair:
    """An entry point of a package at base and head."""

    before: _Exports
    after: _Exports
    prefix: str

    def change(self, path: str, line: int, name: str, detail: str) -> SurfaceChange:
        return SurfaceChange(KIND, path, line, f"`{name}` of {self.prefix}", detail, True)


def _changes(
    pair: _Pair, old: Mapping[str, Export], new: Mapping[str, Export], changed: Sequence[str]
) -> Iterator[SurfaceChange]:
    for name, export in sorted(old.items()):
        if pair.before.is_hidden(export.path, export.symbol):
            continue
        if name not in new:
            if not pair.after.has_unknown_names and not pair.after.may_have(export, name):
                yield pair.change(export.path, export.line, name, "is removed")
        elif export.symbol and new[name].symbol and {export.path, new[name].path} & set(changed):
            yield from _members(pair, export, new[name])
            yield from _calls(pair, export, new[name])


def _members(pair: _Pair, old: Export, new: Export) -> Iterator[SurfaceChange]:
    """Yield the members that a class or a type loses, without those that it may inherit now."""
    before, after = pair.before.members(old), pair.after.members(new)
    if not after or pair.after.extends(new) != pair.before.extends(old):
        return
    for name, symbol in before.items():
        is_lost = name not in after and not pair.after.may_have(new, name)
        if is_lost and not pair.before.is_hidden(old.path, symbol.name):
            yield pair.change(old.path, symbol.line, f"{old.name}.{name}", "is removed")


def _calls(pair: _Pair, old: Export, new: Export) -> Iterator[SurfaceChange]:
    """Yield the functions that need more arguments or accept fewer."""
    before, after = pair.before.parameters(old.path), pair.after.parameters(new.path)
    for own, signature in before.items():
        if own != old.symbol and not own.startswith(f"{old.symbol}."):
            continue
        other = after.get(new.symbol + own[len(old.symbol) :])
        if other is None or pair.before.is_hidden(old.path, own):
            continue
        name = old.name + own[len(old.symbol) :]
        if other.is_typed and other.required > signature.required:
            detail = f"requires {other.required} arguments instead of {signature.required}"
            yield pair.change(new.path, other.line, name, detail)
        elif other.most is not None and (signature.most is None or other.most < signature.most):
            detail = f"accepts {other.most} arguments"
            yield pair.change(new.path, other.line, name, detail)


@dataclass
class _Exports:
    """The exports of the packages at base or head; files are read once."""

    side: Side
    has_unknown_names: bool = False
    _facts: dict[str, FileFacts] = field(default_factory=dict)
    _parameters: dict[str, Mapping[str, Parameters]] = field(default_factory=dict)

    @cached_property
    def _manifests(self) -> dict[str, Manifest]:
        paths = [path for path in self.side.paths if is_manifest(path)][:_MOST_MANIFESTS]
        self.side.fetch(paths)
        return {path: read_manifest(path, self.side.read(path) or "") for path in paths}

    @cached_property
    def _modules(self) -> ScriptModules:
        paths = {path for path in self.side.paths if language_of(path) == "script"}
        return ScriptModules(paths, self._manifests)

    def subpaths(self, manifest: str) -> list[str]:
        """Return the entry points of a package that name one module each."""
        found = self._manifests.get(manifest)
        entries = found.entries if found is not None else ()
        return [entry for entry in entries if "*" not in entry and not _INTERNAL.search(entry)]

    def of(self, package: Package, subpath: str) -> dict[str, Export]:
        """Return the exports of an entry point by name."""
        self.has_unknown_names = False
        entry = self.entry(package, subpath)
        return self._exports_of_file(entry, _MOST_DEPTH, frozenset()) if entry else {}

    def entry(self, package: Package, subpath: str) -> str:
        """Return the source file of an entry point; empty if none is found."""
        entry = self._modules.resolve(package.manifest, package.name + subpath[1:])
        return entry if entry and is_in(entry, package.folder) and _is_source(entry) else ""

    def _exports_of_file(self, path: str, depth: int, above: frozenset[str]) -> dict[str, Export]:
        facts = self.facts(path)
        found = {
            symbol.name: Export(symbol.name, path, symbol.line, symbol.name)
            for symbol in facts.symbols[1:]
            if symbol.exported and not symbol.owner_name
        }
        for import_ in facts.imports:
            if import_.is_export:
                found = self._passed_exports(path, import_, depth, above | {path}) | found
        return found

    def _passed_exports(
        self, path: str, statement: Import, depth: int, above: frozenset[str]
    ) -> dict[str, Export]:
        """Return the names of an export statement that passes names on."""
        if not statement.module:
            return {statement.alias: self._export_of_file(path, statement)}
        target = self._modules.resolve(path, statement.module)
        if not target and statement.name == "*":
            self.has_unknown_names = True
        is_read = bool(target) and depth > 0 and target not in above
        if statement.name == "*":
            return self._exports_except_default(target, depth, above) if target and is_read else {}
        passed = Export(statement.alias, path, statement.line, "")
        if target and is_read and statement.name:
            inner = self._exports_of_file(target, depth - 1, above).get(statement.name)
            if inner is not None:
                passed = inner._replace(name=statement.alias)
        return {statement.alias: passed}

    def _export_of_file(self, path: str, item: Import) -> Export:
        """Return an export of a name that the file defines or imports."""
        symbols = {symbol.name: symbol for symbol in self.facts(path).symbols}
        symbol = symbols.get(item.name)
        if symbol is None:
            return Export(item.alias, path, item.line, "")
        return Export(item.alias, path, symbol.line, symbol.name)

    def _exports_except_default(self, path: str, depth: int, above: frozenset[str]) -> dict[str, Export]:
        found = self._exports_of_file(path, depth - 1, above)
        return {name: export for name, export in found.items() if name != "default"}

    def facts(self, path: str) -> FileFacts:
        """Return the facts of a file; none above the limit on files."""
        if path not in self._facts:
            if len(self._facts) > _MOST_FILES:
                return FileFacts(path)
            self._facts[path] = read_file(path, (self.side.read(path) or "").encode()).facts
        return self._facts[path]

    def problem(self) -> str:
        """Return the reason why the exports are not known; empty if they are."""
        is_unknown = len(self._facts) > _MOST_FILES
        return f"it exports from more than {_MOST_FILES} modules" if is_unknown else ""

    def new_problem(self, base: _Exports) -> str:
        """Return a file that was read at the base and that cannot be; its names are not removed."""
        for path, facts in self._facts.items():
            if facts.problem and path in base._facts and not base._facts[path].problem:
                return f"{path}: {facts.problem}"
        return ""

    def may_have(self, export: Export, name: str) -> bool:
        """Return True if the file of an export was not read completely, and still mentions a name."""
        if not self._facts.get(export.path, FileFacts(export.path)).problem:
            return False
        return bool(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", self.side.read(export.path) or ""))

    def parameters(self, path: str) -> Mapping[str, Parameters]:
        """Return the parameters of the functions of a file."""
        if path not in self._parameters:
            self._parameters[path] = parameters(path, self.side.read(path) or "")
        return self._parameters[path]

    def members(self, export: Export) -> dict[str, Symbol]:
        """Return the public members of a class or a type by name."""
        symbols = self.facts(export.path).symbols
        own = [
            symbol
            for symbol in symbols
            if symbol.owner_name == export.symbol and symbol.own_name != "constructor"
        ]
        kinds = {symbol.kind for symbol in symbols if symbol.name == export.symbol}
        if not kinds & {SymbolKind.CLASS, SymbolKind.TYPE}:
            return {}
        direct = members(export.path, self.side.read(export.path) or "").get(export.symbol, frozenset())
        return {symbol.own_name: symbol for symbol in own if symbol.own_name in direct}

    def extends(self, export: Export) -> str:
        """Return what a class or a type extends or combines, from which it may have more members."""
        return heritage(export.path, self.side.read(export.path) or "").get(export.symbol, "")

    def is_hidden(self, path: str, name: str) -> bool:
        """Return True for a definition that is private by a modifier, an underscore or a tag above it."""
        if not name:
            return False
        found = next((symbol for symbol in self.facts(path).symbols if symbol.name == name), None)
        if found is None or found.own_name.startswith(("_", "#")):
            return True
        lines = self._lines(path)
        near = lines[max(found.line - 4, 0) : found.line]
        before = [line for line in near[:-1] if line.lstrip().startswith(("*", "/*", "//"))]
        return bool(_HIDDEN.search(near[-1] if near else "")) or any(_HIDDEN.search(line) for line in before)

    def _lines(self, path: str) -> list[str]:
        return (self.side.read(path) or "").split("\n")
