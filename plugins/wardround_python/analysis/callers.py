"""Callers of a function or method, in its module and in the rest of the repository."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence

from wardround.checks.source import RepositoryView, SourceFile
from wardround.languages.python.module import FunctionNode, PythonModule
from wardround.languages.python.tree import parse, unparse, walk
from wardround_python.analysis.call_resolution import CallResolver
from wardround_python.analysis.import_resolution import ModuleLocation

_SHORTEST_NAME = 3
_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)


def spellings_of(
    source: SourceFile, module: PythonModule, name: str, here: bool = True
) -> Iterator[tuple[PythonModule, set[str]]]:
    """Return the modules that may call a function at the top of a module, with the names they call it by.

    Args:
        here: True to include the module itself.
    """
    if here and bindings(module.tree, name) == 1 and name not in module.imported:
        yield module, {name}
    project = source.project
    places = [ModuleLocation.of(source.path), *_passing_on(source.path, name, project)]
    for path in project.files_with_word([name], ["*.py"]):
        text = project.read(path) if path != source.path else None
        if text is None or "import" not in text:
            continue
        try:
            other = PythonModule(path, text)
        except _UNREADABLE:
            continue
        yield other, {s for place in places for s in _spellings(other, name, place, project)}


def method_calls(
    source: SourceFile, method: FunctionNode, owner: str, is_candidate: Callable[[ast.Call], bool]
) -> Iterator[tuple[PythonModule, ast.Call]]:
    """Yield the calls of a method in other files, if its name is unique or the receiver's class is known.

    Args:
        is_candidate: selects the calls of that name whose receivers are resolved.
    """
    project, name = source.project, method.name
    texts = {path: project.read(path) or "" for path in project.files_with_word([name], ["*.py"])}
    defined = re.compile(rf"\bdef {name}\b")
    here = len(defined.findall(source.text))
    elsewhere = sum(len(defined.findall(text)) for path, text in texts.items() if path != source.path)
    alone = here == 1 and not elsewhere
    like_owner = _receivers_like(owner, [source.text, *texts.values()])
    for path, text in texts.items():
        known = re.search(rf"\b{owner}\b", text) is not None
        if path == source.path or not (known or re.search(rf"\b{like_owner}\.{name}\(", text)):
            continue
        try:
            module = PythonModule(path, text)
        except _UNREADABLE:
            continue
        callees = CallResolver.shared(module, project)
        for call, func in _calls_of_methods(module, name):
            if not is_candidate(call) or module.imported_name(func) is not None:
                continue
            if (alone and known) or _may_reach(callees, call, func, method, like_owner):
                yield module, call


def _calls_of_methods(module: PythonModule, name: str) -> Iterator[tuple[ast.Call, ast.Attribute]]:
    """Yield the calls of methods of a name, in source order."""
    for node in module.nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == name:
            yield node, node.func


def _may_reach(
    callees: CallResolver, call: ast.Call, func: ast.Attribute, method: FunctionNode, like_owner: str
) -> bool:
    """Return True if a call resolves to a method, or its receiver is named like the owner."""
    definition = callees.definition_of(call)
    if definition is not None:
        return ast.dump(definition.node) == ast.dump(method)
    return unparse(func.value).rpartition(".")[2].lstrip("_") == like_owner


def _receivers_like(owner: str, texts: Sequence[str]) -> str:
    """Return the usual names of objects of a class: ``storage`` of ``LocalStorage``, if no other ends so."""
    last = re.sub(r"^.*(?=[A-Z])", "", owner)
    ending = re.compile(rf"^class \w*{last}\b", re.MULTILINE)
    alone = sum(len(ending.findall(text)) for text in dict.fromkeys(texts)) == 1
    return last.lower() if alone and len(last) > _SHORTEST_NAME and last != owner else ""


def _passing_on(here: str, name: str, project: RepositoryView) -> Iterator[ModuleLocation]:
    """Return the packages that import the name only to re-export it."""
    place = ModuleLocation.of(here)
    for path in project.files_with_word([name], ["*.py"]):
        text = project.read(path) if path.endswith("__init__.py") and path != here else None
        try:
            tree = parse(text or "")
        except _UNREADABLE:
            continue
        for node in tree.body:
            aliases = node.names if isinstance(node, ast.ImportFrom) else []
            passes_on = any(a.name == name and a.asname in (None, a.name) for a in aliases)
            if not isinstance(node, ast.ImportFrom) or not passes_on:
                continue
            if place.can_only_be(path, node.module or "", node.level, project):
                yield ModuleLocation.of(path)


def bindings(tree: ast.Module, name: str) -> int:
    """Return the number of bindings of a name in a module, in any scope, imports excluded."""
    return sum(
        (isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and n.name == name)
        or (isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load))
        or (isinstance(n, ast.arg) and n.arg == name)
        or (isinstance(n, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and n.name == name)
        for n in walk(tree)
    )


def _spellings(module: PythonModule, name: str, place: ModuleLocation, project: RepositoryView) -> set[str]:
    """Return the names another module may call the function by: ``send``, ``m.send``, ``app.mail.send``."""
    meanings: dict[str, set[str]] = {}
    results: list[tuple[str, str]] = []
    for node in walk(module.tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                local = alias.asname or alias.name.partition(".")[0]
                meanings.setdefault(local, set()).add(alias.name if alias.asname else local)
                if place.can_only_be(module.path, alias.name, 0, project):
                    results.append((local, f"{alias.asname or alias.name}.{name}"))
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                local, stem = alias.asname or alias.name, node.module or ""
                whole = f"{stem}.{alias.name}" if stem else alias.name
                meanings.setdefault(local, set()).add("." * node.level + whole)
                if alias.name == name and place.can_only_be(module.path, stem, node.level, project):
                    results.append((local, local))
                elif place.can_only_be(module.path, whole, node.level, project):
                    results.append((local, f"{local}.{name}"))
    return {
        spelling
        for local, spelling in results
        if len(meanings[local]) == 1 and not bindings(module.tree, local)
    }


def written(node: ast.expr) -> str | None:
    """Return the text of a chain of names."""
    if isinstance(node, ast.Attribute):
        stem = written(node.value)
        return f"{stem}.{node.attr}" if stem else None
    return node.id if isinstance(node, ast.Name) else None
