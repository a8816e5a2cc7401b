"""Generators among the arguments of a call: recorded while the function consumes them, and made again."""

from __future__ import annotations

import pickle
import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any

_MOST_ITEMS = 200


class Stream:
    """A generator that a recorded call received.

    Args:
        pickled: returns the pickle of an item, empty if there is none.
        at_end: is called after the last item, if all items were recorded.
    """

    def __init__(
        self, source: Iterator[Any], pickled: Callable[[Any], bytes], at_end: Callable[[], None]
    ) -> None:
        self.items: list[bytes] = []
        self.is_complete = False
        self._source = source
        self._pickled = pickled
        self._at_end = at_end

    def passed_on(self) -> Iterator[Any]:
        """Yield the items when the function consumes them, so that nothing else changes."""
        is_whole = True
        for item in self._source:
            if is_whole:
                content = self._pickled(item) if len(self.items) < _MOST_ITEMS else b""
                is_whole = bool(content)
                self.items.append(content)
            yield item
        if is_whole:
            self.is_complete = True
            self._at_end()


def again(items: list[Any]) -> Iterator[Any]:
    """Yield recorded items, as a generator like the recorded one."""
    yield from items


def items_of(value: object) -> list[Any] | None:
    """Return the items of a generator that was created again and has not started; None for anything else."""
    if not isinstance(value, types.GeneratorType) or value.gi_code is not again.__code__:
        return None
    frame = value.gi_frame
    return None if frame is None else list(frame.f_locals["items"])


def restore_arguments(arguments: bytes, streams: dict[str, list[bytes]]) -> dict[str, Any]:
    """Return the arguments of a call, with generators among them."""
    created = {name: again([pickle.loads(item) for item in items]) for name, items in streams.items()}
    return {**pickle.loads(arguments), **created}


class Restorable:
    """Arguments whose pickle ``restored`` loads."""

    def __init__(self, arguments: bytes, streams: dict[str, list[bytes]]) -> None:
        self._parts = arguments, streams

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return restore_arguments, self._parts


def reduced_generator(value: Any) -> tuple[Callable[[list[Any]], Iterable[Any]], tuple[list[Any]]]:
    """Return how to pickle a generator that was made again.

    Raises:
        TypeError: it is another generator.
    """
    items = items_of(value)
    if items is None:
        raise TypeError("cannot pickle 'generator' object")
    return again, (items,)
