from __future__ import annotations

import re

from wardround.findings import Severity
from wardround.languages.positions import Passage
from wardround.languages.yaml.nodes import Scalar
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_docker_ci.check import STEPS, CiCheck
from wardround_docker_ci.models.github_workflow import expressions

_BRACES = LazyPattern(r"\s*\$\{\{(.*)\}\}\s*$", re.DOTALL)
_NESTING = LazyPattern(r"'(?:[^']|'')*'|[()\[\]]")
_TRUE = LazyPattern(r"'(?:[^']|'')+'|[1-9]\d*")


class ConditionAlwaysTrue(CiCheck):
    """A condition is always true: it is a non-empty string, or contains one as an alternative.

    Text around `${{ ... }}` makes the condition a string, and a non-empty string is true; so is
    `'cancelled'` in `failure() || 'cancelled'`. Put the condition into one expression, and compare each
    alternative.
    """

    ID = "DC061"
    NAME = "condition-always-true"
    SEVERITY = Severity.ERROR
    DEFECT_CLASS = "condition-always-true"
    KINDS = STEPS
    NEEDS = ("if:", "if :", '"if"', "'if'")
    CASE_PATH = ".github/workflows/a.yml"
    VALID = [
        code("""
            on: push
            jobs:
              a:
                if: ${{ github.ref == 'x' && true }}
                steps: []
        """),
        code("""
            on: push
            jobs:
              a:
                if: github.ref == 'x' && success()
                steps: []
        """),
    ]
    INVALID = [
        code("""
            on: push
            jobs:
              a:
                if: failure() || «'cancelled'»
                steps: []
        """),
        code("""
            on: push
            jobs:
              a:
                if: ${{ success() && (github.ref == 'a' || «'b'») }}
                steps: []
        """),
    ]

    def run(self) -> None:
        steps = self.file.workflow.all_steps
        for condition in (*(j.condition for j in self.file.workflow.jobs), *(s.condition for _, s in steps)):
            if condition is not None:
                self._check(condition)

    def _check(self, condition: Scalar) -> None:
        value = condition.value
        found = list(expressions(value, 0))
        text = self.file.passage(condition)
        if not found or (len(found) == 1 and found[0].start == 0 and found[0].end == len(value)):
            self._alternatives(text)
            return
        start = text.start + len(text.text) - len(text.text.lstrip())
        end = text.start + len(text.text.rstrip())
        only_line_end = len(found) == 1 and value.strip()[found[0].end - found[0].start :] == ""
        literal = "the line break after the expression" if only_line_end else "the text around the expression"
        self.report_at(
            start,
            max(start, end),
            f"always true: {literal} makes the condition a string; put all of it in one expression",
        )

    def _alternatives(self, text: Passage) -> None:
        braces = _BRACES.match(text.text)
        start, end = braces.span(1) if braces else (0, len(text.text))
        found = _literal_span(text.text, start, end)
        if found is not None:
            literal = text.text[found[0] : found[1]]
            self.report_at(
                text.start + found[0],
                text.start + found[1],
                f"always true: {literal} is not compared with anything",
            )


def _literal_span(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Return a literal that is an alternative by itself, between two offsets or in parentheses of its own."""
    alternatives = _split(text, start, end, "||")
    if len(alternatives) > 1:
        for first, last in alternatives:
            if _TRUE.fullmatch(text, first, last):
                return first, last
    for first, last in alternatives:
        for left, right in _split(text, first, last, "&&"):
            is_group = text.startswith("(", left) and _end_of(text, left) == right
            inside = _literal_span(text, left + 1, right - 1) if is_group else None
            if inside is not None:
                return inside
    return None


def _split(text: str, start: int, end: int, sign: str) -> list[tuple[int, int]]:
    """Return the parts between operators outside of brackets and strings, stripped of blanks."""
    parts, at, first = [], start, start
    while at < end:
        if text[at] in "'([":
            at = min(_end_of(text, at), end)
        elif text.startswith(sign, at, end):
            parts.append((first, at))
            at += len(sign)
            first = at
        else:
            at += 1
    return [_strip_span(text, *part) for part in (*parts, (first, end))]


def _end_of(text: str, start: int) -> int:
    """Return the end of the string or bracket that begins at an offset."""
    depth = 0
    for found in _NESTING.finditer(text, start):
        sign = found.group()
        depth += (sign in "([") - (sign in ")]")
        if depth <= 0:
            return found.end()
    return len(text)


def _strip_span(text: str, start: int, end: int) -> tuple[int, int]:
    part = text[start:end]
    return start + len(part) - len(part.lstrip()), end - (len(part) - len(part.rstrip()))
