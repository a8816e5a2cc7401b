"""DC061."""

from __future__ import annotations

import re

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Severity
from wardround.languages.positions import Passage
from wardround.languages.yaml.tree import Scalar
from wardround_docker_ci.check import STEPS, CiCheck
from wardround_docker_ci.models.github_workflow import expressions

_BRACES = LazyPattern(r"\s*\$\{\{(.*)\}\}\s*$", re.DOTALL)
_NESTING = LazyPattern(r"'(?:[^']|'')*'|[()\[\]]")
_TRUE = LazyPattern(r"'(?:[^']|'')+'|[1-9]\d*")


class ConditionAlwaysTrue(CiCheck):
    """A condition is always true: it is a text, or one of its alternatives is.

    What is around `${{ ... }}` makes it text, and text that is not empty is true; so is the text in
    `failure() || 'cancelled'`. Put the whole condition inside one expression, and compare each alternative.
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
                self._look(condition)

    def _look(self, condition: Scalar) -> None:
        value = condition.value
        found = list(expressions(value, 0))
        text = self.file.passage(condition)
        if not found or (len(found) == 1 and found[0].start == 0 and found[0].end == len(value)):
            self._alternatives(text)
            return
        start = text.start + len(text.text) - len(text.text.lstrip())
        end = text.start + len(text.text.rstrip())
        only_line_end = len(found) == 1 and value.strip()[found[0].end - found[0].start :] == ""
        said = "the line end behind the expression" if only_line_end else "the text around the expression"
        self.report_at(start, max(start, end), f"always true: {said} makes the condition a text")

    def _alternatives(self, text: Passage) -> None:
        braces = _BRACES.match(text.text)
        start, end = braces.span(1) if braces else (0, len(text.text))
        found = _constant(text.text, start, end)
        if found is not None:
            said = text.text[found[0] : found[1]]
            self.report_at(
                text.start + found[0], text.start + found[1], f"always true: {said} is compared with nothing"
            )


def _constant(text: str, start: int, end: int) -> tuple[int, int] | None:
    """A literal that is one alternative by itself, between two offsets or in a bracket of its own."""
    alternatives = _split(text, start, end, "||")
    if len(alternatives) > 1:
        for first, last in alternatives:
            if _TRUE.fullmatch(text, first, last):
                return first, last
    for first, last in alternatives:
        for left, right in _split(text, first, last, "&&"):
            is_group = text.startswith("(", left) and _behind(text, left) == right
            inside = _constant(text, left + 1, right - 1) if is_group else None
            if inside is not None:
                return inside
    return None


def _split(text: str, start: int, end: int, sign: str) -> list[tuple[int, int]]:
    """The parts between the signs that stand in no bracket and no string, without the blanks around them."""
    parts, at, first = [], start, start
    while at < end:
        if text[at] in "'([":
            at = min(_behind(text, at), end)
        elif text.startswith(sign, at, end):
            parts.append((first, at))
            at += len(sign)
            first = at
        else:
            at += 1
    return [_stripped(text, *part) for part in (*parts, (first, end))]


def _behind(text: str, start: int) -> int:
    """Behind the string or bracket that begins at an offset."""
    depth = 0
    for found in _NESTING.finditer(text, start):
        sign = found.group()
        depth += (sign in "([") - (sign in ")]")
        if depth <= 0:
            return found.end()
    return len(text)


def _stripped(text: str, start: int, end: int) -> tuple[int, int]:
    part = text[start:end]
    return start + len(part) - len(part.lstrip()), end - (len(part) - len(part.rstrip()))
