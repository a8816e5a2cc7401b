"""Other texts near recorded ones."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from random import Random
from typing import Any

_LONGEST_REPEATED = 200
_LONGEST_PARTED = 4000
_SIGN = 2
_COMBINED_SHARE = 0.1
_PARTS_SHARE = 0.35


def changed_text(value: Any, others: list[Any], random: Random) -> Any:
    """Return a text with one change in its characters or its words, or combined with another one.

    Args:
        value: a text, or bytes.
        others: texts of recorded calls, of the same type.
    """
    if isinstance(value, bytes):  # every byte is a character of this encoding
        texts = [one.decode("latin-1") for one in others]
        return changed_text(value.decode("latin-1"), texts, random).encode("latin-1", "replace")
    if random.random() < _PARTS_SHARE:
        return _parts(value, others, random)
    if others and random.random() < _COMBINED_SHARE:
        return _combined(value, random.choice(others), random)
    return random.choice(_CHANGES)(value, random)


def parts_of(value: str) -> list[str]:
    """Divide a text into words, spaces and single signs."""
    found: list[str] = []
    for kind, characters in groupby(value, key=_kind):
        text = "".join(characters)
        found += list(text) if kind == _SIGN else [text]
    return found


def _kind(one: str) -> int:
    return 0 if one.isalnum() or one == "_" else 1 if one.isspace() else _SIGN


def _parts(value: str, others: list[str], random: Random) -> str:
    """Remove, repeat, exchange or rewrite one word, space or sign."""
    parts = parts_of(value[:_LONGEST_PARTED])
    if not parts:
        return random.choice(others) if others else " "
    at = random.randrange(len(parts))
    one = parts[at]
    foreign = parts_of(random.choice(others)[:_LONGEST_PARTED]) if others else parts
    changed = random.choice(
        [
            "", one * 2, one + " ", one.lower(), one.upper(), random.choice(parts),
            random.choice(foreign or parts), f"{one}{random.choice(foreign or parts)}",
        ]
    )  # fmt: skip
    return "".join([*parts[:at], changed, *parts[at + 1 :]]) + value[_LONGEST_PARTED:]


def _combined(value: str, other: str, random: Random) -> str:
    first, second = _position(value, random), _position(other, random)
    return random.choice([value + other, value[:first] + other[second:]])


def _position(value: str, random: Random) -> int:
    return random.randrange(len(value)) if value else 0


def _characters(value: str, random: Random) -> str:
    """Add, remove, repeat or exchange one character."""
    cut = _position(value, random)
    before, one, after = value[:cut], value[cut : cut + 1], value[cut + 1 :]
    changed = [after, one * 2 + after, " " + one + after, one.swapcase() + after, "\u00e9" + one + after]
    return before + random.choice(changed)


def _ends(value: str, random: Random) -> str:
    options = [
        "",
        value[1:],
        value[:-1],
        value + value[-1:],
        "-" + value,
        "0" + value,
        value + " ",
        " " + value,
    ]
    return random.choice(options)


def _all(value: str, random: Random) -> str:
    repeated = value * 2 if len(value) <= _LONGEST_REPEATED else value
    return random.choice([value.upper(), value.lower(), value[::-1], value.replace(" ", "\n"), repeated])


def _words(value: str, random: Random) -> str:
    """Remove one word, or keep the first or the last one only."""
    words = value.split(" ")
    at = random.randrange(len(words))
    return random.choice([" ".join([*words[:at], *words[at + 1 :]]), words[0], words[-1]])


def _kinds(value: str, random: Random) -> str:
    """Change a space, a digit or a sign, which often separate the parts of a text."""
    kind, others = random.choice(_SEPARATORS)
    places = [at for at, one in enumerate(value) if kind(one)]
    if not places:
        return _characters(value, random)
    at = random.choice(places)
    return value[:at] + random.choice([value[at] * 2, *others]) + value[at + 1 :]


def _is_sign(one: str) -> bool:
    return not one.isalnum() and not one.isspace()


_SEPARATORS: tuple[tuple[Callable[[str], bool], list[str]], ...] = (
    (str.isspace, ["\t", "\n", ""]),
    (str.isdigit, ["0", "9", ""]),
    (_is_sign, [""]),
)
"""Kinds of characters, each with what replaces one."""
_CHANGES: tuple[Callable[[str, Random], str], ...] = (_characters, _ends, _all, _words, _kinds)
