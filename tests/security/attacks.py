"""Strings that maximize the work of a backtracking engine on a pattern, built from the pattern's own parse
tree.

A search is superlinear if a repeat matches a string (the pump) that also starts another attempt, another
round of an outer repeat, or an adjacent repeat, and if the end of the string then fails. So each sample of
each part of a pattern is a pump, behind each way into a repeat, with ends that most patterns reject.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from importlib import import_module
from itertools import chain, islice
from typing import Any

_constants: Any = import_module("re._constants")
_parser: Any = import_module("re._parser")
_REPEATS = {_constants.MAX_REPEAT, _constants.MIN_REPEAT, _constants.POSSESSIVE_REPEAT}
_LONG = 20_000
"""A repeat that may take more than this many rounds counts as unbounded."""
_ENDS = ("\0", "\n\0")
_OTHERS = "aA0_ \n\t.-/=:,;\"'`({[<#é"
"""One character of each kind that character classes distinguish."""
_MOST_ATTACKS = 200
FEW_ROUNDS = range(2, 40, 2)
"""Over which a pattern shows itself whose time doubles with each round."""
_LENGTHS = (500, 2_000, 6_000)
_FLOOR_S = 0.02
"""CPU seconds that hardly a linear pattern needs for the longest text."""
_RATIO = 3.0
"""Ratio of the times for a string and one half as long: 2 if time is linear, 4 if it is quadratic."""


def attacks(text: str, flags: int) -> Iterator[tuple[str, str, str]]:
    """Start, pump and end of each attack on a pattern; an attack string is the start, many pumps and the
    end.
    """
    tree = _parser.parse(text, flags)
    starts = list(dict.fromkeys(["", *_ways_in(tree)]))
    pumps = list(dict.fromkeys(chain(_samples_of_all(tree), _whole(tree, 2), _joined(tree))))
    every = ((start, pump, end) for pump in pumps if pump for start in starts for end in _ENDS)
    return islice(every, _MOST_ATTACKS)


def slow_attack(pattern: re.Pattern[str], searched: bool, rounds_tried: Sequence[int] = ()) -> str | None:
    """A string over which the time of a pattern grows faster than its length; None if there is none.

    Args:
        rounds_tried: how often a string is repeated; by default so many thousand characters of it too.
    """
    repeats = depth_of_repeats(_parser.parse(pattern.pattern, pattern.flags))
    for start, pump, end in attacks(pattern.pattern, pattern.flags) if repeats else ():
        few = FEW_ROUNDS if repeats > 1 else ()
        for rounds in rounds_tried or (*few, *(length // len(pump) for length in _LENGTHS)):
            short, long = (start + pump * n + end for n in (rounds // 2, rounds))
            if _seconds(pattern, long, searched) < _FLOOR_S:
                continue
            if all(_is_superlinear(pattern, short, long, searched) for _ in "12"):
                return f"{start!r} + {pump!r} * n + {end!r}"
            break
    return None


def depth_of_repeats(tree: Any) -> int:
    """Nesting depth of unbounded repeats; one of more than a character counts twice."""
    depth = 0
    for operation, given in tree:
        own = 0
        if operation in _REPEATS and given[1] > _LONG:
            own = 1 if len(given[2]) == 1 and not _parts(*given[2][0]) else 2
        depth = max(depth, own + max(map(depth_of_repeats, _parts(operation, given)), default=0))
    return depth


def _is_superlinear(pattern: re.Pattern[str], short: str, long: str, searched: bool) -> bool:
    slowest, fastest = (min(_seconds(pattern, text, searched) for _ in "123") for text in (long, short))
    return slowest > _RATIO * fastest


def _seconds(pattern: re.Pattern[str], text: str, searched: bool) -> float:
    started = time.process_time()
    if searched:
        for _ in pattern.finditer(text):
            pass
    else:
        pattern.match(text)
        pattern.fullmatch(text)
    return time.process_time() - started


# Samples of what a part matches


def _ways_in(tree: Any) -> Iterator[str]:
    """Strings that lead a search to the start of each repeat, and into it."""
    before = ""
    for operation, given in tree:
        for part in _parts(operation, given):
            for way in _ways_in(part):
                yield before + way
        if operation in _REPEATS and given[1] > _LONG:
            yield before
        before += _sample(operation, given, 0)


def _parts(operation: Any, given: Any) -> Sequence[Any]:
    """The sequences within an operation that take characters."""
    if operation in _REPEATS:
        return (given[2],)
    if operation is _constants.SUBPATTERN:
        return (given[-1],)
    if operation is _constants.ATOMIC_GROUP:
        return (given,)
    if operation is _constants.BRANCH:
        return tuple(given[1])
    if operation is _constants.GROUPREF_EXISTS:
        return tuple(filter(None, given[1:]))
    if operation in (_constants.ASSERT, _constants.ASSERT_NOT):
        return (given[1],)
    return ()


def _samples_of_all(tree: Any) -> Iterator[str]:
    for operation, given in tree:
        yield from _characters(operation, given)
        for part in _parts(operation, given):
            for variant in range(3):
                yield _sequence(part, variant)
            yield from _samples_of_all(part)


def _whole(tree: Any, variants: int) -> Iterator[str]:
    for variant in range(variants):
        yield _sequence(tree, variant)


def _joined(tree: Any) -> Iterator[str]:
    """The part before each repeat of the outermost sequence: it starts another attempt."""
    before = ""
    for operation, given in tree:
        before += _sample(operation, given, 0)
        yield before
        yield before + "\n"
        yield "\n" + before


def _sequence(tree: Any, variant: int) -> str:
    return "".join(_sample(operation, given, variant) for operation, given in tree)


def _sample(operation: Any, given: Any, variant: int) -> str:
    """A string that an operation matches; for another variant, of another alternative of it."""
    if operation in _REPEATS:
        rounds = max(given[0], 1 if variant and given[1] else 0)
        return _sequence(given[2], variant) * min(rounds, _LONG)
    if operation is _constants.BRANCH:
        return _sequence(given[1][variant % len(given[1])], variant)
    if operation in (_constants.ASSERT, _constants.ASSERT_NOT):
        return ""
    parts = _parts(operation, given)
    if parts:
        return _sequence(parts[0], variant)
    characters = _characters(operation, given)
    return characters[variant % len(characters)] if characters else ""


def _characters(operation: Any, given: Any) -> Sequence[str]:
    """A few characters that a single-character operation matches."""
    if operation is _constants.LITERAL:
        return (chr(given),)
    if operation is _constants.ANY:
        return ("a", " ", "#")
    if operation is _constants.NOT_LITERAL:
        return [item for item in _OTHERS if ord(item) != given][:3]
    if operation is not _constants.IN:
        return ()
    chosen = [chr(v) for op, v in given if op is _constants.LITERAL][:4]
    chosen += [chr(v[0]) for op, v in given if op is _constants.RANGE][:2]
    pattern = _class(given)
    candidates = dict.fromkeys([*chosen, *_OTHERS])
    return [item for item in candidates if pattern.match(item)][:6]


def _class(given: Any) -> re.Pattern[str]:
    parsed = _parser.parse("[a]")
    parsed[0] = (_constants.IN, given)
    compiler: Any = import_module("re._compiler")
    created: re.Pattern[str] = import_module("_sre").compile(
        "", 32, compiler._code(parsed, 32), 0, {}, (None,)
    )
    return created
