"""The definitions that a name in a file means: by scopes, imports and base classes, or by equal names."""

from __future__ import annotations

import builtins
import posixpath
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from wardround.context.code_graph.extraction import language_of
from wardround.context.code_graph.model import Certainty, FileFacts, Import, Symbol, SymbolKind, Use, UseKind
from wardround.context.code_graph.python_modules import PythonModules
from wardround.context.code_graph.scopes import INSTANCES, MOST_PARTS, UNKNOWN
from wardround.context.code_graph.script_modules import ScriptModules
from wardround.context.code_graph.store import Role
from wardround.context.code_graph.tree_facts import TreeFacts

_MOST_HOPS = 8
"""Maximum number of re-exports, and on base classes, that are followed."""
_MOST_NAMED = 8
"""Definitions of one name, above which an equal name is not evidence."""
_MOST_FILES = 30
_BUILTINS = frozenset(dir(builtins))
_RELATIONS = (SymbolKind.TABLE, SymbolKind.VIEW)
_MEMBERS = frozenset({SymbolKind.METHOD, SymbolKind.FIELD, SymbolKind.FUNCTION, SymbolKind.COLUMN,
                      SymbolKind.CLASS, SymbolKind.COMPONENT, *_RELATIONS})  # fmt: skip
_BY_NAME = frozenset({UseKind.ATTRIBUTE, UseKind.CALL, UseKind.KEY, UseKind.PROP, UseKind.COLUMN})


class Target(NamedTuple):
    """A symbol by its file and its index in the file."""

    path: str
    number: int


class ResolvedUse(NamedTuple):
    """The definitions that a use may mean."""

    targets: tuple[Target, ...]
    certainty: Certainty


class Resolver:
    """Resolves the names of one tree, and caches the results."""

    def __init__(self, tree: TreeFacts) -> None:
        self._tree = tree
        self._python = PythonModules(tree.files.keys())
        self._script = ScriptModules(tree.files.keys(), tree.manifests)
        self._modules: dict[tuple[str, str], str] = {}
        self._named: dict[tuple[str, str], tuple[Target, ...]] = {}
        self._bases: dict[Target, tuple[Target, ...]] = {}
        self._classes: dict[Target, Sequence[Target]] = {}
        self._tops: dict[str, dict[str, int]] = {}

    def symbol(self, target: Target) -> Symbol:
        return self._tree.outline(target.path).symbols[target.number]

    def module(self, path: str, module: str) -> str:
        """Return the file of a module that a file imports; empty for one outside the tree."""
        key = (path, module)
        found = self._modules.get(key)
        if found is None:
            modules = self._python if language_of(path) == "python" else self._script
            found = self._modules[key] = modules.resolve(path, module) if module else ""
        return found

    def entry(self, package: str) -> str:
        """Return the file that the name of a package of the repository means."""
        return self.module("package.json", package)

    def imported_file(self, path: str, item: Import) -> str:
        """Return the file that an import reads: the submodule, if ``from package import`` names one."""
        found = self.module(path, item.module)
        if item.name not in ("", "*") and language_of(path) == "python":
            if found and item.name in self._top_level(found):
                return found
            return self.module(path, _join_module(item.module, item.name)) or found
        return found

    def resolve(self, path: str, use: Use) -> ResolvedUse:
        """Return the definitions that a use may mean, by path and position."""
        if language_of(path) == "sql":
            return ResolvedUse(self._relation(use), Certainty.RESOLVED)
        if use.kind is UseKind.FIXTURE:
            return ResolvedUse(self._fixture(path, use.name), Certainty.RESOLVED)
        if use.kind is UseKind.LITERAL:
            return self._resolve_string(path, use.name)
        found: Iterable[Target] = ()
        if use.kind not in (UseKind.KEY, UseKind.PROP):
            found = self._targets_in_scope(path, use)
        if found or use.kind not in _BY_NAME or not self._may_be_any(path, use):
            return ResolvedUse(tuple(sorted(set(found))), Certainty.RESOLVED)
        return ResolvedUse(self._targets_by_name(use.name, language_of(path)), Certainty.NAMED)

    # Names in scope

    def _targets_in_scope(self, path: str, use: Use) -> tuple[Target, ...]:
        if not use.receiver:
            return self.lookup(path, use.name)
        root, *rest = use.receiver.split(".")
        if root in INSTANCES:
            return () if rest else self._instance_member(path, use, is_super=root == "super")
        if use.receiver.endswith("()"):
            return self._members(self._resolve_chain(path, use.receiver[:-2].split(".")), use.name)
        return () if use.receiver == UNKNOWN else self._resolve_chain(path, [root, *rest, use.name])

    def _fixture(self, path: str, name: str) -> tuple[Target, ...]:
        """Return the fixture of a name, from the module of a test or the nearest conftest."""
        found = self.lookup(path, name)
        folder = posixpath.dirname(path)
        while not found:
            found = self.lookup(posixpath.join(folder, "conftest.py"), name)
            if not folder:
                break
            folder = posixpath.dirname(folder)
        return found

    def _resolve_string(self, path: str, text: str) -> ResolvedUse:
        """Return the definition that a string names: by its dotted path, or a relation of SQL by its name."""
        found = self._written_path(path, text)
        if found:
            return ResolvedUse(found, Certainty.RESOLVED)
        relations = (
            target for target in self._targets_by_name(text, "sql") if self.symbol(target).kind in _RELATIONS
        )
        return ResolvedUse(tuple(relations), Certainty.NAMED)

    def _written_path(self, path: str, text: str) -> tuple[Target, ...]:
        """Return the definition that a string names by its dotted path, as ``mock.patch`` takes them."""
        names = text.replace(":", ".").split(".")
        if len(names) == 1 or language_of(path) != "python" or not all(map(str.isidentifier, names)):
            return ()
        for count in range(min(len(names) - 1, MOST_PARTS), 0, -1):
            module = self.module(path, ".".join(names[:count]))
            if module:
                found = self.exported_targets(module, names[count])
                for name in names[count + 1 :]:
                    found = self._members(found, name)
                return found
        return ()

    def _resolve_chain(self, path: str, names: Sequence[str]) -> tuple[Target, ...]:
        """Return the definitions of a dotted chain; the longest prefix that is imported comes first."""
        for count in range(len(names), 0, -1):
            found = self.lookup(path, ".".join(names[:count]))
            if found:
                for name in names[count:]:
                    found = self._members(found, name)
                return found
        return ()

    def lookup(self, path: str, name: str, hops: int = _MOST_HOPS) -> tuple[Target, ...]:
        """Return the definitions of a name at the top level of a file."""
        number = self._top_level(path).get(name)
        if number is not None:
            return (Target(path, number),)
        if hops == 0:
            return ()
        imports = self._tree.outline(path).imports
        for import_ in imports:
            if import_.alias == name and not import_.is_export:
                return self.follow(path, import_, hops)
        return self._star_targets(path, name, hops, exports=False)

    def _star_targets(self, path: str, name: str, hops: int, *, exports: bool) -> tuple[Target, ...]:
        for import_ in self._tree.outline(path).imports:
            if import_.name == "*" and import_.is_export is exports:
                module = self.module(path, import_.module)
                found = self.exported_targets(module, name, hops - 1) if module and module != path else ()
                if found:
                    return found
        return ()

    def follow(self, path: str, item: Import, hops: int = _MOST_HOPS) -> tuple[Target, ...]:
        """Return the definitions that an import binds."""
        if not item.module:
            return self.lookup(path, item.name, hops - 1)
        module = self.module(path, item.module)
        if item.name == "":
            return (Target(module, 0),) if module else ()
        found = self.exported_targets(module, item.name, hops - 1) if module and module != path else ()
        if not found and language_of(path) == "python":
            inner = self.module(path, _join_module(item.module, item.name))
            found = (Target(inner, 0),) if inner else ()
        return found

    def exported_targets(self, path: str, name: str, hops: int = _MOST_HOPS) -> tuple[Target, ...]:
        """Return the definitions that a file exports under a name."""
        if hops <= 0:
            return ()
        if language_of(path) == "python":
            return self.lookup(path, name, hops)
        outline = self._tree.outline(path)
        for import_ in outline.imports:
            if import_.is_export and import_.alias == name and import_.name != "*":
                return self.follow(path, import_, hops)
        number = self._top_level(path).get(name)
        if number is not None:
            return (Target(path, number),)
        found = self._star_targets(path, name, hops, exports=True)
        if not found and name == "default" and outline.symbols:
            return (Target(path, 0),)
        return found

    def _top_level(self, path: str) -> dict[str, int]:
        found = self._tops.get(path)
        if found is None:
            facts = self._tree.outline(path)
            found = {}
            imported = _imported_names(facts)
            for number, symbol in enumerate(facts.symbols):
                if number and "." not in symbol.name and symbol.name not in imported:
                    found.setdefault(symbol.name, number)
            self._tops[path] = found
        return found

    # Members

    def _members(self, owners: Iterable[Target], name: str) -> tuple[Target, ...]:
        return tuple(found for owner in owners for found in self.member(owner, name))

    def member(self, owner: Target, name: str, hops: int = _MOST_HOPS) -> tuple[Target, ...]:
        """Return the definitions of an attribute of a module, a class or an instance, also of its bases."""
        if owner.number == 0:
            return self.exported_targets(owner.path, name)
        facts = self._tree.outline(owner.path)
        if facts.symbols[owner.number].kind is SymbolKind.CONSTANT and hops:
            classes = self._classes_of(owner)
            if classes:
                return tuple(found for class_ in classes for found in self.member(class_, name, hops - 1))
        expected = f"{facts.symbols[owner.number].name}.{name}"
        own = tuple(
            Target(owner.path, at) for at, symbol in enumerate(facts.symbols) if symbol.name == expected
        )
        return own or self._inherited_targets(owner, name, hops)

    def _classes_of(self, constant: Target) -> Sequence[Target]:
        """Return the class that a constant is an instance of, where its value is one call of a class."""
        found = self._classes.get(constant)
        if found is None:
            self._classes[constant] = ()  # a constant that is found through its own value has none
            found = self._classes[constant] = self._called_classes(constant)
        return found

    def _called_classes(self, constant: Target) -> Sequence[Target]:
        uses = [use for use in self._tree.uses(constant.path) if use.owner == constant.number]
        calls = [use for use in uses if use.kind is UseKind.CALL]
        if len(calls) != 1:
            return ()
        found = self._targets_in_scope(constant.path, calls[0])
        return [target for target in found if self.symbol(target).kind is SymbolKind.CLASS]

    def _inherited_targets(self, owner: Target, name: str, hops: int) -> tuple[Target, ...]:
        if hops == 0:
            return ()
        for base in self.bases(owner):
            found = self.member(base, name, hops - 1) if base != owner else ()
            if found:
                return found
        return ()

    def bases(self, owner: Target) -> Sequence[Target]:
        """Return the base classes of a class, if the tree has them, in source order."""
        found = self._bases.get(owner)
        if found is None:
            self._bases[owner] = ()  # a class that is found through its own bases has none
            uses = self._tree.uses(owner.path)
            inherited = (use for use in uses if use.owner == owner.number and use.kind is UseKind.INHERITS)
            every = (base for name in inherited for base in self._targets_in_scope(owner.path, name))
            found = self._bases[owner] = tuple(base for base in every if base.number)
        return found

    def _instance_member(self, path: str, use: Use, *, is_super: bool) -> tuple[Target, ...]:
        facts = self._tree.outline(path)
        name = facts.symbols[use.owner].name
        kinds = {
            symbol.name: at for at, symbol in enumerate(facts.symbols) if symbol.kind is SymbolKind.CLASS
        }
        while name and name not in kinds:
            name = name.rpartition(".")[0]
        if not name:
            return ()
        owner = Target(path, kinds[name])
        return (
            self._inherited_targets(owner, use.name, _MOST_HOPS) if is_super else self.member(owner, use.name)
        )

    # Equal names

    def _may_be_any(self, path: str, use: Use) -> bool:
        """Return True if the receiver of a use is unknown, so that it may refer to any definition."""
        if use.receiver == UNKNOWN:
            return True
        if not use.receiver:
            return _is_plain_script(self._tree.outline(path)) and use.name not in _BUILTINS
        root = use.receiver.partition(".")[0].removesuffix("()")
        return root in INSTANCES or bool(self.lookup(path, root))

    def _targets_by_name(self, name: str, language: str) -> tuple[Target, ...]:
        key = (name, language)
        found = self._named.get(key)
        if found is None:
            files = self._tree.files_with(name, Role.DEFINES)
            every = [
                Target(path, number)
                for path in (files if len(files) <= _MOST_FILES else ())
                if language_of(path) == language
                for number, symbol in enumerate(self._tree.outline(path).symbols)
                if symbol.name.endswith(name) and symbol.own_name == name and symbol.kind in _MEMBERS
            ]
            found = self._named[key] = tuple(every) if len(every) <= _MOST_NAMED else ()
        return found

    def _relation(self, use: Use) -> tuple[Target, ...]:
        """Return the definitions of a table, a view, a function or a column of SQL."""
        expected = use.name if use.kind is not UseKind.COLUMN else f"{use.receiver}.{use.name}"
        return tuple(
            Target(path, number)
            for path in self._tree.files_with(use.name, Role.DEFINES)
            if language_of(path) == "sql"
            for number, symbol in enumerate(self._tree.outline(path).symbols)
            if number and symbol.name.lower() == expected
        )


def _join_module(module: str, name: str) -> str:
    return f"{module}{name}" if module.endswith(".") else f"{module}.{name}"


def _imported_names(facts: FileFacts) -> frozenset[str]:
    """Return the names that imports bind in a script: a group of tests with such a title defines nothing."""
    is_script = language_of(facts.path) == "script"
    return (
        frozenset(import_.alias for import_ in facts.imports if not import_.is_export)
        if is_script
        else frozenset()
    )


def _is_plain_script(facts: FileFacts) -> bool:
    """Return True for a script without imports and exports, whose names are global."""
    is_script = language_of(facts.path) == "script"
    return is_script and not facts.imports and not any(symbol.exported for symbol in facts.symbols[1:])
