"""Strings similar to recorded ones."""

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


def mutate_string(value: Any, others: list[Any], random: Random) -> Any:
    """Return a string with one change in its characters or its words, or combined with another one.

    Args:
        value: a string, or bytes.
        others: texts of recorded calls, of the same type.
    """
    if isinstance(value, bytes):  # every byte is a character of this encoding
        texts = [other.decode("latin-1") for other in others]
        return mutate_string(value.decode("latin-1"), texts, random).encode("latin-1", "replace")
    if random.random() < _PARTS_SHARE:
        return _parts(value, others, random)
    if others and random.random() < _COMBINED_SHARE:
        return _combine(value, random.choice(others), random)
    return random.choice(_CHANGES)(value, random)


def parts_of(value: str) -> list[str]:
    """Divide a string into words, spaces and single punctuation marks."""
    found: list[str] = []
    for kind, characters in groupby(value, key=_kind):
        text = "".join(characters)
        found += list(text) if kind == _SIGN else [text]
    return found


def _kind(entry: str) -> int:
    return 0 if entry.isalnum() or entry == "_" else 1 if entry.isspace() else _SIGN


def _parts(value: str, others: list[str], random: Random) -> str:
    """Remove, repeat, exchange or rewrite one word, space or sign."""
    parts = parts_of(value[:_LONGEST_PARTED])
    if not parts:
        return random.choice(others) if others else " "
    at = random.randrange(len(parts))
    entry = parts[at]
    foreign = parts_of(random.choice(others)[:_LONGEST_PARTED]) if others else parts
    changed = random.choice(
        [
            "", entry * 2, entry + " ", entry.lower(), entry.upper(), random.choice(parts),
            random.choice(foreign or parts), f"{entry}{random.choice(foreign or parts)}",
        ]
    )  # fmt: skip
    return "".join([*parts[:at], changed, *parts[at + 1 :]]) + value[_LONGEST_PARTED:]


def _combine(value: str, other: str, random: Random) -> str:
    first, second = _position(value, random), _position(other, random)
    return random.choice([value + other, value[:first] + other[second:]])


def _position(value: str, random: Random) -> int:
    return random.randrange(len(value)) if value else 0


def _characters(value: str, random: Random) -> str:
    """Insert, remove or repeat a character at a random position, or swap its case."""
    cut = _position(value, random)
    before, entry, after = value[:cut], value[cut : cut + 1], value[cut + 1 :]
    changed = [
        after,
        entry * 2 + after,
        " " + entry + after,
        entry.swapcase() + after,
        "\u00e9" + entry + after,
    ]
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


def _uppercase_all(value: str, random: Random) -> str:
    repeated = value * 2 if len(value) <= _LONGEST_REPEATED else value
    return random.choice([value.upper(), value.lower(), value[::-1], value.replace(" ", "\n"), repeated])


def _words(value: str, random: Random) -> str:
    """Remove one word, or all except the first or the last one."""
    words = value.split(" ")
    at = random.randrange(len(words))
    return random.choice([" ".join([*words[:at], *words[at + 1 :]]), words[0], words[-1]])


def _kinds(value: str, random: Random) -> str:
    """Change a space, a digit or a punctuation mark, which often separate the parts of a string."""
    kind, others = random.choice(_SEPARATORS)
    locations = [at for at, item in enumerate(value) if kind(item)]
    if not locations:
        return _characters(value, random)
    at = random.choice(locations)
    return value[:at] + random.choice([value[at] * 2, *others]) + value[at + 1 :]


def _is_sign(entry: str) -> bool:
    return not entry.isalnum() and not entry.isspace()


_SEPARATORS: tuple[tuple[Callable[[str], bool], list[str]], ...] = (
    (str.isspace, ["\t", "\n", ""]),
    (str.isdigit, ["0", "9", ""]),
    (_is_sign, [""]),
)
"""Kinds of characters, each with what replaces one."""
_CHANGES: tuple[Callable[[str, Random], str], ...] = (_characters, _ends, _uppercase_all, _words, _kinds)
