"""Code of the tree among values: how it computes a result, and not a result."""

from __future__ import annotations

import functools
import sys
import types
from typing import Any

from .functions import ROOT

_CACHED = type(functools.lru_cache(lambda: None))
_MOST_STEPS = 20


def is_code_of_tree(value: object) -> bool:
    """Return True for a function, method, partial, code object or class that the tree defines."""
    inner = _unwrap(value)
    if isinstance(inner, type):
        return is_class_of_tree(inner)
    code = inner if isinstance(inner, types.CodeType) else getattr(inner, "__code__", None)
    return isinstance(code, types.CodeType) and code.co_filename.startswith(f"{ROOT}/")


def is_class_of_tree(kind: type) -> bool:
    """Return True for a class of a module in the tree."""
    module = sys.modules.get(kind.__module__)
    return (getattr(module, "__file__", None) or "").startswith(f"{ROOT}/")


def _unwrap(value: Any) -> object:
    """Return the function within partials, bound methods and caches."""
    for _ in range(_MOST_STEPS):
        if isinstance(value, functools.partial):
            value = value.func
        elif isinstance(value, types.MethodType):
            value = value.__func__
        elif isinstance(value, _CACHED):
            value = value.__wrapped__
        else:
            break
    return value if isinstance(value, (type, types.FunctionType, types.CodeType)) else None
