"""Units that comments and names still state after a change of the unit in the code."""

from __future__ import annotations

from wardround.text.tokens import parts

_SAME = (
    "ms millis millisecond milliseconds msec msecs",
    "s sec secs second seconds",
    "min mins minute minutes",
    "h hr hrs hour hours",
    "day days",
    "us micros microsecond microseconds",
    "byte bytes",
    "kb kib kilobyte kilobytes kibibyte kibibytes",
    "mb mib megabyte megabytes mebibyte mebibytes",
    "gb gib gigabyte gigabytes",
    "m metre metres meter meters",
    "km kms kilometre kilometres kilometer kilometers",
    "cm centimetre centimetres centimeter centimeters",
    "mm millimetre millimetres millimeter millimeters",
    "g gram grams",
    "kg kgs kilo kilogram kilograms",
    "cent cents",
    "percent percentage pct",
    "celsius centigrade",
    "fahrenheit",
)
_UNIT = {word: line.split()[0] for line in _SAME for word in line.split()}


def unit_of(name: str) -> str | None:
    """Return the unit at the end of a name: ``timeoutMs``, ``size_kb``."""
    found = parts(name)
    if "per" in found or (len(found) > 1 and (found[-2] in _COUNTS or found[-2].isdigit())):
        return None
    return _UNIT.get(found[-1]) if len(found) >= 2 and found[-1] not in ("m", "g", "h") else None


_COUNTS = frozenset({"one", "two", "three", "five", "ten", "half", "a", "an", "in", "of"})
"""Before a unit, these form the name of an amount in any unit: ``ONE_HOUR``, ``MS_IN_DAY``."""
_IN_WORDS = {
    "ms": "milliseconds", "s": "seconds", "min": "minutes", "h": "hours", "day": "days",
    "us": "microseconds",
}  # fmt: skip


def plain_unit(name: str) -> str | None:
    """Like ``unit_of``, but None if the last word may denote a limit: ``timeout_min``."""
    return None if parts(name)[-1:] == ["min"] else unit_of(name)


_SMALLEST_MS, _LARGEST_S = 100, 100_000


def is_implausible(number: float, unit: str) -> bool:
    """Return True if a delay of this number would be far too short or too long in a unit.

    Then the name of the unit is wrong.
    """
    return (unit == "ms" and number < _SMALLEST_MS) or (unit in ("s", "min", "h") and number > _LARGEST_S)


def unit_named(unit: str) -> str:
    """Return the usual name of a unit."""
    return _IN_WORDS.get(unit, unit)
