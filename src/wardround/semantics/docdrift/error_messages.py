"""Error messages that state another bound than the condition above them, or were copied with their names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import msgspec

from wardround.checks.lazy import LazyPattern
from wardround.semantics.argument_order import is_informative
from wardround.text.stemming import stem
from wardround.text.tokens import parts

_GUARD = LazyPattern(
    r"^(?P<indent>[ \t]*)(?:\}?[ \t]*(?:else )?if|elif)[ \t]*\(?(?P<test>[^\n]{3,160}?)\)?[ \t]*(?::|\{"
    r"|(?=throw|errors?\b))"
    r"(?P<rest>[^\n]*)$",
    re.MULTILINE,
)
_SIMPLE = LazyPattern(
    r"^\(?(?P<left>[\w.\[\]\"']+(?:\([\w.]*\))?(?:\.length)?)\s*(?P<sign><=|>=|<"
    r"|>)\s*(?P<number>\d[\d_]*(?:\.\d+)?)\)?$"
)
_BETWEEN = LazyPattern(
    r"^not \(?(?P<low>-?\d[\d_]*(?:\.\d+)?)\s*<=?\s*[\w.()\[\]\"']+\s*<=?\s*(?P<high>\d[\d_]*(?:\.\d+)?)\)?$"
    r"|^[\w.]+\s*<\s*(?P<low2>\d[\d_]*(?:\.\d+)?)\s*(?:\|\||or)\s*[\w.]+\s*>\s*(?P<high2>\d[\d_]*(?:\.\d+)?)$"
)
_RAISES = LazyPattern(
    r"\b(?:raise|throw|reject|abort|fail)\b|[eE]rrors?\b|Error\(|Exception\(" r"|\.addIssue|invalid\("
)
_STRING = LazyPattern(r"(?P<quote>[\"'`])(?P<text>(?:\\.|(?!(?P=quote))[^\\\n])*)(?P=quote)")
_ONE_BOUND = LazyPattern(
    r"(?i)\b(?:at least|at most|no more than|no less than|no fewer than|more than|less than|fewer than"
    r"|longer than"
    r"|shorter than|greater than|larger than|smaller than|up to|maximum(?: of| is)?"
    r"|minimum(?: of| is)?|max(?:\.| is)?|min(?:\.| is)?"
    r"|exceeds?|above|below|under|over|limit(?:ed)? (?:is|to|of))[ :]+\$?(\d[\d_,]*(?:\.\d+)?)"
    r"(?![\w%.]*\d|%| ?(?:[kmg]i?b|min|h|hour|day|week|sec|percent|ms))"
)
_TWO_BOUNDS = LazyPattern(r"(?i)\bbetween (\d[\d_,]*(?:\.\d+)?) and (\d[\d_,]*(?:\.\d+)?)(?!\w)")
_LINES = 4
_NUMBER = LazyPattern(r"(?<![\w.])\d[\d_,]*(?:\.\d+)?(?![\w])")
_FIELD = LazyPattern(r"[A-Za-z_]\w*")
_SHORTEST = 3


class WrongMessage(msgspec.Struct, frozen=True):
    """An error message that contradicts its condition: the position of the contradiction, and the report."""

    line: int
    column: int
    length: int
    message: str


class _Guard(msgspec.Struct, frozen=True):
    test: str
    line: int
    depth: int
    said: tuple[tuple[int, int, str], ...]
    """Line, 0-based column and text of the strings of the error it raises or returns."""


def mismatched_messages(text: str) -> Iterator[WrongMessage]:
    """Return the error messages of a text that contradict the condition above them."""
    guards = list(_guards(text))
    yield from _wrong_bounds(guards)
    yield from _copied_messages(guards)


def _wrong_bounds(guards: Iterable[_Guard]) -> Iterator[WrongMessage]:
    """Return the messages with another number than the comparison that leads to them."""
    for guard in guards:
        one, two = _SIMPLE.match(guard.test), _BETWEEN.match(guard.test)
        for line, column, said in guard.said:
            if one is not None:
                yield from _one_bound(one, line, column, said)
            elif two is not None:
                yield from _two_bounds(two, line, column, said)


def _one_bound(test: re.Match[str], line: int, column: int, said: str) -> Iterator[WrongMessage]:
    bounds = list(_ONE_BOUND.finditer(said))
    if len(bounds) != 1 or len(_NUMBER.findall(said)) != 1:
        return
    told, kept = _value(bounds[0][1]), _value(test["number"])
    step = 1.0 if kept.is_integer() else 0.0
    scales = (1024, 1024**2, 1000, 60, 100, 3600)
    if abs(told - kept) <= step or (kept and any(told * s == kept or kept * s == told for s in scales)):
        return
    if told == kept - 1 or kept == 0:
        return
    why = f"the condition compares with {test['number']}, but the message states {bounds[0][1]}"
    yield WrongMessage(line, column + bounds[0].start(1) + 1, len(bounds[0][1]), why)


def _two_bounds(test: re.Match[str], line: int, column: int, said: str) -> Iterator[WrongMessage]:
    match = _TWO_BOUNDS.search(said)
    if match is None:
        return
    kept = [_value(test["low"] or test["low2"]), _value(test["high"] or test["high2"])]
    told = [_value(match[1]), _value(match[2])]
    if all(abs(one - other) <= 1 for one, other in zip(kept, told, strict=True)):
        return
    if kept[1] and told[1] / kept[1] in (0.01, 100.0):
        return
    why = f"the condition keeps it between {kept[0]:g} and {kept[1]:g}, but the message states other bounds"
    yield WrongMessage(line, column + match.start() + 1, len(match[0]), why)


def _copied_messages(guards: Iterable[_Guard]) -> Iterator[WrongMessage]:
    """Return the messages that name the subject of the previous condition instead of their own."""
    before: _Guard | None = None
    for guard in guards:
        if before is not None and 0 < guard.line - before.line <= 2 * _LINES and guard.depth == before.depth:
            found = _copied(before, guard)
            if found is not None:
                yield found
        before = guard


def _copied(before: _Guard, guard: _Guard) -> WrongMessage | None:
    old, new = _FIELD.findall(before.test), _FIELD.findall(guard.test)
    same = {said for _, _, said in before.said}
    apart = {(one, other) for one, other in zip(old, new, strict=False) if one != other}
    if len(old) != len(new) or len(apart) != 1 or _FIELD.sub("", before.test) != _FIELD.sub("", guard.test):
        return None
    ((was, now),) = apart
    ours = {stem(word) for word in parts(now)} - {stem(word) for word in parts(was)}
    theirs = {stem(word) for word in parts(was)} - {stem(word) for word in parts(now)}
    if len(theirs) != 1 or len(next(iter(theirs))) < _SHORTEST or not is_informative(now):
        return None
    for line, column, said in guard.said:
        words = {stem(word) for word in parts(said)}
        if said in same and theirs <= words and ours and not ours & words:
            why = f'the condition asks for "{now}", but the message still names "{was}"'
            return WrongMessage(line, column + 1, len(said), why)
    return None


def _guards(text: str) -> Iterator[_Guard]:
    """Return the conditions of a text that reject a value with a message."""
    lines = text.split("\n")
    number, counted = 1, 0
    for match in _GUARD.finditer(text):
        number += text.count("\n", counted, match.start())
        counted = match.start()
        depth = len(match["indent"])
        block = (
            [(number, match["rest"], match.start("rest") - match.start())] if match["rest"].strip() else []
        )
        for at in range(number, min(number + _LINES, len(lines))):
            line = lines[at]
            if not line.strip() or len(line) - len(line.lstrip()) <= depth:
                break
            block.append((at + 1, line, 0))
        code = "\n".join(line for _, line, _ in block)
        if not _RAISES.search(code):
            continue
        said = tuple(
            (at, shift + one.start("text"), one["text"])
            for at, line, shift in block
            for one in _STRING.finditer(line)
            if one["text"].count(" ") >= 1
        )
        if said:
            yield _Guard(match["test"].strip(), number, depth, said)


def _value(number: str) -> float:
    return float(number.replace("_", "").replace(",", ""))
