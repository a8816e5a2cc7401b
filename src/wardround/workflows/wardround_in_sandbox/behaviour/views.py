"""The results of methods that show an object, where private attributes decide them."""

from __future__ import annotations

import inspect
import types
from typing import Any

from .own_code import is_class_of_tree

_PREFIXES = ("as_", "to_")
_MOST_VIEWS = 4
_CODE_FLAGS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


def views_of(value: object) -> dict[str, Any]:
    """Return what ``str`` and the methods ``as_...`` and ``to_...`` without arguments return.

    Only an object of the tree with private attributes has views: the public ones are compared directly.
    """
    kind = type(value)
    if isinstance(value, BaseException) or not is_class_of_tree(kind) or not _has_private_state(value):
        return {}
    names = [name for name in dir(kind) if name.startswith(_PREFIXES)][:_MOST_VIEWS]
    found: dict[str, Any] = {}
    for name in ("__str__", *names):
        method = inspect.getattr_static(kind, name, None)
        if isinstance(method, types.FunctionType) and _needs_no_argument(method):
            try:
                found[f"{name}()"] = method(value)
            except Exception as error:
                found[f"{name}()"] = error
    return found


def _has_private_state(value: object) -> bool:
    slots = (kind.__dict__.get("__slots__", ()) for kind in type(value).__mro__)
    names = [*(getattr(value, "__dict__", None) or ()), *(name for each in slots for name in each)]
    return any(str(name).startswith("_") and not str(name).endswith("__") for name in names)


def _needs_no_argument(method: types.FunctionType) -> bool:
    """Return True for a plain method that needs no argument but its object."""
    code = method.__code__
    required = code.co_argcount - len(method.__defaults__ or ())
    return (
        required == 1
        and code.co_kwonlyargcount == len(method.__kwdefaults__ or ())
        and not code.co_flags & _CODE_FLAGS
    )
