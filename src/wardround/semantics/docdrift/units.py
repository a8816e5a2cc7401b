"""Units that comments and names still state after a change of the unit in the code."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from wardround.checks.lazy import LazyPattern
from wardround.semantics.docdrift.comment_lines import CommentedSource, CommentSyntax
from wardround.semantics.docdrift.numbers import value_of
from wardround.semantics.docdrift.stale_comments import (
    StalePhrase,
    comment_lines,
    is_historical,
    phrase_at,
    replacements,
)
from wardround.semantics.semdiff.replacements import Replacement, SwapKind, changed_lines
from wardround.storage.regex_cache import bounded
from wardround.text.tokens import NAME, QUOTED, parts

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
_KINDS = ("ms s min h day us", "byte kb mb gb", "m km cm mm", "g kg", "celsius fahrenheit")
_UNIT = {word: line.split()[0] for line in _SAME for word in line.split()}
_KIND = {unit: kind for kind in _KINDS for unit in kind.split()}
_RATIOS = {
    1000.0: "ms s us km m mm g kg byte kb mb gb",
    1024.0: "byte kb mb gb",
    1024.0**2: "byte kb mb gb",
    60.0: "s min h",
    3600.0: "s h",
    100.0: "cm m cent percent",
    1_000_000.0: "us s mb byte m mm",
}
_BY_RATIO = {ratio: frozenset(units.split()) for ratio, units in _RATIOS.items()}
"""The quantity that a factor converts."""
_WORD = LazyPattern(r"(?<![\w-])([A-Za-z]{2,12})(?![\w-])")
_SHORT = LazyPattern(r"(?:\d|\}|%[ds])\s?(ms|s|h|KB|KiB|MB|MiB|GB|kb|mb|km|kg|m|g)(?![\w-])")
_FACTOR = LazyPattern(r"(?:\s*\*\s*|\s+/\s+)(1024|1000|1_000|60|3600|3_600|100)(?![\w.])")
_GIVEN = LazyPattern(
    r"^\s*(?:\w+\.)?(?:(?:export|const|let|var|final|public|private|readonly|static|this\."
    r"|self\.)\s*)*[\"']?(?P<name>[A-Za-z_$][\w$]*)[\"']?"
    r"(?:\s*:\s*[A-Za-z][\w\[\]| ]*?)?\s*(?P<sign>=|:)\s*"
    r"(?P<value>[\w.$\[\]\"'?!]+(?:\s*(?:\?\?|\|\||\bor\b)\s*[\w.$\[\]\"'?!]+)?)\s*[;,]?\s*$"
)


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
    """Like ``unit_of``, but None if the last word may mean a bound: ``timeout_min``."""
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


def mismatched(line: str) -> tuple[str, str, int] | None:
    """Return a name of one unit that is assigned a name of another: both, and the position of the first."""
    match = _GIVEN.match(line)
    unit = unit_of(match["name"]) if match else None
    if match is None or unit not in _KIND:
        return None
    for value in bounded(r"\s*(?:\?\?|\|\||\bor\b)\s*").split(match["value"]):
        names = NAME.findall(value)
        other = unit_of(names[-1]) if names else None
        if other is not None and other != unit and _KIND.get(other) == _KIND[unit]:
            return match["name"], names[-1], match.start("name")
    return None


def stale_units(
    base: str, text: str, marks: CommentSyntax, is_added: Callable[[int], bool]
) -> list[StalePhrase]:
    """Return the units that comments about a number still state after a change by a unit's factor."""
    found = [*_renamed(base, text), *_scaled(base, text), *_factored(base, text)]
    if not found:
        return []
    lines = comment_lines(text, marks)
    stale: dict[int, StalePhrase] = {}
    for swap, wanted in found:
        if not lines.code[swap.line - 1].strip():
            continue
        for number, column, prose in _words_about(lines, swap):
            if is_added(number) or number in stale or is_historical(prose):
                continue
            place = _says_unit(prose, wanted)
            if place is not None:
                start, end = place
                phrase = phrase_at(prose, start, end)
                stale[number] = StalePhrase(number, column + start + 1, column + end + 1, phrase, swap)
                break
    return [stale[number] for number in sorted(stale)]


def _renamed(base: str, text: str) -> Iterator[tuple[Replacement, frozenset[str]]]:
    """Return names whose unit was replaced, if no name has the old one any more."""
    for swap in replacements(base, text):
        old, new = unit_of(swap.old), unit_of(swap.new)
        if swap.kind is not SwapKind.NAME or not old or not new or old == new:
            continue
        is_left = any(unit_of(name) == old for name in set(NAME.findall(text)))
        if _KIND.get(old) == _KIND.get(new) and not is_left:
            yield swap, frozenset({old})


def _scaled(base: str, text: str) -> Iterator[tuple[Replacement, frozenset[str]]]:
    """Return numbers that were multiplied or divided by the factor between two units."""
    for swap in replacements(base, text):
        old, new = value_of(swap.old), value_of(swap.new)
        if swap.kind is SwapKind.NUMBER and old and new and swap.key:
            units = _BY_RATIO.get(max(old, new) / min(old, new))
            if units and max(old, new) / min(old, new) in (1000.0, 1024.0, 3600.0, 1_000_000.0):
                yield swap, units


def _factored(base: str, text: str) -> Iterator[tuple[Replacement, frozenset[str]]]:
    """Return lines that differ in a factor that is the size of a unit."""
    before, after = changed_lines(base, text)
    old = {_FACTOR.sub("", code): code for _, code in before}
    for number, code in after:
        was = old.get(_FACTOR.sub("", code))
        if was is None or was == code:
            continue
        had, has = _product(was), _product(code)
        units = _BY_RATIO.get(max(had, has) / min(had, has))
        if units:
            names = [name for name in NAME.findall(code) if len(name) >= 4]
            swap = Replacement(SwapKind.NUMBER, _factors(was), _factors(code), number, " ".join(names), was)
            yield swap, units


def _product(code: str) -> float:
    result = 1.0
    for factor in _FACTOR.findall(code):
        result *= float(factor.replace("_", ""))
    return result


def _factors(code: str) -> str:
    return " ".join(match[0].strip() for match in _FACTOR.finditer(code)) or "it without a factor"


def _words_about(lines: CommentedSource, swap: Replacement) -> Iterator[tuple[int, int, str]]:
    """Return line, column and text of comments about a replacement, its own line's first."""
    names = swap.key.split() if swap.key else [swap.new]
    for number in lines.adjacent_comments(swap.line):
        yield number, 0, lines.words[number - 1]
    spelled = [re.escape(form) for name in names for form in {name, name.replace("_", "-")}]
    pattern = re.compile(rf"(?<![\w])(?:{'|'.join(spelled)})(?!\w)")
    using = [n for n, code in enumerate(lines.code, 1) if pattern.search(code)]
    functions: list[int] = []
    for number in using:
        yield from _in_strings(lines, number)
        around = lines.function(number)
        if around is not None and around[0] not in functions:
            functions.append(around[0])
    is_constant = len(names) == 1
    for function in functions:
        for number in lines.documentation(function):
            if is_constant or pattern.search(lines.words[number - 1]):
                yield number, 0, lines.words[number - 1]
        if is_constant:
            for number in lines.body(function):
                yield from _in_strings(lines, number)


def _in_strings(lines: CommentedSource, number: int) -> Iterator[tuple[int, int, str]]:
    for match in QUOTED.finditer(lines.code[number - 1]):
        if " " in match["text"].strip():
            yield number, match.start("text"), match["text"]


def _says_unit(prose: str, wanted: frozenset[str]) -> tuple[int, int] | None:
    """Return the position at which prose states one of some units; None if it states two of them, or none."""
    found = [(_UNIT[m[1].lower()], m.span(1)) for m in _WORD.finditer(prose) if m[1].lower() in _UNIT]
    found += [(_UNIT[m[1].lower()], m.span(1)) for m in _SHORT.finditer(prose)]
    telling = [(unit, place) for unit, place in found if unit in wanted]
    if len({unit for unit, _ in telling}) != 1:
        return None
    return telling[0][1]
