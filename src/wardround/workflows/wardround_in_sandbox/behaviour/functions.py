"""Functions found by module and qualified name, below their decorators, and the arguments of their calls."""

from __future__ import annotations

import functools
import importlib
import inspect
import os
import sys
import types
from collections.abc import Callable
from typing import Any

_MOST_STEPS = 200
_INNER = ("__wrapped__", "__func__", "func", "fn", "function", "_func", "_fn", "callback")
ROOT = os.getcwd()
"""The tree; a run starts in it."""


class Incompatible(Exception):
    """A function does not accept the recorded arguments."""


class Found:
    """A function of the tree.

    Attributes:
        inner: the function itself.
        named: the object that its name gives, with its decorators.
    """

    def __init__(self, inner: types.FunctionType, named: Callable[..., Any]) -> None:
        self.inner = inner
        self.named = named


def find(module: str, name: str, role: str, path: str) -> Found:
    """Return a function of the tree.

    Args:
        role: ``setter`` or ``deleter`` of a property, else empty.
        path: of its file in the tree.

    Raises:
        LookupError: there is none.
    """
    importlib.import_module(module)
    found: Any = sys.modules[module]
    for part in name.split("."):
        found = inspect.getattr_static(found, member_name(found, part))
        while isinstance(found, (staticmethod, classmethod)):
            found = found.__func__
    inner = unwrapped(found, name.rpartition(".")[2], role, path)
    if inner is None:
        raise LookupError(f"{name} is no function of {path}")
    named = _accessor(found, role)
    return Found(inner, named if callable(named) else inner)


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


def unwrapped(found: Any, name: str, role: str, path: str) -> types.FunctionType | None:
    """Return the function with this name that an object wraps."""
    waiting: list[Any] = [_accessor(found, role)]
    seen: set[int] = set()
    while waiting and len(seen) < _MOST_STEPS:
        one = waiting.pop(0)
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, types.FunctionType):
            if one.__code__.co_name == name and one.__code__.co_filename == f"{ROOT}/{path}":
                return one
            waiting += [_content(cell) for cell in one.__closure__ or ()]
        if isinstance(one, (functools.partial, functools.cached_property)):
            waiting.append(one.func)
        elif isinstance(one, types.MethodType):
            waiting.append(one.__func__)
        for attribute in _INNER:
            try:
                waiting.append(inspect.getattr_static(one, attribute))
            except AttributeError:
                continue
    return None


def defaults_of(function: types.FunctionType) -> dict[str, Any]:
    """Return the defaults of the parameters that have one."""
    plain = function.__defaults__ or ()
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    first = len(names) - len(plain)
    return {**dict(zip(names[first:], plain)), **(function.__kwdefaults__ or {})}


def _content(cell: Any) -> object:
    try:
        return cell.cell_contents
    except ValueError:
        return None


def arguments_for(
    function: types.FunctionType, given: dict[str, Any], names: list[str]
) -> tuple[list[Any], dict[str, Any]]:
    """Return the positional and the keyword arguments that pass recorded values.

    Args:
        given: by parameter of the base; omitted ones had their default.
        names: all parameters of the base, in order.

    Raises:
        Incompatible: a value has no parameter, or a parameter no value.
    """
    left = dict(given)
    positional: list[Any] = []
    keywords: dict[str, Any] = {}
    is_gapless = True
    parameters = inspect.signature(function, follow_wrapped=False).parameters
    for at, one in enumerate(parameters.values()):
        name = _name_in(one, at, [name if name not in parameters else "" for name in names])
        if one.kind is one.VAR_POSITIONAL:
            extra = left.pop(name, ())
            if extra and not is_gapless:
                raise Incompatible("values follow an omitted argument")
            positional += extra
        elif one.kind is one.VAR_KEYWORD:
            keywords.update(left.pop(name, {}))
        elif name in left:
            if one.kind is one.KEYWORD_ONLY or not is_gapless:
                keywords[one.name] = left.pop(name)
            else:
                positional.append(left.pop(name))
        elif one.default is one.empty:
            raise Incompatible(f"parameter {one.name} is new and has no default")
        elif one.kind is one.POSITIONAL_ONLY:
            positional.append(one.default)
        else:
            is_gapless = False
    extra_names = [name for name, value in left.items() if value not in ((), {})]
    if extra_names:
        raise Incompatible(f"parameter {extra_names[0]} is removed")
    return positional, keywords


def _name_in(parameter: inspect.Parameter, at: int, removed: list[str]) -> str:
    """Return the recorded name of a parameter: its own or, if it was renamed, that at its position."""
    is_renamed = at < len(removed) and removed[at] and parameter.kind is not parameter.KEYWORD_ONLY
    return removed[at] if is_renamed else parameter.name
