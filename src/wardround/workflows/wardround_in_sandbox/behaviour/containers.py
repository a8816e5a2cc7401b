"""Pickles of containers whose classes have constructors of their own, which loading does not call."""

from __future__ import annotations

from collections import OrderedDict, deque
from typing import Any

_BASES: tuple[Any, ...] = (set, frozenset, list, OrderedDict, dict, tuple, deque)
_OWN_PICKLES = (
    "__reduce__",
    "__reduce_ex__",
    "__getnewargs__",
    "__getnewargs_ex__",
    "__getstate__",
    "__setstate__",
)
_CONSTRUCTORS = ("__init__", "__new__")
_IMMUTABLE = (frozenset, tuple)


def reduced_container(value: Any) -> tuple[Any, ...] | None:
    """Return how to pickle a container by its items and attributes; None if its class needs no help."""
    kind = type(value)
    base = next((one for one in _BASES if isinstance(value, one)), None)
    if base is None or kind is base:
        return None
    if not _has_own(kind, base, _CONSTRUCTORS) or _has_own(kind, base, _OWN_PICKLES):
        return None
    items = list(base.items(value)) if issubclass(base, dict) else list(base.__iter__(value))
    first = items if base in _IMMUTABLE else []
    state = (
        ([] if base in _IMMUTABLE else items),
        getattr(value, "maxlen", None),
        dict(getattr(value, "__dict__", None) or {}),
    )
    return empty, (kind, base, first), (base, *state), None, None, fill


def _has_own(kind: type, base: type, names: tuple[str, ...]) -> bool:
    """Return True if a class below the base in the order of classes defines one of some methods."""
    above = set(base.__mro__)
    return any(name in one.__dict__ for one in kind.__mro__ if one not in above for name in names)


def empty(kind: type, base: Any, items: list[Any]) -> Any:
    """Return a container of a class without its constructor; an immutable one has its items."""
    return base.__new__(kind, items) if base in _IMMUTABLE else base.__new__(kind)


def fill(value: Any, state: tuple[Any, ...]) -> None:
    """Give a container its items and attributes, without the methods of its class."""
    base, items, most, attributes = state
    if base is deque:
        deque.__init__(value, items, most)
    elif base is list:
        list.extend(value, items)
    elif base is set:
        set.update(value, items)
    elif issubclass(base, dict):
        for key, one in items:
            base.__setitem__(value, key, one)
    for name, one in attributes.items():
        object.__setattr__(value, name, one)
