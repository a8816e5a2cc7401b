"""DC206: required check ignores needs."""

from __future__ import annotations

import re

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane
from wardround.rules.maturity import Maturity
from wardround_docker_ci.check import WORKFLOW, CiCheck
from wardround_docker_ci.models.github_workflow import WorkflowJob

_ALWAYS = LazyPattern(r"\balways\(\)|!\s*cancelled\(\)")
_PRINTS = LazyPattern(r"\s*(?:(?:echo|printf)\b[^\n;&|<>$]*|true|:|exit 0)\s*$")


class RequiredCheckIgnoresNeeds(CiCheck):
    """A job that represents all others succeeds regardless of their results.

    With `always()` it runs after a failure too, and nothing in it tests the results, so the required check
    passes while other jobs fail. Test them: `contains(needs.*.result, 'failure')`.
    """

    ID = "DC206"
    NAME = "required-check-ignores-needs"
    MATURITY = Maturity.PREVIEW
    PLANE = Plane.TESTS
    DEFECT_CLASS = "hidden-failure"
    KINDS = WORKFLOW
    NEEDS = ("always()", "cancelled()")
    CASE_PATH = ".github/workflows/a.yml"
    VALID = [
        code("""
            on: push
            jobs:
              t:
                steps: [{run: make test}]
              ok:
                needs: t
                if: always()
                steps:
                  - if: needs.t.result != 'success'
                    run: exit 1
                  - run: echo ok
        """),
        code("""
            on: push
            jobs:
              t:
                steps: [{run: make test}]
              ok:
                needs: t
                if: always() && needs.t.result == 'success'
                steps:
                  - run: echo ok
        """),
    ]
    INVALID = [
        code("""
            on: push
            jobs:
              t:
                steps: [{run: make test}]
              ok:
                needs: [t]
                if: «${{ always() }}»
                steps:
                  - run: echo ok
        """),
        code("""
            on: push
            jobs:
              t:
                steps: [{run: make test}]
              done:
                needs: [t]
                if: «success() || always()»
                steps:
                  - run: 'true'
        """),
    ]

    def run(self) -> None:
        for job in self.file.workflow.jobs:
            condition = job.condition
            if condition is None or job.node.get("needs") is None or not _ALWAYS.search(condition.value):
                continue
            if "result" not in condition.value and _only_prints(job):
                text = self.file.passage(condition)
                message = f'"{job.name}" succeeds even if a needed job fails; test needs.*.result'
                self.report_at(text.start, text.end, message)


def _only_prints(job: WorkflowJob) -> bool:
    scripts = [step.run.value for step in job.steps if step.run is not None and step.condition is None]
    lines = [line for text in scripts for line in re.split(r"\n|;|&&", text) if line.strip()]
    return bool(lines) and len(scripts) == len(job.steps) and all(_PRINTS.match(line) for line in lines)
