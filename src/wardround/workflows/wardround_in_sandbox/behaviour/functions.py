"""Functions found by module and qualified name, below their decorators, and the arguments of their calls."""

from __future__ import annotations

import functools
import importlib
import inspect
import os
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

_MOST_STEPS = 200
_INNER = ("__wrapped__", "__func__", "func", "fn", "function", "_func", "_fn", "callback")
_OF_CLASSES = ("__new__", "__init_subclass__", "__class_getitem__")
ROOT = os.getcwd()
"""The tree, in which a run starts."""


class Found:
    """A function of the tree.

    Attributes:
        inner: the function itself.
        named: the object bound to its name, with its decorators.
        owner: the class whose objects are its first argument; None for a function that is not a method.
    """

    def __init__(
        self, inner: types.FunctionType, named: Callable[..., Any], owner: type | None = None
    ) -> None:
        self.inner = inner
        self.named = named
        self.owner = owner


def find(module: str, name: str, role: str, path: str) -> Found:
    """Return a function of the tree.

    Args:
        role: ``setter`` or ``deleter`` of a property, else empty.
        path: path of its file in the tree.

    Raises:
        LookupError: there is none.
    """
    importlib.import_module(module)
    found: Any = sys.modules[module]
    owner: Any = None
    for part in name.split("."):
        around, found = found, inspect.getattr_static(found, member_name(found, part))
        is_of_object = isinstance(around, type) and not isinstance(found, (staticmethod, classmethod))
        owner = around if is_of_object and part not in _OF_CLASSES else None
        while isinstance(found, (staticmethod, classmethod)):
            found = found.__func__
    inner = unwrap_function(found, name.rpartition(".")[2], role, path)
    if inner is None:
        raise LookupError(f"{name} is no function of {path}")
    named = _accessor(found, role)
    return Found(inner, named if callable(named) else inner, owner)


def _accessor(found: Any, role: str) -> Any:
    """Return the function that a property calls, or the object itself."""
    if isinstance(found, property):
        return {"setter": found.fset, "deleter": found.fdel}.get(role, found.fget)
    return found.func if isinstance(found, functools.cached_property) else found


def member_name(owner: object, name: str) -> str:
    """Return the name under which an object has a member: two leading underscores stand for its class."""
    if isinstance(owner, type) and name.startswith("__") and not name.endswith("__"):
        return f"_{owner.__name__.lstrip('_')}{name}"
    return name


def unwrap_function(found: Any, name: str, role: str, path: str) -> types.FunctionType | None:
    """Return the function with this name that an object wraps."""
    waiting: list[Any] = [_accessor(found, role)]
    seen: set[int] = set()
    while waiting and len(seen) < _MOST_STEPS:
        candidate = waiting.pop(0)
        if id(candidate) in seen:
            continue
        seen.add(id(candidate))
        if isinstance(candidate, types.FunctionType) and _is_defined_as(candidate.__code__, name, path):
            return candidate
        waiting += _wrapped_objects(candidate)
    return None


def _is_defined_as(code: types.CodeType, name: str, path: str) -> bool:
    return code.co_name == name and code.co_filename == f"{ROOT}/{path}"


def _wrapped_objects(wrapper: Any) -> Iterator[Any]:
    """Yield what a function, a partial, a method or a decorator's object may call."""
    if isinstance(wrapper, types.FunctionType):
        yield from map(_cell_content, wrapper.__closure__ or ())
    if isinstance(wrapper, (functools.partial, functools.cached_property)):
        yield wrapper.func
    elif isinstance(wrapper, types.MethodType):
        yield wrapper.__func__
    for attribute in _INNER:
        try:
            yield inspect.getattr_static(wrapper, attribute)
        except AttributeError:
            continue


def defaults_of(function: types.FunctionType) -> dict[str, Any]:
    """Return the defaults of the parameters that have one."""
    plain = function.__defaults__ or ()
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    first = len(names) - len(plain)
    return {**dict(zip(names[first:], plain)), **(function.__kwdefaults__ or {})}


def _cell_content(cell: Any) -> object:
    try:
        return cell.cell_contents
    except ValueError:
        return None
