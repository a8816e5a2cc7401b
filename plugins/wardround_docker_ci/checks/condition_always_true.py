"""DC061."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Valid
from wardround.findings import Severity
from wardround_docker_ci.check import STEPS, CiCheck
from wardround_docker_ci.workflow import expressions
from wardround_docker_ci.yaml_tree import Scalar


class ConditionAlwaysTrue(CiCheck):
    """A condition is always true, because more than an expression stands in it.

    What is around `${{ ... }}` makes it text, and text that is not empty is true. Put the whole condition
    inside one expression, or write it without the brackets.
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
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
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
        if not found or (len(found) == 1 and found[0].start == 0 and found[0].end == len(value)):
            return
        text = self.file.passage(condition)
        start = text.start + len(text.text) - len(text.text.lstrip())
        end = text.start + len(text.text.rstrip())
        only_line_end = len(found) == 1 and value.strip()[found[0].end - found[0].start :] == ""
        said = "the line end behind the expression" if only_line_end else "the text around the expression"
        self.report_at(start, max(start, end), f"always true: {said} makes the condition a text")
