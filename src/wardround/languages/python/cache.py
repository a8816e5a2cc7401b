"""A cache of the last parsed modules: checks, refutations and change checks share one tree of each."""

from __future__ import annotations

import ast
from threading import Lock

from wardround.languages.python.module import PythonModule
from wardround.languages.python.tree import cached_parse

_MOST_CHARACTERS = 400_000
"""The total length of the cached sources; a tree takes a few hundred times the size of its source."""


class _Kept:
    """Modules by path and text, the most recently used at the end."""

    def __init__(self) -> None:
        self._modules: dict[tuple[str, str], PythonModule] = {}
        self._characters = 0
        self._lock = Lock()

    def find(self, path: str, text: str) -> PythonModule | None:
        with self._lock:
            found = self._modules.pop((path, text), None)
            if found is not None:
                self._modules[path, text] = found
            return found

    def holding(self, text: str) -> PythonModule | None:
        """Return a module of this text, whatever its path."""
        with self._lock:
            return next((retained for (_, held), retained in self._modules.items() if held == text), None)

    def keep(self, module: PythonModule) -> PythonModule:
        """Store a module, unless another thread parsed the same meanwhile; return the stored one."""
        with self._lock:
            retained = self._modules.setdefault((module.path, module.text), module)
            self._characters += len(module.text) if retained is module else 0
            while self._characters > _MOST_CHARACTERS and len(self._modules) > 1:
                oldest = next(iter(self._modules))
                del self._modules[oldest]
                self._characters -= len(oldest[1])
            return retained


_KEPT = _Kept()


def cached_module(path: str, text: str) -> PythonModule:
    """Return the module of a source; later callers get the same object, as long as it is cached.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: it is not Python.
    """
    return _KEPT.find(path, text) or _KEPT.keep(PythonModule(path, text))


def tree_of(text: str) -> ast.Module:
    """Return the tree of a source, that of a cached module if there is one.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: it is not Python.
    """
    retained = _KEPT.holding(text)
    return cached_parse(text) if retained is None else retained.tree
