"""DC063."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane
from wardround_docker_ci.check import STEPS, CiCheck

_LITERAL_FIRST = LazyPattern(
    r"contains\(\s*'([^']*)'\s*,\s*(github\.(?:ref|ref_name|head_ref|base_ref|actor|repository|event_name)"
    r"|github\.event\.(?:action|label\.name)|inputs\.[\w-]+|env\.\w+)\s*\)"
)


class SubstringForMembership(CiCheck):
    """`contains` is given a text where a list is meant, so parts of a word pass too.

    `contains('main develop', github.ref_name)` is true for a branch called `ma`, and for none. Compare with
    each value, or give it a list: `contains(fromJSON('["main", "develop"]'), ...)`.
    """

    ID = "DC063"
    NAME = "substring-for-membership"
    PLANE = Plane.SECURITY
    TRIED_ON = "trees of 27 repositories and 640 commits of 16 that touch such files: no hit"
    KINDS = STEPS
    NEEDS = ("contains(",)
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "on: push\njobs:\n  a:\n    if: contains(github.ref, 'main')\n    steps: []\n",
            path=".github/workflows/a.yml",
        ),
        Valid(
            "on: push\njobs:\n  a:\n    if: contains(fromJSON('[\"a\"]'), github.ref)\n    steps: []\n",
            path=".github/workflows/a.yml",
        ),
        Valid(
            "on: push\njobs:\n  a:\n    if: contains('abc', matrix.x)\n    steps: []\n",
            path=".github/workflows/a.yml",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "on: push\njobs:\n  a:\n    if: contains('main dev', github.ref_name)\n    steps: []\n",
            line=4,
            column=9,
            path=".github/workflows/a.yml",
        ),
        Invalid(
            "on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n"
            "      - if: ${{ !contains('a,b', github.actor) }}\n        run: x\n",
            line=6,
            column=18,
            path=".github/workflows/a.yml",
        ),
        Invalid(
            "on: push\njobs:\n  a:\n"
            "    if: true && contains( 'refs/heads/a refs/heads/b' , github.ref )\n    steps: []\n",
            line=4,
            column=17,
            path=".github/workflows/a.yml",
        ),
    ]

    def run(self) -> None:
        steps = self.file.workflow.all_steps
        for condition in (*(j.condition for j in self.file.workflow.jobs), *(s.condition for _, s in steps)):
            if condition is None:
                continue
            text = self.file.passage(condition)
            for found in _LITERAL_FIRST.finditer(text.text):
                self.report_at(
                    text.start + found.start(), text.start + found.end(),
                    f"true for every part of '{found.group(1)}', and where {found.group(2)} is empty",
                )  # fmt: skip
