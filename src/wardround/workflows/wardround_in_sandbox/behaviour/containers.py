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
    """Return how to pickle a container by its items and attributes; None if its class can be pickled
    itself.
    """
    kind = type(value)
    base = next((base_type for base_type in _BASES if isinstance(value, base_type)), None)
    if base is None or kind is base:
        return None
    if not _defines_any(kind, base, _CONSTRUCTORS) or _defines_any(kind, base, _OWN_PICKLES):
        return None
    items = list(base.items(value)) if issubclass(base, dict) else list(base.__iter__(value))
    first = items if base in _IMMUTABLE else []
    state = (
        ([] if base in _IMMUTABLE else items),
        getattr(value, "maxlen", None),
        dict(getattr(value, "__dict__", None) or {}),
    )
    return empty, (kind, base, first), (base, *state), None, None, fill


def _defines_any(kind: type, base: type, names: tuple[str, ...]) -> bool:
    """Return True if a class, or an ancestor that ``base`` does not have, defines one of these methods."""
    above = set(base.__mro__)
    return any(name in parent.__dict__ for parent in kind.__mro__ if parent not in above for name in names)


def empty(kind: type, base: Any, items: list[Any]) -> Any:
    """Return a container of a class without its constructor; an immutable one has its items."""
    return base.__new__(kind, items) if base in _IMMUTABLE else base.__new__(kind)


def fill(value: Any, state: tuple[Any, ...]) -> None:
    """Set the items and attributes of a container, without the methods of its class."""
    base, items, most, attributes = state
    if base is deque:
        deque.__init__(value, items, most)
    elif base is list:
        list.extend(value, items)
    elif base is set:
        set.update(value, items)
    elif issubclass(base, dict):
        for key, item in items:
            base.__setitem__(value, key, item)
    for name, attribute in attributes.items():
        object.__setattr__(value, name, attribute)
