"""New arguments from recorded ones: one leaf is changed, or one parameter has the value of another call."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from .functions import ROOT
from .moments import MOMENTS, changed_moment
from .streams import again, items_of
from .texts import changed_text
from .values import public_state

_MOST_LEAVES = 200
_MOST_TRIES = 8
_MOST_TEXTS = 50
_LONGEST_TEXT = 200
_LEAVES = (bool, int, float, str, bytes, type(None), types.GeneratorType, *MOMENTS)
_CHANGED_DEFAULTS = (bool, int, float, str)
_DEFAULT_SHARE = 0.2
_RECEIVER_SHARE = 0.2
_CONSTANT_SHARE = 0.35
_CHARACTER_SHARE = 0.3
_PLACE_SHARE = 0.5
Arguments = dict[str, Any]


class Mutation:
    """Changes arguments of one function.

    Args:
        constants: numbers and texts of the function, near which its result is likely to vary.
        defaults: by parameter, for those that a recorded call left out.
    """

    def __init__(self, random: Random, constants: list[Any], defaults: Arguments) -> None:
        self._random = random
        self._constants = constants
        self._texts: list[Any] = []
        self._defaults = {name: one for name, one in defaults.items() if type(one) in _CHANGED_DEFAULTS}

    def cross(self, arguments: Arguments, other: Arguments, receiver: str) -> bool:
        """Give one parameter the value of another call; return False if the calls share too few."""
        common = [name for name in arguments if name in other and name != receiver]
        if len(common) < 2:
            return False
        name = self._random.choice(sorted(common))
        arguments[name] = other[name]
        return True

    def mutate(self, arguments: Arguments, names: list[str], receiver: str) -> bool:
        """Change one leaf in place; return False if there is none."""
        omitted = [name for name in names if name in self._defaults and name not in arguments]
        if omitted and self._random.random() < _DEFAULT_SHARE:
            name = self._random.choice(omitted)
            return self._put(self._defaults[name], _setter(arguments, name))
        leaves = list(
            _leaves([(one, _setter(arguments, name)) for name, one in arguments.items() if name != receiver])
        )
        self._remember(leaves)
        if receiver in arguments and (not leaves or self._random.random() < _RECEIVER_SHARE):
            leaves = list(_leaves(_attributes(arguments[receiver])))
        return any(self._put(*self._random.choice(leaves)) for _ in range(_MOST_TRIES if leaves else 0))

    def _remember(self, leaves: list[Leaf]) -> None:
        """Keep some short texts of recorded calls, to combine others with them."""
        texts = [one for one, _ in leaves if type(one) in (str, bytes) and len(one) <= _LONGEST_TEXT]
        self._texts = [*self._texts, *texts][-_MOST_TEXTS:]

    def _put(self, value: Any, put: Callable[[Any], None]) -> bool:
        changed = self._changed(value)
        if type(changed) is not type(value) or repr(changed) == repr(value):
            return False
        put(changed)
        return True

    def _changed(self, value: Any) -> Any:
        if self._random.random() < _CONSTANT_SHARE:
            kinds = (int, float) if type(value) in (int, float) else (str,)
            fitting = [one for one in self._constants if type(one) in kinds]
            if fitting and type(value) in (int, float, str, bytes):
                return _with_constant(value, self._random.choice(fitting), self._random)
        others = [one for one in self._texts if type(one) is type(value)]
        return _changed(value, others, self._random)


def _with_constant(value: Any, constant: Any, random: Random) -> Any:
    """Return a value that has, or is near, a constant of the function."""
    if isinstance(value, (int, float)):
        return type(value)(constant + random.choice([0, 0, 1, -1]))
    if isinstance(value, str) and random.random() < _PLACE_SHARE and constant.lower() in value.lower():
        return _changed_at(value, constant, random)
    if len(constant) > 1 and random.random() < _CHARACTER_SHARE:
        constant = random.choice(constant)
    text = constant.encode() if isinstance(value, bytes) else constant
    cut = random.randrange(len(value) + 1)
    return random.choice(
        [text, value + text, text + value, value[:cut] + text + value[cut:], value[:cut] + text]
    )


def _changed_at(value: str, constant: str, random: Random) -> str:
    """Change a text where a constant of the function occurs in it: its case, its spaces or its number."""
    places = [at for at in range(len(value)) if value[at : at + len(constant)].lower() == constant.lower()]
    if not places or not constant:
        return value
    at = random.choice(places)
    end = at + len(constant)
    one = value[at:end]
    options = [one.lower(), one.upper(), one.title(), one * 2, f" {one}", f"{one} ", "", one[:-1]]
    return value[:at] + random.choice(options) + value[end:]


Leaf = tuple[Any, Callable[[Any], None]]
"""A value, and the function that replaces it."""


def _leaves(waiting: list[Leaf]) -> Iterator[Leaf]:
    """Yield what can be changed in values and in their items and public attributes."""
    seen: set[int] = set()
    count = 0
    while waiting and count < _MOST_LEAVES:
        value, put = waiting.pop()
        count += 1
        if type(value) in _LEAVES:
            yield value, put
        elif id(value) not in seen:
            seen.add(id(value))
            if type(value) in (list, dict, tuple):
                yield value, put
            waiting += _inner(value, put)


def _inner(value: Any, put: Callable[[Any], None]) -> list[Leaf]:
    if type(value) is list:
        return [(one, _setter(value, at)) for at, one in enumerate(value)]
    if type(value) is dict:
        return [(one, _setter(value, key)) for key, one in value.items()]
    if type(value) is tuple:
        return [(one, _in_tuple(value, at, put)) for at, one in enumerate(value)]
    return _attributes(value)


def _attributes(owner: Any) -> list[Leaf]:
    """Return the public attributes of an object of the tree."""
    module = sys.modules.get(type(owner).__module__)
    if isinstance(owner, type) or not (getattr(module, "__file__", None) or ROOT).startswith(ROOT):
        return []
    return [(one, _field(owner, name)) for name, one in public_state(owner).items()]


def _setter(container: Any, key: Any) -> Callable[[Any], None]:
    return lambda value: container.__setitem__(key, value)


def _in_tuple(before: tuple[Any, ...], at: int, put: Callable[[Any], None]) -> Callable[[Any], None]:
    return lambda value: put((*before[:at], value, *before[at + 1 :]))


def _field(owner: object, name: str) -> Callable[[Any], None]:
    return lambda value: object.__setattr__(owner, name, value)


def _changed(value: Any, others: list[Any], random: Random) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return type(value)(random.choice([0, 1, -1, value + 1, value - 1, -value, value * 10, value / 2]))
    if isinstance(value, (str, bytes)):
        return changed_text(value, others, random)
    if (items := items_of(value)) is not None:
        return again(_changed_items(items, random))
    if type(value) in MOMENTS:
        return changed_moment(value, random)
    if isinstance(value, (list, tuple)):
        return type(value)(_changed_items(list(value), random))
    if isinstance(value, dict):
        left_out = random.choice(list(value)) if value else None
        return {key: one for key, one in value.items() if key != left_out}
    return value


def _changed_items(items: list[Any], random: Random) -> list[Any]:
    cut = random.randrange(len(items)) if items else 0
    return random.choice([[], items[:cut] + items[cut + 1 :], items + items[-1:], items[::-1]])
