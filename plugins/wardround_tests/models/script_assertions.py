"""Tests of a JavaScript or TypeScript file, read by brackets, strings and comments."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

from wardround.findings import Span
from wardround.lazy import LazyPattern
from wardround.storage.regex_cache import bounded_pattern
from wardround.text.line_index import LineIndex
from wardround_tests.models.assertions import EXACT, LOOSE, PARTIAL, Assertion, TestedCase

_TITLE = r"\(\s*(?P<quote>['\"`])(?P<title>(?:\\.|(?!(?P=quote))[^\\])*)(?P=quote)"
_CALL = r"(?<![\w.$])(?P<call>(?:it|test|xit|xtest|fit)(?:\.\w+)*)\s*(?=[(`])"
_GROUP = r"(?<![\w.$])(?P<call>x?(?:describe|suite|context)(?:\.\w+)*)\s*\("
_EXPECT = LazyPattern(r"(?<![\w.$])expect(?:\.\w+)?\s*\(")
_MATCHER = LazyPattern(r"\s*\.\s*(\w+)\s*(\(?)")
_BRACKETS = (
    r"(?s)//[^\n]*|/\*.*?\*/|'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"|`(?:\\.|[^`\\])*`|[()]|"
    r"(?<=[(,=:\[!&|?{};])[ \t\n]*/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/"
)
"""Brackets, and tokens that may contain irrelevant ones: comments, strings and regular expressions."""
_ITEMS = r"(?s)//[^\n]*|/\*.*?\*/|('(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"|`(?:\\.|[^`\\])*`)|[()\[\]{},]"
_WILD_PART = r"expect\.(any|anything|\w+(Containing|Matching)|closeTo)\b"
_WILD = r"expect\.any\w*\(\w*\)(,\s*expect\.any\w*\(\w*\))*"
"""Arguments that match any value."""
_LITERAL = r"-?[\d._]+|true|false|null|(['\"]).*\1|[\[{].*[\]}]"
_STRENGTH = {
    "toBeDefined": LOOSE,
    "toBeTruthy": LOOSE,
    "toHaveBeenCalled": LOOSE,
    "toBeInstanceOf": LOOSE,
    "toBeInTheDocument": LOOSE,
    "toContain": PARTIAL,
    "toMatch": PARTIAL,
    "toBeGreaterThan": PARTIAL,
    "toBeGreaterThanOrEqual": PARTIAL,
    "toMatchObject": PARTIAL,
    "toHaveProperty": PARTIAL,
    "toBeLessThan": PARTIAL,
    "toBeLessThanOrEqual": PARTIAL,
    "toBeOneOf": PARTIAL,
    "toHaveLength": PARTIAL,
    "toContainEqual": PARTIAL,
}
_OF_A_VALUE = frozenset({"toThrow", "toBe", "toEqual", "toStrictEqual"})
_ALIASES = {
    "toBeCalled": "toHaveBeenCalled",
    "toBeCalledTimes": "toHaveBeenCalledTimes",
    "toBeCalledWith": "toHaveBeenCalledWith",
    "lastCalledWith": "toHaveBeenLastCalledWith",
    "toThrowError": "toThrow",
}
_NEGATED = {
    "toBeNull": LOOSE,
    "toBeUndefined": LOOSE,
    "toThrow": LOOSE,
    "toBeDefined": EXACT,
    "toHaveBeenCalled": EXACT,
    "toBeInTheDocument": EXACT,
}


def script_tests(text: str) -> Iterator[TestedCase]:
    """Yield the tests of a script that have a unique title, in source order."""
    script = ScriptTests(text)
    found = list(_titled_tests(script))
    titles = Counter(title for title, *_ in found)
    skipped_groups = [(group, end) for group, end in _groups(script) if _is_skipped(group["call"])]
    for title, match, start, table in found:
        if titles[title] > 1:
            continue
        end = script.ends.get(start, match.end())
        skip = match if _is_skipped(match["call"]) else _enclosing_group(skipped_groups, match)
        yield TestedCase(
            title,
            script.span(match),
            text[match.start() : end],
            skip["call"] if skip else "",
            script.span(skip or match),
            tuple(_rows(table)),
            partial(_expects, script, start, end),
        )


def _enclosing_group(
    groups: Sequence[tuple[re.Match[str], int]], match: re.Match[str]
) -> re.Match[str] | None:
    """Return the first group, given with its end, that contains a match."""
    for group, end in groups:
        if group.start() < match.start() < end:
            return group
    return None


def test_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield the first and last line of each test and group of tests."""
    script = ScriptTests(text)
    calls = [(match, script.ends.get(start, match.end())) for _, match, start, _ in _titled_tests(script)]
    for match, end in (*calls, *_groups(script)):
        yield script.span(match).line, script.span_at(end).line


@dataclass(frozen=True)
class ScriptTests:
    """The source of a test file, with its lines and closing brackets."""

    text: str

    @cached_property
    def ends(self) -> dict[int, int]:
        """Offset after the closing bracket of each opening one, strings and comments excluded."""
        found: dict[int, int] = {}
        stack: list[int] = []
        for token in re.finditer(_BRACKETS, self.text):
            if token[0] == "(":
                stack.append(token.start())
            elif token[0] == ")" and stack:
                found[stack.pop()] = token.end()
        return found

    @cached_property
    def _lines(self) -> LineIndex:
        return LineIndex(self.text)

    def span(self, match: re.Match[str]) -> Span:
        """Return the span of the call that a match begins with."""
        return self.span_at(match.start(), len(match["call"]))

    def span_at(self, start: int, width: int = 1) -> Span:
        """Return the span at an offset."""
        line, column = self._lines.position(start)
        return Span(line, column, line, column + width)


def _titled_tests(script: ScriptTests) -> Iterator[tuple[str, re.Match[str], int, str]]:
    """Yield title, match of the call, opening bracket and parameter table of each test."""
    titled = bounded_pattern(f"(?s){_TITLE}")
    for match in re.finditer(_CALL, script.text):
        start, table = match.end(), ""
        if match["call"].endswith(".each"):
            closing = _end_of_table(script, start)
            table, start = script.text[start:closing], closing
            start += len(re.match(r"\s*", script.text[start : start + 200])[0])  # type: ignore[index]
        title = titled.match(script.text, start)
        if title is not None:
            yield title["title"], match, start, table


def _end_of_table(script: ScriptTests, start: int) -> int:
    if script.text[start] == "(":
        return script.ends.get(start, start)
    return script.text.find("`", start + 1) + 1 or start


def _groups(script: ScriptTests) -> Iterator[tuple[re.Match[str], int]]:
    for match in re.finditer(_GROUP, script.text):
        yield match, script.ends.get(match.end() - 1, match.end())


def _is_skipped(call: str) -> bool:
    return call.startswith("x") or ".skip." in f"{call}." or ".fails" in call


def _rows(table: str) -> Iterator[str]:
    """Yield the parameter sets of a table: items of its array, or lines of a template below its header."""
    inner = table[1:-1].strip()
    if table.startswith("`"):
        yield from (" ".join(line.split()) for line in inner.split("\n")[1:] if line.strip())
    elif inner.startswith("["):
        yield from _items(inner[1:].rpartition("]")[0])


def _items(inner: str) -> Iterator[str]:
    depth, start = 0, 0
    for token in re.finditer(_ITEMS, inner):
        if token[0] in ("(", "[", "{"):
            depth += 1
        elif token[0] in (")", "]", "}"):
            depth -= 1
        elif token[0] == "," and depth == 0:
            yield _squeeze(inner[start : token.start()])
            start = token.end()
    last = _squeeze(inner[start:])
    if last:
        yield last


def _expects(script: ScriptTests, start: int, end: int) -> Iterator[Assertion]:
    text, ends = script.text, script.ends
    for match in _EXPECT.finditer(text, start, end):
        opening = match.end() - 1
        closing = ends.get(opening)
        if closing is None or re.match(_WILD_PART, match[0]):
            continue
        subject = _squeeze(text[opening + 1 : closing - 1])
        names, expected = _matchers(script, closing)
        matcher = ".".join(names)
        is_literal = re.fullmatch(_LITERAL, expected) is not None
        yield Assertion(
            f"expect({subject}).{matcher}({expected})",
            subject,
            _strength(names, expected),
            tuple(_tolerance(subject, matcher, expected)),
            expected if is_literal else "",
            script.span_at(match.start()).line,
        )


def _matchers(script: ScriptTests, at: int) -> tuple[list[str], str]:
    """Return the chain of matchers at an offset, and the arguments of the last one."""
    names, expected = [], ""
    while (step := _MATCHER.match(script.text, at)) is not None:
        names.append(_ALIASES.get(step[1], step[1]))
        at = step.end()
        if step[2]:
            closing = script.ends.get(at - 1, at)
            expected = _squeeze(script.text[at : closing - 1])
            at = closing
    return names, expected


def _strength(names: Sequence[str], expected: str) -> int:
    last = names[-1] if names else ""
    if ".".join(names).startswith("not."):
        return _NEGATED.get(last, PARTIAL)
    if last.startswith("toHaveBeen") and re.fullmatch(_WILD, expected):
        return LOOSE
    if last in _OF_A_VALUE and re.fullmatch(r"(Error)?|expect\.any\w*\(\w*\)", expected):
        return LOOSE
    return _STRENGTH.get(last, EXACT)


def _tolerance(subject: str, matcher: str, expected: str) -> Iterator[tuple[str, float]]:
    """Yield the allowed deviations; digits are negated, since fewer of them allow more."""
    if matcher == "toBeCloseTo":
        digits = re.search(r",\s*(\d+)$", expected)
        yield "digits", -float(digits[1]) if digits else -2.0
    elif matcher.startswith("toBeLessThan") and "Math.abs(" in subject:
        limit = bounded_pattern(r"\d*\.?\d+(e-?\d+)?").fullmatch(expected)
        if limit:
            yield "distance", float(limit[0])


def _squeeze(text: str) -> str:
    return re.sub(r",$", "", " ".join(text.split()))
