"""DC120: deploys after failure."""

from __future__ import annotations

import re

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.languages.yaml.nodes import Mapping, Scalar
from wardround.rules.maturity import Maturity
from wardround_docker_ci.analysis import deployments
from wardround_docker_ci.check import GITLAB, WORKFLOW, CiCheck
from wardround_docker_ci.models.github_workflow import WorkflowJob, WorkflowStep
from wardround_docker_ci.models.node_lists import mappings

_ALWAYS = LazyPattern(r"\balways\(\)|!\s*cancelled\(\)|\bfailure\(\)")
_TESTS_RESULT = LazyPattern(
    r"\.(?:result|outcome|conclusion)\b|\.outputs\.|\bsuccess\(\)|\binputs\.|failure\(\)\s*$"
)
_OWN_SCRIPT = LazyPattern(
    r"(?:^|[\s;&|])(?:\./|bash |sh )\S*(?:deploy|release|publish|rollout)[\w-]*(?:\.sh)?(?:\s|$)"
)
_UNDOES = LazyPattern(
    r"rollback|roll-back|revert|cleanup|clean-up|teardown|destroy|notify|undo|restore", re.IGNORECASE
)


class DeploysAfterFailure(CiCheck):
    """A deployment runs even if the steps and jobs before it failed.

    `always()` removes the condition that everything before it succeeded, so a build with failing tests is
    deployed. Use it only for cleanup and reporting, or test the results: `needs.test.result == 'success'`.
    """

    ID = "DC120"
    NAME = "deploys-after-failure"
    MATURITY = Maturity.PREVIEW
    KINDS = WORKFLOW | GITLAB
    NEEDS = ("always()", "cancelled()", "when: always")
    CASE_PATH = ".github/workflows/a.yml"
    VALID = [
        code("""
            on: push
            jobs:
              t:
                steps: [{run: make test}]
              deploy:
                needs: t
                if: always() && needs.t.result == 'success'
                steps: [{run: kubectl apply -f x}]
        """),
        code("""
            on: push
            jobs:
              deploy:
                steps:
                  - run: kubectl apply -f x
                  - if: always()
                    run: ./notify.sh
        """),
    ]
    INVALID = [
        code("""
            on: push
            jobs:
              t:
                steps: [{run: make test}]
              deploy:
                needs: t
                if: «always()»
                steps: [{run: kubectl apply -f x}]
        """),
        code("""
            on: push
            jobs:
              a:
                steps:
                  - run: make test
                  - if: «${{ always() }}»
                    run: helm upgrade web ./chart
        """),
    ]

    def run(self) -> None:
        if self.file.kind in GITLAB:
            self._gitlab()
            return
        for job in self.file.workflow.jobs:
            if job.node.get("needs") is not None and any(_deploys(step) for step in job.steps):
                self._check(job.condition, job)
            for step in job.steps[1:]:
                if _deploys(step):
                    self._check(step.condition, job, step)

    def _gitlab(self) -> None:
        for job in self.file.gitlab_jobs if len(self.file.gitlab_jobs) > 1 else ():
            stage = job.node.text("stage")
            if not deployments.of_gitlab(job) or _UNDOES.search(f"{job.name} {stage}") or _reviews(job.node):
                continue
            for node in mappings((job.node, *job.node.listed("rules"))):
                key, when = node.key("when"), node.scalar("when")
                if key is not None and when is not None and when.value == "always":
                    message = f'"{job.name}" deploys even if an earlier stage fails; use when: on_success'
                    self.report_at(key.start, when.end, message)

    def _check(self, condition: Scalar | None, job: WorkflowJob, step: WorkflowStep | None = None) -> None:
        if condition is None or not _ALWAYS.search(condition.value) or _TESTS_RESULT.search(condition.value):
            return
        names = f"{job.name} {job.node.text('name')} {step.node.text('name') if step is not None else ''}"
        if not _UNDOES.search(names):
            text = self.file.passage(condition)
            self.report_at(
                text.start,
                text.end,
                "the deployment runs even after a failure; test the results of the jobs it needs",
            )


def _reviews(node: Mapping) -> bool:
    """Return True if the environment belongs to one branch, or the job stops one."""
    environment = f"{node.text('environment')} {node.text('environment', 'name')}"
    return node.text("environment", "action") == "stop" or re.search(r"review|\$CI_", environment) is not None


def _deploys(step: WorkflowStep) -> bool:
    if step.run is not None:
        text = step.run.value
        return deployments.COMMANDS.search(text) is not None or _OWN_SCRIPT.search(text) is not None
    return deployments.ACTIONS.match(step.action) is not None
