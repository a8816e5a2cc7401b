"""Numbers in prose: in digits, in words, in other units."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from wardround.checks.lazy import LazyPattern

_TO_TWENTY = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
    sixteen seventeen eighteen nineteen twenty
""".split()  # noqa: SIM905  (a list of quoted words is harder to read)
_SPOKEN = {word: value for value, word in enumerate(_TO_TWENTY) if value >= 2} | {
    "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
     "twice": 2, "hundred": 100, "thousand": 1000, "dozen": 12}  # fmt: skip
_WORD = LazyPattern(r"(?<![\w-])(?:(?:one |a )?(hundred|thousand|dozen)|([a-z]+))(?![\w-])")
_DIGITS = LazyPattern(
    r"(?<![\w.#$%/:@^-])(?<!RFC )(?<!PEP )(?<!ISO )(?<!step )(?<!Step )(?<!issue "
    r")(\d[\d_,]*(?:\.\d+)?)(?![\w]*\.\d)"
    r"(?=(?P<unit>\s?-?(?:ms|msec|s|sec|secs|seconds?|milliseconds?|m|mins?|minutes?|h|hrs?|hours?"
    r"|d|days?|weeks?"
    r"|[kmg]i?b|kilobytes?|megabytes?|gigabytes?|bytes?|%|x|px|percent|times)?)(?![\w]))"
)
_SINGLE = LazyPattern(r"(?i)(?<![\w-])(?<!half )(?:an?|one) (second|minute|hour|day|week)(?![\w-])")
"""A unit of time without a number means one of it; smaller units may express the same."""
_SMALLER = {"minute": (60,), "hour": (3600, 60), "day": (86400, 1440, 24), "week": (604800, 168, 7)}
_LONGEST_BITS = 1024
"""The limit on digits; longer numbers are keys and masks, and too large to be compared."""
_OF_BASE = LazyPattern(r"0[oO][0-7]+|0[xX][0-9a-fA-F]+|0[bB][01]+")
_MODE = LazyPattern(r"(?<![\w-])[-dl]?((?:[r-][w-][xsStT-]){3})(?![\w-])|(?<![\w.])0o?([0-7]{3})(?![\w.])")
"""File permissions: ``-rw-r--r--``, ``0644``."""
_NUMBER = LazyPattern(r"(\d[\d_]*(?:\.\d+)?(?:e\d+)?)([a-zA-Z]{0,3})")
_SUFFIXES = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_UNITS = {
    "second": 1, "sec": 1, "s": 1, "minute": 60, "min": 60, "m": 60, "hour": 3600, "hr": 3600, "h": 3600,
    "day": 86400, "d": 86400, "week": 604800,
    "kb": 1024, "kib": 1024, "kilobyte": 1024, "mb": 1024**2, "mib": 1024**2, "megabyte": 1024**2,
    "gb": 1024**3, "gib": 1024**3, "gigabyte": 1024**3,
}  # fmt: skip
_THOUSANDS = ("second", "sec", "s", "minute", "min", "hour", "day", "kb", "mb", "kilobyte", "megabyte", "gb")
"""Units whose value code often stores multiplied by a thousand: milliseconds, decimal bytes."""
_UNIT_BEHIND = LazyPattern(r"[\s-]{0,2}([A-Za-z]+)")


@dataclass(frozen=True, slots=True)
class SpelledNumber:
    """A number in prose.

    Attributes:
        values: its possible values in code: itself, and in smaller units.
    """

    values: frozenset[float]
    start: int
    end: int
    is_spoken: bool = False


def value_of(number: str) -> float | None:
    """Return the value of a number in code, one with a unit of time in seconds; None for other text.

    A product of numbers is one number; those of base 8 and 16 are parsed by Python's syntax.
    """
    if " * " in number:
        worth = [value_of(factor) for factor in number.split(" * ")]
        return math.prod(one for one in worth if one is not None) if None not in worth else None
    if _OF_BASE.fullmatch(number):
        whole = int(number, 0)
        return float(whole) if whole.bit_length() < _LONGEST_BITS else None
    match = _NUMBER.fullmatch(number)
    return float(match[1].replace("_", "")) * _SUFFIXES.get(match[2], 1) if match else None


def numbers_in_prose(prose: str) -> Iterator[SpelledNumber]:
    """Return every number in prose, except those of versions, issues and paths."""
    for match in _DIGITS.finditer(prose):
        plain = match[1].rstrip(",_").replace(",", "").replace("_", "")
        yield _said(prose, float(plain), match.start(1), match.start(1) + len(match[1].rstrip(",_")))
    for match in _MODE.finditer(prose):
        bits = "".join("0" if letter == "-" else "1" for letter in match[1] or "")
        rights = int(bits, 2) if bits else int(match[2], 8)
        yield SpelledNumber(frozenset({float(rights)}), match.start(), match.end())
    for match in _SINGLE.finditer(prose):
        worth = {one * scale for one in _SMALLER.get(match[1].lower(), ()) for scale in (1, 1000)} | {1000}
        yield SpelledNumber(frozenset(map(float, worth)), match.start(), match.end(), is_spoken=True)
    for match in _WORD.finditer(prose.lower()):
        value = _SPOKEN.get(match[1] or match[2])
        if value is not None:
            yield _said(prose, float(value), match.start(), match.end(), is_spoken=True)


def _said(prose: str, value: float, start: int, end: int, *, is_spoken: bool = False) -> SpelledNumber:
    behind = _UNIT_BEHIND.match(prose, end)
    unit = behind[1].lower() if behind else ""
    unit = unit if unit in _UNITS else unit.removesuffix("s")
    values = {value}
    if unit in _UNITS:
        values |= {value * _UNITS[unit], value * _UNITS[unit] * 1000 if unit in _THOUSANDS else value}
        values |= {value * 1000, value * 1_000_000} if unit in ("kb", "mb", "kilobyte", "megabyte") else set()
    return SpelledNumber(frozenset(values), start, end, is_spoken)
