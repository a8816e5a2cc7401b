"""The state of modules and of the process that a test of one candidate may leave to the next."""

from __future__ import annotations

import builtins
import functools
import gc
import os
import random
import sys
import types
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

_CONTAINERS = (dict, list, set)
_MOST_ELEMENTS = 10_000
"""Larger containers, such as tables of data, are not restored."""
_OWN = frozenset({"__builtins__", "__dict__", "__weakref__", "__doc__", "__annotations__"})


class ProcessState:
    """The contents of modules and classes of the tree, caches of functions and the process at a moment.

    Values below are not copied: an object that is changed remains so.
    """

    def __init__(self, root: str) -> None:
        names = modules_of_tree(root)
        spaces = [vars(sys.modules[name]) for name in sorted(names)]
        self._modules = [(space, dict(space)) for space in (*spaces, vars(builtins))]
        self._classes = [(kind, vars(kind), dict(vars(kind))) for kind in _classes_of(names)]
        self._containers = list(_containers_in([*spaces, *(row[2] for row in self._classes)]))
        rows = [*self._modules, *(row[1:] for row in self._classes), *self._containers]
        self._current, self._saved = [row[0] for row in rows], [row[1] for row in rows]
        self._caches = _caches_of(names)
        self._environment = dict(os.environ)
        self._folder = os.getcwd()
        self._path = list(sys.path)
        self._random = random.getstate()
        self._loaded = dict(sys.modules)

    def restore(self) -> None:
        """Restore modules, classes, containers, caches and the process."""
        if not _is_equal(self._current, self._saved):
            self._restore_values()
        for function in self._caches:
            function.cache_clear()
        self._restore_process()

    def _restore_values(self) -> None:
        for current, saved in self._modules:
            if not _is_equal(current, saved):
                _restore_names(current, saved)
        for kind, present, members in self._classes:
            if not _is_equal(present, members):
                _restore_class(kind, members)
        for container, copy in self._containers:
            if not _is_equal(container, copy):
                _restore_container(container, copy)

    def _restore_process(self) -> None:
        if dict(os.environ) != self._environment:
            os.environ.clear()
            os.environ.update(self._environment)
        with suppress(OSError):
            if os.getcwd() != self._folder:
                os.chdir(self._folder)
        if sys.path != self._path:
            sys.path[:] = self._path
        if len(sys.modules) < len(self._loaded):
            sys.modules.update(self._loaded)
        random.setstate(self._random)


def _classes_of(names: set[str]) -> list[type]:
    return [kind for kind in gc.get_objects() if isinstance(kind, type) and _module_of(kind) in names]


def _caches_of(names: set[str]) -> list[Any]:
    found = [function for function in gc.get_objects() if isinstance(function, functools._lru_cache_wrapper)]
    return [function for function in found if getattr(function, "__module__", None) in names]


def _module_of(kind: type) -> object:
    try:
        return type.__getattribute__(kind, "__module__")
    except AttributeError:
        return None


def _containers_in(owners: list[dict[str, Any]]) -> Iterator[tuple[Any, Any]]:
    seen: set[int] = set()
    for owner in owners:
        for value in owner.values():
            if type(value) in _CONTAINERS and id(value) not in seen and len(value) <= _MOST_ELEMENTS:
                seen.add(id(value))
                yield value, value.copy()


def _is_equal(current: Any, saved: Any) -> bool:
    """Compare at the speed of the interpreter, which compares elements by identity first."""
    try:
        return bool(current == saved)
    except Exception:  # of a comparison in the code under test
        return False


def _restore_names(current: dict[str, Any], saved: dict[str, Any]) -> None:
    """Restore the names of a module, which keeps those of modules in it: they are imported only once."""
    added = {
        name: value
        for name, value in current.items()
        if name not in saved and isinstance(value, types.ModuleType)
    }
    current.clear()
    current.update(saved)
    current.update(added)


def _restore_class(kind: type, members: dict[str, Any]) -> None:
    current = dict(vars(kind))
    for name in current.keys() - members.keys() - _OWN:
        with suppress(Exception):
            type.__delattr__(kind, name)
    for name in members.keys() - _OWN:
        if current.get(name, _MISSING) is not members[name]:
            with suppress(Exception):
                type.__setattr__(kind, name, members[name])


_MISSING = object()


def _restore_container(container: Any, copy: Any) -> None:
    container.clear()
    if isinstance(container, list):
        container.extend(copy)
    else:
        container.update(copy)


def modules_of_tree(root: str) -> set[str]:
    """Return the names of the loaded modules whose files are in the tree."""
    tree = os.path.join(root, "")
    return {
        name
        for name, module in list(sys.modules.items())
        if isinstance(module, types.ModuleType) and (getattr(module, "__file__", None) or "").startswith(tree)
    }
