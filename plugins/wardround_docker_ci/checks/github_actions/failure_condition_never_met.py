"""DC128."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.findings import Severity
from wardround_docker_ci.check import WORKFLOW, CiCheck

_ASKS = LazyPattern(r"(?<![\w!.])(?:failure|cancelled)\(\s*\)")
_ALSO = LazyPattern(r"\|\||!\s*failure|always\(|success\(")


class FailureConditionNeverMet(CiCheck):
    """A job waits for a failure, and for no job that could fail.

    `failure()` of a job is about the jobs it `needs`, and this one needs none: it is skipped each time, and
    whoever is to be told hears nothing. Name the jobs: `needs: [test, lint]`.
    """

    ID = "DC128"
    NAME = "failure-condition-never-met"
    SEVERITY = Severity.ERROR
    DEFECT_CLASS = "useless-comparison"
    TRIED_ON = "trees of 85 repositories: no hit"
    KINDS = WORKFLOW
    NEEDS = ("failure(", "cancelled(")
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "on: push\njobs:\n  a:\n    needs: b\n    if: failure()\n    runs-on: x\n    steps: []\n",
            path=".github/workflows/a.yml",
        ),
        Valid(
            "on: push\njobs:\n  a:\n    if: ${{ !failure() || always() }}\n    runs-on: x\n    steps: []\n",
            path=".github/workflows/a.yml",
        ),
        Valid(
            "on: push\njobs:\n  a:\n    if: ${{ !cancelled() }}\n    runs-on: x\n    steps:\n"
            "      - if: failure()\n        run: a\n",
            path=".github/workflows/a.yml",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "on: push\njobs:\n  t:\n    runs-on: x\n    steps: []\n  a:\n    if: failure()\n    runs-on: x\n"
            "    steps: []\n",
            line=7,
            column=9,
            path=".github/workflows/a.yml",
        ),
        Invalid(
            "on: push\njobs:\n  a:\n    if: ${{ github.ref == 'refs/heads/main' && failure() }}\n"
            "    runs-on: x\n    steps: []\n",
            line=4,
            column=9,
            path=".github/workflows/a.yml",
        ),
        Invalid(
            "on: push\njobs:\n  a:\n    runs-on: x\n    if: 'cancelled()'\n    steps: []\n",
            line=5,
            column=10,
            path=".github/workflows/a.yml",
        ),
    ]

    def run(self) -> None:
        for job in self.file.workflow.jobs:
            condition = job.condition
            if condition is None or job.node.get("needs") is not None:
                continue
            if _ASKS.search(condition.value) and not _ALSO.search(condition.value):
                text = self.file.passage(condition)
                self.report_at(text.start, text.end, f'"{job.name}" needs no job, so it never runs')
