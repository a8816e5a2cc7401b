"""DC206."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane
from wardround_docker_ci.check import WORKFLOW, CiCheck
from wardround_docker_ci.models.github_workflow import WorkflowJob

_ALWAYS = LazyPattern(r"\balways\(\)|!\s*cancelled\(\)")
_SAYS = LazyPattern(r"\s*(?:(?:echo|printf)\b[^\n;&|<>$]*|true|:|exit 0)\s*$")


class RequiredCheckIgnoresNeeds(CiCheck):
    """The job that stands for all others succeeds whatever became of them.

    With `always()` it runs after a failure too, and nothing in it asks for the results, so a required check
    of its name is green over red ones. Ask: `contains(needs.*.result, 'failure')`.
    """

    ID = "DC206"
    NAME = "required-check-ignores-needs"
    PLANE = Plane.TESTS
    DEFECT_CLASS = "hidden-failure"
    TRIED_ON = "trees of 27 repositories with workflows: no hit"
    KINDS = WORKFLOW
    NEEDS = ("always()", "cancelled()")
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "on: push\njobs:\n  t:\n    steps: [{run: make test}]\n  ok:\n    needs: t\n"
            "    if: always()\n    steps:\n      - if: needs.t.result != 'success'\n        run: exit 1\n"
            "      - run: echo ok\n",
            path=".github/workflows/a.yml",
        ),
        Valid(
            "on: push\njobs:\n  t:\n    steps: [{run: make test}]\n  ok:\n    needs: t\n"
            "    if: always() && needs.t.result == 'success'\n    steps:\n      - run: echo ok\n",
            path=".github/workflows/a.yml",
        ),
        Valid(
            "on: push\njobs:\n  t:\n    steps: [{run: make test}]\n  tell:\n    needs: t\n    if: always()\n"
            "    steps:\n      - run: ./notify.sh\n",
            path=".github/workflows/a.yml",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "on: push\njobs:\n  t:\n    steps: [{run: make test}]\n  ok:\n    needs: [t]\n"
            "    if: ${{ always() }}\n    steps:\n      - run: echo ok\n",
            line=7,
            column=9,
            path=".github/workflows/a.yml",
        ),
        Invalid(
            "on: push\njobs:\n  t:\n    steps: [{run: make test}]\n  all-green:\n    needs: [t]\n"
            "    if: '!cancelled()'\n    steps:\n      - run: |\n          echo all\n          exit 0\n",
            line=7,
            column=10,
            path=".github/workflows/a.yml",
        ),
        Invalid(
            "on: push\njobs:\n  t:\n    steps: [{run: make test}]\n  done:\n    needs: [t]\n"
            "    if: success() || always()\n    steps:\n      - run: 'true'\n",
            line=7,
            column=9,
            path=".github/workflows/a.yml",
        ),
    ]

    def run(self) -> None:
        for job in self.file.workflow.jobs:
            condition = job.condition
            if condition is None or job.node.get("needs") is None or not _ALWAYS.search(condition.value):
                continue
            if "result" not in condition.value and _only_talks(job):
                text = self.file.passage(condition)
                said = f'"{job.name}" is green whatever became of the jobs it needs'
                self.report_at(text.start, text.end, said)


def _only_talks(job: WorkflowJob) -> bool:
    scripts = [step.run.value for step in job.steps if step.run is not None]
    lines = [line for text in scripts for line in re.split(r"\n|;|&&", text) if line.strip()]
    is_plain = all(step.run is not None and step.condition is None for step in job.steps)
    return bool(lines) and is_plain and all(_SAYS.match(line) for line in lines)
