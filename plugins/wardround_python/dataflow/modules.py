"""The modules of a project that data flows into, each parsed when a call first leads there."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator, Sequence

from wardround.languages.python.cache import cached_module
from wardround.languages.python.module import PythonModule
from wardround_python.dataflow.project import ModuleFinder, ProjectClass, ProjectModule, ResolvedModule

MOST_WALKS = 300
"""The most calls that are inlined in one review."""
_MOST = 60
"""The most modules that are analysed in one review."""
_LONGEST = 400_000
"""Characters: longer modules are tables and generated code."""
_DEEPEST_EXPORT = 3
_SHORTEST_NAME = 4
"""A shorter name is similar to too many classes."""
_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)


Analyse = Callable[[PythonModule, ModuleFinder], ProjectModule]
"""Starts the analysis of a parsed module."""


def nothing(path: str) -> str | None:
    """Read no other file: a module is analysed on its own."""
    return None


class Modules:
    """Finds the modules of the project that imports name.

    Attributes:
        depth: the number of nested summaries that are being computed, over all modules.
        walks: the number of inlined calls.
        regions: the number of regions of code so far.
        queries: the ordered queries for other modules of a module analysed on its own: importer and dotted
            name, or variable and method; True for an import.
        has_resolved: True if any query succeeded since this was reset.
    """

    def __init__(self, analyse: Analyse, read: Callable[[str], str | None] = nothing) -> None:
        self._analyse = analyse
        self._read = read
        self._flows: dict[str, ProjectModule | None] = {}
        self._watched: tuple[str, ...] = ()
        self._texts: dict[str, str | None] = {}
        self._likes: dict[tuple[str, str], ProjectClass | None] = {}
        self.regions = 0
        self.depth = 0
        self._found: dict[tuple[str, str], ResolvedModule | None] = {}
        self.walks = 0
        self.queries: dict[tuple[str, str, bool], None] = {}
        self.has_resolved = False

    def new_region(self) -> int:
        """Return a new number for a region of code that always runs together."""
        self.regions += 1
        return self.regions

    def watch(self, paths: Sequence[str]) -> None:
        """Set the files of the change; arguments may be instances of their classes."""
        self._watched = tuple(paths)

    def class_named_like(self, name: str, method: str) -> ProjectClass | None:
        """Return the class of the change that is named like a variable: ``storage`` -> ``LocalStorage``."""
        word = name.strip("_").replace("_", "").lower().removesuffix("s")
        if len(word) < _SHORTEST_NAME:
            return None
        if not self._watched:
            self.queries[name, method, False] = None
            return None
        if (word, method) not in self._likes:
            self._likes[word, method] = self._class_by_variable_name(word, method)
        result = self._likes[word, method]
        self.has_resolved = self.has_resolved or result is not None
        return result

    def _class_by_variable_name(self, word: str, method: str) -> ProjectClass | None:
        results = []
        for path in self._watched:
            text = self._read_source(path) or ""
            flow = self.flow(path) if f"def {method}(" in text and word in text.lower() else None
            for created in flow.classes() if flow is not None else ():
                title = created.node.name.lower().removesuffix("s")
                if title.endswith(word) and created.method(method) is not None:
                    results.append(created)
        return results[0] if len(results) == 1 else None

    def _read_source(self, path: str) -> str | None:
        if path not in self._texts:
            self._texts[path] = self._read(path)
        return self._texts[path]

    def flow(self, path: str) -> ProjectModule | None:
        """Return the module at a path; None if it is absent or cannot be parsed."""
        if path not in self._flows:
            text = self._read_source(path) if len(self._flows) < 10 * _MOST else None
            value = None
            if text is not None and len(text) < _LONGEST and sum(map(bool, self._flows.values())) < _MOST:
                try:
                    value = self._analyse(cached_module(path, text), self)
                except _UNREADABLE:
                    value = None  # reported in the review of that file itself
            self._flows[path] = value
        return self._flows[path]

    def has(self, path: str) -> bool:
        """Return True if the module at a path was requested before."""
        return path in self._flows

    def adopt(self, alone: ProjectModule) -> bool:
        """Take over the analysis of a module by itself, if it would be the same here.

        It is unchanged if none of its queries finds anything in the project. The module must be one of those
        here, and not queried yet. The analysis cannot be used elsewhere afterwards, even if this returns
        False.
        """
        path, queries, walks = alone.module.path, alone.modules.queries, alone.modules.walks
        if self.walks + walks > MOST_WALKS:
            return False
        before, self._flows = self._flows, {**self._flows, path: alone}
        self.regions = max(self.regions, alone.modules.regions)
        alone.modules = self
        if any(self._is_resolved(*query) for query in queries):
            self._flows = before
            self._likes.clear()
            self._found.clear()
            return False
        self.walks += walks
        return True

    def _is_resolved(self, first: str, second: str, is_import: bool) -> bool:
        result = self.find(first, second) if is_import else self.class_named_like(first, second)
        return result is not None

    def find(self, importer: str, dotted: str, again: int = _DEEPEST_EXPORT) -> ResolvedModule | None:
        """Return the module of the project that an imported dotted name refers to."""
        if self._read is nothing:
            self.queries[importer, dotted, True] = None
            return None
        if not again:
            return None
        if (importer, dotted) not in self._found:
            self._found[importer, dotted] = self._find(importer, dotted, again)
        result = self._found[importer, dotted]
        self.has_resolved = self.has_resolved or result is not None
        return result

    def _find(self, importer: str, dotted: str, again: int) -> ResolvedModule | None:
        for path, names in _candidate_paths(importer, dotted):
            flow = self.flow(path)
            if flow is None:
                continue
            if names and names[0] not in flow.top and names[0] in flow.module.imported:
                return self.find(
                    path,
                    ".".join((flow.module.imported[names[0]], *names[1:])),
                    again - 1,
                )
            return ResolvedModule(flow, names)
        return None


def _candidate_paths(importer: str, dotted: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the paths a dotted name may begin with, and the rest of the name; longest first."""
    level = len(dotted) - len(dotted.lstrip("."))
    parts = tuple(part for part in dotted[level:].split(".") if part)
    for root in _import_roots(importer, level, parts):
        for length in range(len(parts) - 1 or 1, 0, -1):
            stem = "/".join((*root, *parts[:length]))
            for path in (f"{stem}.py", f"{stem}/__init__.py"):
                if path != importer:
                    yield path, parts[length:]


def _import_roots(importer: str, level: int, parts: tuple[str, ...]) -> Sequence[tuple[str, ...]]:
    """Return the folders that a dotted name may begin in; none for the standard library."""
    folders = tuple(importer.split("/")[:-1])
    if level:
        return [folders[: len(folders) - level + 1]]
    if not parts or parts[0] in sys.stdlib_module_names:
        return ()
    if parts[0] in folders:
        return [folders[: folders.index(parts[0])]]
    return list(dict.fromkeys([folders, folders[:-1], ()]))


def imports_project_module(module: PythonModule, read: Callable[[str], str | None]) -> bool:
    """Return True if a module imports another module of the project."""
    return read is not nothing and any(
        read(path) is not None
        for name in module.imported.values()
        for path, _ in _candidate_paths(module.path, name)
    )


def top_names(tree: ast.Module) -> frozenset[str]:
    """Return the functions, classes and variables a module defines."""
    named: set[str] = set()
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            named.add(node.name)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            named.update(target.id for target in targets if isinstance(target, ast.Name))
    return frozenset(named)
