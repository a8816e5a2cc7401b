"""Amounts of time and of storage in code: numbers whose unit is next to them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from wardround.lazy import LazyPattern

SECONDS = {
    "s": 1,
    "sec": 1,
    "second": 1,
    "min": 60,
    "minute": 60,
    "h": 3600,
    "hour": 3600,
    "day": 86400,
    "week": 604800,
}
BYTES = {"kb": 1, "mb": 2, "gb": 3}
"""The power of 1,000 or 1,024 of each unit."""
_ABBREVIATED = {"m": "min", "d": "day", "w": "week"}
_PRODUCT = LazyPattern(r"(?<![\w.*])\d{1,12}(?:\s?\*\s?\d{1,12}){1,6}(?![\w.]|\s?\*)")
_UNIT = r"milliseconds?|millis|seconds?|secs?|minutes?|mins?|hours?|days?|weeks?"
_BEFORE = LazyPattern(
    rf"({_UNIT}|(?<=_)(?:ms|s|m|h|kb|mb|gb))[\"']?\s*(?:=|:|=>)\s*[\"']?(\d+)(?![\w.]|\s*\*)"
)
_AFTER = LazyPattern(rf"(?<![\w.-])(\d+)\s?({_UNIT}|ms|[smhdw]|[kmg]b)(?!\w)")


def has_other_units(spellings: Sequence[str], unit: str, code: str) -> bool:
    """Return True if a line has the number, or a spelling of the amount, with other units only.

    Args:
        spellings: the number first.
        unit: the unit of the number, in lower case and without a plural.
        code: the line in lower case; digits are not separated.
    """
    if _has_constant_products(spellings, unit, code):
        return True
    demanded = _amounts(spellings[0], unit)
    stated = [_amounts(*pair) for pair in _stated_amounts(code) if pair[0] in spellings]
    same_kind = [amount for amount in stated if amount.keys() == demanded.keys()]
    return bool(demanded) and bool(same_kind) and demanded not in same_kind


def _has_constant_products(spellings: Sequence[str], unit: str, code: str) -> bool:
    """Return True if the number is a factor of constant products only, none of them the amount."""
    factors = [match[0].split("*") for match in _PRODUCT.finditer(code)]
    numbers = [[factor.strip() for factor in some] for some in factors]
    products = {str(math.prod(map(int, some))) for some in numbers if spellings[0] in some}
    is_amount = unit in SECONDS or unit in BYTES
    return is_amount and bool(products) and not products & set(spellings)


def _stated_amounts(code: str) -> Iterator[Sequence[str]]:
    for match in _BEFORE.finditer(code):
        yield match[2], match[1]
    for match in _AFTER.finditer(code):
        yield match[1], match[2]


def _amounts(number: str, unit: str) -> dict[str, float]:
    """Return the amount by its kind; empty for an unknown unit."""
    name = unit if unit in ("s", "ms") else unit.rstrip("s")
    name = _ABBREVIATED.get(name, name)
    if not number.isdigit():
        return {}
    if name in ("ms", "millisecond", "milli"):
        return {"time": int(number) / 1000}
    if name in SECONDS:
        return {"time": int(number) * SECONDS[name]}
    return {"storage": int(number) * 1000 ** BYTES[name]} if name in BYTES else {}
