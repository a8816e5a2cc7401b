"""New arguments from recorded ones: one leaf is changed, or one parameter has the value of another call."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

_MOST_LEAVES = 200
_MOST_TRIES = 8
_LEAVES = (bool, int, float, str, bytes, type(None))
Arguments = dict[str, Any]


def crossed(first: Arguments, second: Arguments, receivers: list[str], random: Random) -> Arguments | None:
    """Return the first arguments with one of the second; None if they share none.

    Args:
        receivers: parameters that stay: the object or class of a method.
    """
    common = [name for name in first if name in second and name not in receivers]
    if len(common) < 2:
        return None
    name = random.choice(sorted(common))
    return {**first, name: second[name]}


def mutate(arguments: Arguments, receivers: list[str], random: Random) -> bool:
    """Change one leaf in place; return False if there is none."""
    leaves = list(_leaves({name: one for name, one in arguments.items() if name not in receivers}, arguments))
    for _ in range(_MOST_TRIES if leaves else 0):
        value, put = random.choice(leaves)
        changed = _changed(value, random)
        if type(changed) is type(value) and repr(changed) != repr(value):
            put(changed)
            return True
    return False


def _leaves(shown: Arguments, arguments: Arguments) -> Iterator[tuple[Any, Callable[[Any], None]]]:
    """Yield the leaves, each with a function that replaces it."""
    waiting: list[tuple[Any, Callable[[Any], None]]] = [
        (value, _setter(arguments, name)) for name, value in shown.items()
    ]
    seen: set[int] = set()
    count = 0
    while waiting and count < _MOST_LEAVES:
        value, put = waiting.pop()
        count += 1
        if type(value) in _LEAVES:
            yield value, put
            continue
        if id(value) in seen:
            continue
        seen.add(id(value))
        if type(value) in (list, dict):
            yield value, put
            pairs = enumerate(value) if type(value) is list else value.items()
            waiting += [(one, _setter(value, key)) for key, one in list(pairs)]
        elif type(value) is tuple:
            yield value, put
            waiting += [(one, _in_tuple(value, at, put)) for at, one in enumerate(value)]
        elif dataclasses.is_dataclass(value) and not isinstance(value, type):
            for field in dataclasses.fields(value):
                if not field.name.startswith("_") and hasattr(value, field.name):
                    waiting.append((getattr(value, field.name), _field(value, field.name)))


def _setter(container: Any, key: Any) -> Callable[[Any], None]:
    return lambda value: container.__setitem__(key, value)


def _in_tuple(before: tuple[Any, ...], at: int, put: Callable[[Any], None]) -> Callable[[Any], None]:
    return lambda value: put((*before[:at], value, *before[at + 1 :]))


def _field(owner: object, name: str) -> Callable[[Any], None]:
    return lambda value: object.__setattr__(owner, name, value)


def _changed(value: Any, random: Random) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return type(value)(random.choice([0, 1, -1, value + 1, value - 1, -value, value * 10, value / 2]))
    if isinstance(value, (str, bytes)):
        return _changed_text(value, random)
    if isinstance(value, (list, tuple)):
        return type(value)(_changed_items(list(value), random))
    if isinstance(value, dict):
        left_out = random.choice(list(value)) if value else None
        return {key: one for key, one in value.items() if key != left_out}
    return value


def _changed_items(items: list[Any], random: Random) -> list[Any]:
    cut = random.randrange(len(items)) if items else 0
    return random.choice([[], items[:cut] + items[cut + 1 :], items + items[-1:], items[::-1]])


def _changed_text(value: Any, random: Random) -> Any:
    empty = value[:0]
    space, sign = (b" ", b"-") if isinstance(value, bytes) else (" ", "-")
    cut = random.randrange(len(value)) if value else 0
    options = [
        empty, value[1:], value[:-1], value[:cut] + value[cut + 1 :], value[:cut] + space + value[cut:],
        value + value[-1:], sign + value, value.upper(), value.lower(), value + space, space + value,
        value[:cut] + value[cut : cut + 1].swapcase() + value[cut + 1 :], value[::-1],
    ]  # fmt: skip
    if isinstance(value, str):
        options += [value[:cut] + "\u00e9" + value[cut:], value.replace(" ", "\n"), "0" + value]
    return random.choice(options)
