"""The calls of functions in the modules of a repository, and the types of their arguments."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Set
from pathlib import PurePosixPath

import msgspec

from wardround.authoring.types.literals import type_of
from wardround.authoring.types.model import Module, PublicFunction
from wardround.languages.python.tree import unparse

Place = tuple[str, str]
"""The path of a module and the qualified name of a function."""


class Arguments(msgspec.Struct):
    """The types of the arguments for one parameter, and the number of those whose type is not stated."""

    types: list[str] = msgspec.field(default_factory=list)
    unknown: int = 0

    def add(self, kind: str | None) -> None:
        if kind is None:
            self.unknown += 1
        else:
            self.types.append(kind)


class CallSites:
    """The calls of functions that lack annotations, by module and name.

    Attributes:
        callers: the paths of the modules with such calls.
    """

    def __init__(self, modules: Iterable[Module]) -> None:
        self._functions: dict[Place, PublicFunction] = {}
        self._paths = ModulePaths(module.path for module in modules)
        self._arguments: dict[tuple[Place, str], Arguments] = defaultdict(Arguments)
        self._lines: dict[Place, set[tuple[str, int]]] = defaultdict(set)
        self.callers: set[str] = set()
        for module in modules:
            self._functions |= {(module.path, function.name): function for function in module.functions}

    def arguments(self, path: str, function: str, parameter: str) -> Arguments:
        """Return the arguments for a parameter."""
        return self._arguments.get(((path, function), parameter), Arguments())

    def lines(self, path: str, function: str) -> Set[tuple[str, int]]:
        """Return the path and the lines of each call of a function."""
        return self._lines.get((path, function), set())

    def add_module(self, path: str, tree: ast.Module) -> None:
        """Collect the calls in a module."""
        names = ImportedNames(path, tree, self._paths)
        for class_name, call in _calls(tree, ""):
            place = names.place_of(call.func, class_name)
            for known in (place, (place[0], f"{place[1]}.__init__")) if place is not None else ():
                if known in self._functions:
                    self.callers.add(path)
                    last = call.end_lineno or call.lineno
                    self._lines[known] |= {(path, line) for line in range(call.lineno, last + 1)}
                    self._bind(known, call)

    def _bind(self, place: Place, call: ast.Call) -> None:
        for name, value in _bound_arguments(self._functions[place], call):
            self._arguments[place, name].add(type_of(value))


def _bound_arguments(function: PublicFunction, call: ast.Call) -> Iterator[tuple[str, ast.expr]]:
    """Yield the name of a parameter with its argument, up to the first that is unpacked."""
    for name, value in zip(function.order, call.args, strict=False):
        if isinstance(value, ast.Starred):
            break
        yield name, value
    for keyword in call.keywords:
        if keyword.arg is not None:
            yield keyword.arg, keyword.value


def _calls(node: ast.AST, class_name: str) -> Iterator[tuple[str, ast.Call]]:
    """Yield the calls below a node with the name of the class around them."""
    for child in ast.iter_child_nodes(node):
        inner = f"{class_name}.{child.name}".lstrip(".") if isinstance(child, ast.ClassDef) else class_name
        if isinstance(child, ast.Call):
            yield inner, child
        yield from _calls(child, inner)


class ModulePaths:
    """The paths of modules by the dotted names under which other modules may import them."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._by_name: dict[str, set[str]] = defaultdict(set)
        for path in paths:
            parts = module_parts(path)
            for start in range(len(parts)):
                self._by_name[".".join(parts[start:])].add(path)

    def find(self, name: str, importer: str, level: int) -> str | None:
        """Return the path of an imported module; None if it is not known or ambiguous."""
        if level:
            folder = PurePosixPath(importer).parts[:-level]
            name = ".".join((*folder, *filter(None, name.split("."))))
        found = self._by_name.get(name, set())
        return next(iter(found)) if len(found) == 1 else None


def module_parts(path: str) -> tuple[str, ...]:
    """Return the parts of the dotted name of a module."""
    parts = PurePosixPath(path).with_suffix("").parts
    return parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts


class ImportedNames:
    """The functions that the names of one module refer to."""

    def __init__(self, path: str, tree: ast.Module, paths: ModulePaths) -> None:
        self._path = path
        self._modules: dict[str, str] = {}
        self._items: dict[str, Place] = {}
        for node in ast.walk(tree):
            match node:
                case ast.Import(names=aliases):
                    self._import_modules(aliases, paths)
                case ast.ImportFrom(module=module, names=aliases, level=level):
                    self._import_items(module or "", aliases, level, paths)

    def place_of(self, function: ast.expr, class_name: str) -> Place | None:
        """Return the place of a called function; None if it is not known."""
        match function:
            case ast.Name(id=name):
                return self._items.get(name, (self._path, name))
            case ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name) if class_name:
                return self._path, f"{class_name}.{name}"
            case ast.Attribute(value=owner, attr=name):
                return self._attribute(unparse(owner), name)
        return None

    def _attribute(self, owner: str, name: str) -> Place | None:
        if owner in self._modules:
            return self._modules[owner], name
        if owner in self._items:
            path, item = self._items[owner]
            return path, f"{item}.{name}"
        return None

    def _import_modules(self, aliases: Iterable[ast.alias], paths: ModulePaths) -> None:
        for alias in aliases:
            found = paths.find(alias.name, self._path, 0)
            if found is not None:
                self._modules[alias.asname or alias.name] = found

    def _import_items(
        self, module: str, aliases: Iterable[ast.alias], level: int, paths: ModulePaths
    ) -> None:
        for alias in aliases:
            name = alias.asname or alias.name
            submodule = paths.find(f"{module}.{alias.name}".lstrip("."), self._path, level)
            owner = paths.find(module, self._path, level)
            if submodule is not None:
                self._modules[name] = submodule
            elif owner is not None:
                self._items[name] = (owner, alias.name)


def trees_of(sources: Mapping[str, bytes]) -> Iterator[tuple[str, ast.Module]]:
    """Yield the syntax trees of the modules that can be parsed."""
    for path, content in sources.items():
        try:
            yield path, ast.parse(content)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
