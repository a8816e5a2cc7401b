"""DC061."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
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
    TRIED_ON = "trees of 27 repositories: 1 hits; 640 commits of 16 that touch such files: 0"
    KINDS = STEPS
    NEEDS = ("if:", "if :", '"if"', "'if'")
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "on: push\njobs:\n  a:\n    if: ${{ github.ref == 'x' && true }}\n    steps: []\n",
            path=".github/workflows/a.yml",
        ),
        Valid(
            "on: push\njobs:\n  a:\n    if: github.ref == 'x' && success()\n    steps: []\n",
            path=".github/workflows/a.yml",
        ),
        Valid(
            "on: push\njobs:\n  a:\n    if: >-\n      ${{ github.ref == 'x' }}\n    steps: []\n",
            path=".github/workflows/a.yml",
        ),
        Valid(
            "on: push\njobs:\n  a:\n    if: |\n      github.ref == 'x'\n      && success()\n    steps: []\n",
            path=".github/workflows/a.yml",
        ),
        Valid(
            "on: push\njobs:\n  a:\n"
            "    if: contains(env.A || 'x', 'y') || (inputs.a || 'b') == 'b' || env.B == 'c'\n"
            "    steps: []\n",
            path=".github/workflows/a.yml",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "on: push\njobs:\n  a:\n    if: failure() || 'cancelled'\n    steps: []\n",
            line=4,
            column=22,
            path=".github/workflows/a.yml",
        ),
        Invalid(
            "on: push\njobs:\n  a:\n    if: ${{ success() && (github.ref == 'a' || 'b') }}\n    steps: []\n",
            line=4,
            column=48,
            path=".github/workflows/a.yml",
        ),
        Invalid(
            "on: push\njobs:\n  a:\n    if: ${{ github.ref == 'x' }} && success()\n    steps: []\n",
            line=4,
            column=9,
            path=".github/workflows/a.yml",
        ),
        Invalid(
            'on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - if: "${{ a }} || ${{ b }}"\n'
            "        run: c\n",
            line=6,
            column=14,
            path=".github/workflows/a.yml",
        ),
        Invalid(
            "on: push\njobs:\n  a:\n    if: |\n      ${{ github.ref == 'x' }}\n    steps: []\n",
            line=5,
            column=7,
            path=".github/workflows/a.yml",
        ),
        Invalid(
            "on: push\njobs:\n  a:\n    if: ${{ env.A }} == 'b'\n    steps: []\n",
            line=4,
            column=9,
            path=".github/workflows/a.yml",
        ),
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
