"""Arguments that can be written as literals, and the sizes of the contents of other arguments."""

from __future__ import annotations

import types
from collections.abc import Iterator
from itertools import islice
from typing import Any

from .moments import MOMENTS
from .streams import items_of

_PLAIN = frozenset({bool, int, float, complex, str, bytes, type(None), *MOMENTS})
_SEQUENCES = (str, bytes, bytearray, list, tuple)
_MOST_ATTRIBUTES = 100


def is_literal(value: Any) -> bool:
    """Return True for a value that a person can write: plain ones, dates, and containers of these.

    A generator of such values counts, since the call is shown with its items.
    """
    kind = type(value)
    if kind in (list, tuple, set, frozenset):
        return all(map(is_literal, value))
    if kind is dict:
        return all(is_literal(key) and is_literal(item) for key, item in value.items())
    if kind is types.GeneratorType:
        items = items_of(value)
        return items is not None and all(map(is_literal, items))
    return kind in _PLAIN


class Lengths:
    """The lengths of sequences that the objects among the arguments of a call hold.

    Args:
        of_objects: the lengths.
        is_inner: an argument other than the receiver is an object, so that the call is one inside a program.
    """

    def __init__(self, of_objects: list[int], *, is_inner: bool) -> None:
        self._longest = max(of_objects, default=0)
        self._is_inner = is_inner

    def allow(self, recorded: int, changed: int) -> bool:
        """Return False for a number that was perhaps a position in an object, and is outside of it."""
        if recorded <= self._longest and self._longest:
            return 0 <= changed <= self._longest
        return changed >= 0 or not self._is_inner


def lengths_in(arguments: dict[str, Any]) -> Lengths:
    """Return the lengths in a call; those of literals do not count."""
    objects = [argument for argument in arguments.values() if not is_literal(argument)]
    found = [len(sequence) for value in objects for sequence in _sequences(value)]
    return Lengths(found, is_inner=len(objects) > 1)


def _sequences(value: Any) -> Iterator[Any]:
    """Yield a sequence, or those that an object contains."""
    held = value.values() if type(value) is dict else (getattr(value, "__dict__", None) or {}).values()
    for candidate in (value, *islice(held, _MOST_ATTRIBUTES)):
        if isinstance(candidate, _SEQUENCES):
            yield candidate
