from __future__ import annotations

import re
from functools import cached_property

from wardround.findings import Severity
from wardround.languages.shell import commands
from wardround.languages.yaml.nodes import Mapping, Node, Scalar
from wardround.languages.yaml.nodes import Sequence as Labels
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_docker_ci.analysis import deployments
from wardround_docker_ci.check import WORKFLOW, CiCheck
from wardround_docker_ci.libraries.commands import WAITS, is_test
from wardround_docker_ci.models.github_workflow import WorkflowJob, WorkflowStep

_WORKFLOWS = (".github/workflows/*.yml", ".github/workflows/*.yaml")
_SEVERAL = 3
_SHIPS = LazyPattern(r"deploy|release|publish|ship|prod|live", re.IGNORECASE)


class NoJobTimeout(CiCheck):
    """A job that deploys, waits, or runs unattended on a self-hosted runner has no timeout.

    If it hangs, it blocks the runner and the jobs after it for six hours. Set `timeout-minutes`. A test job
    is reported if all other jobs of the workflow have one. Not reported if the project has several
    workflows and none of them has a timeout.
    """

    ID = "DC058"
    NAME = "no-job-timeout"
    SEVERITY = Severity.INFO
    KINDS = WORKFLOW
    CASE_PATH = ".github/workflows/a.yml"
    VALID = [
        code("""
            on: push
            jobs:
              a:
                runs-on: x
                timeout-minutes: 10
                steps: []
        """),
        code("""
            on: push
            jobs:
              a:
                uses: ./.github/workflows/b.yml
        """),
    ]
    INVALID = [
        code("""
            on: push
            jobs:
              «a»:
                runs-on: [self-hosted, big]
                steps:
                  - run: until ./ping; do :; done
        """),
        code("""
            on: push
            jobs:
              «e2e»:
                runs-on: x
                steps:
                  - run: npx playwright test
        """),
    ]

    def run(self) -> None:
        is_only_one = self._is_only_job_without()
        for job in self.file.workflow.jobs:
            if job.key is None or _has_timeout(job) or not self._needs_timeout(job, is_only_one=is_only_one):
                continue
            if self._project_has_none:
                return
            message = f'job "{job.name}" may hang for six hours; set timeout-minutes'
            self.report_at(job.key.start, job.key.end, message)

    def _needs_timeout(self, job: WorkflowJob, *, is_only_one: bool) -> bool:
        if _is_deployment_job(job) and (is_only_one or self._queues_deployments(job)):
            return True
        if _is_self_hosted(job.node.get("runs-on")) and self._may_hang(job):
            return True
        if any(map(_may_wait, job.steps)):
            return True
        return is_only_one and self._runs_tests(job)

    @cached_property
    def _project_has_none(self) -> bool:
        """True if the project has several other workflows and no timeout in any of them."""
        project = self.source.project
        others = [path for path in project.paths(_WORKFLOWS) if path != self.source.path]
        texts = (self.source.text, *(project.read(path) or "" for path in others))
        return len(others) >= _SEVERAL and not any("timeout-minutes" in text for text in texts)

    def _may_hang(self, job: WorkflowJob) -> bool:
        """Return True if the run is unattended, or a step loops until something happens."""
        runs = (step.run.value for step in job.steps if step.run is not None)
        return "schedule" in self.file.workflow.triggers or any(_LOOPS.search(text) for text in runs)

    def _queues_deployments(self, job: WorkflowJob) -> bool:
        """Return True if the next deployment waits for this one; otherwise DC059 applies first."""
        return any(node.get("concurrency") is not None for node in (self.file.root, job.node))

    def _runs_tests(self, job: WorkflowJob) -> bool:
        texts = [self.file.passage(step.run) for step in job.steps if step.run is not None]
        return any(is_test(command) for text in texts for command in commands(text))

    def _is_only_job_without(self) -> bool:
        """Return True if all jobs of the workflow but one have a timeout."""
        jobs = [job for job in self.file.workflow.jobs if job.steps]
        without = [job for job in jobs if job.node.get("timeout-minutes") is None]
        return len(without) == 1 and len(jobs) > 1


_LOOPS = LazyPattern(r"^\s*(?:until|while)\s|\b(?:soak|wait[-_]\w+)\b", re.MULTILINE)
"""Loops that wait, and commands that run for long."""
_HOSTED = LazyPattern(
    r"ubuntu|windows|macos|\$\{\{|blacksmith|depot|namespace|buildjet|warp|runs-on", re.IGNORECASE
)
"""Parts of the labels of hosted runners; several labels without them are a self-hosted runner."""
_WAITING_ACTIONS = (
    "reactivecircus/android-emulator-runner",
    "cypress-io/github-action",
    "jakejarvis/wait-action",
)


def _may_wait(step: WorkflowStep) -> bool:
    if step.node.get("timeout-minutes") is not None:
        return False
    if step.run is None:
        return step.action in _WAITING_ACTIONS
    found = WAITS.search(step.run.value)
    return found is not None and "timeout " not in step.run.value


def _is_self_hosted(label: Node | None) -> bool:
    if isinstance(label, Mapping):
        return label.get("group") is not None or _is_self_hosted(label.get("labels"))
    labels = label.items if isinstance(label, Labels) else [label]
    names = [name.value for name in labels if isinstance(name, Scalar)]
    if "self-hosted" in names:
        return True
    return len(labels) > 1 and not any(map(_HOSTED.search, names))


def _has_timeout(job: WorkflowJob) -> bool:
    """Return True if the job or all of its steps have a timeout, also if it has no steps."""
    nodes = (job.node, *(step.node for step in job.steps))
    job_limit, *step_limits = (node.get("timeout-minutes") is not None for node in nodes)
    return job_limit or all(step_limits)


def _is_deployment_job(job: WorkflowJob) -> bool:
    has_environment = job.node.get("environment") is not None and _SHIPS.search(job.name) is not None
    return has_environment or deployments.is_workflow_deployment(job)
