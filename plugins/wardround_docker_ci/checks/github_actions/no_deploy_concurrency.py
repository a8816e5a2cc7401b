from __future__ import annotations

import re

from wardround.findings import Severity
from wardround.languages.yaml.nodes import Mapping, Scalar
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_docker_ci.analysis import deployments
from wardround_docker_ci.check import GITLAB, WORKFLOW, CiCheck
from wardround_docker_ci.models.github_workflow import WorkflowJob

_AGAIN = frozenset(
    {"push", "workflow_dispatch", "repository_dispatch", "release", "schedule", "workflow_run"}
)
"""Events that can trigger a second run before the first has finished."""
_ONLY_A_PLAN = LazyPattern(
    r"(?:^|[-_\s])(?:plan|preview|build|test|tests|lint|e2e|check|checks|verify|smoke|notify|destroy)(?:$|[-_\s])",
    re.IGNORECASE,
)


class NoDeployConcurrency(CiCheck):
    """Two runs of a deployment can overlap, and the older may finish last.

    The deployed version is then not the newest. Put the job into a `concurrency` group that all its runs
    share; a group with the run or the commit in its name is not shared.
    """

    ID = "DC059"
    NAME = "no-deploy-concurrency"
    SEVERITY = Severity.INFO
    KINDS = WORKFLOW | GITLAB
    CASE_PATH = ".github/workflows/a.yml"
    VALID = [
        code("""
            on: push
            concurrency: deploy
            jobs:
              deploy:
                runs-on: x
                steps: [{run: a}]
        """),
        code("""
            on: push
            jobs:
              deploy:
                concurrency: a
                runs-on: x
                steps: [{run: a}]
        """),
    ]
    INVALID = [
        code("""
            on: push
            concurrency:
              group: infra
              «cancel-in-progress: true»
            jobs:
              apply:
                runs-on: x
                steps: [{run: terraform apply}]
        """),
        code("""
            on: push
            concurrency:
              group: «deploy-${{ github.run_id }}»
            jobs:
              deploy:
                runs-on: x
                steps: [{run: a}]
        """),
    ]

    def run(self) -> None:
        if self.file.kind in GITLAB:
            self._gitlab()
            return
        workflow = self.file.workflow
        if not _AGAIN.intersection(workflow.triggers):
            return
        reported: set[int] = set()
        for job in workflow.jobs:
            is_plan = _ONLY_A_PLAN.search(job.name) is not None
            if job.key is not None and not is_plan and deployments.is_workflow_deployment(job):
                self._check_job(job, job.key, reported)

    def _check_job(self, job: WorkflowJob, key: Scalar, reported: set[int]) -> None:
        root = self.file.workflow.root
        for node in (root, job.node):
            self._cut_short(node.mapping("concurrency"), job, reported)
        group = _group(root) or _group(job.node)
        if group is not None:
            self._check_group(group, job, reported)
        elif root.get("concurrency") is None and job.node.get("concurrency") is None:
            message = f'two runs of "{job.name}" can overlap; add a concurrency group'
            self.report_at(key.start, key.end, message)

    def _check_group(self, group: Scalar, job: WorkflowJob, reported: set[int]) -> None:
        if _is_unique_per_run(group.value) and id(group) not in reported:
            reported.add(id(group))
            text = self.file.passage(group)
            message = f'the group is unique to each run, so two runs of "{job.name}" can overlap'
            self.report_at(text.start, text.end, message, severity=Severity.WARN)

    def _gitlab(self) -> None:
        for job in self.file.gitlab_jobs:
            key, value = job.node.key("interruptible"), job.node.scalar("interruptible")
            half = any(_HALF_DONE.search(line.value) for line in job.script_lines)
            if key is not None and value is not None and value.value == "true" and half:
                message = (
                    f'a newer pipeline interrupts "{job.name}" during its changes; set interruptible: false'
                )
                self.report_at(key.start, value.end, message)

    def _cut_short(self, concurrency: Mapping, job: WorkflowJob, reported: set[int]) -> None:
        key, value = concurrency.key("cancel-in-progress"), concurrency.scalar("cancel-in-progress")
        if key is None or value is None or value.value != "true" or id(key) in reported:
            return
        if any(step.run is not None and _HALF_DONE.search(step.run.value) for step in job.steps):
            reported.add(id(key))
            message = f'a newer run interrupts "{job.name}" during its changes; set cancel-in-progress: false'
            self.report_at(key.start, value.end, message, severity=Severity.INFO)


_HALF_DONE = LazyPattern(
    r"\b(?:terraform|tofu|terragrunt|pulumi|cdk|ansible-playbook|helm|helmfile)\b[^\n]*\b(?:apply|up|deploy|upgrade|install|sync)\b"
    r"|\bansible-playbook\b|\b(?:alembic upgrade|manage\.py migrate|rails db:migrate"
    r"|prisma migrate deploy|flyway migrate)\b"
)
"""Commands that leave a lock or partial changes when they are interrupted."""
_EVERY_RUN = LazyPattern(r"github\.(?:run_id|run_number|run_attempt|sha)\b")


def _is_unique_per_run(group: str) -> bool:
    """Return True if no two runs share a group; a group for pull requests may be unique for a push."""
    return _EVERY_RUN.search(group) is not None and not re.search(r"pull_request|head_ref", group)


def _group(node: Mapping) -> Scalar | None:
    return node.scalar("concurrency") or node.scalar("concurrency", "group")
