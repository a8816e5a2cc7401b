"""New arguments from recorded ones: one leaf is changed, or one parameter has the value of another call."""

from __future__ import annotations

import types
from collections.abc import Callable, Collection, Iterator
from random import Random
from typing import Any

from .literals import Lengths, is_literal, lengths_in
from .moments import MOMENTS, changed_moment
from .streams import again, items_of
from .texts import mutate_string

_MOST_LEAVES = 200
_MOST_TRIES = 8
_MOST_TEXTS = 50
_LONGEST_TEXT = 200
_LEAVES = (bool, int, float, str, bytes, type(None), types.GeneratorType, *MOMENTS)
_CHANGED_DEFAULTS = (bool, int, float, str)
_DEFAULT_SHARE = 0.2
_CONSTANT_SHARE = 0.35
_CHARACTER_SHARE = 0.3
_PLACE_SHARE = 0.5
Arguments = dict[str, Any]


class Mutation:
    """Changes arguments of one function.

    Args:
        constants: numbers and texts of the function, near which its result is likely to vary.
        defaults: by parameter, for those that a recorded call excluded.
        spread: the parameters with stars, whose items are arguments.
    """

    def __init__(
        self, random: Random, constants: list[Any], defaults: Arguments, spread: Collection[str] = ()
    ) -> None:
        self._spread = spread
        self._random = random
        self._constants = constants
        self._texts: list[Any] = []
        self._defaults = {
            name: default for name, default in defaults.items() if type(default) in _CHANGED_DEFAULTS
        }

    def cross(self, arguments: Arguments, other: Arguments, receiver: str) -> bool:
        """Give one parameter the literal of another call; return False if the calls share too few."""
        common = [name for name in arguments if name in other and name != receiver]
        literals = [name for name in common if is_literal(arguments[name]) and is_literal(other[name])]
        if len(common) < 2 or not literals:
            return False
        name = self._random.choice(sorted(literals))
        if not _is_within(other[name], arguments[name], lengths_in(arguments)):
            return False
        arguments[name] = other[name]
        return True

    def mutate(self, arguments: Arguments, names: list[str], receiver: str) -> bool:
        """Change one leaf of a literal in place; return False if there is none.

        The state of the receiver and of other objects is not changed: no caller may be able to create it.
        """
        lengths = lengths_in(arguments)
        omitted = [name for name in names if name in self._defaults and name not in arguments]
        if omitted and self._random.random() < _DEFAULT_SHARE:
            name = self._random.choice(omitted)
            return self._put_mutation(self._defaults[name], _setter(arguments, name), lengths)
        literals: list[Any] = []
        for name in arguments:
            if name != receiver:
                literals += self._literals(arguments, name)
        leaves = list(_mutable_leaves(literals))
        self._remember(leaves)
        tries = range(_MOST_TRIES if leaves else 0)
        return any(self._put_mutation(*self._random.choice(leaves), lengths) for _ in tries)

    def _literals(self, arguments: Arguments, name: str) -> list[Leaf]:
        """Return an argument that a literal can write; of a parameter with stars, those among its items."""
        value, put = arguments[name], _setter(arguments, name)
        if is_literal(value):
            return [(value, put)]
        return [leaf for leaf in _inner(value, put) if is_literal(leaf[0])] if name in self._spread else []

    def _remember(self, leaves: list[Leaf]) -> None:
        """Keep some short texts of recorded calls, to combine others with them."""
        texts = [leaf for leaf, _ in leaves if type(leaf) in (str, bytes) and len(leaf) <= _LONGEST_TEXT]
        self._texts = [*self._texts, *texts][-_MOST_TEXTS:]

    def _put_mutation(self, value: Any, put: Callable[[Any], None], lengths: Lengths) -> bool:
        changed = self._change(value)
        if type(changed) is not type(value) or repr(changed) == repr(value):
            return False
        if not _is_within(changed, value, lengths):
            return False
        put(changed)
        return True

    def _change(self, value: Any) -> Any:
        if self._random.random() < _CONSTANT_SHARE:
            kinds = (int, float) if type(value) in (int, float) else (str,)
            fitting = [constant for constant in self._constants if type(constant) in kinds]
            if fitting and type(value) in (int, float, str, bytes):
                return _insert_constant(value, self._random.choice(fitting), self._random)
        others = [text for text in self._texts if type(text) is type(value)]
        return _change_value(value, others, self._random)


def convert_line_ends(arguments: Arguments) -> bool:
    """Convert the strings among the arguments to Windows line ends; return False if there are none."""
    texts = {
        name: argument for name, argument in arguments.items() if type(argument) is str and "\n" in argument
    }
    for name, text in texts.items():
        arguments[name] = text.replace("\r\n", "\n").replace("\n", "\r\n")
    return bool(texts)


def _insert_constant(value: Any, constant: Any, random: Random) -> Any:
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
    """Change a string at an occurrence of a constant of the function: its case, its spaces or its number."""
    locations = [at for at in range(len(value)) if value[at : at + len(constant)].lower() == constant.lower()]
    if not locations or not constant:
        return value
    at = random.choice(locations)
    end = at + len(constant)
    entry = value[at:end]
    options = [
        entry.lower(),
        entry.upper(),
        entry.title(),
        entry * 2,
        f" {entry}",
        f"{entry} ",
        "",
        entry[:-1],
    ]
    return value[:at] + random.choice(options) + value[end:]


Leaf = tuple[Any, Callable[[Any], None]]
"""A value, and the function that replaces it."""


def _is_within(changed: Any, value: Any, lengths: Lengths) -> bool:
    """Return True unless a number was perhaps a position in an object, and is outside of it now."""
    if type(value) is not int or type(changed) is not int or value < 0:
        return True
    return lengths.allow(value, changed)


def _mutable_leaves(waiting: list[Leaf]) -> Iterator[Leaf]:
    """Yield what can be changed in literals and in their items."""
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
        return [(item, _setter(value, at)) for at, item in enumerate(value)]
    if type(value) is dict:
        return [(item, _setter(value, key)) for key, item in value.items()]
    if type(value) is tuple:
        return [(item, _replace_in_tuple(value, at, put)) for at, item in enumerate(value)]
    return []


def _setter(container: Any, key: Any) -> Callable[[Any], None]:
    return lambda value: container.__setitem__(key, value)


def _replace_in_tuple(before: tuple[Any, ...], at: int, put: Callable[[Any], None]) -> Callable[[Any], None]:
    return lambda value: put((*before[:at], value, *before[at + 1 :]))


def _change_value(value: Any, others: list[Any], random: Random) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return type(value)(random.choice([0, 1, -1, value + 1, value - 1, -value, value * 10, value / 2]))
    if isinstance(value, (str, bytes)):
        return mutate_string(value, others, random)
    if (items := items_of(value)) is not None:
        return again(_changed_items(items, random))
    if type(value) in MOMENTS:
        return changed_moment(value, random)
    if isinstance(value, (list, tuple)):
        return type(value)(_changed_items(list(value), random))
    if isinstance(value, dict):
        left_out = random.choice(list(value)) if value else None
        return {key: item for key, item in value.items() if key != left_out}
    return value


def _changed_items(items: list[Any], random: Random) -> list[Any]:
    cut = random.randrange(len(items)) if items else 0
    return random.choice([[], items[:cut] + items[cut + 1 :], items + items[-1:], items[::-1]])
