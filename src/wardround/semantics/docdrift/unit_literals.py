"""Number literals whose form shows that they are in another unit than the name they are assigned to."""

from __future__ import annotations

import math
from collections.abc import Iterator

import msgspec

from wardround.checks.lazy import LazyPattern
from wardround.semantics.docdrift.units import unit_of

_GIVEN = LazyPattern(
    r"(?P<name>\b[A-Za-z]\w*(?:_(?:ms|s|secs?|seconds|millis(?:econds)?|minutes|hours|days|[kmg]i?b|MS|S"
    r"|SECS?"
    r"|SECONDS|MILLIS(?:ECONDS)?|MINUTES|HOURS|DAYS|[KMG]I?B)"
    r"|Ms|MS|Secs?|Seconds|Millis(?:econds)?|Minutes|Hours|Days|[KMG]i?[bB]))"
    r"[\"']?\??(?:[^\S\n]*:[^\S\n]*(?:Final(?:\[\w+\])?|Final|int|float|number|final))?[^\S\n]*[=:][^\S\n]*"
    r"(?P<value>\(?\d[\d_.]*(?:[^\S\n]*(?:\*\*|\*|<<)[^\S\n]*\d[\d_.]*)*\)?)(?=[^\S\n]*(?:[,;)}\]#]|//"
    r"|/\*|\n|\Z))"
)
_COUNTED = LazyPattern(
    r"(?i)(?:\b|_|(?<=[a-z])(?=[A-Z]))(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty"
    r"|forty|sixty|ninety|half|several)_?(?:milli)?(?:seconds?|minutes?|hours?|days?)$"
)
"""A duration in words, such as ``six_hours``, which names no unit of the number."""
_NUMBERS = LazyPattern(r"\d[\d_.]*")
_SPANS = {"s": 1, "min": 60, "h": 3600, "day": 86400}
_WHOLE_IN_MS = frozenset(
    n * 60_000.0 for n in (1, 2, 3, 4, 5, 10, 15, 20, 30, 45, 60, 120, 180, 240, 360, 480, 720, 1440)
)
"""Milliseconds that are a round number of minutes or hours, and not a round number of them in seconds."""
_WHOLE_IN_S = frozenset({86_400.0, 604_800.0, 1_209_600.0, 2_592_000.0, 31_536_000.0})
_THOUSAND = 1000
_SIZES = ("kb", "mb", "gb")
_BINARY = (1024.0, 1000.0)


class UnitValue(msgspec.Struct, frozen=True):
    """A name of a unit and a number in another; ``is_in`` is the unit of the number."""

    name: str
    value: str
    is_in: str
    start: int


def misplaced_values(text: str) -> Iterator[UnitValue]:
    """Return the numbers of a text that are apparently in another unit than the name they are assigned to."""
    for match in _GIVEN.finditer(text):
        name, value = match["name"], match["value"].strip("()").strip()
        unit = unit_of(name)
        is_measured = unit is not None and "per" not in name.lower() and _COUNTED.search(name) is None
        other = _unit_of_value(unit, value) if unit is not None and is_measured else None
        if other is not None:
            yield UnitValue(name, value, other, match.start())


def _unit_of_value(unit: str, value: str) -> str | None:
    """Return the unit of a number, if it is evidently not the stated one."""
    if "**" in value or "<<" in value:
        return "bytes" if unit == "mb" and value.replace(" ", "").endswith(("<<20", "1024**2")) else None
    factors = [float(one.replace("_", "")) for one in _NUMBERS.findall(value) if one.count(".") < 2]
    if unit in _SIZES:
        thousands = sum(one in _BINARY for one in factors)
        return "bytes" if len(factors) > 2 and thousands >= 2 and unit != "kb" else None
    if unit == "ms":
        return _of_milliseconds(factors)
    return _of_span(unit, factors) if unit in _SPANS else None


def _of_milliseconds(factors: list[float]) -> str | None:
    if len(factors) == 1:
        return "seconds" if factors[0] in _WHOLE_IN_S else None
    if any(one % _THOUSAND == 0 and one for one in factors) or any(one % 1 for one in factors):
        return None
    return "seconds" if any(one in (60, 3600, 86_400) for one in factors) else None


def _of_span(unit: str, factors: list[float]) -> str | None:
    total = math.prod(factors)
    if len(factors) == 1:
        return "milliseconds" if unit == "s" and total in _WHOLE_IN_MS else None
    has_thousand = any(one == _THOUSAND for one in factors)
    smaller = [one for one in factors if one in (60, 3600, 86_400, 24)]
    if has_thousand and smaller:
        return "milliseconds"
    if unit in ("min", "h", "day") and (factors.count(60) >= 2 or 3600 in factors or 86_400 in factors):
        return None if unit == "min" and len(factors) == 2 else "seconds"
    if unit == "day" and 60 in factors:
        return "minutes"
    return "hours" if unit == "day" and 24 in factors else None
