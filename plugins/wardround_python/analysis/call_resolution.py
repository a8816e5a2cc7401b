"""Resolution of calls to functions and classes of the repository, with their parameters."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from typing import Protocol

import msgspec

from wardround.languages.python.module import FunctionNode, PythonModule
from wardround.languages.python.tree import parse, unparse
from wardround_python.analysis.callable_parameters import Callee, callee_of, decorator_names
from wardround_python.analysis.name_classes import NameClasses

_MOST_HOPS = 2
_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)


class ProjectFiles(Protocol):
    """The sources of the files of a repository."""

    def read(self, path: str) -> str | None:
        """Return the content of a file; None if it does not exist or is not UTF-8."""


class FunctionDefinition(msgspec.Struct, frozen=True):
    """The definition of a name; a node in another file has that file's lines, counted from 1."""

    node: FunctionNode | ast.ClassDef
    path: str
    is_method: bool = False


class CallResolver:
    """The callees of one module's calls, resolved on first use."""

    def __init__(self, module: PythonModule, project: ProjectFiles) -> None:
        self._module = module
        self._project = project

    @classmethod
    def of_module(cls, module: PythonModule, project: ProjectFiles) -> CallResolver:
        """Return the callees of a module, shared by all its checks."""
        result = module.notes.get(cls)
        if not isinstance(result, CallResolver) or result._project is not project:
            result = cls(module, project)
            module.notes[cls] = result
        return result

    @cached_property
    def _binding_counts(self) -> Counter[str]:
        """The number of bindings of each name of the module, in any scope, imports included."""
        return Counter(name for node in self._module.nodes for name in _bound_by(node))

    @cached_property
    def _top(self) -> dict[str, FunctionNode | ast.ClassDef]:
        return {
            node.name: node
            for node in self._module.tree.body
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        }

    def of(self, call: ast.Call) -> Callee | None:
        """Return the callee of a call; None if the source does not determine it."""
        result = self.definition_of(call)
        return None if result is None else callee_of(result.node, result.path, result.is_method)

    def definition_of(self, call: ast.Call) -> FunctionDefinition | None:
        """Return the function or class that a call reaches; None if the source does not determine it."""
        func = call.func
        if isinstance(func, ast.Name):
            return self._plain(func, call)
        if not isinstance(func, ast.Attribute):
            return None
        if isinstance(func.value, ast.Name) and func.value.id in ("self", "cls"):
            return self._method(func.attr, func.value.id, call)
        return self._method_through_module(func) or self._method_through_object(func)

    @cached_property
    def _classes(self) -> NameClasses:
        return NameClasses(self._module, self._top)

    def _plain(self, node: ast.Name, call: ast.AST) -> FunctionDefinition | None:
        name = node.id
        if name == "cls":
            holder = self._class_around(call) if self._is_receiver(name, call) else None
            return None if holder is None else FunctionDefinition(holder, self._module.path)
        if self._binding_counts[name] != 1:
            return None
        if name in self._top:
            return FunctionDefinition(self._top[name], self._module.path)
        dotted = self._module.imported.get(name)
        return self._locate_import(dotted) if dotted else None

    def _method(self, name: str, receiver: str, call: ast.Call) -> FunctionDefinition | None:
        holder = self._class_around(call)
        method = None if holder is None else _method_in(holder, name)
        if method is None or (
            receiver == "cls" and not decorator_names(method) & {"classmethod", "staticmethod"}
        ):
            return None
        return FunctionDefinition(method, self._module.path, is_method=True)

    def _method_through_object(self, func: ast.Attribute) -> FunctionDefinition | None:
        """Return the method of an object whose class the module shows, by annotation or construction."""
        if not isinstance(func.value, (ast.Name, ast.Attribute)):
            return None
        value = self._classes.only_class(unparse(func.value))
        if not isinstance(value, (ast.Name, ast.Attribute)):
            return None
        holder = (
            self._plain(value, value) if isinstance(value, ast.Name) else self._method_through_module(value)
        )
        if holder is None or not isinstance(holder.node, ast.ClassDef):
            return None
        method = _method_in(holder.node, func.attr)
        return None if method is None else FunctionDefinition(method, holder.path, is_method=True)

    def _class_around(self, node: ast.AST) -> ast.ClassDef | None:
        """Return the class of the method a node runs in, if ``self`` or ``cls`` still refers to it there."""
        for parent in self._module.ancestors(node):
            if isinstance(parent, ast.ClassDef):
                return None
            if isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef)):
                holder = self._module.class_of(parent)
                if holder is not None:
                    return holder
        return None

    def _is_receiver(self, name: str, node: ast.AST) -> bool:
        """Return True if a name is the first parameter of a function around a node."""
        functions = (
            parent
            for parent in self._module.ancestors(node)
            if isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef))
        )
        return any([a.arg for a in (*f.args.posonlyargs, *f.args.args)][:1] == [name] for f in functions)

    def _method_through_module(self, func: ast.Attribute) -> FunctionDefinition | None:
        root: ast.expr = func
        while isinstance(root, ast.Attribute):
            root = root.value
        if not isinstance(root, ast.Name) or self._binding_counts[root.id] != 1:
            return None
        dotted = self._module.imported_name(func)
        return self._locate_import(dotted) if dotted else None

    def _locate_import(self, dotted: str) -> FunctionDefinition | None:
        return locate(dotted, self._module.path, self._project, _MOST_HOPS)


def locate(
    dotted: str, importer: str, project: ProjectFiles, hops: int = _MOST_HOPS
) -> FunctionDefinition | None:
    """Return the function or class an import names, through packages that re-export it.

    Args:
        dotted: ``app.mail.send``, or ``.mail.send`` relative to the importer.
        hops: the number of packages that may re-export it.
    """
    level = len(dotted) - len(dotted.lstrip("."))
    stem, _, name = dotted.rpartition(".") if "." in dotted[level:] else (dotted[:level], "", dotted[level:])
    result = _module_file(stem.lstrip("."), level, importer, project)
    if result is None:
        return None
    path, text = result
    definition = definition_in(text, name)
    if definition is not None:
        return FunctionDefinition(definition, path)
    passed_on = _passed_on(text, name) if hops else None
    return locate(passed_on, path, project, hops - 1) if passed_on else None


def _module_file(named: str, level: int, importer: str, project: ProjectFiles) -> tuple[str, str] | None:
    """Return path and text of the only module that an import can refer to."""
    below = named.split(".") if named else []
    folders = importer.split("/")[:-1]
    if level:
        if level - 1 > len(folders):
            return None
        return _read_module([*folders[: len(folders) - level + 1], *below], project)
    if not below:
        return None
    roots = [folders[:depth] for depth in range(len(folders) + 1)] + [["src"], ["lib"]]
    read = [result for root in roots if (result := _read_module([*root, *below], project)) is not None]
    paths = {path for path, _ in read}
    return read[0] if len(paths) == 1 else None


def _read_module(stem: Sequence[str], project: ProjectFiles) -> tuple[str, str] | None:
    for path in ("/".join(stem) + ".py", "/".join([*stem, "__init__.py"])):
        text = project.read(path)
        if text is not None:
            return path, text
    return None


@lru_cache(maxsize=512)
def definition_in(text: str, name: str) -> FunctionNode | ast.ClassDef | None:
    """Return the only definition of a name at the top of a module, parsed on its own; None otherwise."""
    pattern = rf"^(?:(?:async[ ]+)?def|class)[ ]+{re.escape(name)}\b|^{re.escape(name)}[ ]*(?::[^=\n]*)?="
    results = list(re.finditer(pattern, text, re.MULTILINE))
    if len(results) != 1 or results[0][0].endswith("="):
        return None
    start = _start_of_decorators(text, results[0].start())
    end = re.compile(r"\n[^\s)\]}#]").search(text, results[0].end())
    try:
        node = parse(text[start : end.start() if end else len(text)] + "\n").body[0]
    except _UNREADABLE:
        return None
    return node if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) else None


def _start_of_decorators(text: str, start: int) -> int:
    """Return the start of the first decorator of a definition, over as many lines as they take."""
    above = start
    while above:
        above = text.rfind("\n", 0, above - 1) + 1
        if text[above] == "@":
            start = above
        elif text[above] not in " \t)]}#\n":
            break
    return start


def _passed_on(text: str, name: str) -> str | None:
    """Return the module from which a package imports a name it re-exports."""
    if name not in text:
        return None
    try:
        imported = PythonModule("", text).imported
    except _UNREADABLE:
        return None
    return imported.get(name)


def _method_in(holder: ast.ClassDef, name: str) -> FunctionNode | None:
    """Return the only method of a name that a class defines itself."""
    results = [n for n in holder.body if getattr(n, "name", None) == name]
    only = results[0] if len(results) == 1 else None
    return only if isinstance(only, (ast.FunctionDef, ast.AsyncFunctionDef)) else None


def _bound_by(node: ast.AST) -> Iterator[str]:
    """Yield the names that a node binds."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            yield node.name
        case ast.Name(ctx=ast.Store() | ast.Del()):
            yield node.id
        case ast.arg():
            yield node.arg
        case ast.Import() | ast.ImportFrom():
            yield from (alias.asname or alias.name.partition(".")[0] for alias in node.names)
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            yield name
