"""Objects whose methods assert: instances of classes of the repository's test support."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import PurePosixPath
from typing import NamedTuple

from wardround_python.analysis.exports import UNREADABLE, module_at

from wardround.change.repository_view import RepositoryView
from wardround.languages.python.cache import cached_module
from wardround.languages.python.module import FunctionNode, PythonModule, is_test_path, names_in, targets_of
from wardround.languages.python.tree import walk
from wardround_tests.models.assertion_helpers import AssertionHelpers
from wardround_tests.models.fixtures import is_fixture
from wardround_tests.models.python_tests import TestModule
from wardround_tests.models.syntax import FUNCTIONS, last_name, root_name

_MOST_HOPS = 4
"""Maximum number of modules through which an import is followed to its class."""


class _SupportClass(NamedTuple):
    """A class, and the helpers of the module that defines it."""

    node: ast.ClassDef
    helpers: AssertionHelpers

    def may_assert(self, attributes: list[str]) -> bool:
        """Return True if a call through the attributes of an instance may assert.

        Attributes of the instance, and methods that it creates by name, have an unknown class; they may
        assert if anything in the module does.
        """
        certain = self.helpers.certain
        is_known = len(attributes) == 1 and "__getattr__" not in self.helpers.functions
        return attributes[0] in certain if is_known else bool(certain)


class AssertingObjects:
    """The objects of one test module whose classes are in the repository's test code."""

    def __init__(self, module: TestModule, project: RepositoryView) -> None:
        self._module = module
        self._project = project
        self._modules: dict[str, PythonModule | None] = {}
        self._helpers: dict[PythonModule, AssertionHelpers] = {module: module.helpers}
        self._made: dict[ast.AST, dict[str, set[str]]] = {}

    def assert_in(self, function: FunctionNode, cls: ast.ClassDef | None) -> bool:
        """Return True if a function calls a method of such an object, also through the module's helpers."""
        pending, seen = [function], {function}
        while pending:
            caller = pending.pop()
            for node in walk(caller):
                if not isinstance(node, ast.Call):
                    continue
                attributes, root = _chain(node.func)
                if not attributes:
                    helpers = [helper for helper in self._functions.get(root, []) if helper not in seen]
                    pending += helpers
                    seen.update(helpers)
                elif any(known.may_assert(attributes) for known in self._classes(root, caller, cls)):
                    return True
        return False

    @cached_property
    def _functions(self) -> dict[str, list[FunctionNode]]:
        """The functions of the module, and its methods by the names under which they are called:
        ``self.name``.
        """
        found: dict[str, list[FunctionNode]] = {}
        for name, nodes in self._module.helpers.functions.items():
            found[name] = found[f"self.{name}"] = nodes
        return found

    def _classes(
        self, root: str, function: FunctionNode, cls: ast.ClassDef | None
    ) -> Iterator[_SupportClass]:
        """Yield the classes that an object may have: a parameter, a fixture, a variable or ``self.name``."""
        if root.startswith("self."):
            for home in self._base_modules(cls):
                yield from self._support_classes(home, self._methods_created_in(home.tree).get(root, ()))
            return
        argument = _parameter(function, root)
        if argument is None:
            yield from self._support_classes(self._module, self._methods_created_in(function).get(root, ()))
        elif argument.annotation is not None:
            yield from self._support_classes(self._module, _names_of_type(argument.annotation))
        else:
            yield from self._fixture_classes(root)

    def _methods_created_in(self, node: ast.AST) -> dict[str, set[str]]:
        if node not in self._made:
            self._made[node] = _makers_of_names(walk(node))
        return self._made[node]

    def _base_modules(self, cls: ast.ClassDef | None) -> Iterator[PythonModule]:
        """Yield the module, and the modules of the repository with the base classes of a test class."""
        yield self._module
        for base in cls.bases if cls else ():
            home, _, _ = self._module.imported.get(root_name(base), "").rpartition(".")
            if (found := self._imported_module(self._module, home)) is not None:
                yield found

    def _fixture_classes(self, name: str) -> Iterator[_SupportClass]:
        """Yield the classes of what a fixture of the module, or of a conftest.py above it, returns."""
        folders = PurePosixPath(self._module.path).parents
        paths = (str(folder / "conftest.py") for folder in folders)
        for home in (self._module, *filter(None, map(self._read, paths))):
            for function in (f for f in home.tree.body if isinstance(f, FUNCTIONS) and is_fixture(f)):
                if function.name == name:
                    yield from self._support_classes(home, _returned_class_names([function]))
                    return

    def _support_classes(self, home: PythonModule, names: Iterable[str]) -> Iterator[_SupportClass]:
        """Yield the classes that names refer to in a module; a function refers to the class that it
        returns.
        """
        functions = self._helpers_of(home).functions
        for name in {n for word in names for n in (word, *_returned_class_names(functions.get(word, ())))}:
            if (found := self._class(home, name)) is not None:
                yield found

    def _class(self, home: PythonModule, name: str, hops: int = _MOST_HOPS) -> _SupportClass | None:
        """Return the class that a name means in a module, if it is defined in test code."""
        for node in home.top_classes.get(name, ()):
            return _SupportClass(node, self._helpers_of(home)) if is_test_path(home.path) else None
        module, _, original = home.imported.get(name, "").rpartition(".")
        source = self._imported_module(home, module or "." if original else "") if hops else None
        return None if source is None else self._class(source, original, hops - 1)

    def _imported_module(self, home: PythonModule, dotted: str) -> PythonModule | None:
        """Return the module of the repository that an import names."""
        stems = _stems(home.path, dotted) if dotted else ()
        path = next((p for stem in stems if (p := module_at(stem, self._project)) is not None), None)
        return None if path is None else self._read(path)

    def _read(self, path: str) -> PythonModule | None:
        if path not in self._modules:
            self._modules[path] = _parse_module(path, self._project.read(path))
        return self._modules[path]

    def _helpers_of(self, module: PythonModule) -> AssertionHelpers:
        if module not in self._helpers:
            self._helpers[module] = AssertionHelpers(module, ())
        return self._helpers[module]


def _parse_module(path: str, text: str | None) -> PythonModule | None:
    try:
        return None if text is None else cached_module(path, text)
    except UNREADABLE:
        return None


def _stems(path: str, dotted: str) -> Iterator[str]:
    """Yield the paths that a module may have without their suffixes, the nearest folder first."""
    name = dotted.lstrip(".")
    level, named = len(dotted) - len(name), name.replace(".", "/")
    folders = list(PurePosixPath(path).parents)
    for folder in folders[level - 1 : level] if level else (*folders, PurePosixPath("src")):
        yield str(folder / named)


def _chain(function: ast.expr) -> tuple[list[str], str]:
    """Return the attributes of a called name, and its root: a name, or ``self.name``."""
    attributes: list[str] = []
    while isinstance(function, (ast.Attribute, ast.Call)):
        if isinstance(function, ast.Attribute):
            attributes.insert(0, function.attr)
            function = function.value
        else:
            function = function.func
    root = function.id if isinstance(function, ast.Name) else ""
    if root in ("self", "cls") and attributes:
        return attributes[1:], f"self.{attributes[0]}"
    return attributes, root


def _parameter(function: FunctionNode, name: str) -> ast.arg | None:
    arguments = function.args
    every = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    return next((argument for argument in every if argument.arg == name), None)


def _names_of_type(annotation: ast.expr) -> set[str]:
    """Return the names in a type, also in one that is a string."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        return set(annotation.value.replace("[", " ").replace("]", " ").replace("|", " ").split())
    return names_in(annotation)


def _returned_class_names(functions: Iterable[FunctionNode]) -> set[str]:
    """Return the names of the classes that functions may return, by their types and their instances."""
    found: set[str] = set()
    for function in functions:
        found |= _names_of_type(function.returns) if function.returns is not None else set()
        nodes = list(walk(function))
        created = _makers_of_names(nodes)
        for node in nodes:
            if isinstance(node, (ast.Return, ast.Yield)) and node.value is not None:
                value = node.value
                found |= created.get(value.id, set()) if isinstance(value, ast.Name) else {last_name(value)}
    return found


def _makers_of_names(nodes: Iterable[ast.AST]) -> dict[str, set[str]]:
    """Return the names of the callables that create each variable and ``self.name``."""
    found: dict[str, set[str]] = {}
    for node in nodes:
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and isinstance(node.value, ast.Call):
            for target in targets_of(node):
                found.setdefault(_target_text(target), set()).add(last_name(node.value))
    return found


def _target_text(target: ast.expr) -> str:
    if isinstance(target, ast.Attribute) and root_name(target) in ("self", "cls"):
        return f"self.{target.attr}"
    return target.id if isinstance(target, ast.Name) else ""
