"""DC059."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Valid
from wardround.findings import Severity
from wardround.late import LatePattern
from wardround_docker_ci import deployments
from wardround_docker_ci.check import WORKFLOW, CiCheck

_AGAIN = frozenset(
    {"push", "workflow_dispatch", "repository_dispatch", "release", "schedule", "workflow_run"}
)
"""Events that can come a second time before the first run has ended."""
_ONLY_A_PLAN = LatePattern(
    r"(?:^|[-_\s])(?:plan|preview|build|test|tests|lint|e2e|check|checks|verify|smoke|notify|destroy)(?:$|[-_\s])",
    re.IGNORECASE,
)


class NoConcurrency(CiCheck):
    """Two runs of this deployment can overlap, and the older may finish last.

    What is live is then not what was pushed last. Put the job into a `concurrency` group.
    """

    ID = "DC059"
    NAME = "no-deploy-concurrency"
    SEVERITY = Severity.INFO
    TRIED_ON = "trees of 79 repositories: 15 hits, 14 right; to publish a package counts as no deployment"
    KINDS = WORKFLOW
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "on: push\nconcurrency: deploy\njobs:\n  deploy:\n    runs-on: x\n    steps: [{run: a}]\n",
            path=".github/workflows/a.yml",
        ),
        Valid(
            "on: push\njobs:\n  deploy:\n    concurrency: a\n    runs-on: x\n    steps: [{run: a}]\n",
            path=".github/workflows/a.yml",
        ),
        Valid(
            "on: workflow_call\njobs:\n  deploy:\n    runs-on: x\n    steps: [{run: a}]\n",
            path=".github/workflows/a.yml",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "on:\n  workflow_dispatch:\njobs:\n  live:\n    runs-on: x\n    steps:\n"
            "      - run: helm upgrade --install web ./chart\n",
            line=4,
            column=3,
            path=".github/workflows/a.yml",
        ),
        Invalid(
            "on:\n  push:\njobs:\n  production:\n    runs-on: x\n    environment: prod\n"
            "    steps: [{run: ./deploy.sh}]\n",
            line=4,
            column=3,
            path=".github/workflows/a.yml",
        ),
        Invalid(
            "on: push\njobs:\n  deploy:\n    runs-on: x\n    steps: [{run: a}]\n",
            line=3,
            column=3,
            path=".github/workflows/a.yml",
        ),
        Invalid(
            "on:\n  push:\njobs:\n  site-deploy:\n    runs-on: x\n    steps: [{run: a}]\n",
            line=4,
            column=3,
            path=".github/workflows/a.yml",
        ),
        Invalid(
            "on: push\njobs:\n  a:\n    runs-on: x\n    steps: [{run: a}]\n  deploy_prod:\n    runs-on: x\n"
            "    steps: [{run: a}]\n",
            line=6,
            column=3,
            path=".github/workflows/a.yml",
        ),
    ]

    def run(self) -> None:
        workflow = self.file.workflow
        if workflow.root.get("concurrency") is not None or not _AGAIN.intersection(workflow.triggers):
            return
        for job in workflow.jobs:
            if job.key is None or job.node.get("concurrency") is not None or _ONLY_A_PLAN.search(job.name):
                continue
            if deployments.of_workflow(job):
                self.report_at(job.key.start, job.key.end, f'two runs of "{job.name}" can overlap')
